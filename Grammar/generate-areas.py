#!/usr/bin/env python3
"""Writes Conformance/areas-random.cases, and checks what areas.cases expects of areas that there are.

`python3 Grammar/generate-areas.py` after a change of what areas mean (Decision 15), with shapely 2 installed; the same
seed gives the same bytes. Every expectation is computed by two others than this project: shapely (GEOS), and rational
arithmetic, which alone decides where a place is on an edge or beside it by less than GEOS can tell.
"""

import json
import math
import pathlib
import random
import sys
from fractions import Fraction

import shapely

FOLDER = pathlib.Path(__file__).parent / "Conformance"
SEED = 20261125
TURNS = (-720, -360, 0, 360, 720)


def unrolled(ring):
    """The ring on the plane: an edge that seems longer than half a turn, and is no whole one, leads the other way."""
    corners = [tuple(ring[0][:2])]
    for before, after in zip(ring, ring[1:]):
        step = Fraction(after[0]) - Fraction(before[0])
        if 180 < abs(step) < 360:
            step -= int(math.copysign(360, step))
        corners.append((Fraction(corners[-1][0]) + step, Fraction(after[1])))
    return [(Fraction(x), Fraction(y)) for x, y in corners]


def side(ring, x, y):
    """-1 outside of a ring, 0 on it, 1 inside by the even-odd rule."""
    inside = False
    for (ax, ay), (bx, by) in zip(ring, ring[1:]):
        cross = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if cross == 0 and min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by):
            return 0
        if (ay > y) != (by > y) and (cross > 0) == (by > ay):
            inside = not inside
    return 1 if inside else -1


def by_fractions(polygons, latitude, longitude):
    x, y = Fraction(longitude), Fraction(latitude)
    for exterior, *holes in polygons:
        if abs(y) == 90:
            if any(corner[1] == y for corner in exterior):
                return True
            continue
        if max(side(exterior, x + turn, y) for turn in TURNS) < 0:
            continue
        if all(side(hole, x + turn, y) < 1 for hole in holes for turn in TURNS):
            return True
    return False


def by_shapely(polygons, latitude, longitude):
    for exterior, *holes in polygons:
        if abs(latitude) == 90:
            if any(corner[1] == latitude for corner in exterior):
                return True
            continue
        shape = shapely.Polygon([(float(x), float(y)) for x, y in exterior])
        places = [shapely.Point(longitude + turn, latitude) for turn in TURNS]
        voids = [shapely.Polygon([(float(x), float(y)) for x, y in hole]) for hole in holes]
        if any(shape.covers(place) for place in places):
            if not any(void.contains_properly(place) for void in voids for place in places):
                return True
    return False


def contains(geometry, latitude, longitude):
    """Whether an area contains a place; and whether shapely may be asked, to which one this near an edge is on it."""
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    polygons = [[unrolled(ring) for ring in polygon] for polygon in polygons]
    exact = by_fractions(polygons, latitude, longitude)
    edges = [shapely.LineString([(float(x), float(y)) for x, y in ring]) for polygon in polygons for ring in polygon]
    places = [shapely.Point(longitude + turn, latitude) for turn in TURNS]
    if min(edge.distance(place) for edge in edges for place in places) > 1e-9:
        if by_shapely(polygons, latitude, longitude) != exact:
            sys.exit(f"shapely and fractions differ: {geometry} {latitude} {longitude}")
    return exact


def in_box(sides, latitude, longitude):
    """As a polygon of the box, but for boxes that are lines or go all around."""
    south, west, north, east = sides
    if not south <= latitude <= north:
        return False
    if abs(latitude) == 90:
        return True
    longitudes = (180, -180) if abs(longitude) == 180 else (longitude,)
    return any(west <= x <= east if west <= east else x >= west or x <= east for x in longitudes)


# Random areas. Corners are multiples of 1/64 degree, so that the middle of an edge is a number of 64 bits.


def grid(value):
    return round(value * 64) / 64


def star(chance, x, y, size, corners):
    """A ring around a place, with corners at growing angles."""
    angles = sorted(chance.sample(range(0, 360, 7), corners))
    ring = [
        [grid(x + chance.uniform(0.4, 1) * size * math.cos(math.radians(a))),
         grid(max(-90, min(90, y + chance.uniform(0.4, 1) * size * math.sin(math.radians(a)))))]
        for a in angles
    ]
    return ring + [ring[0]]


def polygon(chance, x, y, size):
    rings = [star(chance, x, y, size, chance.randint(3, 9))]
    if chance.random() < 0.4:
        rings.append(star(chance, x, y, size / 6, chance.randint(3, 5)))
    return rings


def written(rings, chance):
    """Longitudes beyond ±180 as they are, or as the same meridians within, so that edges jump."""
    if any(abs(x) > 360 for ring in rings for x, _ in ring) or chance.random() < 0.5:
        return [[[(x + 180) % 360 - 180, y] for x, y in ring] for ring in rings]
    return rings


def area(chance):
    x = chance.choice([chance.uniform(-150, 150), 175, -178, 180])
    y = chance.choice([chance.uniform(-60, 60), 84, -86])
    size = chance.choice([0.5, 3, 20])
    if chance.random() < 0.7:
        return {"type": "Polygon", "coordinates": written(polygon(chance, x, y, size), chance)}
    polygons = [polygon(chance, x + shift * size, y, size) for shift in range(chance.randint(2, 3))]
    return {"type": "MultiPolygon", "coordinates": [written(rings, chance) for rings in polygons]}


def wrapped(x):
    return x if -180 <= x <= 180 else (x + 180) % 360 - 180


def places(chance, geometry):
    """A corner, the middle of an edge and the next numbers beside it, and somewhere near."""
    polygons = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    ring = unrolled(chance.choice(chance.choice(polygons)))
    (ax, ay), (bx, by) = chance.choice(list(zip(ring, ring[1:])))
    yield float(ay), wrapped(float(ax))
    x, y = float((ax + bx) / 2), float((ay + by) / 2)
    yield y, wrapped(x)
    yield math.nextafter(y, chance.choice([-91, 91])), wrapped(x)
    xs, ys = [float(c[0]) for c in ring], [float(c[1]) for c in ring]
    for _ in range(2):
        yield (
            max(-90.0, min(90.0, grid(chance.uniform(min(ys) - 0.3, max(ys) + 0.3)))),
            wrapped(grid(chance.uniform(min(xs) - 0.3, max(xs) + 0.3))),
        )


def generated():
    chance = random.Random(SEED)
    lines = [
        "# Random areas (Decision 15): corners, middles of edges, the next numbers beside them, and places near. Written by",
        f"# generate-areas.py with shapely {shapely.__version__.rsplit('.', 1)[0]} and rational arithmetic.",
    ]
    number = 0
    while number < 150:
        geometry = area(chance)
        for latitude, longitude in places(chance, geometry):
            number += 1
            case = {
                "id": f"areas-random-{number:03}", "predicate": "inPolygon(p, %@) == TRUE", "arguments": [geometry],
                "value": {"p": {"latitude": latitude, "longitude": longitude}},
                "expect": contains(geometry, latitude, longitude),
            }
            lines.append(json.dumps(case))
    return "\n".join(lines) + "\n"


def check(path):
    """Compares what cases of the plain form expect with what is computed here; how many there were."""
    count = 0
    for line in path.read_text().splitlines():
        case = json.loads(line) if line.startswith("{") else {}
        place = case.get("value", {}).get("p") if isinstance(case.get("value"), dict) else None
        if not isinstance(case.get("expect"), bool) or not isinstance(place, dict) or len(place) != 2:
            continue
        if not (abs(place["latitude"]) <= 90 and abs(place["longitude"]) <= 180):
            continue
        text = case["predicate"]
        if text == "inPolygon(p, %@) == TRUE" and case["arguments"][0].get("type", "").endswith("Polygon"):
            expected = contains(case["arguments"][0], place["latitude"], place["longitude"])
        elif text.startswith("inBox(p, ") and text.endswith(") == TRUE") and "%" not in text:
            try:
                sides = [float(side) for side in text[len("inBox(p, "):-len(") == TRUE")].split(",")]
            except ValueError:
                continue
            expected = in_box(sides, place["latitude"], place["longitude"])
        else:
            continue
        count += 1
        if expected != case["expect"]:
            sys.exit(f"{path.name}: {case['id']} expects {case['expect']}, which is {expected}")
    return count


if __name__ == "__main__":
    (FOLDER / "areas-random.cases").write_text(generated())
    for name in ("areas.cases", "areas-random.cases"):
        print(name, check(FOLDER / name), "expectations computed")
