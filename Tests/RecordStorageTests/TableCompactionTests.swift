// Tables that are replaced while changes go on, and readers that keep others waiting.

import Foundation
import Glibc
import RecordStore
import Synchronization
import Testing
import _TestSupport

@testable import RecordStorage

@Suite(.waits) struct TableCompactionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(patience: Duration = .seconds(10)) throws -> StorageEnvironment {
        try StorageEnvironment(
            path: folder.file("store"), mode: .readWrite, new: StoreMetadata(identifier: "test", assetFolder: ""),
            patience: patience)
    }

    /// A lock on the folder, as another process has it while it reads or replaces the tables.
    private struct FolderLock: ~Copyable {
        private let descriptor: Int32

        init(_ path: String, _ kind: Int32) throws {
            descriptor = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY)
            try #require(descriptor >= 0 && flock(descriptor, kind) == 0)
        }

        deinit {
            // A process that another test starts may have the file open for a moment.
            flock(descriptor, LOCK_UN)
            close(descriptor)
        }
    }

    private static func bytes(_ number: Int) -> [UInt8] { Array("change \(number)".utf8) }

    /// Before, the lock of the log was held from the first page to the last: the changes here would have waited for
    /// themselves.
    @Test func changesGoOnWhileTablesAreCopied() throws {
        var environment = try open()
        var expected = (0..<3000).map(Self.bytes)
        for change in expected[..<1000] { try environment.append(change) }
        try environment.checkpoint(
            ["a": Self.bytes(1), "b": [UInt8](repeating: 7, count: 3 << 20), "c": []], through: 400)
        for change in expected[1000...] { try environment.append(change) }
        var steps: [StorageEnvironment.CompactionStep] = []
        for round in 0..<2 {
            try environment.compactTables { step in
                steps.append(step)
                for number in 0..<40 {
                    let change = Self.bytes(10_000 + 100 * round + number)
                    if (try? environment.append(change)) != nil { expected.append(change) }
                }
            }
        }
        #expect(steps == [.begun, .copied, .alone, .begun, .copied, .alone])
        #expect(expected.count == 3240)
        let left = try FileManager.default.contentsOfDirectory(atPath: environment.folder.segments)
        #expect(left == [])
        for _ in 0..<2 {
            let contents = try environment.contents()
            #expect(contents.log == Array(expected[400...]))
            #expect(contents.parts["b"]?.count == 3 << 20 && contents.parts.count == 3)
            #expect(environment.lastChange == UInt64(expected.count))
            environment.close()
            environment = try open()
        }
    }

    /// A process that was stopped while it reads keeps the tables from being replaced, and nobody from changing them:
    /// here it goes on only when a change has been written, and a state. Before, that waited for the tables, for ten
    /// seconds.
    @Test func aStoppedReaderDelaysNoChange() throws {
        let environment = try open(patience: .seconds(60))
        try environment.append(Self.bytes(0))
        let reader = unsafe Glibc.open(environment.folder.path, O_RDONLY | O_DIRECTORY)
        try #require(flock(reader, LOCK_SH) == 0)
        let (waits, isDone) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            waits.wait()
            try? environment.append(Self.bytes(1))
            try? environment.checkpoint([:], through: 1)
            close(reader)
            isDone.signal()
        }
        try environment.compactTables { if $0 == .begun { waits.signal() } }
        isDone.wait()
        #expect(try environment.contents().log == [Self.bytes(1)])
    }

    @Test func readersAreWaitedForWithALimit() throws {
        let environment = try open(patience: .milliseconds(20))
        try environment.append(Self.bytes(0))
        do {
            let reader = try FolderLock(environment.folder.path, LOCK_SH)
            let error = #expect(throws: StorageError.self) { try environment.compactTables() }
            #expect(error?.code == .locked)
            try environment.append(Self.bytes(1))
            extendLifetime(reader)
        }
        try environment.compactTables()
        try environment.append(Self.bytes(2))
        #expect(try environment.contents().log == (0...2).map(Self.bytes))
    }

    /// Whoever may read the folder may lock it: readers do not wait for ever, and others are read meanwhile.
    @Test func aLockedFolderIsAnErrorForReaders() throws {
        try open().close()
        let lock = try FolderLock(folder.file("store"), LOCK_EX)
        let reader = try StorageEnvironment(
            path: folder.file("store"), mode: .readOnly, new: StoreMetadata(identifier: "", assetFolder: ""),
            patience: .milliseconds(20))
        let error = #expect(throws: StorageError.self) { try reader.contents() }
        #expect(error?.code == .locked)
        #expect(error?.hint?.contains("lslocks") == true)
        extendLifetime(lock)
    }

    /// The number in the lock file is of a process that runs and has nothing to do with the store.
    @Test func aLockIsSaidToBeOfWhoHoldsIt() throws {
        try open().close()
        let path = folder.file("store/writer.lock")
        try Data("1\n".utf8).write(to: URL(filePath: path))
        let descriptor = unsafe Glibc.open(path, O_RDONLY)
        defer { close(descriptor) }
        try #require(flock(descriptor, LOCK_EX) == 0)
        let error = #expect(throws: StorageError.self) { try open() }
        #expect(error?.code == .locked)
        #expect(error?.reason == "this process has the store open for writing")
    }

    /// Once the new tables have their place, they cannot be opened: their list of readers is a folder.
    @Test func tablesThatCouldNotBeOpenedAgainAreOpenedLater() throws {
        let environment = try open()
        for number in 0..<10 { try environment.append(Self.bytes(number)) }
        let list = environment.folder.readerTable
        #expect(throws: StorageError.self) {
            try environment.compactTables { step in
                guard step == .alone else { return }
                unlink(list)
                mkdir(list, 0o755)
            }
        }
        #expect(throws: StorageError.self) { try environment.append(Self.bytes(99)) }
        rmdir(list)
        try environment.append(Self.bytes(10))
        #expect(try environment.contents().log == (0...10).map(Self.bytes))
        try environment.compactTables()
        try environment.append(Self.bytes(11))
        environment.close()
        #expect(try open().contents().log == (0...11).map(Self.bytes))
    }
}
