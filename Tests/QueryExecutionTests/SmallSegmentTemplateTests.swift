// Templates over segments that are too small for indexes: their columns are read, with all that a column may hold.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing

@Suite struct SmallSegmentTemplateTests {
    private static func day(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    /// Rows with NaN, which is above all numbers, zeros of both signs, empty texts, and nothing at all.
    private static let rows: [[String: FieldValue]] = [
        ["x": 0.5, "n": 0, "t": "Ab", "day": day(1)], ["x": 2.0, "n": -1, "t": "aB", "day": day(.nan)],
        ["x": .double(.nan), "t": "\u{212A}", "day": day(-1)], ["n": 7],
        ["x": -0.0, "n": .int64(.max), "t": "", "day": day(-0.0)],
    ]

    static let cases: [(text: String, values: [FieldValue], rows: [Int])] = [
        ("x > %@", [1], [1, 2]), ("x >= %@", [2], [1, 2]), ("x < %@", [1], [0, 4]), ("x <= %@", [2], [0, 1, 4]),
        ("x == %@", [2], [1]), ("x == %@", [0], [4]), ("x > %@ AND x < %@", [0, 5], [0, 1]),
        ("x > %@ AND n == %@", [1, -1], [1]), ("n == %@", [0], [0]), ("n < %@", [0.5], [0, 1]),
        ("n > %@", [-0.5], [0, 3, 4]), ("n >= %@", [1e300], []), ("n < %@", [0x1p63], [0, 1, 3, 4]),
        ("day > %@", [day(0)], [0, 1]), ("day == %@", [day(0)], [4]), ("day < %@", [day(0)], [2]),
        ("t == %@", [""], [4]), ("t ==[c] %@", ["AB"], [0, 1]), ("t == %@", ["K"], [2]), ("t ==[n] %@", ["K"], []),
    ]

    @Test(arguments: cases.indices) func columnsHoldWhatTheyHold(_ number: Int) throws {
        let (text, values, expected) = Self.cases[number]
        let store = RecordStore()
        var batch = RecordBatch()
        for (row, fields) in Self.rows.enumerated() {
            batch.save(Record(type: "T", id: Record.ID("r\(row)"), fields: fields))
        }
        try store.commit(batch)
        let snapshot = store.snapshot
        let binder = Binder(schema: snapshot.schema(ofType: "T"))
        let (shape, constants) = try #require(try RecordPredicate(format: text, arguments: values).shape())
        let template = try #require(ConstraintTemplate(shape, binder: binder))
        let filled = try #require(FilledTemplate(template, constants))
        for usage in [SnapshotQuery.Settings(context: .unused), .init(usage: .none, context: .unused)] {
            let query = SnapshotQuery(.template(filled), over: snapshot, type: "T", settings: usage)
            #expect(try query.rows().map { snapshot.recordID($0).recordName } == expected.map { "r\($0)" }, "\(text)")
        }
    }
}
