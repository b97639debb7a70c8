"""Reads llvm-cov's export and prints the line coverage of the modules named below; status 1 when one is too low."""

import json
import sys

MODULES = ["PredicateSyntax", "PredicateSemantics", "RecordFiles", "Indexing"]
LEAST = 90.0


def unreached(file):
    """The lines of a file that no test reaches, from the segments (line, column, count, has a count, …)."""
    lines = set()
    segments = file["segments"]
    for segment, following in zip(segments, segments[1:]):
        if segment[3] and segment[2] == 0:
            lines.update(range(segment[0], following[0] + (following[1] > 1)))
    return sorted(lines)


def stretches(lines):
    """Numbers as stretches: 3-5, 9."""
    found = []
    for line in lines:
        if found and line == found[-1][1] + 1:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def main():
    with open(sys.argv[1]) as report:
        files = json.load(report)["data"][0]["files"]
    low = 0
    for module in MODULES:
        own = [file for file in files if f"/Sources/{module}/" in file["filename"]]
        count = sum(file["summary"]["lines"]["count"] for file in own)
        covered = sum(file["summary"]["lines"]["covered"] for file in own)
        share = 100 * covered / max(1, count)
        low += share < LEAST
        print(f"{module:20} {share:6.2f} %  {covered} of {count} lines")
        if "--lines" in sys.argv:
            for file in sorted(own, key=lambda file: file["summary"]["lines"]["covered"] - file["summary"]["lines"]["count"]):
                if lines := unreached(file):
                    print(f"    {file['filename'].split('/Sources/')[1]}: {stretches(lines)}")
    sys.exit(1 if low else 0)


main()
