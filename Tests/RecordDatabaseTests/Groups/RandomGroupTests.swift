// Groups of random records are those of a dictionary, over one segment and several, with and without deletions.

import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.waits) struct RandomGroupTests {
    private static let aggregates: [Aggregate] =
        [.count]
        + ["whole", "fraction", "mixed", "flag"].flatMap { [.sum($0), .average($0)] }
        + ["whole", "fraction", "mixed", "few", "text", "date"].flatMap { [.minimum($0), .maximum($0)] }
        + ["few", "text", "fraction", "mixed", "tags", "numbers", "owner", "place", "nested.a"].map { .distinct($0) }
        + [.sum("nested.a"), .maximum("owner.whole"), .minimum("recordName")]

    private static let keys: [[String]] =
        [
            "few", "text", "whole", "fraction", "mixed", "flag", "date", "tags", "numbers", "owner", "place",
            "nested.a", "owner.few", "place.latitude", "recordName", "recordType",
        ].map { [$0] } + [[], ["few", "flag"], ["tags", "whole"], ["nested.b", "tags", "numbers"]]

    private func expectGroups(of set: RecordSet, _ records: [Record], _ predicate: RecordPredicate?) throws {
        // Paths lead to records that do not match, too.
        let naive = NaiveGroups(records)
        for key in Self.keys {
            let found = try set.group(by: key, where: predicate, Self.aggregates)
            var expected = naive.groups(by: key)
            if let predicate { expected = try expected.mapValues { try $0.filter { try predicate.evaluate(on: $0) } } }
            expected = expected.filter { key.isEmpty || !$0.value.isEmpty }
            #expect(naive.differences(of: found, expected, Self.aggregates) == [], "\(key)")
            if key.count == 1 { try expectFacets(of: set, key[0], found, predicate) }
        }
    }

    private func expectFacets(
        of set: RecordSet, _ field: String, _ groups: [RecordGroup], _ predicate: RecordPredicate?
    ) throws {
        let present = groups.filter { $0.keys != [.null] }
        let facets = try set.facets(field, where: predicate, limit: 5)
        // A stable sort leaves equal counts in the order of the keys.
        let sorted = present.enumerated().sorted { ($1.element.count, $0.offset) < ($0.element.count, $1.offset) }
        #expect(facets.values.map(\.value.canonical) == sorted.prefix(5).map(\.element.keys[0].canonical), "\(field)")
        #expect(facets.values.map(\.count) == sorted.prefix(5).map(\.element.count), "\(field)")
        #expect(facets.distinctCount == present.count)
        #expect(facets.missingCount == groups.first { $0.keys == [.null] }?.count ?? 0)
    }

    private static let predicates: [RecordPredicate?] = [
        nil, "whole > 3", "few == 'b' OR flag == TRUE",
    ]

    @Test(arguments: [["T"], ["T", "U", "V"]], [3] as [UInt64])
    func recordsInMemory(types: [String], seed: UInt64) throws {
        let records = NaiveGroups.records(120, types: types, seed: seed)
        let set = try RecordSet(records: records)
        for predicate in Self.predicates { try expectGroups(of: set, records, predicate) }
        // With the order of long texts and of numbers in an index.
        for type in types {
            for field in ["text", "whole", "tags"] { #expect(set.ofType(type).statistics(of: field) != nil) }
        }
        for predicate in Self.predicates { try expectGroups(of: set, records, predicate) }
        let some = set.ofType("T")
        #expect(try some.group(by: [])[0].count == records.count { $0.type == "T" })
    }

    @Test func storedRecords() async throws {
        let folder = TemporaryFolder()
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = 4000
        let container = try Container(identifier: "groups", storedAt: folder.url, configuration: configuration)
        let database = container.privateDatabase
        // What a database does not take: numbers of two kinds, NaN, references to what is not there.
        func save(_ records: [Record]) async throws {
            var records = records
            for index in records.indices {
                for field in ["mixed", "nested", "owner"] { records[index][field] = nil }
                if case .double(let number) = records[index]["fraction"], number.isNaN {
                    records[index]["fraction"] = nil
                }
            }
            _ = try await database.modifyRecords(saving: records, deleting: [], savePolicy: .allKeys)
        }
        var records = NaiveGroups.records(500, seed: 7)
        // An empty list would not tell the type of its elements.
        (records[0]["tags"], records[0]["numbers"]) = (["a"], [1])
        try await save(records)
        try await save(NaiveGroups.records(120, seed: 8))
        let gone = stride(from: 0, to: 500, by: 7).map { Record.ID("r\($0)") }
        _ = try await database.modifyRecords(saving: [], deleting: gone)
        container.close()
        let set = try RecordSet(storedAt: folder.url)
        #expect(set.count == 500 - gone.count)
        // Saved records are merged with stored ones, truth values are 1 and 0.
        let naive = NaiveGroups(try set.records(matching: "TRUEPREDICATE"))
        for key in [["few"], ["whole"], ["flag"], ["date"], ["tags"], ["text"], ["few", "numbers"]] {
            let aggregates: [Aggregate] = [.sum("whole"), .maximum("date"), .minimum("few"), .distinct("tags")]
            let found = try set.group(by: key, aggregates)
            #expect(naive.differences(of: found, naive.groups(by: key), aggregates) == [], "\(key)")
        }
    }

    /// The keys of groups stand in the order that sorted records have.
    @Test func keysAreInTheOrderOfSortKeys() throws {
        let set = try RecordSet(records: NaiveGroups.records(400, types: ["T", "U"], seed: 11))
        for field in ["few", "text", "whole", "fraction", "mixed", "date", "nested.a", "recordName"] {
            let naive = NaiveGroups([])
            var sorted: [FieldValue] = []
            for record in try set.records(matching: "TRUEPREDICATE", sortedBy: [.ascending(field)]) {
                let value = naive.value(field, of: record).canonical
                if sorted.last != value { sorted.append(value) }
            }
            #expect(try set.group(by: [field]).map(\.keys[0].canonical) == sorted, "\(field)")
        }
    }
}
