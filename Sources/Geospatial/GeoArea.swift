// Areas of the Earth: boxes and polygons on the graticule.

/// An area of the Earth's surface: a box of degrees, or the polygons of a GeoJSON geometry.
///
/// Longitude and latitude are coordinates of a plane: an edge is the straight line between its ends on a map of equal
/// degrees, as RFC 7946 has it, and no great circle. The boundary belongs to the area, that of a hole too. Containment
/// is exact: no point is moved by rounding, not even one on an edge.
public struct GeoArea: Hashable, Sendable {
    /// A polygon: its outer ring and its holes.
    struct Polygon: Hashable, Sendable {
        let exterior: PlaneRing
        let holes: [PlaneRing]
    }

    enum Shape: Hashable, Sendable {
        case box(GraticuleBox)
        case polygons([Polygon])
    }

    let shape: Shape

    /// The places between two parallels and two meridians in degrees, the four lines included.
    ///
    /// A west greater than the east leads across the antimeridian. A box that reaches a pole contains it.
    ///
    /// - Throws: `GeoAreaError` for latitudes beyond ±90, longitudes beyond ±180, NaN, and a south above the north.
    public init(south: Double, west: Double, north: Double, east: Double) throws(GeoAreaError) {
        shape = .box(try GraticuleBox(south: south, west: west, north: north, east: east))
    }

    /// The polygons of rings of positions, a longitude and a latitude each; an outer ring first, then its holes.
    ///
    /// - Throws: `GeoAreaError` with a place that begins with `coordinates`.
    package init(polygons: [[[[Double]]]], isMultiple: Bool) throws(GeoAreaError) {
        var shapes: [Polygon] = []
        for (number, rings) in polygons.enumerated() {
            let place = isMultiple ? "coordinates[\(number)]" : "coordinates"
            var all: [PlaneRing] = []
            for (index, ring) in rings.enumerated() { all.append(try PlaneRing(ring, at: "\(place)[\(index)]")) }
            guard let exterior = all.first else { throw GeoAreaError(place, "a polygon has one ring or more") }
            shapes.append(Polygon(exterior: exterior, holes: Array(all.dropFirst())))
        }
        guard !shapes.isEmpty else { throw GeoAreaError("coordinates", "there is no polygon") }
        shape = .polygons(shapes)
    }

    /// Whether the area, its boundary included, contains a place; a place that is not valid is nowhere.
    ///
    /// A pole belongs to every area that reaches its latitude, whatever the longitude. A ring that crosses itself is
    /// filled by the even-odd rule.
    ///
    /// - Complexity: O(edges at the place's latitude).
    public func contains(_ location: Location) -> Bool {
        guard location.isValid else { return false }
        switch shape {
        case .box(let box): return box.contains(location)
        case .polygons(let polygons): return polygons.contains { $0.contains(location) }
        }
    }

    /// The sides of an area made as a box, in degrees; `nil` for polygons.
    package var sides: (south: Double, west: Double, north: Double, east: Double)? {
        guard case .box(let box) = shape else { return nil }
        return (box.south, box.west, box.north, box.east)
    }
}

extension GeoArea.Polygon {
    func contains(_ location: Location) -> Bool {
        if abs(location.latitude) == 90 {
            return location.latitude == (location.latitude > 0 ? exterior.north : exterior.south)
        }
        switch exterior.side(of: location) {
        case .outside: return false
        case .boundary, .inside: return !holes.contains { $0.side(of: location) == .inside }
        }
    }
}
