"""Random pairs of places, as the engine measures them and as GeographicLib's GeodSolve does.

Pairs anywhere, near each other, nearly antipodal, at the poles, across the antimeridian and along the equator. A
difference is a pair for which the two are more than the bound apart.
"""

import json
import os
import random
import shutil
import tempfile

from common import Differences, arguments, run, skip

BATCH = 1000


def decimal(value):
    """A number in digits alone: GeodSolve takes an E for east."""
    return f"{value:.25f}"


def anywhere(chance):
    return chance.uniform(-90, 90), chance.uniform(-180, 180)


def offset(chance):
    return chance.choice([0, 1, -1]) * 10 ** chance.uniform(-9, 0)


def wrapped(latitude, longitude):
    longitude = (longitude + 180) % 360 - 180
    return max(-90.0, min(90.0, latitude)), longitude


def partner(chance, place):
    """The other end of a pair, of a family that is hard for algorithms."""
    latitude, longitude = place
    draw = chance.randrange(8)
    if draw < 2:
        return anywhere(chance)
    if draw == 2:
        return wrapped(latitude + offset(chance), longitude + offset(chance))
    if draw < 5:
        return wrapped(-latitude + offset(chance), longitude + 180 + offset(chance))
    if draw == 5:
        return chance.choice([90.0, -90.0]), chance.uniform(-180, 180)
    if draw == 6:
        return wrapped(latitude, -longitude)
    return 0.0, chance.uniform(-180, 180)


def origin(chance):
    draw = chance.randrange(6)
    if draw == 0:
        return 0.0, chance.uniform(-180, 180)
    if draw == 1:
        return chance.choice([90.0, -90.0, 0.0]), chance.choice([0.0, 180.0, -180.0, 90.0])
    if draw == 2:
        return chance.uniform(-90, 90), chance.choice([180.0, -180.0, 179.9999999, -179.9999999])
    return anywhere(chance)


def main():
    parser = arguments(__doc__.split("\n")[0], 100_000)
    parser.add_argument("--bound", type=float, default=30, help="nanometres that two distances may differ by")
    options = parser.parse_args()
    if not shutil.which("GeodSolve"):
        skip("GeodSolve is not here (Debian: geographiclib-tools)")
    chance = random.Random(options.seed)
    differences = Differences()
    worst = (0.0, None)
    pairs = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "places.ndjson")
        while pairs < options.runs:
            start = origin(chance)
            ends = [tuple(float(decimal(value)) for value in partner(chance, start)) for _ in range(BATCH)]
            with open(path, "w", encoding="utf-8") as file:
                for number, (latitude, longitude) in enumerate(ends):
                    place = {"latitude": latitude, "longitude": longitude}
                    file.write(json.dumps({"id": str(number), "place": place}) + "\n")
            start = tuple(float(decimal(value)) for value in start)
            field = f"distance(place,{decimal(start[0])},{decimal(start[1])})"
            out = run([options.predicate, "query", "TRUEPREDICATE", path, "-f", field, "-o", "ndjson"])
            ours = [json.loads(line)["distance"] for line in out.split("\n") if line]
            lines = "".join(
                " ".join(decimal(value) for value in (*start, *end)) + "\n" for end in ends)
            theirs = [float(line.split()[-1]) for line in run(["GeodSolve", "-i", "-p", "10"], lines).split("\n") if line]
            assert len(ours) == len(theirs) == BATCH, (len(ours), len(theirs))
            for end, own, other in zip(ends, ours, theirs):
                error = abs(own - other) * 1e9
                if error > worst[0]:
                    worst = (error, (start, end))
                if error > options.bound:
                    differences.add(f"{start} {end}: {own!r} here, {other!r} there")
            pairs += BATCH
    version = run(["GeodSolve", "--version"]).strip().split(" ")[-1]
    differences.finish(
        f"GeographicLib {version}, seed {options.seed}: {pairs} distances, at most {worst[0]:.1f} nm apart {worst[1]}")


main()
