// The examples of the article on Swift front ends, and of README's part on them.

import Foundation
import RecordDatabase
import Testing

struct City: RecordConvertible {
    var recordID: Record.ID?
    var name: String
    var population: Int
    var location: Location
    var tags: [String]
    var country: RecordReference.To<Country>?
}

struct Country: RecordConvertible {
    var recordID: Record.ID?
    var name: String
}

struct Visit: RecordConvertible {
    var metadata = RecordMetadata()
    var place: String
    var address: Address
    var rating: Double?
}

struct Address: FieldNamed {
    var street: String
    var city: String
}

struct FrontEndExamples {
    let bern = City(
        name: "Bern", population: 137_000, location: Location(latitude: 46.948, longitude: 7.447), tags: ["capital"])
    let zurich = City(
        recordID: Record.ID("zurich"), name: "Zürich", population: 447_000,
        location: Location(latitude: 47.377, longitude: 8.541), tags: [])

    @Test func structs() throws {
        let cities = try RecordSet(values: [bern, zurich])
        let record = try Record(bern)
        let again = try record.value(as: City.self)
        #expect(cities.count == 2 && again.name == "Bern")
    }

    @Test func databases() async throws {
        let database = try Container(identifier: "example.travel").privateDatabase
        let saved = try await database.save(bern)
        let large = try await database.values(
            of: City.self, matching: .where { $0.population > 100_000 }, sortedBy: [.descending(\.population)])
        try await database.upsert([saved, zurich])
        try await database.delete(saved)
        #expect(large.map(\.name) == ["Bern"])
        #expect(try await database.values(of: City.self).map(\.name) == ["Zürich"])
    }

    @Test func metadata() async throws {
        let database = try Container(identifier: "example.travel").privateDatabase
        var visit = try await database.save(
            Visit(place: "Aare", address: Address(street: "Aarstrasse", city: "Bern"), rating: nil))
        let mine = visit
        visit.rating = 2
        visit = try await database.save(visit)
        do {
            try await database.save(mine)
        } catch let error as DatabaseError where error.code == .serverRecordChanged {
            visit = try await database.value(for: visit.metadata.id)
        }
        let inBern = try await database.values(of: Visit.self, matching: "address.city == \("Bern")")
        #expect(inBern.map(\.rating) == [2] && visit.rating == 2)

        try await database.save(Visit(place: "Gurten", address: Address(street: "", city: "Wabern")))
        try await database.write { [visit] transaction in
            var visit: Visit = try transaction.value(for: visit.metadata.id)
            visit.place += " (bridge)"
            try transaction.save(visit)
            try transaction.updateAll(Visit.where { $0.rating == nil }) { $0.rating = 5 }
        }
        #expect(try await database.values(of: Visit.self, matching: "rating == 5").count == 1)
    }

    @Test func properties() throws {
        let cities = try RecordSet(values: [bern, zurich])
        let geneva = Location(latitude: 46.2044, longitude: 6.1432)
        let near = City.where {
            $0.population > 100_000 && $0.tags.contains("capital")
                && $0.location.distance(to: geneva) < .kilometers(200)
        }
        let values: [City] = try cities.values(matching: near, sortedBy: [.descending(\.population)])
        #expect(values.map(\.name) == ["Bern"])
    }

    @Test func foundation() throws {
        let large = #Predicate<City> { city in
            city.population > 100_000 && city.tags.contains { $0.starts(with: "cap") }
        }
        let translated = try RecordPredicate(large)
        #expect(try RecordSet(values: [bern, zurich]).count(matching: translated) == 1)
    }

    @Test func textsAndFilters() throws {
        let least = 100_000
        let base: RecordPredicate = "population > \(least)"
        let both: RecordPredicate = "\(base) AND \(\City.name) BEGINSWITH[cd] \("z")"
        #expect(try RecordSet(values: [bern, zurich]).count(matching: both) == 1)

        let filters = try base.filterBy()
        let back = try RecordPredicate(filterBy: filters)
        let request = try Query("City", base, sortedBy: [.ascending("name")]).webServiceJSON()
        #expect(back.description == base.description && request.contains("sortBy"))
    }
}
