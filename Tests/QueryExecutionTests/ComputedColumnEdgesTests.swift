// Computed comparisons as columns decide them, many rows at a time or a few, against the evaluator, record by record.

import FoundationEssentials
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing
import _TestSupport

@Suite struct ComputedColumnEdgesTests {
    private static let wholes: [Int64] = [
        0, 1, -1, 2, 3, -7, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, .max, .min, .max - 1,
    ]
    private static let fractions: [Double] = [0, -0.0, 0.5, -0.5, 1, 2, -2.5, 0x1p53, 0x1p63, -0x1p63, 1e10]

    /// Records with whole numbers, fractions, both mixed, truth values and dates, some of which are missing.
    private static func records() -> [Record] {
        var random = SplitMix64(seed: 11)
        return (0..<200).map { number in
            var fields: [String: FieldValue] = ["k": .int64(Int64(number))]
            func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
            if pick([true, true, true, false]) { fields["n"] = .int64(pick(wholes)) }
            if pick([true, true, true, false]) { fields["s"] = .int64(Int64.random(in: -4...4, using: &random)) }
            if pick([true, true, true, false]) { fields["x"] = .double(pick(fractions)) }
            if pick([true, true, true, false]) {
                fields["m"] = pick([true, false]) ? .int64(pick(wholes)) : .double(pick(fractions))
            }
            if pick([true, true, false]) { fields["b"] = .bool(pick([true, false])) }
            if pick([true, true, true, false]) {
                fields["d"] = .date(
                    Date(timeIntervalSinceReferenceDate: Double.random(in: 0...9, using: &random).rounded()))
            }
            return Record(type: "T", id: Record.ID("r\(number)"), fields: fields)
        }
    }

    private static func term(depth: Int, _ random: inout SplitMix64) -> String {
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        if depth == 0 || below(5) == 0 {
            let leaves = ["n", "s", "x", "m", "b", "s", "x", "2", "0.5", "-1", "3", "9007199254740993"]
            return leaves[below(leaves.count)]
        }
        switch below(7) {
        case 0: return "-(\(term(depth: depth - 1, &random)))"
        case 1:
            return ["abs", "floor", "ceiling", "trunc"][below(4)] + "(\(term(depth: depth - 1, &random)))"
        case 2: return "(\(term(depth: depth - 1, &random))) / \(["2", "-1", "0.25", "7", "-3"][below(5)])"
        default:
            let (left, right) = (term(depth: depth - 1, &random), term(depth: depth - 1, &random))
            return "(\(left)) \(["+", "-", "*"][below(3)]) (\(right))"
        }
    }

    private static func comparison(_ random: inout SplitMix64) -> String {
        func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }
        let left = term(depth: below(2) + 1, &random)
        switch below(8) {
        case 0: return "\(left) BETWEEN {-2, \(["5", "0.5", "9007199254740993", "-7"][below(4)])}"
        case 1: return "\(left) IN {1, 2.5, -2, 9007199254740993, 0.5}"
        default:
            let operation = ["==", "!=", "<", "<=", ">", ">="][below(6)]
            return "\(left) \(operation) \(term(depth: below(3), &random))"
        }
    }

    private static func rows(_ predicate: String, _ snapshot: Snapshot) throws -> [Int] {
        let schema = try #require(snapshot.schema(ofType: "T"))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: predicate))
        return try SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused)).numbers()
            .map { Int($0) }
    }

    private static func snapshot(_ records: [Record]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        return Snapshot(loader.finish())
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func computedComparisonsAreThoseOfTheEvaluator(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let records = Self.records()
        let snapshot = try Self.snapshot(records)
        let binder = Binder(schema: snapshot.schema(ofType: "T"))
        var compared = 0
        for _ in 0..<120 {
            let text = Self.comparison(&random)
            // What has no meaning, for some record at least, is another matter.
            guard let predicate = try? RecordPredicate(format: text), let bound = try? binder.bind(predicate),
                let expected = try? records.indices.filter({ try bound.evaluate(on: records[$0]) })
            else { continue }
            compared += 1
            #expect(try Self.rows(text, snapshot) == expected, "\(text)")
            // A few rows of an index, and all but those that hold.
            #expect(
                try Self.rows("k IN {3, 50, 60, 61, 199} AND \(text)", snapshot)
                    == expected.filter { [3, 50, 60, 61, 199].contains($0) }, "\(text)")
            #expect(
                try Self.rows("NOT (\(text)) AND k > 20", snapshot)
                    == records.indices.filter { $0 > 20 && !expected.contains($0) }, "\(text)")
        }
        #expect(compared > 60)
    }

    /// Dates are compared with dates, and with nothing else; a date is no number to compute with.
    @Test func datesOfColumns() throws {
        let records = Self.records()
        let snapshot = try Self.snapshot(records)
        let seconds = records.map { record -> Double? in
            guard case .date(let date) = record["d"] as FieldValue else { return nil }
            return date.timeIntervalSinceReferenceDate
        }
        let day = "2001-01-01T00:00:0"
        let cases: [(predicate: String, holds: (Double) -> Bool)] = [
            ("d == CAST(4, 'NSDate')", { $0 == 4 }), ("d < CAST(4, 'NSDate')", { $0 < 4 }),
            ("d >= '\(day)7Z'", { $0 >= 7 }), ("'\(day)2Z' < d", { $0 > 2 }),
            ("d BETWEEN {'\(day)2Z', '\(day)5Z'}", { (2...5).contains($0) }),
            ("d IN {'\(day)1Z', '\(day)8Z'}", { $0 == 1 || $0 == 8 }),
        ]
        for (predicate, holds) in cases {
            let expected = seconds.indices.filter { seconds[$0].map(holds) ?? false }
            #expect(try Self.rows(predicate, snapshot) == expected, "\(predicate)")
        }
    }
}
