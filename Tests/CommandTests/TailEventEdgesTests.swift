// What becomes of a file while it is followed: it goes, another comes in its place, or it is none at all.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct TailEventEdgesTests {
    /// What a tail tells: its lines, the number of the first, and what became of the file.
    private static func news(_ tail: FileTail) throws -> (lines: [String], first: Int, event: String?) {
        let news = try tail.poll()
        #expect(!news.isEnded)
        return (news.lines.map { String(decoding: $0, as: UTF8.self) }, news.firstLine, news.event)
    }

    /// Who writes it may still do so.
    @Test func filesThatAreGoneAreReadOn() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\n")
        let tail = FileTail(path, fromStart: true)
        #expect(try Self.news(tail) == (["a"], 1, nil))
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try FileManager.default.removeItem(atPath: path)
        #expect(try Self.news(tail) == ([], 2, nil))
        try file.write(contentsOf: Data("b\nrest".utf8))
        #expect(try Self.news(tail) == (["b"], 2, nil))
        try file.close()
        _ = try folder.file("a", "c\n")
        #expect(try Self.news(tail) == (["rest"], 3, "'\(path)' was replaced: reading the new one from its start"))
        #expect(try Self.news(tail) == (["c"], 1, nil))
    }

    /// All that a new file has is new, also where only what comes was wanted of the one before.
    @Test func newFilesAreReadFromTheirStart() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\nb\n")
        let tail = FileTail(path, fromStart: false)
        #expect(try Self.news(tail) == ([], 1, nil))
        let other = try folder.file("b", "c\nd\n")
        rename(other, path)
        #expect(try Self.news(tail) == ([], 1, "'\(path)' was replaced: reading the new one from its start"))
        #expect(try Self.news(tail) == (["c", "d"], 1, nil))
    }

    @Test func foldersAreRefusedEachTime() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path
        let tail = FileTail(path, fromStart: true)
        for _ in 0..<3 {
            let error = #expect(throws: CommandError.self) { try tail.poll() }
            #expect(error?.message == "'\(path)' is no regular file, and only such are followed")
            #expect(error?.status == .inputOutput)
        }
    }
}
