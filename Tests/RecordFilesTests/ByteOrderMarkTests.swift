// A byte order mark that comes in pieces.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct ByteOrderMarkTests {
    /// zstd streams one behind another, each of which is read by itself: magic, no checksum and no size, a window of
    /// 128 KiB, and one block of plain bytes.
    private static func streams(_ pieces: [[UInt8]]) -> [UInt8] {
        var bytes: [UInt8] = []
        for piece in pieces {
            bytes += [0x28, 0xB5, 0x2F, 0xFD, 0, 0x38]
            bytes += [UInt8(1 | piece.count << 3), 0, 0]
            bytes += piece
        }
        return bytes
    }

    private static let marks: [[[UInt8]]] = [
        [[0xEF, 0xBB, 0xBF]], [[0xEF, 0xBB], [0xBF]], [[0xEF], [0xBB, 0xBF]], [[0xEF], [0xBB], [0xBF]],
    ]

    @Test("The mark is no part of the first name, in however few bytes at once it comes", arguments: marks)
    func firstNames(_ mark: [[UInt8]]) throws {
        let texts: [(name: String, text: String)] = [
            ("f.csv.zst", "n,m\n1,2\n"), ("f.ndjson.zst", "{\"n\":1,\"m\":2}\n"),
        ]
        for (name, text) in texts {
            let records = try load(Self.streams(mark + [Array(text.utf8)]), name: name).records
            #expect(records.count == 1 && records[0]["n"] == 1 && records[0]["m"] == 2, "\(name)")
        }
    }
}
