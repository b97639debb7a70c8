// Sets of the records of one type: their order, their analyzers, and what counting them needs.

import RecordModel
import Testing
import TextAnalysis

@testable import RecordDatabase

@Suite struct SetOfTypeTests {
    /// A record that was changed keeps its place among those of its type, and in what is written of them.
    @Test func changedRecordsKeepTheirPlace() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 2]), record("c", ["n": 3]))
        var first = try await world.mine.record(for: Record.ID("a"))
        first["n"] = 4
        try await world.mine.put(first)
        let set = try world.mine.snapshot().records(ofType: "T")
        #expect(set.ordinals(ofType: "T").map { set.recordName(at: $0) } == ["a", "b", "c"])
        let lines = try RecordExport(set, as: .ndjson).text().split(separator: "\n")
        #expect(
            lines == [
                #"{"id":"a","type":"T","n":4}"#, #"{"id":"b","type":"T","n":2}"#, #"{"id":"c","type":"T","n":3}"#,
            ])
    }

    /// All types together have the analyzers that they agree about, and each has its own.
    @Test func eachTypeHasItsAnalyzers() throws {
        let container = try Container(identifier: "test")
        let (body, title) = (TextAnalyzer(stopWords: ["x"]), TextAnalyzer(stopWords: ["y"]))
        try container.setSchema(
            ContainerSchema(recordTypes: [
                "A": .init(fields: [
                    "body": .init(.string, analyzer: body), "title": .init(.string, analyzer: title),
                ]),
                "B": .init(fields: ["body": .init(.string)]),
            ]))
        let all = try container.privateDatabase.snapshot().allRecords()
        #expect(all.analyzers == ["title": title])
        #expect(all.ofType("A").analyzers == ["body": body, "title": title])
        #expect(all.ofType("B").analyzers.isEmpty)
    }

    /// Records are counted whatever the order; an order by relevance needs words when there are results to order.
    @Test func countingNeedsNoOrder() throws {
        let set = try RecordSet(records: [record("a", ["n": 1, "m": 1]), record("b", ["n": 2, "m": 1])])
        let prepared = try set.prepare("n == $n AND m == 1", sortedBy: [.relevance])
        #expect(try prepared.count(["n": 2]) == 1)
        #expect(throws: RecordPredicateError.self) { try prepared.ordinals(["n": 2]) }
    }
}
