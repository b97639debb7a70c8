// Computed comparisons at the edges of what columns decide: nil on both sides, numbers beyond 64 bits and doubles.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct ComputedEdgeTests {
    private static func table(_ rows: [[String: FieldValue]]) throws -> Snapshot {
        let loader = RecordLoader()
        for (row, fields) in rows.enumerated() {
            try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
        }
        return Snapshot(loader.finish())
    }

    /// Of few rows that an index gives, as of all: nil equals nil, and what overflows goes on as a fraction.
    @Test(
        arguments: [
            ("n IN {3, 4, 5} AND a + 1 == b + 1", [3, 5]), ("n IN {3, 4, 5} AND a + 1 != b + 1", [4]),
            ("n IN {3, 4, 5} AND a + 1 <= b + 1", [3, 5]), ("n IN {3, 4, 5} AND a + 1 < b + 1", []),
            ("n IN {3, 4, 5} AND a + 1 >= b + 1", [3, 5]), ("n < 6 AND a + 1 >= b + 1", [0, 1, 2, 3, 5]),
            ("n IN {3, 4, 5} AND a >= b", [3, 5]), ("abs(a) > 5", [6, 8]), ("n IN {7, 8} AND abs(a) > 5", [8]),
            ("n < 6 AND a + 1 == b + 1", [0, 1, 2, 3, 5]), ("n == 3 AND NOT (a + 1 == b + 1)", []),
            ("n IN {6, 7} AND a * 2 != 4", [6]), ("n IN {6, 7} AND a * 2 == 4", [7]),
            ("n IN {6, 7} AND a * 2 > 4", [6]), ("n IN {6, 7} AND a * 2 != 18446744073709551616.0", [7]),
            ("a * 2 != 2 AND n < 8", [3, 4, 6, 7]),
            ("NOT (a * 2 == 18446744073709551616.0) AND n > 4 AND n < 9", [5, 7, 8]),
        ] as [(String, [Int])])
    func nilAndOverflow(_ predicate: String, _ expected: [Int]) throws {
        let rows = (0..<200).map { row -> [String: FieldValue] in
            var fields: [String: FieldValue] = ["n": .int64(Int64(row)), "a": 1, "b": 1]
            if row == 3 || row == 150 { (fields["a"], fields["b"]) = (nil, nil) }
            if row == 4 { fields["a"] = nil }
            if row == 6 { fields["a"] = .int64(.max) }
            if row == 7 { fields["a"] = 2 }
            if row == 8 { fields["a"] = .int64(.min) }
            return fields
        }
        try Self.table(rows).expectRows(of: predicate, are: expected)
    }

    /// The whole number 2^53 + 1 is none of the fractions, and above one of them.
    @Test(
        arguments: [
            ("n * 1 == x", [1]), ("n * 1 != x", [0, 2]), ("n * 1 > x", [0]), ("n * 1 < x", [2]),
            ("n * 1 >= x", [0, 1]), ("x == n * 1", [1]), ("x < n * 1", [0]),
        ] as [(String, [Int])])
    func wholeNumbersBesideFractions(_ predicate: String, _ expected: [Int]) throws {
        let numbers: [(Int64, Double)] = [((1 << 53) + 1, 0x1p53), (1 << 53, 0x1p53), (3, 3.5)]
        try Self.table(numbers.map { ["n": .int64($0), "x": .double($1)] }).expectRows(of: predicate, are: expected)
    }

    /// A date equals no number, be it that of its seconds.
    @Test(
        arguments: [
            ("d == n", []), ("n == d", []), ("d == x", []), ("d != n", [0, 1]), ("x != d", [0, 1]),
        ] as [(String, [Int])])
    func datesAreNoNumbers(_ predicate: String, _ expected: [Int]) throws {
        let rows = [5, 7].map { seconds -> [String: FieldValue] in
            [
                "d": .date(Date(timeIntervalSinceReferenceDate: Double(seconds))), "n": .int64(Int64(seconds)),
                "x": .double(Double(seconds)),
            ]
        }
        try Self.table(rows).expectRows(of: predicate, are: expected)
    }

    /// The whole number 2^53 + 1 is no fraction, and none of a list finds another number in its place.
    @Test(
        arguments: [
            ("x IN {1, 9007199254740993}", [1]), ("x * 1 IN {1, 9007199254740993}", [1]),
            ("x IN {9007199254740992, 9007199254740993}", [0]),
        ] as [(String, [Int])])
    func listsOfLargeWholeNumbers(_ predicate: String, _ expected: [Int]) throws {
        let numbers: [Double] = [0x1p53, 1, 0x1p53 + 2]
        try Self.table(numbers.map { ["x": .double($0)] }).expectRows(of: predicate, are: expected)
    }

    /// Sums of whole numbers are exact beside fractions of the same field, too.
    @Test(
        arguments: [
            ("m + 1 == 9007199254740992", [1]), ("m + 1 > 9007199254740992", [0]),
            ("m + 1 != 9007199254740992", [0, 2]),
        ] as [(String, [Int])])
    func largeSumsOfMixedNumbers(_ predicate: String, _ expected: [Int]) throws {
        let numbers: [FieldValue] = [.int64(1 << 53), .int64((1 << 53) - 1), 0.5]
        try Self.table(numbers.map { ["m": $0] }).expectRows(of: predicate, are: expected)
    }

    /// Kernels read sixteen columns at most, each mention of one for itself; and inner results wait in memory.
    @Test func longSums() throws {
        let table = try Self.table(
            (0..<100).map { ["n": .int64($0), "m": .int64($0 % 3), "x": .double(Double($0) / 4)] })
        for count in [14, 15, 16, 17, 18, 33] {
            let sum = [String](repeating: "n", count: count).joined(separator: " + ")
            try table.expectRows(of: "\(sum) == \(count * 7)", are: [7])
            try table.expectRows(of: "\(count * 97) < \(sum)", are: [98, 99])
            let fractions = [String](repeating: "x", count: count).joined(separator: " + ")
            try table.expectRows(of: "\(fractions) == \(Double(count) / 4)", are: [1])
        }
        // Ten times the row's number, less nine or three times 0, 1, 2, 0, …
        for (predicate, rows) in [
            ("((n * 10 - m * 2) - m * 3) - m * 4 == 31", [4]), ("((n * 10 - m * 2) - m * 3) - m * 4 < 12", [0, 1, 2]),
            ("n * 10 - (m * 2 - (m * 3 - m * 4)) == 7", [1]),
            ("11 < n * 10 - (m * 2 - (m * 3 - m * 4)) AND n < 5", [2, 3, 4]),
        ] as [(String, [Int])] {
            try table.expectRows(of: predicate, are: rows)
        }
    }
}
