// Tables of SQLite files: which one is meant, and what its values are.

import CSQLite
import Foundation
import RecordDatabase
import Testing

@testable import predicate

@Suite(.serialized) struct SQLiteTableEdgesTests {
    private static func make(_ path: String, _ statements: [String]) throws {
        let database = try #require(csqlite_open_file(path))
        defer { csqlite_close(database) }
        for statement in statements { #expect(csqlite_execute(database, statement) == 0, "\(statement)") }
    }

    private static func lines(_ word: String) throws -> [String] {
        let bytes = try #require(try SQLiteTable(path: word)?.lines().bytes)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// What a numbered key needs is a table of SQLite's own: the other one is the only one.
    @Test func valuesAreOfTheirKinds() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        try Self.make(
            path,
            [
                #"CREATE TABLE t(n INTEGER PRIMARY KEY AUTOINCREMENT, ok BOOLEAN, d DATETIME, b BLOB, "a ""b""" TEXT)"#,
                "INSERT INTO t VALUES(1, 1, '2026-03-01 10:00:00', x'7879', 'x'), (2, 0, '2026-03-01', x'', NULL), "
                    + "(3, 2, 'soon', NULL, '2026-03-01'), (4, NULL, 5, NULL, 'y')",
            ])
        let expected = [
            #"{"n":1,"ok":true,"d":"2026-03-01T10:00:00Z","b":{"$data":"eHk="},"a \"b\"":"x"}"#,
            #"{"n":2,"ok":false,"d":"2026-03-01T00:00:00Z","b":{"$data":""},"a \"b\"":null}"#,
            #"{"n":3,"ok":2,"d":"soon","b":null,"a \"b\"":"2026-03-01"}"#,
            #"{"n":4,"ok":null,"d":5,"b":null,"a \"b\"":"y"}"#,
        ]
        for word in [path, path + ":", path + ":T"] { #expect(try Self.lines(word) == expected, "\(word)") }
    }

    @Test func oneOfSeveralTablesIsNamed() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        let tables = (1...6).map { "CREATE TABLE t\($0)(a)" }
        try Self.make(path, Array(tables.prefix(5)) + ["INSERT INTO t2 VALUES(3)"])
        func error(_ word: String) -> FileError? {
            #expect(throws: FileError.self) { _ = try SQLiteTable(path: word)?.lines() }
        }
        let names = (1...5).map { "\(path):t\($0)" }.joined(separator: ", ")
        let five = error(path)
        #expect(five?.kind == .malformed && five?.file == path && five?.message == "the database has 5 tables")
        #expect(five?.hint == "name one: " + names)
        let other = error(path + ":nope")
        #expect(other?.file == path && other?.message == "the database has no table 'nope'")
        #expect(other?.hint == "its tables are t1, t2, t3, t4, t5")
        #expect(try Self.lines(path + ":T2") == [#"{"a":3}"#])
        #expect(try SQLiteTable(path: path + ":t1")?.lines().bytes == [])
        try Self.make(path, Array(tables.suffix(1)))
        let six = error(path)
        #expect(six?.message == "the database has 6 tables" && six?.hint == "name one: " + names + " …")
    }

    @Test func filesWithoutTables() throws {
        let folder = try TemporaryFolder()
        let root = folder.url.path
        let path = root + "/d.sqlite"
        try Self.make(path, ["CREATE TABLE t(a)", "DROP TABLE t"])
        let error = #expect(throws: FileError.self) { _ = try SQLiteTable(path: path)?.lines() }
        #expect(error?.message == "the database has no table" && error?.hint == nil)
        let text = try folder.file("a.ndjson", "{\"a\":1}\n")
        for word in [text, text + ":t", root, root + "/none:t", "SQLite format 3"] {
            #expect(!SQLiteTable.isTable(word), "\(word)")
        }
        // As long as the first bytes, and shorter.
        for head in ["SQLite format 4\0", "SQLite format 3"] {
            let short = try folder.file("head", head)
            #expect(!SQLiteTable.isTable(short), "\(head)")
        }
        #expect(SQLiteTable.isTable(path) && SQLiteTable.isTable(path + ":any"))
        #expect(SQLiteTable.file(of: path + ":t") == path && SQLiteTable.file(of: path) == path)
        #expect(SQLiteTable.file(of: root + "/none:t") == root + "/none:t")
    }
}
