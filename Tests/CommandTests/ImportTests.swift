// What an import does to records that are there, and what it tells of those that it did not save.

import Foundation
import Testing

struct ImportTests {
    private static let before = """
        {"id":"a","x":1,"y":"one"}
        {"id":"b","x":2,"y":"two"}

        """

    private func imported(_ text: String, _ options: String...) throws -> (run: CommandRun, lines: [String]) {
        let folder = try TemporaryFolder()
        let store = folder.url.path + "/s"
        #expect(try CommandRun(["import", store, folder.file("a.ndjson", Self.before), "--type", "T"]).status == 0)
        let run = try CommandRun(["import", store, folder.file("b.ndjson", text), "--type", "T"] + options)
        let exported = try CommandRun(["export", store])
        return (run, exported.lines.sorted())
    }

    private static func same(_ lines: [String], _ others: [String]) throws -> Bool {
        func objects(_ lines: [String]) throws -> [NSDictionary] {
            try lines.map { line in
                try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? NSDictionary)
            }
        }
        return try objects(lines.sorted()) == objects(others)
    }

    @Test func recordsAreMergedOrReplaced() throws {
        let text = "{\"id\":\"a\",\"x\":7}\n{\"id\":\"c\",\"y\":\"three\"}\n"
        let kept = #"{"type":"T","id":"b","x":2,"y":"two"}"#
        let new = #"{"type":"T","id":"c","y":"three"}"#
        let merged = [#"{"type":"T","id":"a","x":7,"y":"one"}"#, kept, new]
        #expect(try Self.same(imported(text).lines, merged))
        #expect(try Self.same(imported(text, "--merge").lines, merged))
        #expect(
            try Self.same(imported(text, "--replace").lines, [#"{"type":"T","id":"a","x":7}"#, kept, new]))
        let both = try imported(text, "--merge", "--replace")
        #expect(both.run.status == 2 && both.run.errors.contains("exclude each other") && both.lines.count == 2)
    }

    @Test func replacingTwiceChangesNothing() throws {
        let folder = try TemporaryFolder()
        let (store, file) = (folder.url.path + "/s", try folder.file("a.ndjson", Self.before))
        for _ in 0..<2 { #expect(try CommandRun(["import", store, file, "--type", "T", "--replace"]).status == 0) }
        #expect(try CommandRun(["export", store]).lines.count == 2)
    }

    @Test func everyRecordThatIsNotSavedIsTold() throws {
        let lines = (0..<30).map { "{\"id\":\"r\($0)\",\"x\":\($0 % 3 == 0 ? "\"text \($0)\"" : "1.5")}" }
        let texts = lines.filter { $0.contains("text") }.map { $0 + "\n" }.joined()
        let (run, kept) = try imported(texts + "{\"id\":\"e\"}\n")
        #expect(run.status == 3 && kept.count == 3)
        for (line, number) in stride(from: 0, to: 30, by: 3).enumerated() {
            #expect(
                run.errors.contains("b.ndjson:\(line + 1): record 'r\(number)' was not saved: field x of T"), "\(run)")
        }
        #expect(run.errors.contains("1 record saved") && run.errors.contains("10 rejected"), "\(run.errors)")
        let json = try imported(texts, "--error-format", "json").run
        let errors = json.errors.split(separator: "\n").filter { $0.hasPrefix("{\"error\":") }
        #expect(errors.count == 10 && errors[0].contains(#""line":1,"record":"r0""#), "\(json.errors)")
    }

    @Test func linesLeftOutAreAllTold() throws {
        let text = (0..<12).map { $0 % 2 == 0 ? "{broken \($0)" : "{\"id\":\"n\($0)\",\"x\":\($0)}" }
            .joined(separator: "\n")
        let (run, kept) = try imported(text, "--skip-bad-lines")
        #expect(run.status == 3 && kept.count == 8, "\(run)")
        for line in stride(from: 1, through: 11, by: 2) { #expect(run.errors.contains("b.ndjson:\(line):"), "\(run)") }
    }
}
