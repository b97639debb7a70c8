// Readers that were killed while they read, and more readers than the list of them takes.

import Foundation
import RecordStore
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordStorage

/// A program that begins to read and comes to no end.
private enum Readers {
    /// Its path, when there is a C compiler with LMDB's header.
    static let program: String? = {
        let path = FileManager.default.temporaryDirectory.appending(path: "readers-\(UUID().uuidString)").path
        let source = ProjectFiles.root + "/Tests/CommandTests/Fixtures/Readers/readers.c"
        return ChildProcess.run(["/usr/bin/env", "cc", "-O1", "-o", path, source, "-llmdb"]).status == 0 ? path : nil
    }()

    /// Has so many processes begin to read the tables of a folder, and kills them; gives how many could begin.
    static func killed(_ count: Int, in folder: String) throws -> Int {
        let outcome = ChildProcess.run([try #require(program), folder, "\(count)", "die"])
        try #require(outcome.status == 0)
        return try #require(outcome.lines.first.flatMap { Int($0) })
    }

    /// Calls a body while so many processes read the tables of a folder.
    static func reading<R>(_ count: Int, in folder: String, _ body: (Int) throws -> R) throws -> R {
        let (input, output) = (try #require(ChildProcess.pipe()), try #require(ChildProcess.pipe()))
        let process = ChildProcess.start(
            [try #require(program), folder, "\(count)", "stay"],
            descriptors: [0: input.reading, 1: output.writing])
        for end in [input.reading, output.writing] { close(end) }
        defer {
            for end in [input.writing, output.reading] { close(end) }
            _ = process?.wait()
        }
        try #require(process != nil)
        let line = String(decoding: ChildProcess.read(output.reading) ?? [], as: UTF8.self)
        return try body(try #require(Int(line.trimmingCharacters(in: .whitespacesAndNewlines))))
    }
}

@Suite(.requires("a C compiler with the header of LMDB", Readers.program != nil))
struct ReaderListTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ mode: StorageEnvironment.Mode, _ name: String = "store") throws -> StorageEnvironment {
        try StorageEnvironment(
            path: folder.file(name), mode: mode, durability: .off,
            new: StoreMetadata(identifier: "test", assetFolder: ""))
    }

    /// Makes a store whose list of readers has 126 places, as LMDB makes it when it is not asked for more.
    private func makeStore() throws {
        let writer = try open(.readWrite)
        try writer.append([1])
        let size = try #require(try FileIdentity.ofFile(writer.folder.readerTable)?.size)
        #expect(size > 1000 * 64, "\(size) bytes are not a thousand places")
        writer.close()
        try FileManager.default.removeItem(atPath: writer.folder.readerTable)
    }

    /// One process reads on; while there is one, the list is not made anew.
    @Test func killedReadersLeaveTheirPlaces() throws {
        try makeStore()
        for mode in [StorageEnvironment.Mode.readOnly, .readWrite] {
            try Readers.reading(1, in: folder.file("store")) { count in
                #expect(count == 1)
                #expect(try Readers.killed(200, in: folder.file("store")) == 125)
                let environment = try open(mode)
                #expect(try environment.contents().log == [[1]])
                environment.close()
                #expect(try Readers.killed(200, in: folder.file("store")) > 100)
                #expect(try open(mode).sizes().logEntries == 1)
            }
        }
    }

    @Test func aWriterDoesWithoutThePlaceOfAReader() throws {
        try makeStore()
        try Readers.reading(200, in: folder.file("store")) { count in
            #expect(count == 126)
            // A writer has to look at the tables before it can write.
            let writer = try open(.readWrite)
            #expect(try writer.sizes().logEntries == 1)
            try writer.append([2])
            #expect(try writer.contents().log == [[1], [2]])
            writer.close()
            let error = #expect(throws: StorageError.self) { try open(.readOnly).contents() }
            #expect(error?.code == .locked)
            #expect(error?.reason.contains("the list of readers is full") == true)
        }
        #expect(try open(.readOnly).contents().log == [[1], [2]])
    }

    /// A killed reader of an old state, and a writer that writes no state.
    @Test func killedReadersKeepNoPages() throws {
        func size(_ name: String, killing count: Int) throws -> Int {
            let writer = try open(.readWrite, name)
            for number in 0..<3000 {
                if number % 1000 == 500 {
                    #expect(try Readers.killed(count, in: folder.file(name)) == count)
                }
                try writer.append([UInt8](repeating: 1, count: 10))
            }
            return try writer.sizes().tables
        }
        let usual = try size("usual", killing: 0)
        let beside = try size("beside", killing: 3)
        #expect(beside < usual + usual / 2, "\(beside) bytes beside killed readers, else \(usual)")
    }
}
