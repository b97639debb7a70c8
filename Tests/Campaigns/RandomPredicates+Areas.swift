// Conditions that places lie in areas.

import Geospatial
import RecordModel

extension RandomPredicates {
    /// A box or a polygon about a place of the records, often with the place on its boundary.
    mutating func area() -> String {
        let place = generator.pick(RandomRecords.places)
        let truth = generator.pick([
            "== TRUE", "== TRUE", "!= TRUE", "== FALSE", "!= FALSE", "== 1", "== nil", "IN {TRUE}",
        ])
        let call = generator.oneIn(2) ? box(about: place) : polygon(about: place)
        return generator.oneIn(8) ? "TRUE == \(call)" : "\(call) \(truth)"
    }

    private mutating func step() -> Double { generator.pick([0, 0, 0.001, 0.01, 1, 20, 100, 170]) }

    private mutating func box(about place: Location) -> String {
        let (south, north) = (max(-90, place.latitude - step()), min(90, place.latitude + step()))
        let (west, east) = (place.longitude - step(), place.longitude + step())
        let sides = [south, west < -180 ? west + 360 : west, north, east > 180 ? east - 360 : east]
        if generator.oneIn(4) {
            arguments += sides.map { .double($0) }
            return "inBox(place, %@, %@, %@, %@)"
        }
        return "inBox(place, \(sides.map { "\($0)" }.joined(separator: ", ")))"
    }

    /// A quadrilateral with the place on an edge, at a corner or within, or one around a pole, with a hole or none.
    private mutating func polygon(about place: Location) -> String {
        func ring(_ west: Double, _ south: Double, _ east: Double, _ north: Double) -> String {
            let (south, north) = (max(-90, south), min(90, north))
            let (west, east) = (max(-180, west), min(180, east))
            return "[[\(west),\(south)],[\(east),\(south)],[\(east),\(north)],[\(west),\(north)],[\(west),\(south)]]"
        }
        let (x, y) = (place.longitude, place.latitude)
        var rings = [ring(x - step(), y - step(), x + step(), y + step())]
        if generator.oneIn(5) { rings = [ring(-180, generator.pick([-90, -20, 50]), 180, 90)] }
        if generator.oneIn(3) { rings.append(ring(x, y - 0.005, x + generator.pick([0.001, 0.02]), y + 0.005)) }
        let polygon = rings.joined(separator: ",")
        let text =
            generator.oneIn(3)
            ? #"{"type":"MultiPolygon","coordinates":[[\#(polygon)],[\#(ring(x, y, x + 1, y + 1))]]}"#
            : #"{"type":"Polygon","coordinates":[\#(polygon)]}"#
        if generator.oneIn(10) { return "inPolygon(place, '\(text)')" }
        arguments.append(.string(text))
        return "inPolygon(place, %@)"
    }
}
