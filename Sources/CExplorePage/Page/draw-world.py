#!/usr/bin/env python3
"""Writes the outlines of the world for the map: draw-world.py FOLDER SCALE AREA OUT

FOLDER holds Debian's package r-cran-rnaturalearthdata, unpacked: apt-get download r-cran-rnaturalearthdata, then
dpkg -x r-cran-rnaturalearthdata_*.deb FOLDER. Needs rdata and numpy from PyPI. The output has the form that `arcs` in
map.js reads, packed by gzip: shores (kind 0) are edges of one country, borders (kind 1) those of two. SCALE is 110 or 50
(million); points that stand out by less than AREA square kilometres are left out, 0 for none:

    draw-world.py FOLDER 110 0 world110.bin
    draw-world.py FOLDER 50 25 world50.bin
"""

import bz2
import gzip
import heapq
import lzma
import math
import pathlib
import sys
import warnings
import zlib

import numpy
import rdata

LIST = rdata.parser.RObjectType.LIST
REFERENCE = rdata.parser.RObjectType.REF
VECTOR = rdata.parser.RObjectType.VEC


def unpacked(raw):
    """An entry of R's database of objects: four bytes of length, a letter that tells the packing."""
    if raw[4:5] == b"Z":
        filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 26}]
        return lzma.LZMADecompressor(format=lzma.FORMAT_RAW, filters=filters).decompress(raw[5:])
    return bz2.decompress(raw[5:]) if raw[4:5] == b"2" else zlib.decompress(raw[4:])


def load(folder, name):
    data = next(pathlib.Path(folder).rglob("rnaturalearthdata/data"))
    index = rdata.conversion.convert(rdata.parser.parse_data((data / "Rdata.rdx").read_bytes()))
    start, length = (int(number) for number in index["variables"][name])
    return rdata.parser.parse_data(unpacked((data / "Rdata.rdb").read_bytes()[start : start + length])).object


def attributes(thing):
    found = {}
    link = thing.attributes
    while link is not None and link.info.type == LIST:
        tag = link.tag.referenced_object if link.tag.info.type == REFERENCE else link.tag
        found[tag.value.value.decode()] = link.value[0]
        link = link.value[1]
    return found


def rings(thing, out):
    """The matrices of coordinates anywhere in a tree of objects and lists."""
    parts = attributes(thing) if thing.attributes is not None else {}
    if "coords" in parts:
        out.append(numpy.array(parts["coords"].value).reshape(2, -1).T)
    for key in ("polygons", "Polygons"):
        if key in parts:
            rings(parts[key], out)
    if thing.info.type == VECTOR:
        for element in thing.value:
            rings(element, out)


def edge(a, b):
    return (a, b) if a < b else (b, a)


def lines(edges):
    """Edges joined to lines between points where other than two meet, and to rings."""
    near = {}
    for a, b in edges:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    left = set(edges)

    def walk(a, b):
        line = [a, b]
        left.discard(edge(a, b))
        while len(near[line[-1]]) == 2:
            following = next((c for c in near[line[-1]] if edge(line[-1], c) in left), None)
            if following is None:
                break
            left.discard(edge(line[-1], following))
            line.append(following)
        return line

    found = []
    for point in sorted(near):
        if len(near[point]) != 2:
            found += [walk(point, other) for other in near[point] if edge(point, other) in left]
    found += [walk(a, b) for a, b in sorted(edges) if (a, b) in left]
    return found


def area(a, b, c):
    """Square kilometres of a triangle of points in hundredths of a degree."""
    scale = math.cos(math.radians(b[1] / 100)) * 1.11 * 1.11
    return abs((b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])) / 2 * scale


def simplified(line, least):
    """Without the points of the smallest triangles (Visvalingam and Whyatt, 1993); four points stay."""
    count = len(line)
    if count < 5 or least <= 0:
        return line
    before, after = list(range(-1, count - 1)), list(range(1, count + 1))
    size = {i: area(line[i - 1], line[i], line[i + 1]) for i in range(1, count - 1)}
    heap = [(size[i], i) for i in size]
    heapq.heapify(heap)
    gone = set()
    while heap and count - len(gone) > 4:
        smallest, i = heapq.heappop(heap)
        if i in gone or smallest != size[i]:
            continue
        if smallest > least:
            break
        gone.add(i)
        after[before[i]], before[after[i]] = after[i], before[i]
        for j in (before[i], after[i]):
            if 0 < j < count - 1:
                size[j] = max(smallest, area(line[before[j]], line[j], line[after[j]]))
                heapq.heappush(heap, (size[j], j))
    return [point for i, point in enumerate(line) if i not in gone]


def variable(number, out):
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)


def encoded(arcs):
    out = bytearray()
    variable(len(arcs), out)
    for kind, line in arcs:
        variable(kind, out)
        variable(len(line), out)
        x = y = 0
        for a, b in line:
            for step in (a - x, b - y):
                variable(2 * step if step >= 0 else -2 * step - 1, out)
            x, y = a, b
    return bytes(out)


def main(folder, scale, least, out):
    warnings.simplefilter("ignore")
    polygons = []
    for country in attributes(load(folder, "countries" + scale))["polygons"].value:
        rings(country, polygons)
    uses = {}
    for ring in polygons:
        points = [(round(longitude * 100), round(latitude * 100)) for longitude, latitude in ring]
        for a, b in zip(points, points[1:]):
            if a != b:
                uses[edge(a, b)] = uses.get(edge(a, b), 0) + 1
    shores = lines([e for e, count in uses.items() if count == 1])
    borders = lines([e for e, count in uses.items() if count > 1])
    arcs = [(0, line) for line in shores if line[0] != line[-1] or len(line) > 3] + [(1, line) for line in borders]
    arcs = [(kind, simplified(line, float(least))) for kind, line in arcs]
    packed = gzip.compress(encoded(arcs), 9, mtime=0)
    pathlib.Path(out).write_bytes(packed)
    print(f"{len(shores)} shores, {len(borders)} borders, {sum(len(line) for _, line in arcs)} points, {len(packed)} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
