// Areas and places about them, made at random.

import Glibc

@testable import Geospatial

/// Boxes and polygons of all sizes: across the antimeridian, about the poles, with holes, in several parts.
enum RandomArea {
    static func area(_ places: inout PlaceGenerator) throws -> GeoArea {
        let center = places.place()
        switch Int.random(in: 0..<6, using: &places) {
        case 0: return try box(&places)
        case 1: return try cap(&places)
        case 2:
            let other = star(about: places.place(), reach: 20 * places.unit(), &places)
            return try GeoArea(polygons: [[star(about: center, reach: 5, &places)], [other]], isMultiple: true)
        case 3:
            // Radii of 1 … 2 and of 0.1 … 0.2: the hole is inside.
            let reach = 30 * places.unit()
            let hole = star(about: center, reach: reach / 10, &places)
            return try GeoArea(polygons: [[star(about: center, reach: reach, &places), hole]], isMultiple: false)
        default:
            let reach = pow(10, 5 * places.unit() - 3.3)
            return try GeoArea(polygons: [[star(about: center, reach: reach, &places)]], isMultiple: false)
        }
    }

    private static func box(_ places: inout PlaceGenerator) throws -> GeoArea {
        let (a, b) = (places.place(), places.place())
        return try GeoArea(
            south: min(a.latitude, b.latitude), west: a.longitude, north: max(a.latitude, b.latitude),
            east: b.longitude)
    }

    /// Everything beyond a jagged line around the globe.
    private static func cap(_ places: inout PlaceGenerator) throws -> GeoArea {
        let pole: Double = Bool.random(using: &places) ? 90 : -90
        let rim = stride(from: -180.0, through: 180, by: 60).map { [$0, 100 * places.unit() - 50] }
        let ring = rim + [[180, pole], [-180, pole], rim[0]]
        return try GeoArea(polygons: [[ring]], isMultiple: false)
    }

    /// Corners all around a place, at 1 to 2 times a third of the reach; every second one on a raster.
    private static func star(about center: Location, reach: Double, _ places: inout PlaceGenerator) -> [[Double]] {
        let count = Int.random(in: 3...60, using: &places)
        var ring: [[Double]] = []
        for corner in 0..<count {
            let (angle, radius) = (2 * Double.pi * Double(corner) / Double(count), reach * (1 + places.unit()) / 3)
            var (longitude, latitude) = (center.longitude + radius * cos(angle), center.latitude + radius * sin(angle))
            if corner % 2 == 0, reach > 1 { (longitude, latitude) = (longitude.rounded(), latitude.rounded()) }
            ring.append([longitude, max(-90, min(90, latitude))])
        }
        return ring + [ring[0]]
    }

    /// A corner, a place on an edge or near one, or one within.
    static func place(in area: GeoArea, _ places: inout PlaceGenerator) -> Location {
        let corners: [PlanePoint]
        switch area.shape {
        case .box(let box):
            corners = box.ring.map { PlanePoint(longitude: $0[0], latitude: $0[1]) }
        case .polygons(let polygons):
            let rings = polygons.flatMap { [$0.exterior] + $0.holes }
            corners = rings[Int.random(in: rings.indices, using: &places)].corners
        }
        let index = Int.random(in: 0..<corners.count - 1, using: &places)
        let (start, end) = (corners[index], corners[index + 1])
        let share = [0, 0, 0.5, 0.25, places.unit()][Int.random(in: 0..<5, using: &places)]
        var x = start.x + share * (end.x - start.x)
        var latitude = start.latitude + share * (end.latitude - start.latitude)
        if Bool.random(using: &places) {
            let middle = corners[(index + corners.count / 2) % corners.count]
            let inward = places.unit()
            (x, latitude) = (x + inward * (middle.x - x), latitude + inward * (middle.latitude - latitude))
        }
        while x > 180 { x -= 360 }
        while x < -180 { x += 360 }
        return Location(latitude: max(-90, min(90, latitude)), longitude: x)
    }
}
