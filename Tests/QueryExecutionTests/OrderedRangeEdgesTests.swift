// The first records in the order of a field of which a condition, beside one that fewer rows meet, allows a range.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct OrderedRangeEdgesTests {
    private static let count = 3_000

    /// A number of its own for each row, in another order than that of the rows.
    private static func order(_ row: Int) -> Int { row * 1_237 % count }

    private static func day(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    private static let table = Result { () throws -> Snapshot in
        let loader = RecordLoader()
        for row in 0..<count {
            let number = Double(order(row))
            let fields: [String: FieldValue] = [
                "e": .int64(Int64(row % 3)), "x": .double(number + 0.25), "day": day(number),
            ]
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        return Snapshot(loader.finish())
    }

    /// Of fractions and of dates, with the numbers that are allowed.
    private static let cases: [(field: String, text: String, values: [FieldValue], range: ClosedRange<Int>)] = [
        ("x", "e == 1 AND x <= %@", [1_800.5], 0...1_800), ("x", "e == 1 AND x > %@", [900.5], 901...2_999),
        ("x", "e == 1 AND x > %@ AND x < %@", [300.5, 2_400.0], 301...2_399),
        ("day", "e == 1 AND day <= %@", [day(1_800)], 0...1_800),
        ("day", "e == 1 AND day > %@", [day(900)], 901...2_999),
        ("day", "e == 1 AND day > %@ AND day < %@", [day(300), day(2_400)], 301...2_399),
    ]

    @Test(arguments: cases.indices) func firstOfARange(_ number: Int) throws {
        let (field, text, values, range) = Self.cases[number]
        let snapshot = try Self.table.get()
        let predicate = try RecordPredicate(format: text, arguments: values)
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(predicate)
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
        let rows = (0..<Self.count).filter { $0 % 3 == 1 && range.contains(Self.order($0)) }
            .sorted { Self.order($0) < Self.order($1) }
        for isAscending in [true, false] {
            let expected = (isAscending ? rows : rows.reversed()).map { "r\($0)" }
            for limit in [1, 10, 3_000] {
                let keys = [SortKey(.field(field), isAscending: isAscending)]
                let found = try query.ordered(by: keys, limit: limit).rows
                #expect(found.map { snapshot.recordID($0).recordName } == Array(expected.prefix(limit)), "\(limit)")
            }
        }
    }
}
