// Several files of one load: what counts for all of them, what is told of each, and what is read again.

import RecordColumns
import RecordModel
import Synchronization
import Testing

@testable import RecordFiles

@Suite struct FileSeriesEdgesTests {
    private static func reader(_ change: (inout LoadOptions) -> Void) -> RecordFileReader {
        var options = LoadOptions()
        change(&options)
        return RecordFileReader(options: options)
    }

    // MARK: Limits and errors

    @Test("The limit of bytes is one for all files", arguments: [16, 15])
    func bytesOfAllFiles(limit: Int) throws {
        let reader = Self.reader { $0.limits.maximumBytes = limit }
        let second = Array("{\"a\":2}\n".utf8)
        try reader.load(bytes: Array("{\"a\":1}\n".utf8), name: "one.ndjson")
        if limit == 16 {
            try reader.load(bytes: second, name: "two.ndjson")
            let loaded = reader.finish()
            #expect(loaded.records.count == 2 && loaded.report.bytes == 16)
        } else {
            let error = #expect(throws: FileError.self) { try reader.load(bytes: second, name: "two.ndjson") }
            #expect(error?.kind == .limit && error?.file == "two.ndjson" && error?.message == "more than 15 bytes")
        }
    }

    @Test(
        "A name that an earlier file has is told with its place there",
        arguments: [("two.ndjson", "{\"b\":1}\n{\"id\":\"x\"}\n", 2), ("two.csv", "id\ny\nx\n", 3)])
    func namesOfEarlierFiles(name: String, text: String, line: Int) throws {
        let reader = Self.reader { _ in }
        try reader.load(bytes: Array("{}\n{\"id\":\"x\"}\n".utf8), name: "one.ndjson")
        let error = #expect(throws: FileError.self) { try reader.load(bytes: Array(text.utf8), name: name) }
        #expect(error?.kind == .duplicate && error?.file == name && error?.line == line && error?.field == "id")
        #expect(error?.earlierLine == 2 && error?.earlierFile == "one.ndjson")
        #expect(error?.message == "two records have this name (line 2 of one.ndjson)")
    }

    @Test("A name that the file itself has already is told with its line alone")
    func namesOfTheSameFile() {
        let error = #expect(throws: FileError.self) { try load("{}\n{\"id\":\"x\"}\n{}\n{\"id\":\"x\"}\n") }
        #expect(error?.line == 4 && error?.earlierLine == 2 && error?.earlierFile == nil)
        #expect(error?.message == "two records have this name (line 2)")
    }

    // MARK: Types and zones

    @Test(
        "Where files are kept apart, each is of the type of its name and in a zone of its own",
        arguments: [
            ("data/cities.ndjson", "cities"), ("cities.v2.ndjson.gz", "cities"), ("cities", "cities"),
            ("shop.sqlite:customers", "customers"), (".hidden", ".hidden"), ("-", "Record"), ("a:", "Record"),
        ])
    func typesOfFiles(name: String, type: String) throws {
        let reader = Self.reader { $0.separatesFiles = true }
        let line = Array("{\"id\":\"x\"}\n".utf8)
        try reader.load(bytes: line, name: name)
        try reader.load(bytes: line, name: "others.ndjson")
        let records = reader.finish().records
        try #require(records.count == 2)
        let found = (0..<2).map { records[$0].record }
        #expect(found.contains { $0.type == type && $0.id == Record.ID("x") }, "\(found)")
        let second = Record.ID("x", zoneID: RecordZone.ID("file2"))
        #expect(found.contains { $0.type == "others" && $0.id == second }, "\(found)")
    }

    // MARK: Texts

    @Test("Elements and lines that are left out have no texts, and others keep theirs")
    func textsBesideRecordsLeftOut() throws {
        let reader = Self.reader { ($0.keepsSource, $0.skipBadLines) = (true, true) }
        try reader.load(bytes: Array("[{\"a\": 1}, 5, {\"a\" : 2}]".utf8), name: "one.json")
        try reader.load(bytes: Array("{\"a\":3}\r\nbad\r\n{\"a\":4}\r\n".utf8), name: "two.ndjson")
        let loaded = reader.finish()
        try #require(loaded.records.count == 4)
        #expect((0..<4).map { loaded.records[$0]["a"] } == [1, 2, 3, 4])
        #expect(loaded.report.skippedCount == 2 && loaded.report.errors.map(\.line) == [2, 2])
        #expect(loaded.report.errors.map(\.file) == ["one.json", "two.ndjson"])
        let source = try #require(loaded.source)
        var texts: [String?] = []
        for place in 0..<5 { texts.append(try source.text(place).map { String(decoding: $0, as: UTF8.self) }) }
        #expect(texts == ["{\"a\":1}", "{\"a\":2}", "{\"a\":3}", "{\"a\":4}", nil])
    }

    // MARK: Progress and notes

    private final class Told: Sendable {
        let progress = Mutex<[LoadProgress]>([])
    }

    private func told(_ texts: [String]) throws -> [LoadProgress] {
        let heard = Told()
        let reader = Self.reader {
            $0.progress = { progress in
                heard.progress.withLock { $0.append(progress) }
                return true
            }
        }
        for (number, text) in texts.enumerated() { try reader.load(bytes: Array(text.utf8), name: "\(number).ndjson") }
        return heard.progress.withLock { $0 }
    }

    @Test("How far a load has come is told with the first record of each file, and at its end")
    func progressOfSmallFiles() throws {
        let found = try told(["{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n", "{\"a\":4}\n"])
        #expect(
            found == [
                LoadProgress(bytesRead: 24, bytesTotal: 24, records: 1),
                LoadProgress(bytesRead: 24, bytesTotal: 24, records: 3),
                LoadProgress(bytesRead: 8, bytesTotal: 8, records: 4),
                LoadProgress(bytesRead: 8, bytesTotal: 8, records: 4),
            ])
    }

    @Test("In between it is told about once a megabyte")
    func progressOfALargeFile() throws {
        let line = "{\"a\":\"" + String(repeating: "x", count: 1 << 16) + "\"}\n"
        let text = String(repeating: line, count: 40)
        let found = try told([text])
        #expect((3...5).contains(found.count), "\(found)")
        #expect(found.last == LoadProgress(bytesRead: text.utf8.count, bytesTotal: text.utf8.count, records: 40))
        #expect(zip(found, found.dropFirst()).allSatisfy { $0.bytesRead <= $1.bytesRead && $0.records <= $1.records })
    }

    @Test("Of a file at most twenty things are told")
    func mostNotes() throws {
        let titles = Array(repeating: "a", count: 25).joined(separator: ",")
        let cells = Array(repeating: "1", count: 25).joined(separator: ",")
        let table = try load("\(titles)\n\(cells)\n", name: "f.csv")
        #expect(
            table.report.notes
                == (1...20).map { "f.csv: the header names 'a' again: that column is 'a_\($0)'" })
        #expect(table.report.columns.map(\.name) == ["a"] + (1...24).map { "a_\($0)" })
        let lines = ["1", "\"x\""].map { value in
            "{" + (0..<25).map { "\"f\($0)\":\(value)" }.joined(separator: ",") + "}\n"
        }
        let mixed = try load(lines.joined()) { $0.widensMixedFields = true }
        #expect(mixed.report.notes.count == 20 && mixed.records.count == 2)
        #expect(Set(mixed.report.mixedFields.keys) == Set(mixed.report.notes))
        #expect(mixed.report.notes.allSatisfy { $0.hasPrefix("f.ndjson:2: field 'f") })
    }
}
