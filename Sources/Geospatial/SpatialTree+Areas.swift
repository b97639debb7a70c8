// Places in a tree of boxes: which are in an area.

import Glibc

/// The planes in space about the places between two parallels and two meridians.
///
/// A parallel is cut out by a plane z, a meridian by a plane through the axis; the box of degrees lies between them.
/// Distances from the planes are right to two metres for coordinates in single precision.
private struct AreaPlanes {
    /// What is known of a box of space.
    enum Verdict { case inside, outside, undecided }

    private let (bottom, top): (Double, Double)
    /// The planes' normals, which point into the area, in x and y; `nil` for all longitudes.
    private let meridians: (west: (x: Double, y: Double), east: (x: Double, y: Double))?
    /// Whether a place is on the inner side of one plane or the other, and not of both: half a turn or more.
    private let isWide: Bool
    private static let margin = 2.0

    init(south: Double, north: Double, west: Double, east: Double) {
        bottom = GeocentricPoint(Location(latitude: south, longitude: 0)).z
        top = GeocentricPoint(Location(latitude: north, longitude: 0)).z
        isWide = east - west >= 180
        if east - west >= 360 {
            meridians = nil
        } else {
            let (west, east) = (west * (.pi / 180), east * (.pi / 180))
            meridians = (west: (-sin(west), cos(west)), east: (sin(east), -cos(east)))
        }
    }

    /// What is known of the points between two corners.
    func verdict(x: (Double, Double), y: (Double, Double), z: (Double, Double)) -> Verdict {
        let margin = Self.margin
        if z.0 > top + margin || z.1 < bottom - margin { return .outside }
        let isBetween = z.0 > bottom + margin && z.1 < top - margin
        guard let meridians else { return isBetween ? .inside : .undecided }
        let (west, east) = (Self.extent(meridians.west, x, y), Self.extent(meridians.east, x, y))
        let mayBe = (west.most >= -margin, east.most >= -margin)
        if isWide ? !mayBe.0 && !mayBe.1 : !mayBe.0 || !mayBe.1 { return .outside }
        let surely = (west.least > margin, east.least > margin)
        return isBetween && (isWide ? surely.0 || surely.1 : surely.0 && surely.1) ? .inside : .undecided
    }

    /// The least and the greatest distance from a plane through the axis.
    private static func extent(
        _ normal: (x: Double, y: Double), _ x: (Double, Double), _ y: (Double, Double)
    ) -> (least: Double, most: Double) {
        let (x, y) = ((normal.x * x.0, normal.x * x.1), (normal.y * y.0, normal.y * y.1))
        return (min(x.0, x.1) + min(y.0, y.1), max(x.0, x.1) + max(y.0, y.1))
    }
}

extension GeoArea {
    /// Boxes of degrees that cover the area, a polygon each, and whether they are the area itself.
    fileprivate var planes: (boxes: [AreaPlanes], isExact: Bool) {
        switch shape {
        case .box(let box):
            let east = box.west <= box.east ? box.east : box.east + 360
            return ([AreaPlanes(south: box.south, north: box.north, west: box.west, east: east)], true)
        case .polygons(let polygons):
            let boxes = polygons.map { polygon in
                let ring = polygon.exterior
                return AreaPlanes(south: ring.south, north: ring.north, west: ring.west, east: ring.east)
            }
            return (boxes, false)
        }
    }
}

extension SpatialTree {
    /// Number of places that meet a condition. See `count(_:location:)` for a distance.
    ///
    /// - Parameter location: The place of a row in degrees.
    package func count(_ test: PlaceTest, location: (UInt32) -> Location) -> Int {
        switch test {
        case .distance(let test): return count(test, location: location)
        case .area(let area):
            var count = 0
            walk(area) { positions in
                count += positions.count
            } partial: { positions in
                for row in ordinals[positions] where area.contains(location(row)) { count += 1 }
            }
            return count
        }
    }

    /// Bounds of the number of places that meet a condition, from the boxes alone: for estimates.
    package func countBounds(_ test: PlaceTest) -> ClosedRange<Int> {
        switch test {
        case .distance(let test): return countBounds(test)
        case .area(let area):
            var (least, most) = (0, 0)
            walk(area) {
                least += $0.count
            } partial: {
                most += $0.count
            }
            return least...least + most
        }
    }

    /// Appends the rows that meet a condition to `rows`, in no order.
    package func select(_ test: PlaceTest, location: (UInt32) -> Location, into rows: inout [UInt32]) {
        switch test {
        case .distance(let test): select(test, location: location, into: &rows)
        case .area(let area):
            walk(area) { positions in
                rows.append(contentsOf: ordinals[positions])
            } partial: { positions in
                for row in ordinals[positions] where area.contains(location(row)) { rows.append(row) }
            }
        }
    }

    /// Sets the bits of the rows that meet a condition: 64 rows to a word, those beyond `words` are left out.
    package func mark(_ test: PlaceTest, location: (UInt32) -> Location, in words: inout [UInt64]) {
        switch test {
        case .distance(let test): mark(test, location: location, in: &words)
        case .area:
            var rows: [UInt32] = []
            select(test, location: location, into: &rows)
            for row in rows where Int(row) < words.count * 64 { words[Int(row >> 6)] |= 1 &<< UInt64(row & 63) }
        }
    }

    /// Calls `whole` with runs of positions inside and `partial` with leaves that may be cut by the boundary.
    private func walk(_ area: GeoArea, whole: (Range<Int>) -> Void, partial: (Range<Int>) -> Void) {
        guard !levels.isEmpty else { return }
        let (planes, isExact) = area.planes
        func verdict(_ level: Int, _ box: Int) -> AreaPlanes.Verdict {
            let first = box / Self.fanOut * Self.groupFloats + box % Self.fanOut
            func bounds(_ axis: Int) -> (Double, Double) {
                let least = first + 2 * axis * Self.fanOut
                return (Double(levels[level][least]), Double(levels[level][least + Self.fanOut]))
            }
            let (x, y, z) = (bounds(0), bounds(1), bounds(2))
            var isOutside = true
            for plane in planes {
                switch plane.verdict(x: x, y: y, z: z) {
                case .inside where isExact: return .inside
                case .outside: break
                default: isOutside = false
                }
            }
            return isOutside ? .outside : .undecided
        }
        func visit(_ level: Int, _ group: Int) {
            for box in group * Self.fanOut..<min(boxCounts[level], (group + 1) * Self.fanOut) {
                switch verdict(level, box) {
                case .outside: break
                case .inside: whole(positions(level, box))
                case .undecided where level == 0: partial(positions(0, box))
                case .undecided: visit(level - 1, box)
                }
            }
        }
        visit(levels.count - 1, 0)
    }
}
