// Counts of what matches: without records that are gone, with those that lack the field, and of what no index decides.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct CountedMatchEdgesTests {
    /// Half of the records have one value: those of them that were deleted since do not count.
    @Test(
        arguments: [
            ("k == 1", 297), ("k == 0", 299), ("k != 1", 299), ("k IN {0, 1}", 596), ("TRUEPREDICATE", 596),
            ("k == 1 AND n < 10", 3), ("k == 2", 0),
        ])
    func deletedRecordsDoNotCount(_ predicate: String, _ count: Int) throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for number in 0..<600 {
            let fields: [String: FieldValue] = ["k": .int64(Int64(number % 2)), "n": .int64(Int64(number))]
            batch.save(Record(type: "T", id: Record.ID("r\(number)"), fields: fields))
        }
        try store.commit(batch)
        var change = RecordBatch()
        for number in [1, 7, 400, 555] { change.delete(Record.ID("r\(number)")) }
        try store.commit(change)
        let snapshot = store.snapshot
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        for usage in [SegmentPlanner.IndexUsage.none, .built, .all] {
            let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
            #expect(try query.count() == count, "\(usage)")
            #expect(try query.rows().count == count, "\(usage)")
        }
    }

    /// Every record of a type that lacks the field is one without a number.
    @Test func recordsOfTypesWithoutTheField() throws {
        let loader = RecordLoader()
        for number in 0..<7 {
            let fields: [String: FieldValue] = number < 3 ? ["n": .int64(Int64(number * 4))] : ["other": 1]
            let record = Record(type: number < 3 ? "T" : "U", id: Record.ID("r\(number)"), fields: fields)
            try loader.append(record, origin: number + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "TRUEPREDICATE"))
        let query = SnapshotQuery(bound, over: snapshot, type: nil, settings: .init(context: .unused))
        let spread = try snapshot.spread(
            of: "n", at: try query.matchingRows(), areDates: false, in: NumberSpread(0...8, bins: 2))
        #expect(spread.counts == [1, 2] && spread.missingCount == 4)
        #expect(spread.otherCount == 0 && spread.outsideCount == 0)
    }

    /// A truth value is 1 or 0 and equals no other number.
    @Test(
        arguments: [
            ("flag == 2", []), ("flag == -1", []), ("flag == 0.5", []), ("flag == 1", [0]), ("flag == 0", [1]),
            ("flag == 1.0", [0]), ("flag != 2", [0, 1, 2]),
        ] as [(String, [Int])])
    func truthValuesAndOtherNumbers(_ predicate: String, _ expected: [Int]) throws {
        let loader = RecordLoader()
        for (row, flag) in ([true, false, nil] as [Bool?]).enumerated() {
            var fields: [String: FieldValue] = ["n": 1]
            if let flag { fields["flag"] = .bool(flag) }
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        try Snapshot(loader.finish()).expectRows(of: predicate, are: expected)
    }

    /// Once words are indexed, a text with a sign in it is still sought in the texts: no word holds the sign.
    @Test(arguments: ["{", "["]) func textsWithASignBetweenLetters(_ sign: String) throws {
        let loader = RecordLoader()
        for row in 0..<200 {
            let text = row % 5 == 0 ? "row \(row) ab\(sign)xy" : "row \(row) ab xy"
            try loader.append(
                Record(type: "T", id: Record.ID("r\(row)"), fields: ["t": .string(text)]), origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        try snapshot.expectRows(of: "t TOKENMATCHES 'row'", are: Array(0..<200))
        let expected = (0..<200).filter { $0 % 5 == 0 }
        try snapshot.expectRows(of: "t CONTAINS 'ab\(sign)xy'", are: expected)
        try snapshot.expectRows(of: "t CONTAINS 'b\(sign)x'", are: expected)
    }

    /// A search without words finds nothing, whether or not there is an index of the words.
    @Test(arguments: ["t TOKENMATCHES ''", "t TOKENMATCHES[cd] ' - '", "t TOKENMATCHES[p] ''"])
    func searchesWithoutWords(_ predicate: String) throws {
        let loader = RecordLoader()
        for row in 0..<40 {
            let fields: [String: FieldValue] = ["t": .string("text - \(row)")]
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        try snapshot.expectRows(of: predicate, are: [])
        try snapshot.expectRows(of: "t TOKENMATCHES 'text' AND t TOKENMATCHES '7'", are: [7])
    }
}
