// Stores whose files were damaged, are of a newer version, or lie where there is no room: refused in words, or right.

import Foundation
import RecordStorage
import RecordStore
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordDatabase

/// Disks of a fixed size.
private enum Mounting {
    /// Whether this machine and user can mount one.
    static let isPossible: Bool = {
        let disk = TemporaryFolder()
        try? FileManager.default.createDirectory(at: disk.url, withIntermediateDirectories: true)
        return run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk.path) && run("umount", disk.path)
    }()

    /// Runs a program to its end; false when it fails.
    @discardableResult
    static func run(_ words: String...) -> Bool {
        let nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC)
        defer { close(nowhere) }
        return ChildProcess.start(["/usr/bin/env"] + words, descriptors: [2: nowhere])?.wait() == 0
    }
}

@Suite struct DamagedStoreTests {
    private static func options(_ mode: StorageOptions.Mode = .readWrite) -> StorageOptions {
        StorageOptions(mode: mode)
    }

    /// A store with files of records, indexes, deletions, and changes in the log.
    private func makeStore(_ folder: URL) async throws -> [String] {
        let container = try Container(identifier: "test", storedAt: folder)
        for batch in 0..<3 {
            let records = (0..<300).map {
                record(
                    "r\(batch)-\($0)",
                    [
                        "n": .int64(Int64($0 % 17)), "t": .string("word\($0 % 5) text \($0)"),
                        "d": .double(Double($0) / 3),
                    ])
            }
            _ = try await container.privateDatabase.modifyRecords(
                saving: records, deleting: batch == 1 ? [Record.ID("r0-7"), Record.ID("r0-9")] : [])
            _ = try await results(container)
            if batch < 2 { try await container.checkpoint() }
        }
        return container.client.store.contents
    }

    private func results(_ container: Container) async throws -> [Int] {
        var counts: [Int] = []
        let predicates: [RecordPredicate] = [
            "n == 5", "t BEGINSWITH \("word3")", "d > 90.5", "allTokens TOKENMATCHES \("word1")",
        ]
        for predicate in predicates {
            let found = try await container.privateDatabase.recordPage(
                matching: Query("T", predicate), in: .default, resultsLimit: 10_000)
            counts.append(found.matchResults.count)
        }
        return counts
    }

    @Test(arguments: [UInt64(1), 2, 3])
    func damagedFilesAreRejectedOrRight(_ seed: UInt64) async throws {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let contents = try await makeStore(folder.url)
        let whole = try Container(identifier: "test", storedAt: folder.url, options: Self.options(.readOnly))
        let expected = try await results(whole)
        // Of 0 to 299 three times: 18 leave 5 by 17, 60 leave 3 by 5, 28 are above 271.5, 60 leave 1; none was deleted.
        #expect(expected == [54, 180, 84, 180])
        var generator = SplitMix64(seed: seed)
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".mdb") || $0.hasSuffix(".segment")
        }.sorted()
        #expect(files.count > 3)
        var (rejected, opened) = (0, 0)
        for _ in 0..<40 {
            let file = files[Int.random(in: 0..<files.count, using: &generator)]
            try? FileManager.default.removeItem(at: copy.url)
            try FileManager.default.copyItem(at: folder.url, to: copy.url)
            let path = copy.url.appending(path: file)
            var bytes = try Data(contentsOf: path)
            if Int.random(in: 0..<6, using: &generator) == 0 {
                bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &generator))
            } else {
                // Often in the first pages, to which everything leads.
                let limit = Bool.random(using: &generator) ? min(bytes.count, 1 << 15) : bytes.count
                bytes[Int.random(in: 0..<limit, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
            try bytes.write(to: path)
            do {
                let reader = try Container(
                    identifier: "test", storedAt: copy.url, options: Self.options(.readOnly))
                #expect(reader.client.store.contents == contents, "\(file)")
                #expect(try await results(reader) == expected, "\(file)")
                let writer = try Container(identifier: "test", storedAt: copy.url)
                try await writer.privateDatabase.put(record("new", ["n": 5]))
                writer.close()
                opened += 1
            } catch let error as DatabaseError {
                #expect(
                    [.internalError, .invalidArguments, .incompatibleVersion, .serviceUnavailable].contains(error.code))
                rejected += 1
            }
        }
        #expect(rejected > 0 && opened > 0)
    }

    /// A change in the log is compared with its checksum before it is applied: other text would be as good a record.
    @Test(arguments: [40, 9000], [0.0, 0.5, 1.0])
    func aByteOfALogEntryThatWasFlippedIsRejected(count: Int, place: Double) async throws {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let container = try Container(identifier: "test", storedAt: folder.url)
        let text = String(repeating: "wxyz", count: count / 4)
        try await container.privateDatabase.put(record("a", ["t": .string(text)]))
        // Closing would write a state in place of the log.
        try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
        container.close()
        let file = copy.url.appending(path: "data.mdb")
        var bytes = try Data(contentsOf: file)
        let found = try #require(bytes.range(of: Data(text.utf8)))
        #expect(bytes[found.upperBound...].range(of: Data(text.utf8)) == nil)
        bytes[found.lowerBound + Int(place * Double(count - 1))] ^= 1
        try bytes.write(to: file)
        for mode in [StorageOptions.Mode.readWrite, .readOnly] {
            let error = await fails(.internalError) {
                try Container(identifier: "test", storedAt: copy.url, options: Self.options(mode))
            }
            #expect(error?.reason.contains("table log is not as it was written") == true)
        }
        #expect(try Container.verify(storedAt: copy.url).count == 1)
    }

    /// Tables get their place when they are whole: what was cut off is not taken for a store that was never written.
    @Test(arguments: [0, 100, 4096])
    func tablesThatWereCutOffAreRejected(size: off_t) async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        for isEmpty in [true, false] {
            if !isEmpty { try await container.privateDatabase.put(record("a")) }
            let copy = TemporaryFolder()
            try await container.backUp(to: copy.url)
            #expect(truncate(copy.path + "/data.mdb", size) == 0)
            for mode in [StorageOptions.Mode.readWrite, .readOnly] {
                await fails(.internalError) {
                    try Container(identifier: "test", storedAt: copy.url, options: Self.options(mode))
                }
            }
        }
    }

    /// Every byte by which a head says that it is one: a store with one head, or with none, is a damaged one and no
    /// folder of something else.
    @Test(arguments: [[0], [1], [0, 1]], [8, 10, 16, 17, 18, 19, 20, 21, 40, 41, 42])
    func damagedHeadsAreRejected(heads: [Int], at offset: Int) async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        try await container.privateDatabase.put(record("a"))
        container.close()
        let file = folder.url.appending(path: "data.mdb")
        var bytes = try Data(contentsOf: file)
        let pageSize = bytes[40..<44].reversed().reduce(0) { $0 << 8 | Int($1) }
        for head in heads { bytes[head * pageSize + offset] ^= 0xFF }
        try bytes.write(to: file)
        // Another version of LMDB writes one number into both heads, and unused bytes say nothing.
        let isVersion = heads.count == 2 && [20, 21].contains(offset)
        for mode in [StorageOptions.Mode.readOnly, .readWrite] {
            if offset == 8 {
                try Container(identifier: "test", storedAt: folder.url, options: Self.options(mode)).close()
            } else {
                await fails(isVersion ? .incompatibleVersion : .internalError) {
                    try Container(identifier: "test", storedAt: folder.url, options: Self.options(mode))
                }
            }
        }
    }

    /// A process that is killed while it makes a store leaves no tables, or some that have no place yet.
    @Test func aStoreThatWasNotMadeToItsEndIsRebuilt() async throws {
        let folder = TemporaryFolder()
        let metadata = StoreMetadata(identifier: "test", assetFolder: "")
        try StorageEnvironment(path: folder.path, mode: .readWrite, new: metadata).close()
        let file = folder.path + "/data.mdb"
        try FileManager.default.moveItem(atPath: file, toPath: folder.path + "/segments/data.mdb")
        #expect(truncate(folder.path + "/segments/data.mdb", 4096) == 0)
        await fails(.invalidArguments) {
            try Container(identifier: "test", storedAt: folder.url, options: Self.options(.readOnly))
        }
        let container = try Container(identifier: "test", storedAt: folder.url)
        try await container.privateDatabase.put(record("a"))
        try await container.checkpoint()
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
        // One that has records is not made anew over them.
        try FileManager.default.removeItem(atPath: file)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/segments")
        await fails(.internalError) { try Container(identifier: "test", storedAt: folder.url) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path + "/segments") == files)
    }

    @Test func aStoreOfANewerVersionIsLeftAlone() async throws {
        let folder = TemporaryFolder()
        var metadata = StoreMetadata(identifier: "test", assetFolder: "")
        metadata.format += 1
        #expect(throws: StorageError.self) {
            try StorageEnvironment(path: folder.path, mode: .readWrite, new: metadata)
        }
        let file = folder.url.appending(path: "data.mdb")
        let bytes = try Data(contentsOf: file)
        for mode in [StorageOptions.Mode.readWrite, .readOnly] {
            await fails(.incompatibleVersion) {
                try Container(identifier: "test", storedAt: folder.url, options: Self.options(mode))
            }
        }
        #expect(try Data(contentsOf: file) == bytes)
    }

    /// A small disk of its own.
    @Test(.enabled(if: Mounting.isPossible, "a disk of a fixed size cannot be mounted"))
    func aFullDiskAndOneThatMayOnlyBeRead() async throws {
        let disk = TemporaryFolder()
        try FileManager.default.createDirectory(at: disk.url, withIntermediateDirectories: true)
        try #require(Mounting.run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", disk.path))
        defer { Mounting.run("umount", "-l", disk.path) }
        let folder = disk.url.appending(path: "store")
        let container = try Container(identifier: "test", storedAt: folder)
        var saved = 0
        var rejection: DatabaseError?
        while rejection == nil, saved < 1000 {
            do {
                try await container.privateDatabase.put(
                    record("r\(saved)", ["t": .string(String(repeating: "x\(saved)", count: 5000))]))
                saved += 1
            } catch let error as DatabaseError {
                rejection = error
            }
        }
        #expect(rejection?.code == .serviceUnavailable)
        #expect(saved > 10)
        let contents = container.client.store.contents
        #expect(await !container.privateDatabase.has("r\(saved)"))
        container.close()
        let reopened = try Container(identifier: "test", storedAt: folder, options: Self.options(.readOnly))
        #expect(reopened.client.store.contents == contents)
        try #require(Mounting.run("mount", "-o", "remount,size=64m", disk.path))
        let roomy = try Container(identifier: "test", storedAt: folder)
        #expect(roomy.client.store.contents == contents)
        try await roomy.privateDatabase.put(record("r\(saved)"))
        roomy.close()
        // Busy for the moment in which another test starts a program: that has all files until it runs.
        var isReadOnly = Mounting.run("mount", "-o", "remount,ro", disk.path)
        for _ in 0..<250 where !isReadOnly {
            try await Task.sleep(for: .milliseconds(20))
            isReadOnly = Mounting.run("mount", "-o", "remount,ro", disk.path)
        }
        try #require(isReadOnly)
        await fails(.permissionFailure) { try Container(identifier: "test", storedAt: folder) }
        let reader = try Container(identifier: "test", storedAt: folder, options: Self.options(.readOnly))
        #expect(await reader.privateDatabase.has("r\(saved)"))
    }
}
