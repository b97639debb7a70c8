"""Fails on public symbols without a documentation comment, of their own or of the protocol's requirement that they satisfy.

What the compiler makes (conformances, members that extensions of protocols give) is left out. The operand is a folder of
symbol graphs, as .ci/graphs makes it.
"""

import json
import pathlib
import sys


def main():
    symbols, faults = {}, []
    for path in pathlib.Path(sys.argv[1]).rglob("*.symbols.json"):
        for symbol in json.loads(path.read_text())["symbols"]:
            name = symbol["identifier"]["precise"]
            if symbol["accessLevel"] not in ("public", "open") or "::SYNTHESIZED::" in name:
                continue
            if symbol["kind"]["identifier"] != "swift.extension":
                symbols[name] = symbol
    for symbol in symbols.values():
        if any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", [])):
            continue
        place = symbol.get("location", {"uri": "?", "position": {"line": 0}})
        file = place["uri"].partition("/Sources/")[2] or place["uri"]
        faults.append((file, place["position"]["line"] + 1, ".".join(symbol["pathComponents"])))
    for file, line, name in sorted(faults):
        print(f"Sources/{file}:{line}: {name} has no documentation comment", file=sys.stderr)
    print(f"{len(symbols)} public symbols, {len(faults)} without a documentation comment")
    return 1 if faults or not symbols else 0


if __name__ == "__main__":
    sys.exit(main())
