// Files that are read again, or piece by piece.

import Foundation
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct SourceTextTests {
    private func withFile<R>(_ text: String, _ name: String = "f.ndjson", _ body: (String) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "texts-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: path))
        return try body(path)
    }

    /// The text of a record is read from its file, which somebody may have cut since.
    @Test func aFileThatHasBecomeShorter() throws {
        let lines = [#"{"id":"a","n":1}"#, #"{"id":"b","n":2}"#, #"{"id":"c","n":3}"#]
        try withFile(lines.joined(separator: "\n") + "\n") { path in
            var options = LoadOptions()
            options.keepsSource = true
            let reader = RecordFileReader(options: options)
            try reader.load(path: path)
            let source = try #require(reader.finish().source)
            for (place, line) in lines.enumerated() { #expect(try source.text(place) == Array(line.utf8)) }
            try #require(truncate(path, off_t(lines[0].utf8.count + 5)) == 0)
            #expect(try source.text(0) == Array(lines[0].utf8))
            for place in [1, 2] {
                // What an earlier call met says nothing of this one.
                errno = EINTR
                let error = #expect(throws: FileError.self) { try source.text(place) }
                #expect(error?.kind == .io && error?.message == "the file has become shorter" && error?.file == path)
            }
        }
    }

    @Test("A byte order mark is no part of the first text, and counts where the texts lie")
    func textsBehindAMark() throws {
        let lines = [#"{"id":"a"}"#, #"{"id":"b","n":1}"#]
        let text = "\u{FEFF}" + lines.joined(separator: "\n") + "\n"
        try withFile(text) { path in
            var options = LoadOptions()
            options.keepsSource = true
            let reader = RecordFileReader(options: options)
            try reader.load(path: path)
            let loaded = reader.finish()
            #expect(loaded.records.count == 2 && loaded.report.bytes == text.utf8.count)
            let source = try #require(loaded.source)
            for (place, line) in lines.enumerated() { #expect(try source.text(place) == Array(line.utf8)) }
        }
    }

    /// What is known of a place is said, and nothing else.
    @Test(
        arguments: [
            (3, 7, "x", "h", "f:3:7: field 'x': m (h)"), (3, nil, "x", nil, "f:3: field 'x': m"),
            (3, 7, nil, nil, "f:3:7: m"), (nil, nil, nil, "h", "f: m (h)"),
        ] as [(Int?, Int?, String?, String?, String)])
    func placesOfErrors(_ line: Int?, _ column: Int?, _ field: String?, _ hint: String?, _ text: String) {
        var error = FileError(kind: .value, message: "m")
        (error.file, error.line, error.column, error.field, error.hint) = ("f", line, column, field, hint)
        #expect(error.description == text)
    }

    /// A record that is too long is told with its line.
    @Test(arguments: [0, 1, 7]) func theLineOfARecordThatIsTooLong(_ before: Int) throws {
        let short = (0..<before).map { "{\"n\":\($0)}\n" }.joined()
        try withFile(short + "{\"t\":\"" + String(repeating: "x", count: 2_000_000) + "\"}\n{}\n") { path in
            var limits = LoadLimits()
            limits.maximumRecordBytes = 10_000
            let pieces = try RecordPieces(path: path, limits: limits)
            #expect(try pieces.format(nil) == .ndjson)
            let error = #expect(throws: FileError.self) { while try pieces.next() != nil {} }
            #expect(error?.kind == .limit && error?.line == before + 1, "\(String(describing: error))")
        }
    }

    @Test("Pieces of a file tell their lines, and have no byte order mark", arguments: [1, 240, 241, 5_000, 60_000])
    func linesOfPieces(_ count: Int) throws {
        for (name, head) in [("f.csv", "\u{FEFF}n\n"), ("f.ndjson", "")] {
            let rows = (0..<count).map { name == "f.csv" ? "\($0)\n" : "{\"n\":\($0)}\n" }.joined()
            try withFile(head + rows, name) { path in
                let pieces = try RecordPieces(path: path, limits: LoadLimits())
                _ = try pieces.format(nil)
                var bytes: [UInt8] = []
                while let piece = try pieces.next() {
                    #expect(piece.last == 0x0A)
                    bytes += piece
                }
                let isTable = name == "f.csv"
                #expect(bytes == Array(((isTable ? "n\n" : "") + rows).utf8))
                #expect(pieces.lineCount == count + (isTable ? 1 : 0))
            }
        }
    }

    /// Text as zstd streams one behind another, each of which is read by itself: magic, no checksum and no size, a
    /// window of 128 KiB, and one block of plain bytes.
    private static func streams(_ texts: [String]) -> Data {
        var bytes: [UInt8] = []
        for text in texts {
            bytes += [0x28, 0xB5, 0x2F, 0xFD, 0, 0x38]
            bytes += [UInt8(1 | text.utf8.count << 3), 0, 0]
            bytes += Array(text.utf8)
        }
        return Data(bytes)
    }

    /// The first line tells the form, in however few bytes at once it comes: where semicolons part the cells, records
    /// cannot be told apart as they come.
    @Test(arguments: [
        ["id*m\n1*2\n"], ["i", "d", "*m\n1*2\n"], ["id", "s", "*m\n1*2\n"], ["id", "*", "m", "\n1*2\n"],
    ])
    func theFirstLineComesBitByBit(_ texts: [String]) throws {
        for (separator, format) in [(";", nil), (",", .csv)] as [(String, RecordFormat?)] {
            try withFile("", "f.csv.zst") { path in
                try Self.streams(texts.map { $0.replacing("*", with: separator) }).write(to: URL(filePath: path))
                let pieces = try RecordPieces(path: path, limits: LoadLimits())
                #expect(try pieces.format(.csv) == format, "\(separator)")
            }
        }
    }

    /// The titles of a table are its first record, wherever the piece ends in which they are.
    @Test(arguments: [
        ("a,b\n1,2\n", "a,b\n"), ("a,b\n", "a,b\n"), ("a,b", "a,b"), ("\n\r\na,b\n1,2\n3,4\n", "\n\r\na,b\n"),
        ("\"a\nb\",c\n1,2\n", "\"a\nb\",c\n"), ("\"a\"\"\n\",c\n1,2\n", "\"a\"\"\n\",c\n"), ("", ""), ("\n", "\n"),
    ])
    func titlesOfAPiece(_ piece: String, _ titles: String) throws {
        try withFile("a,b\n1,2\n", "f.csv") { path in
            let pieces = try RecordPieces(path: path, limits: LoadLimits())
            #expect(try pieces.format(nil) == .csv)
            pieces.takeHeader(of: Array(piece.utf8))
            #expect(String(decoding: pieces.header, as: UTF8.self) == titles)
            // The first piece that has titles tells them.
            pieces.takeHeader(of: Array("x,y\n".utf8))
            #expect(String(decoding: pieces.header, as: UTF8.self) == (titles.isEmpty ? "x,y\n" : titles))
        }
    }
}
