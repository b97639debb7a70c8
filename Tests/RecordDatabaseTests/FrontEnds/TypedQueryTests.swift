// Predicates and orders that know their Swift type, and predicates put together from others.

import Foundation
import RecordDatabase
import Testing

private struct Town: RecordConvertible, Equatable {
    var recordName: String
    var name: String
    var population: Int
    var place: Location?
}

private struct Land: RecordConvertible { var name: String }

@Suite struct TypedQueryTests {
    private static let here = Location(latitude: 47, longitude: 8)

    private static let towns: [Town] = [
        Town(recordName: "a", name: "Aarau", population: 22, place: Location(latitude: 47.4, longitude: 8)),
        Town(recordName: "b", name: "Bern", population: 137, place: Location(latitude: 46.9, longitude: 7.4)),
        Town(recordName: "c", name: "Chur", population: 38, place: nil),
        Town(recordName: "d", name: "Davos", population: 11, place: Location(latitude: 46.8, longitude: 9.8)),
    ]

    private func database() async throws -> Database {
        let database = try Container(identifier: "typed").privateDatabase
        try await database.save(Self.towns)
        try await database.save(Land(name: "Bern"))
        return database
    }

    private static let large = Town.where { $0.population > 30 }
    private static let text: RecordPredicate = "name BEGINSWITH 'B'"
    private static let least = 20

    /// Predicates put together, and the names that they hold for.
    private static let combined: [(RecordPredicate, String)] = [
        (text && "population > 30", "b"), (text || "population == \(38)", "bc"), (!text, "acd"),
        (!(text || "population == 38") && "population > \(least)", "a"), ("\(large) AND name != 'Bern'", "c"),
        ((large && "name == 'Chur'").untyped, "c"), ((large || "name == 'Davos'").untyped, "bcd"),
        ((!large).untyped, "ad"), ((large && Town.where { $0.name.hasPrefix("B") }).untyped, "b"),
        (Town.where { $0.population < 30 && !large && $0.name.hasPrefix("D") }.untyped, "d"),
        (RecordPredicate.Of<Town>.all.untyped, "abcd"),
    ]

    @Test(arguments: combined.indices) func combinations(_ index: Int) async throws {
        let (predicate, names) = Self.combined[index]
        let set = try RecordSet(values: Self.towns)
        #expect(try set.values(of: Town.self, matching: predicate).map(\.recordName).joined() == names)
        let written = try RecordPredicate(format: predicate.description)
        #expect(try set.values(of: Town.self, matching: written).map(\.recordName).joined() == names)
        let found = try await database().values(
            of: Town.self, matching: .init(predicate), sortedBy: [.ascending(\.recordName)])
        #expect(found.map(\.recordName).joined() == names)
    }

    /// What is malformed stays so in what is made of it.
    @Test func malformedParts() {
        let malformed: RecordPredicate = "name =="
        for predicate in [Self.text && malformed, malformed || Self.text, !malformed] {
            #expect(throws: RecordPredicateError.self) { try predicate.validated() }
        }
    }

    @Test func rootsAreKnown() async throws {
        let database = try await database()
        let sorted = try await database.values(
            of: Town.self, matching: .where { $0.population < 100 }, sortedBy: [.descending(\.population)])
        #expect(sorted.map(\.recordName) == ["c", "a", "d"])
        let near: [Town] = try await database.values(sortedBy: [.distance(\.place, Self.here)], limit: 2)
        #expect(near.map(\.recordName) == ["a", "b"])
        let query = try Query(Self.large, sortedBy: [.ascending(\.name)])
        #expect(query == Query("Town", Self.large.untyped, sortedBy: [.ascending("name")]))
        #expect(Query(of: Land.self, "name == 'x'") == Query("Land", "name == 'x'"))
        let snapshot = try database.snapshot()
        #expect(
            try snapshot.values(matching: Self.large, sortedBy: [.ascending(\.name)]).map(\.name) == ["Bern", "Chur"])
        // A set of several types: the predicate of one counts its own.
        let records = try Self.towns.map { try Record($0) } + [Record(Land(name: "Bern"))]
        let set = try RecordSet(records: records)
        #expect(try set.count(matching: Land.where { $0.name == "Bern" }) == 1)
        #expect(try set.count(matching: "name == 'Bern'") == 2)
    }

    private func accepts(_: RecordPredicate.Of<Land>) -> Bool { true }
    private func accepts(_: Any) -> Bool { false }

    @Test func predicatesOfOtherTypesAreNotAccepted() {
        #expect(accepts(Land.where { $0.name == "x" }))
        #expect(!accepts(Self.large) && !accepts(Town.where { $0.name == "x" }))
    }

    @Test func changingAllThatMatch() async throws {
        let database = try await database()
        let counts = try await database.write { transaction in
            let changed = try transaction.updateAll(Self.large) { $0.population += 1 }
            return (changed, try transaction.deleteAll(Town.where { $0.population < 20 }))
        }
        #expect(counts == (2, 1))
        let towns = try await database.values(of: Town.self, sortedBy: [.ascending("recordName")])
        #expect(towns.map(\.population) == [22, 138, 39])
    }

    @Test func fieldsFromVariables() throws {
        let (age, name, height): (Int, String, Double?) = (7, "Ann", nil)
        let record = Record(
            type: "Person", id: Record.ID("p"), fields: ["age": age, "name": name, "height": height, "x": 2.5])
        #expect(record.fields == ["age": 7, "name": "Ann", "x": 2.5])
        #expect(Record(type: "P", id: Record.ID("p"), fields: ["a": 1, "b": ["x", nil]])["b"] == ["x", nil])
    }
}
