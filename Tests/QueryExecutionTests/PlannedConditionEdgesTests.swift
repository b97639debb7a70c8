// Conditions whose parts a plan may take apart: what may fail between others, and lists at the ends of lists.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct PlannedConditionEdgesTests {
    private static let usages: [SegmentPlanner.IndexUsage] = [.none, .built, .all]

    private static func table(_ records: [Record]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        return Snapshot(loader.finish())
    }

    private static func query(
        _ predicate: String, _ table: Snapshot, _ usage: SegmentPlanner.IndexUsage
    ) throws -> SnapshotQuery {
        let bound = try Binder(schema: table.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        return SnapshotQuery(bound, over: table, type: "T", settings: .init(usage: usage, context: .unused))
    }

    /// The first of two conditions that may fail is reached by every record, whatever stands between them.
    @Test(
        arguments: [
            ("10 / a > 1 AND b == 2 AND 10 / c > 1", nil), ("10 / a > 1 AND 10 / c > 1 AND b == 2", nil),
            ("10 / c > 1 AND b == 2 AND 10 / a > 1", ["r1"]), ("b == 2 AND 10 / a > 1 AND 10 / c > 1", ["r1"]),
        ] as [(String, [String]?)])
    func whatMayFailKeepsItsPlace(_ predicate: String, _ expected: [String]?) throws {
        let table = try Self.table([
            Record(type: "T", id: Record.ID("r0"), fields: ["a": 0, "b": 3, "c": 1]),
            Record(type: "T", id: Record.ID("r1"), fields: ["a": 1, "b": 2, "c": 1]),
        ])
        for usage in Self.usages {
            let query = try Self.query(predicate, table, usage)
            if let expected {
                #expect(try query.rows().map { table.recordID($0).recordName } == expected, "\(usage)")
            } else {
                #expect(throws: EvaluationError.self, "\(usage)") { try query.rows() }
            }
        }
    }

    /// The error is that of the first record, also where an index gives another one first.
    @Test func theFirstRecordTellsItsError() throws {
        let failing = [
            Record(type: "T", id: Record.ID("r0"), fields: ["a": 300, "b": 0, "c": [7]]),
            Record(type: "T", id: Record.ID("r1"), fields: ["a": 299, "b": 1, "c": []]),
        ]
        let others = (2..<200).map { number in
            Record(type: "T", id: Record.ID("r\(number)"), fields: ["a": .int64(Int64(number)), "b": 1, "c": [7]])
        }
        let table = try Self.table(failing + others)
        for usage in Self.usages {
            let query = try Self.query("a > 250 AND 10 / b > 1 AND c[0] == 7", table, usage)
            let error = #expect(throws: EvaluationError.self, "\(usage)") { try query.rows() }
            #expect(error?.kind == .divisionByZero, "\(usage)")
        }
    }

    /// Every element of every list that the references lead to counts, and not one of each.
    @Test(
        arguments: [
            ("ALL refs.tags == 'x'", ["b"]), ("ANY refs.tags == 'x'", ["a", "b", "c"]),
            ("ALL refs.tags != 'y'", ["b"]), ("NONE refs.tags == 'y'", ["b"]),
        ] as [(String, [String])])
    func listsThatReferencesLeadTo(_ predicate: String, _ expected: [String]) throws {
        let (both, one) = (FieldValue.reference(RecordReference("k0")), FieldValue.reference(RecordReference("k1")))
        let table = try Self.table([
            Record(type: "K", id: Record.ID("k0"), fields: ["tags": ["x", "y"]]),
            Record(type: "K", id: Record.ID("k1"), fields: ["tags": ["x"]]),
            Record(type: "T", id: Record.ID("a"), fields: ["refs": .list([both])]),
            Record(type: "T", id: Record.ID("b"), fields: ["refs": .list([one])]),
            Record(type: "T", id: Record.ID("c"), fields: ["refs": .list([both, one])]),
        ])
        for usage in Self.usages {
            let query = try Self.query(predicate, table, usage)
            #expect(try query.rows().map { table.recordID($0).recordName } == expected, "\(usage)")
        }
    }
}
