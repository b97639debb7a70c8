// Texts that are dates, in records of several types: those of the type that is queried decide.

import PredicateSyntax
import RecordDatabase
import Testing

@testable import PredicateEditing

@Suite struct TypedDateTextTests {
    private static func records() throws -> RecordSet {
        let days: [(type: String, day: String)] = [
            ("U", "abc"), ("U", "def"), ("T", "2020-01-01"), ("T", "2020-02-01"), ("V", "x"), ("V", "y"),
        ]
        return try RecordSet(
            records: days.enumerated().map { number, row in
                Record(type: row.type, id: Record.ID("r\(number)"), fields: ["day": .string(row.day)])
            })
    }

    @Test("Dates of one type are none of another")
    func dates() throws {
        for (type, isTold) in [("T", true), ("U", false), ("V", false)] {
            let linter = Linter(records: try Self.records().ofType(type), dialect: .full)
            let codes = linter.findings(in: "day > '1.1.2021'").map(\.code)
            #expect(codes.contains(.dateAsText) == isTold, "\(type)")
        }
    }
}
