// Closed lines on the graticule, and where points lie about them.

/// A closed line of straight edges in the plane of longitudes and latitudes.
struct PlaneRing: Hashable, Sendable {
    /// Where a point lies.
    enum Side { case inside, boundary, outside }

    /// The corners, the first one again at the end, on one sheet of the plane.
    let corners: [PlanePoint]
    /// The least box about the corners, rounded; abscissas run from less than one turn west to one turn east.
    let south: Double
    let north: Double
    let west: Double
    let east: Double
    /// The edges that touch each of a number of equal stretches of latitude, by their first corner.
    private let bands: [[Int32]]

    /// A ring of longitudes and latitudes in degrees.
    ///
    /// - Throws: `GeoAreaError` for a ring that is not closed, too short, off the globe, or around a pole.
    init(_ positions: [[Double]], at place: String) throws(GeoAreaError) {
        for (index, position) in positions.enumerated() {
            try Self.check(position, at: "\(place)[\(index)]")
        }
        guard positions.count >= 4 else {
            throw GeoAreaError(
                place, "a ring has four positions or more, not \(positions.count)",
                hint: "the last position repeats the first")
        }
        guard let first = positions.first, let last = positions.last, first[0] == last[0], first[1] == last[1] else {
            throw GeoAreaError(place, "the ring is not closed", hint: "repeat the first position at the end")
        }
        corners = Self.unrolled(positions)
        south = corners.reduce(.infinity) { min($0, $1.latitude) }
        north = corners.reduce(-.infinity) { max($0, $1.latitude) }
        west = corners.reduce(.infinity) { min($0, $1.x) }
        east = corners.reduce(-.infinity) { max($0, $1.x) }
        guard corners[corners.count - 1].turns == 0 else {
            throw GeoAreaError(
                place, "the ring goes around a pole without touching it",
                hint: "write the pole's side as well: … [180, 60], [180, 90], [-180, 90], [-180, 60] …")
        }
        guard east - west <= 360 + 1e-9 else {
            throw GeoAreaError(
                place, "the ring reaches over more than 360 degrees of longitude",
                hint: "cut the area into several polygons")
        }
        bands = Self.bands(corners, south, north)
    }

    private static func check(_ position: [Double], at place: String) throws(GeoAreaError) {
        guard position.count >= 2 else {
            throw GeoAreaError(place, "a position is a longitude and a latitude", hint: "write [8.54, 47.37]")
        }
        guard abs(position[0]) <= 360 else {
            throw GeoAreaError(
                "\(place)[0]", "\(position[0]) is no longitude",
                hint: "degrees run from -180 to 180, and up to 360 beyond the antimeridian")
        }
        guard abs(position[1]) <= 90 else {
            throw GeoAreaError(
                "\(place)[1]", "\(position[1]) is no latitude",
                hint: "degrees run from -90 to 90, and the longitude comes first")
        }
    }

    /// Joins positions by edges: one of more than 180 and less than 360 degrees goes the other way around.
    private static func unrolled(_ positions: [[Double]]) -> [PlanePoint] {
        var corners: [PlanePoint] = []
        corners.reserveCapacity(positions.count)
        var turns = 0.0
        for position in positions {
            if let previous = corners.last {
                let step = position[0] - previous.longitude
                if abs(step) > 180, abs(step) < 360 { turns -= step > 0 ? 1 : -1 }
            }
            corners.append(PlanePoint(longitude: position[0], turns: turns, latitude: position[1]))
        }
        return corners
    }

    // MARK: Points

    /// Where a valid place lies; the ring's line belongs to neither side. A meridian has all its names at once.
    ///
    /// - Complexity: O(edges at the place's latitude).
    func side(of location: Location) -> Side {
        guard location.latitude >= south, location.latitude <= north else { return .outside }
        var result = Side.outside
        let first = ((west - location.longitude) / 360).rounded(.down)
        let last = ((east - location.longitude) / 360).rounded(.up)
        var turns = first
        while turns <= last {
            let point = PlanePoint(longitude: location.longitude, turns: turns, latitude: location.latitude)
            turns += 1
            guard point.x >= west - 1e-9, point.x <= east + 1e-9 else { continue }
            switch side(of: point) {
            case .boundary: return .boundary
            case .inside: result = .inside
            case .outside: break
            }
        }
        return result
    }

    /// Counts the edges east of the point: an odd number around a point inside.
    private func side(of point: PlanePoint) -> Side {
        var isInside = false
        for index in bands[Self.band(of: point.latitude, bands.count, south, north)] {
            let (start, end) = (corners[Int(index)], corners[Int(index) + 1])
            let isAbove = (start.latitude > point.latitude, end.latitude > point.latitude)
            if isAbove.0, isAbove.1 { continue }
            if start.latitude < point.latitude, end.latitude < point.latitude { continue }
            if start.latitude == end.latitude {
                if start.isEast(of: point) * end.isEast(of: point) <= 0 { return .boundary }
                continue
            }
            let side = point.side(from: start, to: end)
            if side == 0 { return .boundary }
            if isAbove.0 != isAbove.1, (side > 0) == isAbove.1 { isInside.toggle() }
        }
        return isInside ? .inside : .outside
    }

    // MARK: Bands

    private static func bands(_ corners: [PlanePoint], _ south: Double, _ north: Double) -> [[Int32]] {
        let count = max(1, min(64, corners.count / 8))
        var bands = [[Int32]](repeating: [], count: count)
        for index in 0..<corners.count - 1 {
            let ends = (corners[index].latitude, corners[index + 1].latitude)
            let first = band(of: min(ends.0, ends.1), count, south, north)
            for band in first...band(of: max(ends.0, ends.1), count, south, north) {
                bands[band].append(Int32(truncatingIfNeeded: index))
            }
        }
        return bands
    }

    /// The stretch that a latitude between south and north lies in; never falls as the latitude rises.
    private static func band(of latitude: Double, _ count: Int, _ south: Double, _ north: Double) -> Int {
        guard count > 1, north > south else { return 0 }
        return min(count - 1, Int((latitude - south) / (north - south) * Double(count)))
    }
}
