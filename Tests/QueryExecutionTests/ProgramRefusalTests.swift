// Computed comparisons that columns cannot decide as a whole, as a number in them is no double: the evaluator decides.

import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct ProgramRefusalTests {
    private static func table(_ rows: [[String: FieldValue]]) throws -> Snapshot {
        let loader = RecordLoader()
        for (row, fields) in rows.enumerated() {
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        return Snapshot(loader.finish())
    }

    /// Beside 2^53 + 1: the sum with it is 2^53 + 2, 0, 2^53, nothing, and 2^54 + 1.
    private static let values: [FieldValue] = [
        1, .int64(-9_007_199_254_740_993), 0.5, .null, .int64(9_007_199_254_740_992),
    ]
    private static let sum = "m + 9007199254740993"

    /// Whole numbers and fractions in one field, and a whole number that no double equals: alone, within functions,
    /// on either side, and as a part of more.
    static let cases: [(predicate: String, rows: [Int])] = [
        ("\(sum) < 10", [1]), ("10 > \(sum)", [1]), ("\(sum) > n", [0, 2, 4]), ("n < \(sum)", [0, 2, 4]),
        ("abs(\(sum)) < 10", [1]), ("10 > abs(\(sum))", [1]), ("abs(\(sum)) > 9007199254740993", [0, 4]),
        ("abs(\(sum)) >= 9007199254740992", [0, 2, 4]), ("floor(\(sum)) == 0", [1]),
        ("ceiling(\(sum)) != 0", [0, 2, 3, 4]), ("trunc(\(sum)) <= 0", [1]), ("sqrt(\(sum)) < 1", [1]),
        ("abs(\(sum)) < n * 2", [1]), ("n * 2 > abs(\(sum))", [1]), ("abs(\(sum)) + 1 == 1", [1]),
        ("1 + abs(\(sum)) == 1", [1]), ("0 - floor(\(sum)) == 0", [1]), ("-(\(sum)) == 0", [1]),
        ("abs(\(sum)) BETWEEN {-1, 5}", [1]), ("abs(\(sum)) IN {0, 5}", [1]), ("n + abs(\(sum)) == n", [1]),
        ("NOT (abs(\(sum)) < 10)", [0, 2, 3, 4]), ("n == 4 AND abs(\(sum)) < 10", [1]),
    ]

    @Test(arguments: cases.indices) func whatIsNoDoubleIsLeftToTheEvaluator(_ number: Int) throws {
        let (predicate, rows) = Self.cases[number]
        try Self.table(Self.values.map { ["m": $0, "n": 4] }).expectRows(of: predicate, are: rows)
    }

    /// Whole numbers by divisors whose reciprocal is no good: too small, too large, and beyond what doubles hold fully.
    @Test(
        arguments: [
            ("1e-300", 1e-300), ("1e-160", 1e-160), ("1e-150", 1e-150), ("1e150", 1e150), ("1e160", 1e160),
            ("1e300", 1e300), ("1e308", 1e308), ("-3.0", -3), ("-1e-300", -1e-300),
        ] as [(String, Double)])
    func quotientsByDivisorsOfAnySize(_ text: String, _ divisor: Double) throws {
        let wholes: [Int64] = [0, 1, -1, 3, 7, -49, 1_000_003, (1 << 53) + 1, .max, .min]
        let table = try Self.table(wholes.map { ["n": .int64($0), "x": .double(Double($0) / divisor)] })
        try table.expectRows(of: "n / \(text) == x", are: Array(wholes.indices))
        try table.expectRows(of: "n / \(text) != x", are: [])
    }
}
