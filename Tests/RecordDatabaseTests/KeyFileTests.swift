// Files of keys: what is written is read, and nothing else is taken for a key.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct KeyFileTests {
    private static func write(_ text: String, _ path: String, mode: mode_t = 0o600) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(chmod(path, mode) == 0)
    }

    private static func code(_ path: String) -> DatabaseError.Code? {
        Result { () throws(DatabaseError) in try KeyFile(path: path).key(ofContainer: "test") }.failure?.code
    }

    @Test func keysAreReadAsTheyWereWritten() throws {
        let scratch = try AssetRules.Scratch()
        let path = scratch.folder.path + "/key"
        let file = KeyFile(path: path)
        #expect(try file.key(ofContainer: "test") == nil)
        // What a process left that ended while it wrote is no obstacle.
        try Self.write("left", path + ".new", mode: 0o644)
        for bytes in [Array(0..<32), Array(224...255)] as [[UInt8]] {
            let key = try EncryptionKey(bytes: bytes)
            try file.setKey(key, ofContainer: "test")
            #expect(try file.key(ofContainer: "test") == key)
            #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == ["key"])
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        let nowhere = KeyFile(path: scratch.folder.path + "/none/key")
        #expect(try nowhere.key(ofContainer: "test") == nil)
        let error = #expect(throws: DatabaseError.self) { try nowhere.setKey(EncryptionKey(), ofContainer: "test") }
        #expect(error?.code == .permissionFailure)
    }

    @Test func whatIsNoKey() throws {
        let scratch = try AssetRules.Scratch()
        let path = scratch.folder.path + "/key"
        let digits = String(repeating: "0f", count: 32)
        let cases: [(text: String, isKey: Bool)] = [
            ("record-database-key 1 \(digits)\n", true), ("record-database-key 2 \(digits)\n", false),
            ("record-database-key 1 \(digits)", false), ("record-database-key 1 \(digits)0f\n", false),
            ("record-database-key 1 \(digits.dropLast(2))\n", false),
            ("record-database-key 1 \(digits.dropLast())g\n", false),
            ("record-database-key 1 +f\(digits.dropLast(2))\n", false),
            ("record-database-key 1 -0\(digits.dropLast(2))\n", false),
        ]
        for (text, isKey) in cases {
            try Self.write(text, path)
            #expect(Self.code(path) == (isKey ? nil : .internalError), "\(text)")
        }
        // Nobody else may read it, be it as one of a group or not.
        try Self.write(cases[0].text, path)
        for (mode, isTaken) in [(0o640, false), (0o604, false), (0o620, false), (0o400, true)] as [(mode_t, Bool)] {
            #expect(chmod(path, mode) == 0)
            #expect(Self.code(path) == (isTaken ? nil : .permissionFailure))
        }
    }

    /// What is there and cannot be opened, as a link that leads to itself, is no missing file: no key is made.
    @Test func filesThatCannotBeOpened() throws {
        let scratch = try AssetRules.Scratch()
        let path = scratch.folder.path + "/key"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(Self.code(path) == .permissionFailure)
    }
}
