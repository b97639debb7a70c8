// The queries of `scale`: as the library asks them, and as a person would type them for a server's own tables.

import Geospatial
import RecordDatabase
import RecordModel

extension Place {
    /// The record without its long text, and what only some benchmarks need.
    var lean: Record {
        var record = record
        for key in ["id", "body", "owner"] { record[key] = .null }
        return record
    }
}

/// One query, or the fetch of one record, and its statement.
struct ScaleQuestion {
    var query = Query("Place", "TRUEPREDICATE")
    /// The record that is fetched instead.
    var id: Record.ID?
    /// Whether matches are counted.
    var counts = false
    let condition: String
    var order = "_n"

    /// The statement for the rows of one server.
    func statement(zone: Int64, limit: Int) -> String {
        let rows = "FROM \"r_Place\" WHERE _z = \(zone) AND \(condition)"
        return counts ? "SELECT count(*) \(rows)" : "SELECT * \(rows) ORDER BY \(order) LIMIT \(limit)"
    }
}

/// Queries over places, each with other arguments every time.
struct ScaleQuestions {
    private let places: PlaceGenerator

    init(_ places: PlaceGenerator) { self.places = places }

    /// The place that a number stands for: neighbours are far from each other.
    private func place(_ number: Int) -> Place { places[(number * 7_919 + 13) % places.count] }

    /// No text of a place has a mark that would have to be doubled.
    private static func literal(_ text: String) -> String { "'\(text)'" }

    var shapes: [(name: String, question: (Int) -> ScaleQuestion)] {
        [
            ("fetch of one record", fetch), ("name == x", named), ("name BEGINSWITH x, by name", beginning),
            ("population BETWEEN {x, x + 20}, by population", range), ("count of rating > 4.99", count),
            ("ANY tags == x AND rating > 4.9, by rating", tagged), ("within 5 km", near),
        ]
    }

    private func fetch(_ number: Int) -> ScaleQuestion {
        let id = place(number).record.id
        return ScaleQuestion(id: id, condition: "_n = \(Self.literal(id.recordName))")
    }

    private func named(_ number: Int) -> ScaleQuestion {
        let name = place(number).name
        return ScaleQuestion(
            query: Query("Place", "name == \(name)"),
            condition: "left(\"name~s\", 256) = \(Self.literal(name)) AND \"name~s\" = \(Self.literal(name))")
    }

    private func beginning(_ number: Int) -> ScaleQuestion {
        let head = String(place(number).name.prefix(4))
        return ScaleQuestion(
            query: Query("Place", "name BEGINSWITH \(head)", sortedBy: [.ascending("name")]),
            condition: "left(\"name~s\", 256) LIKE \(Self.literal(head + "%"))",
            order: "left(\"name~s\", 256) NULLS FIRST, \"name~s\" NULLS FIRST, _n")
    }

    private func range(_ number: Int) -> ScaleQuestion {
        let low = place(number).population ?? 1000
        return ScaleQuestion(
            query: Query("Place", "population BETWEEN {\(low), \(low + 20)}", sortedBy: [.ascending("population")]),
            condition: "\"population~i\" BETWEEN \(low) AND \(low + 20)", order: "\"population~i\" NULLS FIRST, _n")
    }

    private func count(_ number: Int) -> ScaleQuestion {
        let bound = 4.99 + Double(number) / 10_000
        return ScaleQuestion(
            query: Query("Place", "rating > \(bound)"), counts: true, condition: "\"rating~d\" > \(bound)")
    }

    private func tagged(_ number: Int) -> ScaleQuestion {
        let tag = place(number).tags.last ?? "itva"
        let array = "ARRAY[\(Self.literal(tag))]"
        return ScaleQuestion(
            query: Query("Place", "ANY tags == \(tag) AND rating > 4.9", sortedBy: [.descending("rating")]),
            condition: """
                heads(COALESCE("tags~S~cd", "tags~S")) && \(array) AND "tags~S" && \(array) AND "rating~d" > 4.9
                """, order: "\"rating~d\" DESC NULLS LAST, _n")
    }

    /// What is typed measures along the chord, which is as good as the geodesic at this distance.
    private func near(_ number: Int) -> ScaleQuestion {
        let place = place(number).location ?? Place.Coordinate(lat: 10, lon: 20)
        let centre = Location(latitude: place.lat, longitude: place.lon)
        let (point, reach) = (GeocentricPoint(centre), 5_000.0)
        let squares = [("x", point.x), ("y", point.y), ("z", point.z)].map { axis, value in
            "(\"location~p~\(axis)\" - \(value)) ^ 2"
        }
        let corners = "point(\(point.x - reach), \(point.y - reach)), point(\(point.x + reach), \(point.y + reach))"
        return ScaleQuestion(
            query: Query("Place", "distanceToLocation:fromLocation:(location, \(centre)) < \(reach)"),
            condition: """
                point("location~p~x", "location~p~y") <@ box(\(corners))
                AND \(squares.joined(separator: " + ")) < \(reach * reach)
                """)
    }
}
