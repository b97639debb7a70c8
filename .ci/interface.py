"""The public symbols of symbol graphs, one a line, sorted: library, path, declaration."""

import json
import pathlib
import sys

lines = set()
for graph in pathlib.Path(sys.argv[1]).glob("*.symbols.json"):
    content = json.loads(graph.read_text())
    # The modules that RecordDatabase re-exports are how it is divided: a name that moves between them stays where it was.
    module = content["module"]["name"]
    if module not in sys.argv[2:]:
        module = "RecordDatabase"
    for symbol in content["symbols"]:
        if symbol["accessLevel"] not in ("public", "open"):
            continue
        declaration = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
        lines.add(f"{module} {'.'.join(symbol['pathComponents'])}: {' '.join(declaration.split())}")
for line in sorted(lines):
    print(line)
