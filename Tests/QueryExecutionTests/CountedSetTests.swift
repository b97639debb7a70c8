// Rows counted without listing them, records that are gone and would make a predicate fail, and least relevance first.

import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct CountedSetTests {
    /// Values that so many rows have that sets of them are kept as bitmaps, and numbers of their own.
    private static let table: Snapshot? = {
        let loader = RecordLoader()
        for row in 0..<4_000 {
            let fields: [String: FieldValue] = [
                "a": .int64(Int64(row % 2)), "b": .int64(Int64(row % 3)), "c": .int64(Int64(row % 5)),
                "d": .int64(Int64(row % 7)), "n": .int64(Int64(row)),
                "l": .list([.int64(Int64(row % 11)), .int64(Int64(row % 11) + 1)]),
            ]
            guard
                (try? loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1))
                    != nil
            else { return nil }
        }
        return Snapshot(loader.finish())
    }()

    static let cases: [(predicate: String, holds: @Sendable (Int) -> Bool)] = [
        ("a == 1 AND b == 2", { $0 % 6 == 5 }), ("a == 1 AND b == 2 AND c == 3", { $0 % 30 == 23 }),
        ("a == 1 AND b == 2 AND c == 3 AND d == 4", { $0 % 210 == 53 }),
        ("a == 0 AND b == 0 AND d == 6", { $0 % 42 == 6 }),
        ("n < 60 AND a == 1 AND b == 2", { $0 < 60 && $0 % 6 == 5 }),
        ("n >= 3000 AND a == 1 AND c == 4", { $0 >= 3_000 && $0 % 10 == 9 }),
        ("NOT (a == 1) AND b == 2 AND c == 0", { $0 % 30 == 20 }),
        ("a == 1 AND ANY l < 2 AND b == 0", { $0 % 6 == 3 && $0 % 11 < 2 }),
        ("a == 1 OR b == 2 OR c == 3", { $0 % 2 == 1 || $0 % 3 == 2 || $0 % 5 == 3 }),
        ("NOT (a == 1 OR b == 2)", { $0 % 2 == 0 && $0 % 3 != 2 }),
    ]

    @Test(arguments: cases.indices) func rowsOfSeveralSets(_ number: Int) throws {
        let (predicate, holds) = Self.cases[number]
        try #require(Self.table).expectRows(of: predicate, are: (0..<4_000).filter(holds))
    }

    /// What has no meaning for a record that is gone has one for those that are there.
    @Test func recordsThatAreGoneFailNoPredicate() throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for number in 0..<600 {
            batch.save(Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number)), "m": 1]))
        }
        try store.commit(batch)
        func names(_ text: String) throws -> [String] {
            let snapshot = store.snapshot
            let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: text))
            let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
            let rows = try query.rows()
            #expect(try query.count() == rows.count)
            #expect(try query.page(sortedBy: [.descending("n")], limit: 9).rows.count == rows.count)
            return rows.map { snapshot.recordID($0).recordName }
        }
        for text in ["10 / n == 5", "m == 1 AND 10 / n == 5", "n < 20 AND 10 / n == 5"] {
            #expect(throws: EvaluationError.self) { _ = try names(text) }
        }
        var change = RecordBatch()
        change.delete(Record.ID("r0"))
        try store.commit(change)
        for text in ["10 / n == 5", "m == 1 AND 10 / n == 5", "n < 20 AND 10 / n == 5"] {
            #expect(try names(text) == ["r2"], "\(text)")
        }
    }

    /// The least score first, those of one score in order of insertion, on one page or on several.
    @Test(arguments: [1, 2, 3, 10]) func leastRelevantFirst(limit: Int) throws {
        let loader = RecordLoader()
        let texts = ["x y", "x x", "other", "x b c d e f", "x z", "x x x"]
        for (row, text) in texts.enumerated() {
            let record = Record(type: "T", id: Record.ID("r\(row)"), fields: ["t": .string(text)])
            try loader.append(record, origin: row + 1)
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T"))
            .bind(RecordPredicate(format: "t TOKENMATCHES[cd] 'x'"))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
        // More of the word in a text as long is better, and a longer text with one of them is worse.
        for (isAscending, expected) in [
            (true, ["r3", "r0", "r4", "r1", "r5"]), (false, ["r5", "r1", "r0", "r4", "r3"]),
        ] {
            var (found, cursor): ([String], PageCursor?) = ([], nil)
            repeat {
                let page = try query.page(
                    sortedBy: [SortKey(.relevance, isAscending: isAscending)], limit: limit, after: cursor)
                found += page.rows.map { snapshot.recordID($0).recordName }
                cursor = page.next
            } while cursor != nil && found.count < 10
            #expect(found == expected, "\(isAscending)")
        }
    }
}
