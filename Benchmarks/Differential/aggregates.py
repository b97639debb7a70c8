"""Figures of records that match, as the command computes them and as DuckDB does.

Ten data sets, two of them from files of the project, with counts by value, statistics, values and histograms over all
records and over those that a condition leaves. A difference is a row that only one of both has, or a number that is
more than rounding away.
"""

import gzip
import json
import math
import os
import random
import tempfile

from common import Differences, arguments, run, skip

try:
    import duckdb
except ImportError:
    skip("Python has no duckdb")

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = ("BIGINT", "DOUBLE")
WORDS = ["red", "green", "blue", "Žilina", "Ōtsu", "日本", "", "a,b", 'with "quotes"', "two\nlines"]


def moment(chance, days):
    """A moment of some days around the turn of the century."""
    second = chance.randrange(-days * 86400 // 2, days * 86400 // 2)
    day, rest = divmod(second, 86400)
    year, month, date = civil(day + 10957)
    return f"{year:04}-{month:02}-{date:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}Z"


def civil(days):
    """The year, month and day of days since 1970."""
    days += 719468
    era, rest = divmod(days, 146097)
    year = (rest - rest // 1460 + rest // 36524 - rest // 146096) // 365
    day = rest - (365 * year + year // 4 - year // 100)
    part = (5 * day + 2) // 153
    month = part + 3 if part < 10 else part - 9
    return year + era * 400 + (1 if month <= 2 else 0), month, day - (153 * part + 2) // 5 + 1


def generated(chance, number):
    """The columns with their types, and the records of a data set; each number makes another shape of them."""
    few = [f"v{i}" for i in range(1 + number * 3)]
    span = 10 ** (1 + number)
    makers = {
        "word": ("VARCHAR", lambda: chance.choice(WORDS)),
        "name": ("VARCHAR", lambda: f"n{chance.randrange(span)}"),
        "skewed": ("VARCHAR", lambda: few[min(len(few) - 1, int(chance.expovariate(0.7)))]),
        "whole": ("BIGINT", lambda: chance.randrange(-span, span)),
        "small": ("BIGINT", lambda: chance.randrange(5)),
        "number": ("DOUBLE", lambda: round(chance.gauss(0, span), 3)),
        "mixed": ("DOUBLE", lambda: chance.choice([chance.randrange(20), chance.randrange(40) / 2])),
        "flag": ("BOOLEAN", lambda: chance.random() < 0.3),
        "at": ("TIMESTAMP", lambda: moment(chance, 3 + number * 700)),
    }
    gaps = chance.choice([0, 0.05, 0.5])
    records = []
    for i in range([1, 7, 100, 400, 900, 1500, 2500, 4000][number]):
        record = {"id": f"r{i}"}
        for name, (_, make) in makers.items():
            # The first record has every field: one that no record has is an error.
            if i == 0 or chance.random() >= gaps:
                record[name] = make()
            elif chance.random() < 0.5:
                record[name] = None
        records.append(record)
    return {name: kind for name, (kind, _) in makers.items()}, records


def committed():
    """The data sets of files of the project, as `generated` gives others."""
    with open(os.path.join(HERE, "edges.ndjson"), encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    yield "edges", {
        "whole": "BIGINT", "number": "DOUBLE", "text": "VARCHAR", "flag": "BOOLEAN", "at": "TIMESTAMP"}, records
    with gzip.open(os.path.join(HERE, "..", "Data", "airports.ndjson.gz"), "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    kinds = {}
    for record in records:
        for name, value in record.items():
            if name in ("id", "type") or isinstance(value, (dict, list, type(None))):
                continue
            kind = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}[type(value)]
            kinds[name] = "DOUBLE" if {kind, kinds.get(name)} == {"BIGINT", "DOUBLE"} else kind
    yield "airports", kinds, records


def same(ours, theirs):
    """Whether two values are one, numbers up to rounding."""
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return ours is theirs
    if isinstance(ours, (int, float)) and isinstance(theirs, (int, float)):
        return ours == theirs or math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-9)
    return ours == theirs


def key(value):
    """A value as something that sorts."""
    if value is None:
        return (0, "")
    if isinstance(value, bool):
        return (1, value)
    return (2, float(value)) if isinstance(value, (int, float)) else (3, str(value))


class Comparison:
    """One data set in both programs."""

    def __init__(self, command, folder, name, kinds, records, differences):
        self.command, self.name, self.kinds, self.differences = command, name, kinds, differences
        self.path = os.path.join(folder, name + ".ndjson")
        with open(self.path, "w", encoding="utf-8") as file:
            for record in records:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
        self.connection = duckdb.connect()
        columns = ", ".join(f"'{name}': '{kind}'" for name, kind in kinds.items())
        self.connection.execute(
            f"CREATE TABLE t AS SELECT * FROM read_json('{self.path}', format='newline_delimited', "
            f"columns={{{columns}}})")
        self.count = 0

    def ours(self, condition, *words):
        """The rows of figures that the command prints."""
        call = [self.command, "query", condition, self.path, "-o", "ndjson"]
        return [json.loads(line) for line in run(call + list(words), statuses=(0, 1)).split("\n") if line]

    def theirs(self, query):
        """The rows of a query, moments as the command writes them."""
        rows = self.connection.execute(query).fetchall()
        return [[self.plain(value) for value in row] for row in rows]

    @staticmethod
    def plain(value):
        if hasattr(value, "isoformat"):
            text = value.isoformat()
            return (text.rstrip("0").rstrip(".") if "." in text else text) + "Z"
        return value

    def check(self, what, ours, theirs):
        """Compares two lists of rows without regard to their order."""
        self.count += 1
        a = sorted(([*row.values()] for row in ours), key=lambda row: [key(value) for value in row])
        b = sorted(theirs, key=lambda row: [key(value) for value in row])
        if len(a) == len(b) and all(same(x, y) for left, right in zip(a, b) for x, y in zip(left, right)):
            return
        odd = next((pair for pair in zip(a, b) if not all(map(same, *pair))), (len(a), len(b)))
        self.differences.add(f"{self.name}: {what}: {odd}")

    def run(self, condition, sql):
        """All figures of all columns of the records that a condition leaves."""
        names = list(self.kinds)
        for name, kind in self.kinds.items():
            at = f'"{name}"'
            self.check(f"{condition} --count-by {name}", self.ours(condition, "--count-by", name), self.theirs(
                f"SELECT {at}, count(*) FROM t WHERE {sql} GROUP BY ALL"))
            self.check(f"{condition} --distinct {name}", self.ours(condition, "--distinct", name), self.theirs(
                f"SELECT DISTINCT {at} FROM t WHERE {sql} AND {at} IS NOT NULL"))
            number = f"{at}::INTEGER" if kind == "BOOLEAN" else at
            # The sum of nothing is 0 here, as `@sum` has it, and there is none of whole numbers beyond 64 bits.
            total = f"coalesce(sum({number}), 0)"
            if kind == "BIGINT":
                total = f"try_cast({total} AS BIGINT)"
            sums = f"{total}, avg({number})" if kind in (*NUMBERS, "BOOLEAN") else "NULL, NULL"
            ends = f"min({at}), max({at})" if kind != "BOOLEAN" else "NULL, NULL"
            rows = self.theirs(
                f"SELECT '{name}', count({at}), count(*) - count({at}), count(DISTINCT {at}), {ends}, {sums} "
                f"FROM t WHERE {sql}")
            found = self.ours(condition, "--stats", name)
            if kind == "BOOLEAN":
                for row in found:
                    row["min"] = row["max"] = None
            self.check(f"{condition} --stats {name}", found, rows)
            if kind in NUMBERS or kind == "TIMESTAMP":
                self.histogram(condition, sql, name, kind)
        for first, second in zip(names, names[1:]):
            self.check(f"{condition} --count-by {first},{second}", self.ours(
                condition, "--count-by", f"{first},{second}"), self.theirs(
                f'SELECT "{first}", "{second}", count(*) FROM t WHERE {sql} GROUP BY ALL'))

    def histogram(self, condition, sql, name, kind):
        parts = ["7"] if kind in NUMBERS else ["month", "year"]
        for part in parts:
            rows = self.ours(condition, "--histogram", f"{name}:{part}")
            if not rows:
                if self.theirs(f'SELECT count("{name}") FROM t WHERE {sql}')[0][0]:
                    self.differences.add(f"{self.name}: {condition} --histogram {name}:{part} is empty")
                continue
            bounds = [row["from"] for row in rows] + [rows[-1]["below"]]
            cast = "TIMESTAMP" if kind == "TIMESTAMP" else "DOUBLE"
            text = [f"'{bound}'::{cast}" for bound in bounds]
            counts = ", ".join(
                f'count(*) FILTER ("{name}" >= {low} AND "{name}" < {high})' for low, high in zip(text, text[1:]))
            theirs = self.theirs(f"SELECT {counts} FROM t WHERE {sql}")[0]
            self.check(f"{condition} --histogram {name}:{part}", rows, [
                [low, high, count] for low, high, count in zip(bounds, bounds[1:], theirs)])
            total = self.theirs(f'SELECT count("{name}") FROM t WHERE {sql}')[0][0]
            if sum(row["count"] for row in rows) != total:
                self.differences.add(f"{self.name}: {condition} --histogram {name}:{part} leaves some out")


def main():
    options = arguments(__doc__.split("\n")[0], 2).parse_args()
    chance = random.Random(options.seed)
    differences = Differences()
    count = 0
    sets = [(f"set{number}", *generated(chance, number)) for number in range(8)] + list(committed())
    with tempfile.TemporaryDirectory() as folder:
        for name, kinds, records in sets:
            comparison = Comparison(options.predicate, folder, name, kinds, records, differences)
            numeric = next(column for column, kind in kinds.items() if kind in NUMBERS)
            limit = chance.randrange(-5, 50)
            conditions = [
                ("TRUEPREDICATE", "TRUE"), (f"{numeric} > {limit}", f'"{numeric}" > {limit}'),
                (f"{numeric} == nil", f'"{numeric}" IS NULL')]
            for condition, sql in conditions[:options.runs]:
                comparison.run(condition, sql)
            count += comparison.count
    differences.finish(
        f"DuckDB {duckdb.__version__}, seed {options.seed}: {count} figures of {len(sets)} data sets compared")


main()
