// Record sets of Swift values, and orders by their properties.

import RecordDatabase
import Testing

@Suite struct RecordSetValueTests {
    private struct Address: FieldNamed, Equatable { var zip: Int }

    private struct Place: RecordConvertible, Equatable {
        var recordName: String
        var population: Int
        var rank: Int?
        var address: Address

        /// No field holds it.
        var isLarge: Bool { population > 50 }
    }

    private struct Owner: RecordConvertible { var name: String }

    @Test func setsOfValues() throws {
        let places = [("a", 1), ("b", 5), ("c", 2)].map {
            Place(recordName: $0, population: $1, address: Address(zip: 7))
        }
        let set = try RecordSet(values: places)
        #expect(try set.values(of: Place.self, matching: "population > 2") == [places[1]])
        let few = try set.values(of: Place.self, matching: "population < $most", variables: ["most": 5])
        #expect(few == [places[0], places[2]])
        let last = try set.values(of: Place.self, sortedBy: [.descending("recordName")], limit: 2)
        #expect(last == [places[2], places[1]])
        let later = try set.values(of: Place.self, sortedBy: [.descending("recordName")], offset: 1)
        #expect(later == [places[1], places[0]])
        #expect(try set.values(of: Owner.self).isEmpty)
        let twice = #expect(throws: RecordCodingError.self) { try RecordSet(values: [places[0], places[0]]) }
        #expect(twice?.kind == .conflict)
    }

    @Test func fieldsOfOtherKindsAreNamed() throws {
        struct Mixed: RecordConvertible {
            var recordName: String
            var value: FieldValue
        }
        let error = #expect(throws: RecordCodingError.self) {
            try RecordSet(values: [Mixed(recordName: "a", value: "text"), Mixed(recordName: "b", value: [1])])
        }
        #expect(error?.kind == .conflict && error?.recordType == "Mixed" && error?.path == "value")
    }

    @Test func ordersByProperties() throws {
        let places = (0..<40).map {
            Place(recordName: "\($0)", population: $0, rank: $0 % 3 == 0 ? nil : $0 % 5, address: Address(zip: $0 % 7))
        }
        let set = try RecordSet(values: places)
        let byRank = try set.values(
            of: Place.self, matching: "rank != nil",
            sortedBy: [.descending(\Place.rank), .ascending(\Place.address.zip)])
        let expected = places.filter { $0.rank != nil }.sorted {
            (-($0.rank ?? 0), $0.address.zip, $0.population) < (-($1.rank ?? 0), $1.address.zip, $1.population)
        }
        #expect(byRank.map { [$0.rank, $0.address.zip] } == expected.map { [$0.rank, $0.address.zip] })
        #expect(throws: RecordPredicateError.self) { try SortKey.ascending(\Place.isLarge) }
    }
}
