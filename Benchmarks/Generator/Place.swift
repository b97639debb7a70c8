// A generated record, as values, as a record of the model and as a line of NDJSON.

import Geospatial
import RecordModel

/// A place: the record type of the benchmarks. Absent values are `nil`.
struct Place: Decodable, Equatable {
    var id: Int
    var name: String
    var category: String
    var rating: Double?
    var population: Int?
    /// Seconds since 1970.
    var created: Double
    var active: Bool?
    var tags: [String]
    var body: String?
    var location: Coordinate?
    var owner: Int?

    /// Degrees.
    struct Coordinate: Decodable, Equatable {
        var lat, lon: Double
    }
}

extension Place {
    /// Appends the record as one line of JSON. No string of a generated place needs an escape.
    func appendJSON(to output: inout [UInt8]) {
        func put(_ text: String) { output.append(contentsOf: text.utf8) }
        func put(_ text: StaticString) { text.withUTF8Buffer { unsafe output.append(contentsOf: $0) } }
        put("{\"id\":")
        put(String(id))
        put(",\"name\":\"")
        put(name)
        put("\",\"category\":\"")
        put(category)
        put("\"")
        if let rating { put(",\"rating\":" + String(rating)) }
        if let population { put(",\"population\":" + String(population)) }
        put(",\"created\":" + String(created))
        if let active { put(active ? ",\"active\":true" : ",\"active\":false") }
        put(",\"tags\":[")
        for (index, tag) in tags.enumerated() {
            put(index == 0 ? "\"" : ",\"")
            put(tag)
            put("\"")
        }
        put("]")
        if let body {
            put(",\"body\":\"")
            put(body)
            put("\"")
        }
        if let location { put(",\"location\":{\"lat\":\(location.lat),\"lon\":\(location.lon)}") }
        if let owner { put(",\"owner\":" + String(owner)) }
        put("}\n")
    }
}

extension Place {
    /// The record of the place; absent values are no fields.
    var record: Record {
        var record = Record(type: "Place", id: Record.ID("place \(id)"))
        record["id"] = .int64(Int64(id))
        record["name"] = .string(name)
        record["category"] = .string(category)
        record["rating"] = rating.fieldValue
        record["population"] = population.fieldValue
        record["created"] = .double(created)
        record["active"] = active.fieldValue
        record["tags"] = tags.fieldValue
        record["body"] = body.fieldValue
        record["location"] = location.map { .location(Location(latitude: $0.lat, longitude: $0.lon)) } ?? .null
        record["owner"] = owner.fieldValue
        return record
    }
}
