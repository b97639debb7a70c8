// Texts of SQLite's columns: those that are declared as dates hold dates, all others texts.

import CSQLite
import Foundation
import Testing

@Suite struct SQLiteTextTests {
    private static let moment = "2024-01-01T00:30:00+02:00"

    @Test func textsThatReadAsDatesAreTexts() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        let database = try #require(csqlite_open_file(path))
        for statement in [
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, v VARCHAR(40), u, d DATETIME)",
            "INSERT INTO t VALUES(1, '\(Self.moment)', '\(Self.moment)', '\(Self.moment)', '\(Self.moment)')",
        ] { #expect(csqlite_execute(database, statement) == 0, "\(statement)") }
        csqlite_close(database)
        for predicate in [
            "a BEGINSWITH '2024-01-01'", "v ENDSWITH '+02:00'", "u == '\(Self.moment)'", "d < '2024-01-01'",
        ] {
            let run = try CommandRun(["query", predicate, path, "-o", "ids"])
            #expect(run.status == 0 && run.lines == ["1"], "\(predicate): \(run)")
        }
        let lines = try CommandRun(["query", "a != nil", path])
        #expect(
            lines.output
                == #"{"id":1,"a":"\#(Self.moment)","v":"\#(Self.moment)","u":"\#(Self.moment)","#
                + #""d":"2023-12-31T22:30:00Z"}"# + "\n")
        let cells = try CommandRun(["query", "a != nil", path, "-o", "csv", "--fields", "a,d"])
        #expect(cells.lines.last == "\(Self.moment),2023-12-31T22:30:00Z", "\(cells)")
    }
}
