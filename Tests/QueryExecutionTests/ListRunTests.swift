// Rows that an index of a list gives several times count once, and whole numbers beyond doubles are compared as they are.

import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct ListRunTests {
    private static let rowCount = 3_000

    /// Every 100th row has three small numbers, the others large ones; words likewise.
    private static func isSmall(_ row: Int) -> Bool { row % 100 == 7 }

    private static let table: Snapshot? = {
        let loader = RecordLoader()
        for row in 0..<rowCount {
            let base = isSmall(row) ? 0 : 1000 + row
            let fields: [String: FieldValue] = [
                "nums": .list((1...3).map { .int64(Int64(base + $0)) }),
                "words": .list((1...3).map { .string((isSmall(row) ? "a" : "z") + "\(base + $0)") }),
                "n": .int64(Int64(row)), "even": .bool(row % 2 == 0), "t": .string("text \(row)"),
            ]
            guard
                (try? loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1))
                    != nil
            else { return nil }
        }
        return Snapshot(loader.finish())
    }()

    /// Whole numbers that no double is: a column of doubles is compared with them as they are.
    @Test(
        arguments: [
            ("x BETWEEN {9007199254740993, 20000000000000000}", [1, 2]), ("x BETWEEN {0, 9007199254740993}", [0]),
            ("x BETWEEN {9007199254740993, 9007199254740993}", []), ("x == 9007199254740993", []),
            ("x IN {9007199254740993, 9007199254740994}", [1]), ("x > 9007199254740993", [1, 2]),
            // The nearest double lies below the first of these, and above the second.
            ("x < 9007199254740993", [0]), ("x <= 9007199254740993", [0]), ("x >= 9007199254740993", [1, 2]),
            ("x > 9007199254740995", [2]), ("x >= 9007199254740995", [2]), ("x < 9007199254740995", [0, 1]),
            ("x <= 9007199254740995", [0, 1]),
            ("x * 1 BETWEEN {20000000000000000, 9007199254740994}", [1, 2]), ("x * 1 BETWEEN {2, 1}", []),
            ("x * 1 BETWEEN {9007199254740993, 20000000000000000}", [1, 2]),
            ("x * 1 BETWEEN {0, 9007199254740993}", [0]), ("x * 1 IN {9007199254740993, 9007199254740996}", [2]),
            ("x * 1 < 9007199254740993", [0]), ("x * 1 != 9007199254740993", [0, 1, 2]),
        ] as [(String, [Int])])
    func numbersBetweenDoubles(_ predicate: String, _ expected: [Int]) throws {
        let loader = RecordLoader()
        for (row, number) in [9_007_199_254_740_992.0, 9_007_199_254_740_994, 9_007_199_254_740_996].enumerated() {
            try loader.append(
                Record(type: "T", id: Record.ID("r\(row)"), fields: ["x": .double(number)]), origin: row + 1)
        }
        try Snapshot(loader.finish()).expectRows(of: predicate, are: expected)
    }

    static let cases: [(predicate: String, holds: @Sendable (Int) -> Bool)] = [
        // Each such row has all of the wanted numbers, and counts once.
        ("ANY nums IN {1, 2, 3}", isSmall), ("ANY nums IN {2, 3, 9000}", isSmall),
        ("ANY nums < 10", isSmall), ("ANY nums < 10 AND n > 100", { isSmall($0) && $0 > 100 }),
        ("ANY nums BETWEEN {1, 3} AND n BETWEEN {500, 2500}", { isSmall($0) && (500...2500).contains($0) }),
        ("ANY nums IN {1, 2, 3} AND t CONTAINS '7'", { isSmall($0) && "\($0)".contains("7") }),
        ("ANY nums > 0 AND n < 5", { $0 < 5 }), ("ANY nums < 10 AND even == NO", isSmall),
        ("ANY words BEGINSWITH 'a' AND n >= 1000", { isSmall($0) && $0 >= 1000 }),
        ("ANY words < 'b' AND ANY nums < 10 AND n != 107", { isSmall($0) && $0 != 107 }),
        // Two elements may meet a condition each.
        ("ANY nums > 2 AND ANY nums < 2", isSmall),
        ("ANY nums >= 3 AND ANY nums <= 1 AND n > 50", { isSmall($0) && $0 > 50 }),
        ("ANY nums < 10 OR n < 3", { isSmall($0) || $0 < 3 }),
        ("NOT (ANY nums < 10) AND n < 10", { $0 < 10 && $0 != 7 }),
    ]

    @Test(arguments: cases.indices) func rowsOnce(_ number: Int) throws {
        let (predicate, holds) = Self.cases[number]
        let table = try #require(Self.table)
        let expected = (0..<Self.rowCount).filter(holds)
        try #require(!expected.isEmpty)
        try table.expectRows(of: predicate, are: expected)
    }
}
