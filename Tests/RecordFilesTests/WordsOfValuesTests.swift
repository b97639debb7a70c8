// Words for kinds of values in errors, and values that have no usual words.

import Foundation
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct WordsOfValuesTests {
    @Test(
        "An error names the kinds of values that do not mix, each with its article",
        arguments: [
            ("1", #"{"b":1}"#, "holds an object here but a number before"),
            (#"{"b":1}"#, "true", "holds a bool here but an object before"),
            (#""x""#, "1", "holds a number here but a string before"),
        ])
    func kindsThatDoNotMix(first: String, second: String, words: String) {
        let error = #expect(throws: FileError.self) { try load("{\"a\":\(first)}\n{\"a\":\(second)}\n") }
        #expect(error?.kind == .mixture && error?.message == words + " (line 1)", "\(String(describing: error))")
    }

    @Test("A date beyond the calendar is told in seconds since 1970, in cells for people")
    func datesBeyondTheCalendar() {
        let cells: [(seconds: Double, cell: String)] = [
            (1e15, "1000000000000000.0"), (-1e15, "-1000000000000000.0"), (0, "1970-01-01T00:00:00Z"),
        ]
        for (seconds, cell) in cells {
            var writer = CSVWriter()
            writer.write(.date(Date(timeIntervalSince1970: seconds)))
            #expect(String(decoding: writer.bytes, as: UTF8.self) == cell)
        }
    }

    @Test("As many records as the limit are taken, and no more", arguments: ["f.ndjson", "f.csv"])
    func mostRecords(name: String) throws {
        func text(_ count: Int) -> String {
            let lines = (0..<count).map { name == "f.csv" ? "\($0)\n" : "{\"a\":\($0)}\n" }
            return (name == "f.csv" ? "a\n" : "") + lines.joined()
        }
        #expect(try load(text(3), name: name) { $0.limits.maximumRecords = 3 }.records.count == 3)
        let error = #expect(throws: FileError.self) {
            try load(text(4), name: name) { $0.limits.maximumRecords = 3 }
        }
        #expect(error?.kind == .limit && error?.message == "more than 3 records")
    }
}
