"""Makes the symbols of a folder's graphs RecordDatabase's, which re-exports them: all, or those of the given types."""

import json
import pathlib
import sys

folder, *names = sys.argv[1:]
for path in pathlib.Path(folder).glob("*.symbols.json"):
    graph = json.loads(path.read_text())
    graph["module"]["name"] = "RecordDatabase"
    if names:
        graph["symbols"] = [symbol for symbol in graph["symbols"] if symbol["pathComponents"][0] in names]
        kept = {symbol["identifier"]["precise"] for symbol in graph["symbols"]}
        graph["relationships"] = [link for link in graph["relationships"] if link["source"] in kept]
    path.write_text(json.dumps(graph))
