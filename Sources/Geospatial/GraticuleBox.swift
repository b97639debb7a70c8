// Boxes of longitudes and latitudes.

/// The places between two parallels and two meridians, all four included.
struct GraticuleBox: Hashable, Sendable {
    /// Degrees, −90 … 90, south not above north.
    let south: Double
    let north: Double
    /// Degrees, −180 … 180; a west greater than the east leads across the antimeridian.
    let west: Double
    let east: Double

    /// - Throws: `GeoAreaError` for degrees that are out of range, and for a south above the north.
    init(south: Double, west: Double, north: Double, east: Double) throws(GeoAreaError) {
        for (name, degrees, limit) in [
            ("south", south, 90.0), ("west", west, 180), ("north", north, 90), ("east", east, 180),
        ] where !(abs(degrees) <= limit) {
            throw GeoAreaError(
                name, "\(degrees) is out of range",
                hint: "latitude is −90 … 90 degrees, longitude −180 … 180")
        }
        guard south <= north else {
            throw GeoAreaError(
                "south", "the box's south is north of its north",
                hint: "the order is south, west, north, east")
        }
        (self.south, self.west, self.north, self.east) = (south, west, north, east)
    }

    /// Whether a valid place belongs to the box. A pole is on every meridian, and 180° east is 180° west.
    func contains(_ location: Location) -> Bool {
        guard location.latitude >= south, location.latitude <= north else { return false }
        if abs(location.latitude) == 90 { return true }
        let longitude = location.longitude
        if abs(longitude) == 180 { return includes(180) || includes(-180) }
        return includes(longitude)
    }

    private func includes(_ longitude: Double) -> Bool {
        west <= east ? west <= longitude && longitude <= east : west <= longitude || longitude <= east
    }

    /// The box's corners as a ring of GeoJSON, with a position at least every 90 degrees, so that no edge is so long
    /// that it would lead the other way around.
    var ring: [[Double]] {
        var longitudes = [west]
        let end = west <= east ? east : east + 360
        for quarter in -1...5 where Double(quarter) * 90 > west && Double(quarter) * 90 < end {
            let meridian = Double(quarter) * 90
            longitudes.append(meridian > 180 ? meridian - 360 : meridian)
        }
        // From 180 to -180 degrees a position would seem to lead all the way around.
        longitudes.append(end == 180 ? 180 : east)
        var ring = longitudes.map { [$0, south] }
        for longitude in longitudes.reversed() { ring.append([longitude, north]) }
        ring.append([west, south])
        return ring
    }
}
