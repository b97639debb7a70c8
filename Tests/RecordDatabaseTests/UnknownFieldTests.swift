// Names that no record has: an error in sets as in databases, unless a set allows them.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct UnknownFieldTests {
    private struct City: RecordConvertible, Equatable {
        var name: String
        var population: Int?
        var nickname: String?
    }

    private func cities() throws -> RecordSet {
        try RecordSet(
            Data(
                """
                {"name": "Bern", "population": 134000, "address": {"zip": 3000}}
                {"name": "Chur"}
                """.utf8))
    }

    private func error(_ body: () throws -> Void) -> RecordPredicateError? {
        #expect(throws: RecordPredicateError.self) { try body() }
    }

    @Test func aSlipIsAnErrorWithItsPlaceAndWhatWasMeant() throws {
        let set = try cities()
        let calls: [(RecordPredicate) throws -> Void] = [
            { _ = try set.count(matching: $0) }, { _ = try set.records(matching: $0) },
            { _ = try set.prepare($0) }, { _ = try set.facets("name", where: $0) }, { _ = try set.explain($0) },
            { _ = try set.ordinals(matching: $0) },
        ]
        for (number, call) in calls.enumerated() {
            let error = error { try call("name == 'Bern' AND populaton > 5") }
            #expect(error?.message == "no record has a field populaton", "\(number)")
            #expect(error?.hint == "did you mean population?", "\(number)")
            #expect(error?.excerpt.contains("^~~~~~~~~") == true, "\(number): \(error?.excerpt ?? "")")
        }
        // By an argument, and negated, where nil would match every record.
        #expect(error { _ = try set.count(matching: RecordPredicate(format: "%K > 5", "populaton")) } != nil)
        #expect(error { _ = try set.count(matching: "populaton != 5") } != nil)
        // Parts of records and members of objects are no fields.
        #expect(try set.count(matching: "recordID != nil AND address.zp == nil") == 2)
    }

    @Test func ordersAreCheckedToo() throws {
        let set = try cities()
        let order: [SortKey] = [.ascending("name"), .descending("populaton")]
        let found = error { _ = try set.records(matching: "TRUEPREDICATE", sortedBy: order) }
        #expect(found?.hint == "did you mean 'population'?")
        #expect(error { _ = try set.prepare("TRUEPREDICATE", sortedBy: order) } != nil)
        #expect(try set.records(matching: "TRUEPREDICATE", sortedBy: [.descending("population")]).count == 2)
    }

    @Test func aSetMayAllowThem() throws {
        var set = try cities()
        set.allowsUnknownFields = true
        #expect(try set.count(matching: "populaton == nil") == 2)
        #expect(try set.ofType(nil).records(matching: "populaton > 5", sortedBy: [.ascending("populaton")]).isEmpty)
        // Without records nothing is known of fields.
        #expect(try RecordSet(records: []).count(matching: "populaton > 5") == 0)
        #expect(try cities().ofType("City").count(matching: "populaton > 5") == 0)
    }

    @Test func propertiesAreNoSlips() throws {
        let set = try RecordSet(values: [City(name: "Bern", population: 134_000), City(name: "Chur")])
        let plain: RecordPredicate.Of<City> = .where { $0.nickname == nil && $0.name != "Chur" }
        #expect(try set.values(matching: plain).map(\.name) == ["Bern"])
        #expect(try set.count(matching: !plain) == 1)
        #expect(try set.count(matching: plain.untyped || "name == 'Chur'") == 2)
        #expect(error { _ = try set.count(matching: plain.untyped || "nam == 'Chur'") }?.hint == "did you mean name?")
        #expect(try set.values(of: City.self, sortedBy: [.ascending(\.nickname), .ascending(\.name)]).count == 2)
        #expect(error { _ = try set.values(of: City.self, sortedBy: [.ascending("nickname")]) } != nil)
        #expect(error { _ = try set.values(of: City.self, matching: "nickname == nil") } != nil)
    }

    @Test func databasesSayTheSame() async throws {
        let database = try Container(identifier: "test").privateDatabase
        try await database.save(City(name: "Bern", population: 134_000))
        let inSnapshot = error {
            _ = try database.snapshot().records(ofType: "City").count(matching: "populaton > 5")
        }
        #expect(inSnapshot?.message == "City has no field populaton" && inSnapshot?.hint == "did you mean population?")
        let inQuery = await #expect(throws: DatabaseError.self) {
            _ = try await database.records(matching: Query("City", "populaton > 5"), in: .all)
        }
        #expect(inQuery?.hint == "did you mean population?")
    }
}
