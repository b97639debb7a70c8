"""Fails where a public symbol has no page, or the landing page of a module leaves it to be listed by itself.

Operands: a folder of symbol graphs, as .ci/graphs makes it, and the documentation archives. Operators are listed by kind,
as are the types of the toolchain that are extended: no short link names one of several operators.
"""

import json
import pathlib
import sys

LISTED_BY_KIND = {"Operators", "Extended Modules"}


def pages(archives):
    for archive in archives:
        for path in pathlib.Path(archive, "data", "documentation").rglob("*.json"):
            yield path, json.loads(path.read_text())


def main():
    graphs, *archives = sys.argv[1:]
    shown, faults = set(), []
    for path, page in pages(archives):
        shown.add(page["metadata"].get("externalID"))
        if page["metadata"].get("symbolKind") != "module":
            continue
        for section in page.get("topicSections", []):
            if section.get("generated") and section["title"] not in LISTED_BY_KIND:
                names = " ".join(name.rpartition("/")[2] for name in section["identifiers"])
                faults.append(f"{path.stem}: no topic lists {names}")
    count = 0
    for path in sorted(pathlib.Path(graphs).rglob("*.symbols.json")):
        graph = json.loads(path.read_text())
        for symbol in graph["symbols"]:
            if symbol["kind"]["identifier"] == "swift.extension" or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
                continue
            count += 1
            if symbol["identifier"]["precise"] not in shown:
                faults.append(f"{graph['module']['name']}: {'.'.join(symbol['pathComponents'])} has no page")
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{count} public symbols, {len(shown)} pages")
    return 1 if faults or not count else 0


if __name__ == "__main__":
    sys.exit(main())
