// Compressed files: told by their first bytes, damage and bombs found.

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
            #expect(loaded.table.count == 2)
            #expect(loaded.table[1]["x"] == 2)
            #expect(try loaded.source?.text(1) == Array(#"{"id":"b","x":2}"#.utf8))
        }
        // One stream behind another is read as one; the records of the second repeat those of the first.
        let twice = try load(bytes + bytes) { $0.skipBadLines = true }
        #expect(twice.table.count == 2)
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
