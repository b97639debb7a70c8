"""Random predicates, as the engine answers them and as SQLite does what `predicate translate --to sql` makes of them.

The shared subset: whole numbers and fractions, texts, truth values, lists, ranges, membership, arithmetic, and what is
missing or null, under AND, OR and NOT. Both get the same records; the ids that match are compared.
"""

import json
import os
import random
import re
import sqlite3
import tempfile

from common import Differences, arguments, run

MARK = "=end="
BATCH = 500
# Other lines are notes on odd predicates.
NAME = re.compile("r[0-9]+|all")

NUMBERS = [0, 1, -1, 2, 3, 7, 100, -50, 2**31, 2**53, 2**53 + 1, 2**62, -(2**63), 2**63 - 1]
FRACTIONS = [0.0, -0.0, 0.5, -1.5, 1.0, 2.0, 3.25, 1e300, -1e-300, 9007199254740992.0, 1e18]
TEXTS = ["", "a", "b", "ab", "A", "aba", "é", "z", "日本", "日本語", "a%b", "a_b", "a*b", "[a]", "it's", "😀", "ß", "a\\b", " a"]
KINDS = {
    "i": NUMBERS, "j": NUMBERS[:9], "x": FRACTIONS, "y": FRACTIONS[:7], "s": TEXTS, "u": TEXTS, "t": [True, False],
}
LISTS = {"l": NUMBERS[:9], "m": TEXTS}


def records(chance, count):
    """Records in which any field may be missing or null."""
    made = []
    for number in range(count):
        record = {"id": f"r{number}"}
        for name, values in {**KINDS, **LISTS}.items():
            draw = chance.random()
            if draw < 0.15:
                continue
            if draw < 0.2:
                record[name] = None
            elif name in LISTS:
                record[name] = [chance.choice(values) for _ in range(chance.randrange(4))]
            else:
                record[name] = chance.choice(values)
        made.append(record)
    # Every field has a value of its kind somewhere, so that kinds are known.
    made.append({"id": "all", **{name: values[1] for name, values in KINDS.items()}, "l": [1], "m": ["a"]})
    return made


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def literal(chance, name):
    value = chance.choice({**KINDS, **LISTS}[name])
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return quoted(value) if isinstance(value, str) else repr(value)


def number(chance, depth):
    """An operand that is a number."""
    draw = chance.random()
    if depth == 0 or draw < 0.5:
        return chance.choice("ijxy")
    if draw < 0.7:
        return literal(chance, chance.choice("jy"))
    if draw < 0.8:
        return "l.@count"
    small = [chance.choice(["j", "y", "2", "0.5", "3"]), chance.choice(["j", "y", "1", "4", "-2"])]
    return f"({small[0]} {chance.choice('+-*')} {small[1]})"


ORDER = ["<", "<=", ">", ">="]
EQUAL = ["==", "!="]


def comparison(chance):
    draw = chance.randrange(13)
    if draw < 3:
        return f"{number(chance, 1)} {chance.choice(ORDER + EQUAL)} {number(chance, 1)}"
    if draw == 3:
        name = chance.choice("su")
        other = literal(chance, name) if chance.random() < 0.7 else chance.choice("su")
        return f"{name} {chance.choice(ORDER + EQUAL)} {other}"
    if draw == 4:
        pattern = "".join(chance.choice(["*", "?", "a", "b", "日", "%", "_", "[", "]", "\\\\*", "é"]) for _ in range(chance.randrange(5)))
        return f"s LIKE '{pattern}'"
    if draw == 5:
        return f"s {chance.choice(['CONTAINS', 'BEGINSWITH', 'ENDSWITH'])} {literal(chance, 's')}"
    if draw == 6:
        name = chance.choice("ijxysu")
        members = [literal(chance, name) for _ in range(chance.randrange(4))] + (["nil"] if chance.random() < 0.2 else [])
        return f"{name} IN {{{', '.join(members)}}}"
    if draw == 7:
        name = chance.choice("ijxysu")
        low, high = literal(chance, name), literal(chance, name)
        return f"{name} BETWEEN {{{low}, {high}}}"
    if draw == 8:
        return f"{chance.choice('ijxysutlm')} {chance.choice(EQUAL)} nil"
    if draw == 9:
        name = chance.choice("lm")
        return f"{chance.choice(['ANY', 'ALL', 'NONE'])} {name} {chance.choice(ORDER + EQUAL)} {literal(chance, name)}"
    if draw == 10:
        name = chance.choice("lm")
        return f"{name} CONTAINS {literal(chance, name)}"
    if draw == 11:
        return f"t {chance.choice(EQUAL)} {chance.choice(['TRUE', 'FALSE'])}"
    name = chance.choice("lm")
    return f"{literal(chance, name)} IN {name}"


def predicate(chance, depth):
    draw = chance.random()
    if depth == 0 or draw < 0.35:
        return comparison(chance)
    if draw < 0.55:
        return f"NOT ({predicate(chance, depth - 1)})"
    word = " AND " if draw < 0.8 else " OR "
    return word.join(f"({predicate(chance, depth - 1)})" for _ in range(chance.randrange(2, 4)))


def stored(value):
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    return value


def table(made):
    """A table without affinities: values stay what they are."""
    connection = sqlite3.connect(":memory:")
    names = ["id", *KINDS, *LISTS]
    connection.execute(f"CREATE TABLE records ({', '.join(names)})")
    rows = [[stored(record.get(name)) for name in names] for record in made]
    connection.executemany(f"INSERT INTO records VALUES ({', '.join('?' * len(names))})", rows)
    return connection


def answers(command, path, predicates):
    """The ids that the engine finds; None where it has an error to tell."""
    lines = [".mode ids"]
    for text in predicates:
        lines += [text, ".fold " + MARK]
    out = run([command, "repl", path, "--color", "never"], "\n".join(lines) + "\n", statuses=(0, 1, 2), merged=True)
    found, ids = [], set()
    for line in out.split("\n"):
        if line.startswith("[cd]") and MARK in line:
            found.append(ids)
            ids = set()
        elif line.startswith("error:"):
            ids = None
        elif ids is not None and NAME.fullmatch(line):
            ids.add(line)
    return found


def main():
    options = arguments(__doc__.split("\n")[0], 5000).parse_args()
    chance = random.Random(options.seed)
    differences = Differences()
    compared = refused = failed = matched = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records.ndjson")
        while compared + refused + failed < options.runs:
            made = records(chance, 60)
            with open(path, "w", encoding="utf-8") as file:
                for record in made:
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")
            predicates = [predicate(chance, chance.randrange(4)) for _ in range(BATCH)]
            out = run(
                [options.predicate, "translate", "--to", "sql", "-p", "-", path, "-o", "json"],
                "\n".join(predicates) + "\n", statuses=(0, 1, 2))
            translated = [json.loads(line) for line in out.split("\n") if line]
            assert len(translated) == len(predicates), (len(translated), len(predicates))
            kept = [(text, sql["sql"]) for text, sql in zip(predicates, translated) if "sql" in sql]
            refused += len(predicates) - len(kept)
            ours = answers(options.predicate, path, [text for text, _ in kept])
            assert len(ours) == len(kept), (len(ours), len(kept))
            connection = table(made)
            for (text, sql), found in zip(kept, ours):
                if found is None:
                    failed += 1
                    continue
                try:
                    theirs = {row[0] for row in connection.execute(f"SELECT id FROM records WHERE {sql}")}
                except sqlite3.Error as error:
                    differences.add(f"{text}\n  {sql}\n  SQLite: {error}")
                    continue
                compared += 1
                matched += len(theirs)
                if found != theirs:
                    odd = sorted(found ^ theirs)[:3]
                    shown = [record for record in made if record["id"] in odd]
                    differences.add(
                        f"{text}\n  {sql}\n  only here {sorted(found - theirs)[:3]}, only there "
                        f"{sorted(theirs - found)[:3]}\n  {json.dumps(shown, ensure_ascii=False)}")
    differences.finish(
        f"SQLite {sqlite3.sqlite_version}, seed {options.seed}: {compared} predicates compared ({matched} matches), "
        f"{refused} without a counterpart, {failed} with an error of the engine")


main()
