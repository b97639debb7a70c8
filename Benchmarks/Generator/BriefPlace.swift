// A place of six fields, as applications keep many of: what the suites `bind` and `database` store and look for.

import FoundationEssentials
import RecordModel

/// A place of six fields. Names are unique, no value is missing.
struct BriefPlace: Equatable {
    var number: Int
    var name: String
    var owner: Int
    var category: String
    var rating: Double
    /// Seconds since 1970.
    var created: Double
    var population: Int

    /// The name of the record.
    var recordName: String { Self.recordName(number) }

    static func recordName(_ number: Int) -> String { "place-\(number)" }

    var record: Record {
        Record(
            type: "Place", id: Record.ID(recordName),
            fields: [
                "name": .string(name), "owner": .int64(Int64(owner)), "category": .string(category),
                "rating": .double(rating), "created": .date(Date(timeIntervalSince1970: created)),
                "population": .int64(Int64(population)),
            ])
    }
}

/// What is read of a place that a query finds.
struct BriefFields: Equatable, Comparable {
    var name: String
    var rating: Double
    var population: Int

    static func < (a: Self, b: Self) -> Bool { a.name < b.name }

    init(name: String, rating: Double, population: Int) {
        (self.name, self.rating, self.population) = (name, rating, population)
    }

    init(_ place: BriefPlace) {
        self.init(name: place.name, rating: place.rating, population: place.population)
    }

    /// - Throws: `WrongResult` where one of the fields is missing.
    init(_ record: Record) throws {
        guard let name: String = record["name"], let rating: Double = record["rating"],
            let population: Int = record["population"]
        else { throw WrongResult(description: "\(record.id.recordName) lost a field") }
        self.init(name: name, rating: rating, population: population)
    }
}
