// Compressed files: told by their first bytes, damage and bombs found.

import Glibc
import RecordColumns
import Testing

@testable import RecordFiles

@Suite struct CompressionTests {
    /// Two lines of NDJSON, compressed.
    private static let gzip = "H4sIAAAAAAACA6tWykxRslJKVNJRqlCyMqzlqoYIJEEEjGq5AG1AYwMiAAAA"
    private static let zstd = "KLUv/QRY7QAAqHsiaWQiOiJhIiwieCI6MX0KYjJ9CgIAYIiUzSWCtCe1"

    @Test(arguments: [gzip, zstd]) func streams(text: String) throws {
        let bytes = try #require(Base64.decode(text))
        for name in ["f.ndjson.gz", "f"] {
            let loaded = try load(bytes, name: name) { $0.keepsSource = true }
            #expect(loaded.records.count == 2)
            #expect(loaded.records[1]["x"] == 2)
            #expect(try loaded.source?.text(1) == Array(#"{"id":"b","x":2}"#.utf8))
        }
        // One stream behind another is read as one; the records of the second repeat those of the first.
        let twice = try load(bytes + bytes) { $0.skipBadLines = true }
        #expect(twice.records.count == 2)
        #expect(twice.report.errors.map(\.line) == [3, 4])
        for length in stride(from: 4, to: bytes.count, by: 3) {
            let error = #expect(throws: FileError.self, "\(length)") { try load(Array(bytes[..<length])) }
            #expect(error?.kind == .compression)
        }
        for position in 4..<bytes.count {
            var damaged = bytes
            damaged[position] ^= 0x55
            // Headers hold bytes without meaning; whatever comes, it is a table or an error.
            _ = try? load(damaged)
        }
        #expect(throws: FileError.self) { try load(bytes) { $0.limits.maximumBytes = 20 } }
        #expect(throws: FileError.self) { try load(bytes + Array("{\"x\":1}".utf8)) }
    }

    /// A zstd stream of one byte over and over, four bytes for 128 KiB each: block after block says how often.
    private func bomb(of byte: UInt8, blocks: Int) -> [UInt8] {
        // Magic, a frame without checksum and size, a window of 128 KiB.
        var bytes: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x38]
        for number in 1...blocks {
            let header = (number == blocks ? 1 : 0) | 1 << 1 | (128 << 10) << 3
            bytes += [UInt8(header & 255), UInt8(header >> 8 & 255), UInt8(header >> 16), byte]
        }
        return bytes
    }

    /// A small file that expands to one long line: memory is bounded by the longest record, and what is no text is
    /// refused long before that.
    @Test(arguments: [(UInt8(0), 1 << 30, 8), (UInt8(ascii: "x"), 1 << 28, 400)])
    func bombs(byte: UInt8, maximumRecordBytes: Int, megabytes: Int) throws {
        func peak() -> Int {
            var usage = rusage()
            _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss >> 10
        }
        let bytes = bomb(of: byte, blocks: 84_000)
        #expect(bytes.count < 340_000)
        let before = peak()
        let error = #expect(throws: FileError.self) {
            try load(bytes, name: "f.ndjson.zst") { $0.limits.maximumRecordBytes = maximumRecordBytes }
        }
        #expect(error?.kind == .limit)
        // What other tests took meanwhile is part of it.
        #expect(peak() - before < megabytes + 100)
        // As long as that, and in order.
        let line = Array("{\"a\":\"".utf8) + [UInt8](repeating: UInt8(ascii: "y"), count: 5 << 20) + Array("\"}".utf8)
        #expect(try load(line) { $0.limits.maximumRecordBytes = line.count }.records.count == 1)
        #expect(throws: FileError.self) { try load(line) { $0.limits.maximumRecordBytes = line.count - 1 } }
        #expect(try load(line) { $0.limits.maximumRecordBytes = .max }.records.count == 1)
    }

    @Test func base64() {
        let cases: [(String, [UInt8]?)] = [
            ("", []), ("AA==", [0]), ("AA", [0]), ("AAE=", [0, 1]), ("AAEC", [0, 1, 2]), ("A", nil), ("AA=", nil),
            ("A===", nil), ("AA==AA==", nil), ("A A=", nil), ("+/+/", [251, 255, 191]), ("-_-_", nil),
        ]
        for (text, bytes) in cases { #expect(Base64.decode(text) == bytes, "\(text)") }
        for count in 0..<20 {
            let bytes = (0..<count).map { UInt8($0 * 37 & 255) }
            #expect(Base64.decode(String(decoding: Base64.encode(bytes), as: UTF8.self)) == bytes)
        }
    }
}
