// Texts of more rows than are searched at once: in every stretch the rows that were written so.

import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct TextStretchTests {
    /// Rows of more than two stretches, with texts of different lengths; what each holds follows from its number.
    private static let rowCount = 9_001

    private static func text(_ row: Int) -> String {
        let padding = String(repeating: "x", count: row % 23)
        let word = row % 7 == 3 ? "Needle" : row % 11 == 5 ? "needle" : row % 13 == 1 ? "ne\u{301}edle" : "haystack"
        return padding + word + " \(row)" + (row % 5 == 0 ? " end" : "")
    }

    private static let table: Snapshot? = {
        let loader = RecordLoader()
        for row in 0..<rowCount {
            let fields: [String: FieldValue] = [
                "t": row % 17 == 0 ? .null : .string(text(row)), "n": .int64(Int64(row)),
                "k": .int64(Int64(row % 3)),
            ]
            guard
                (try? loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1))
                    != nil
            else { return nil }
        }
        return Snapshot(loader.finish())
    }()

    private static func isLower(_ row: Int) -> Bool { row % 7 != 3 && row % 11 == 5 }
    private static func isComposed(_ row: Int) -> Bool { row % 7 != 3 && row % 11 != 5 && row % 13 == 1 }

    static let cases: [(predicate: String, holds: @Sendable (Int) -> Bool)] = [
        ("t CONTAINS 'needle'", isLower), ("t CONTAINS 'Needle'", { $0 % 7 == 3 }),
        ("t CONTAINS[c] 'needle'", { $0 % 7 == 3 || $0 % 11 == 5 }),
        ("t CONTAINS[cd] 'NEEDLE'", { $0 % 7 == 3 || $0 % 11 == 5 || $0 % 13 == 1 }),
        ("t CONTAINS 'ne\u{301}e'", isComposed),
        // Texts as they were written: folding is off, whatever else is said.
        ("t CONTAINS[n] 'needle'", isLower), ("t CONTAINS[cn] 'needle'", isLower),
        ("t LIKE[cdn] '*Needle*'", { $0 % 7 == 3 }), ("t CONTAINS[n] 'ne\u{301}e'", isComposed),
        ("t ENDSWITH ' end'", { $0 % 5 == 0 }), ("t LIKE '*needle*end'", { isLower($0) && $0 % 5 == 0 }),
        ("t LIKE '?????needle*'", { isLower($0) && $0 % 23 == 5 }),
        ("t MATCHES 'x*(N|n)eedle [0-9]+'", { ($0 % 7 == 3 || $0 % 11 == 5) && $0 % 5 != 0 }),
        ("t BEGINSWITH 'xxxxxxxxxxNe'", { $0 % 23 == 10 && $0 % 7 == 3 }),
        // A set of values that most rows have.
        ("k IN {0, 2} AND t != nil", { $0 % 3 != 1 }), ("NOT (k IN {0, 2}) AND t != nil", { $0 % 3 == 1 }),
        // Among few rows, which lie in the middle and at the end.
        ("n BETWEEN {4000, 4200} AND t CONTAINS 'needle'", { isLower($0) && (4000...4200).contains($0) }),
        ("n BETWEEN {8100, 9100} AND t CONTAINS[c] 'needle'", { ($0 % 7 == 3 || $0 % 11 == 5) && $0 >= 8100 }),
        ("n > 8500 AND t MATCHES '.*needle [0-9]*7.*'", { isLower($0) && $0 > 8500 && "\($0)".contains("7") }),
        ("n > 8500 AND t LIKE '*needle 8??7*'", { isLower($0) && (8501...8999).contains($0) && $0 % 10 == 7 }),
    ]

    @Test(arguments: cases.indices) func rowsOfEveryStretch(_ number: Int) throws {
        let (predicate, holds) = Self.cases[number]
        let table = try #require(Self.table)
        let expected = (0..<Self.rowCount).filter { $0 % 17 != 0 && holds($0) }
        try #require(!expected.isEmpty)
        try table.expectRows(of: predicate, are: expected)
    }
}
