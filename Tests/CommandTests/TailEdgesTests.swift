// Files that grow, are cut, replaced or missing, and lines as they arrive.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct TailEdgesTests {
    private static func append(_ text: String, to path: String) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    /// What a tail tells: its lines, the number of the first, and what became of the file.
    private static func news(_ tail: FileTail) throws -> (lines: [String], first: Int, event: String?) {
        let news = try tail.poll()
        #expect(!news.isEnded)
        return (news.lines.map { String(decoding: $0, as: UTF8.self) }, news.firstLine, news.event)
    }

    @Test func linesCountWhenTheyEnd() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\nb")
        let tail = FileTail(path, fromStart: true)
        #expect(try Self.news(tail) == (["a"], 1, nil))
        #expect(try Self.news(tail) == ([], 2, nil))
        try Self.append("c\nd\r\n\n", to: path)
        #expect(try Self.news(tail) == (["bc", "d", ""], 2, nil))
        try Self.append("e\n", to: path)
        #expect(try Self.news(tail) == (["e"], 5, nil))
    }

    @Test func fromTheEndOnlyNewLinesCount() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\nb\n")
        let tail = FileTail(path, fromStart: false)
        #expect(try Self.news(tail) == ([], 1, nil))
        try Self.append("c\n", to: path)
        #expect(try Self.news(tail) == (["c"], 1, nil))
    }

    @Test func filesThatAreCutBeginAnew() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "aaaa\nbbbb\nrest")
        let tail = FileTail(path, fromStart: true)
        #expect(try Self.news(tail) == (["aaaa", "bbbb"], 1, nil))
        truncate(path, 0)
        try Self.append("x\n", to: path)
        #expect(try Self.news(tail) == ([], 3, "'\(path)' was cut: reading it from its start"))
        #expect(try Self.news(tail) == (["x"], 1, nil))
    }

    /// What the old file ended with is a line; the new one is read from its start.
    @Test func filesThatAreReplaced() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\nrest")
        let tail = FileTail(path, fromStart: true)
        #expect(try Self.news(tail) == (["a"], 1, nil))
        let other = try folder.file("b", "b\nc\n")
        rename(other, path)
        #expect(try Self.news(tail) == (["rest"], 2, "'\(path)' was replaced: reading the new one from its start"))
        #expect(try Self.news(tail) == (["b", "c"], 1, nil))
        #expect(try Self.news(tail) == ([], 3, nil))
    }

    @Test func filesThatAreNotThereYet() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/a"
        let tail = FileTail(path, fromStart: false)
        #expect(try Self.news(tail) == ([], 1, "'\(path)' is not there yet: waiting for it"))
        #expect(try Self.news(tail) == ([], 1, nil))
        _ = try folder.file("a", "a\n")
        #expect(try Self.news(tail) == (["a"], 1, "'\(path)' is there now: reading it from its start"))
        let error = #expect(throws: CommandError.self) { try FileTail(folder.url.path, fromStart: true).poll() }
        #expect(error?.message == "'\(folder.url.path)' is no regular file, and only such are followed")
    }

    /// A line may have as many bytes as the limit, also where it comes in two parts.
    @Test func linesAsLongAsTheLimit() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "0123456789\n01234")
        let tail = FileTail(path, fromStart: true, limit: 10)
        #expect(try Self.news(tail) == (["0123456789"], 1, nil))
        try Self.append("56789", to: path)
        #expect(try Self.news(tail) == ([], 2, nil))
        try Self.append("x\n", to: path)
        let error = #expect(throws: CommandError.self) { try tail.poll() }
        #expect(error?.message == "\(path):2: a line of more than 10 bytes" && error?.status == .badData)
    }

    @Test func readersGiveLinesWithoutTheirEnds() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\r\n\n\r\nb\rc\n0123456789\nlast")
        var reader = try LineReader.file(path, limit: 10)
        var lines: [String] = []
        var waiting: [Bool] = []
        while let line = try reader.next() {
            lines.append(String(decoding: line, as: UTF8.self))
            waiting.append(reader.hasBufferedLine)
        }
        #expect(lines == ["a", "", "", "b\rc", "0123456789", "last"])
        #expect(waiting == [true, true, true, true, false, false])
        // Read in pieces of 65,536 bytes, a line is what it is.
        let long = String(repeating: "x", count: 70_000)
        var other = try LineReader.file(try folder.file("b", "\(long)\n\(long)y\nz"))
        var counts: [Int] = []
        while let line = try other.next() { counts.append(line.count) }
        #expect(counts == [70_000, 70_001, 1])
        var last = try LineReader.file(try folder.file("c", "0123456789x"), limit: 10)
        var failure: CommandError?
        do throws(CommandError) { _ = try last.next() } catch { failure = error }
        #expect(failure?.message == "\(folder.url.path)/c:1: a line of more than 10 bytes")
    }

    /// What is written between the last read and a rename is the old file's, and is not lost.
    @Test func linesBeforeARename() throws {
        let folder = try TemporaryFolder()
        let path = try folder.file("a", "a\n")
        let tail = FileTail(path, fromStart: true)
        #expect(try Self.news(tail) == (["a"], 1, nil))
        var news = FileTail.News()
        let isAtEnd = try tail.read(into: &news)
        #expect(isAtEnd && news.lines.isEmpty)
        try Self.append("b\nrest", to: path)
        rename(try folder.file("b", "c\n"), path)
        try tail.look(into: &news)
        #expect(news.lines.map { String(decoding: $0, as: UTF8.self) } == ["b", "rest"])
        #expect(try Self.news(tail) == (["c"], 1, nil))
    }
}
