// Conditions on few distinct texts: decided once, by value, also for rows without one.

import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import QueryPlanning

@Suite struct DictionaryTestTests {
    @Test(arguments: [
        ("few CONTAINS 'r'", ["red", "green"], false), ("NOT (few CONTAINS 'r')", ["blue"], true),
        ("few LIKE '*e'", ["blue"], false), ("TERNARY(few == nil, 1, 2) == 1", [], true),
    ]) func valuesAreDecidedOnce(_ predicate: String, _ holding: [String], _ holdsForMissing: Bool) throws {
        let texts = ["red", "green", "blue", nil]
        let loader = RecordLoader()
        for row in 0..<2_000 {
            let text = texts[row % 4]
            let record = Record(
                type: "T", id: Record.ID("r\(row)"),
                fields: ["few": text.map { .string($0) } ?? .null, "row": .int64(Int64(row))])
            try loader.append(record, origin: row + 1)
        }
        let segment = try #require(Snapshot(loader.finish()).segments.first).segment
        let position = try #require(segment.schema.position(of: "few"))
        guard case .dictionary(let dictionary) = segment.columns[position].values else {
            Issue.record("few texts are no dictionary")
            return
        }
        let bound = try Binder(schema: segment.schema).bind(RecordPredicate(format: predicate))
        let test = DictionaryTest(
            dictionary, presence: segment.columns[position].presence, slot: 0, node: bound.root)
        #expect(!test.isDecided && test.valueCount == 3)
        for _ in 0..<2 {
            let decision = try test.decision()
            let found = (0..<3).filter { decision.codes[$0] }.map { dictionary.values.string($0) }
            #expect(found.sorted() == holding.sorted() && decision.count == holding.count)
            #expect(decision.holdsForMissing == holdsForMissing)
            #expect(test.isDecided)
        }
    }

    /// Rows without a text are found where the condition holds for none.
    @Test(arguments: [("few !=[l] 'red'", [1, 2, 3]), ("few !=[l] 'none'", [0, 1, 2, 3])])
    func rowsWithoutATextAreFoundWhereItHoldsForNone(_ predicate: String, _ kinds: [Int]) throws {
        let texts: [FieldValue] = ["red", "green", "blue", .null]
        let loader = RecordLoader()
        for row in 0..<2_000 {
            let fields: [String: FieldValue] = ["few": texts[row % 4], "row": .int64(Int64(row))]
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        try Snapshot(loader.finish()).expectRows(of: predicate, are: (0..<2_000).filter { kinds.contains($0 % 4) })
    }
}
