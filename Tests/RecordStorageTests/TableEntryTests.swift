// Entries of the tables: each is behind a checksum of it and its key, and what cannot be written is not lost in silence.

import Foundation
import RecordStore
import Testing
import _TestSupport

@testable import RecordStorage

@Suite struct TableEntryTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ mode: StorageEnvironment.Mode = .readWrite) throws -> StorageEnvironment {
        try StorageEnvironment(
            path: folder.file("store"), mode: mode, new: StoreMetadata(identifier: "test", assetFolder: ""))
    }

    private var tables: String { folder.file("store") + "/data.mdb" }

    /// One bit of the value of an entry of the log or the state is another one: nothing of it is given to anybody.
    @Test(arguments: ["a change of the log", "a part of the state"])
    func aValueThatIsNotAsItWasWritten(_ which: String) throws {
        var environment: StorageEnvironment? = try open()
        try environment?.append(Array("a change of the log".utf8))
        try environment?.checkpoint(["part": Array("a part of the state".utf8)], through: 0)
        environment?.close()
        environment = nil
        var bytes = try Data(contentsOf: URL(filePath: tables))
        var count = 0
        var place = bytes.startIndex
        while let found = bytes[place...].firstRange(of: Data(which.utf8)) {
            bytes[found.lowerBound + 3] ^= 0x20
            place = found.upperBound
            count += 1
        }
        try #require(count > 0)
        try bytes.write(to: URL(filePath: tables))
        let error = #expect(throws: StorageError.self) {
            let damaged = try open()
            defer { damaged.close() }
            _ = try damaged.contents()
        }
        #expect(error?.code == .corrupted && error?.hint?.isEmpty == false, "\(String(describing: error))")
    }

    /// Keys have 511 bytes at most; a state with a longer name is rejected, and the one before stays.
    @Test func whatCannotBeWrittenIsToldAndChangesNothing() throws {
        let environment = try open()
        defer { environment.close() }
        try environment.append([Array("one".utf8), Array("two".utf8)])
        try environment.checkpoint(["part": [1, 2, 3]], through: 1)
        #expect(throws: StorageError.self) {
            try environment.checkpoint(["part": [4], String(repeating: "x", count: 600): [5]], through: 2)
        }
        let contents = try environment.contents()
        #expect(contents.parts == ["part": [1, 2, 3]] && contents.log == [Array("two".utf8)])
    }

    /// Tables that nothing was ever written to are told as such to those who only read.
    @Test func tablesThatHoldNothing() throws {
        try FileManager.default.createDirectory(atPath: folder.file("store"), withIntermediateDirectories: true)
        try TableFile(path: folder.file("store"), access: .write, durability: .full).close()
        let error = #expect(throws: StorageError.self) {
            let environment = try open(.readOnly)
            defer { environment.close() }
            _ = try environment.contents()
        }
        #expect(error?.code == .corrupted && error?.description.contains("hold nothing") == true)
    }
}
