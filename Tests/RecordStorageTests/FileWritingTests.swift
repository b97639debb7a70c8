// Files that are written in pieces, and what is read of them: within their ends, and by their checksums.

import FoundationEssentials
import RecordColumns
import Testing

@testable import RecordStorage

@Suite struct FileWritingTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Pieces of all sizes come one after another, whatever is gathered before it is written.
    @Test(arguments: [true, false]) func piecesAreWrittenInTheirOrder(syncs: Bool) throws {
        let limit = 1 << 18
        let sizes = [0, 10, 300_000, 1, limit - 1, 1, limit, 5, 200_000, 100_000, 7]
        var expected = [UInt8](repeating: 0, count: 64)
        var offsets: [Int] = []
        var file = try FileWriting(folder.file("file"), in: nil, sync: syncs)
        try file.pad(to: 64)
        for (number, size) in sizes.enumerated() {
            let piece = [UInt8](repeating: UInt8(number + 1), count: size)
            try unsafe piece.withUnsafeBytes { try unsafe file.append($0) }
            expected += piece
            offsets.append(file.offset)
        }
        #expect(offsets == sizes.indices.map { 64 + sizes[...$0].reduce(0, +) })
        // Nothing behind the end is filled up.
        try file.pad(to: 10)
        try file.pad(to: expected.count + 3)
        try file.finish(head: [9, 8])
        expected += [0, 0, 0]
        expected.replaceSubrange(0..<2, with: [9, 8])
        let isSame = try folder.bytes("file") == expected
        #expect(isSame)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
    }

    /// What comes to no end leaves no file.
    @Test func unfinishedFilesAreTakenAway() throws {
        do {
            var file = try FileWriting(folder.file("file"), in: nil, sync: false)
            try file.pad(to: 10)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file.new"])
            try file.pad(to: 20)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func rangesLieWithinTheFile() throws {
        let file = try MappedFile(folder.write([1, 2, 3, 4], "file"))
        let cases: [(offset: Int, count: Int, bytes: [UInt8]?)] = [
            (0, 4, [1, 2, 3, 4]), (1, 3, [2, 3, 4]), (3, 1, [4]), (4, 0, []), (0, 0, []), (1, 4, nil), (0, 5, nil),
            (4, 1, nil), (5, 0, nil), (-1, 2, nil), (2, -1, nil), (.max, 1, nil), (1, .max, nil),
        ]
        for (offset, count, bytes) in cases {
            #expect(unsafe file.bytes(offset, count).map { unsafe Array($0) } == bytes, "\(offset) \(count)")
        }
        let empty = try MappedFile(folder.write([], "empty"))
        let isNone = unsafe empty.bytes(0, 0) == nil
        #expect(empty.size == 0 && isNone)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt64 {
        unsafe bytes.withUnsafeBytes { unsafe SegmentFormat.checksum($0) }
    }

    /// A block is compared with the checksum that it is to have, also where another was found at its place before.
    @Test func blocksAreThoseOfTheirChecksums() throws {
        let bytes = (0..<128).map { UInt8($0) }
        let file = try MappedFile(folder.write(bytes, "file"))
        let sum = Self.checksum(Array(bytes[64...]))
        let good = BlockPlace(offset: 64, byteCount: 64, checksum: sum)
        let bad = [
            BlockPlace(offset: 64, byteCount: 64, checksum: sum ^ 1),
            BlockPlace(offset: 64, byteCount: 63, checksum: sum),
            BlockPlace(offset: 0, byteCount: 64, checksum: sum), BlockPlace(offset: 64, byteCount: 65, checksum: sum),
            BlockPlace(offset: 32, byteCount: 64, checksum: Self.checksum(Array(bytes[32..<96]))),
            BlockPlace(offset: 128, byteCount: 1, checksum: sum),
        ]
        for _ in 0..<2 {
            #expect(try unsafe Array(file.bytes(of: good)) == Array(bytes[64...]))
            for place in bad { #expect(throws: BlockError.self) { _ = try unsafe file.bytes(of: place) } }
        }
        let part = BlockPlace(offset: 64, byteCount: 63, checksum: Self.checksum(Array(bytes[64..<127])))
        #expect(try unsafe Array(file.bytes(of: part)) == Array(bytes[64..<127]))
    }

    /// Where a table of contents may lie in a file of 200 bytes, and how large the file may be.
    private static let headers: [(offset: Int, byteCount: Int, size: Int, isRight: Bool)] = [
        (64, 136, 200, true), (64, 0, 200, true), (200, 0, 200, true), (199, 1, 200, true), (63, 1, 200, false),
        (64, 137, 200, false), (65, 136, 200, false), (200, 1, 200, false), (201, 0, 200, false),
        (64, 136, 199, false), (64, 136, 201, false), (64, .max, 200, false), (.max, 1, 200, false),
    ]

    @Test func headsAreThoseOfTheirFiles() {
        func code(_ bytes: [UInt8], size: Int = 200) -> StorageError.Code? {
            do throws(StorageError) {
                _ = try SegmentHeader(bytes, path: "p", size: size)
                return nil
            } catch { return error.code }
        }
        for (offset, byteCount, size, isRight) in Self.headers {
            let place = BlockPlace(offset: offset, byteCount: byteCount, checksum: 5)
            let bytes = SegmentHeader(fileSize: 200, contents: place).bytes
            #expect(bytes.count == 64)
            #expect(code(bytes, size: size) == (isRight ? nil : .corrupted), "\(offset) \(byteCount) \(size)")
        }
        let place = BlockPlace(offset: 64, byteCount: 136, checksum: 5)
        let good = SegmentHeader(fileSize: 200, contents: place).bytes
        for index in good.indices {
            var bytes = good
            bytes[index] ^= 1
            #expect(code(bytes) == (index < 8 ? .notAStore : .corrupted), "\(index)")
        }
        #expect(code(good + [0]) == .notAStore && code(Array(good.dropLast())) == .notAStore)
        #expect([0, 1, 64, 65, 128].map(SegmentFormat.aligned) == [0, 64, 64, 128, 128])
    }
}
