// What opening, compacting and verifying a store do to what others left in it, and who is told when that fails.

import Foundation
import RecordStorage
import RecordStore
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct StoreCareTests {
    private static func open(_ folder: TemporaryFolder, _ mode: StorageOptions.Mode = .readWrite) throws -> Container {
        try Container(identifier: "test", storedAt: folder.url, options: StorageOptions(mode: mode))
    }

    /// Builds one index, of a field of the records of type T.
    private static func buildIndex(of field: String, in container: Container) throws {
        let segments = container.client.store.databases.flatMap(\.records.snapshot.segments)
        let stored = try #require(segments.first { $0.segment.recordType == "T" })
        let column = try #require(stored.segment.schema.position(of: field))
        _ = stored.indexes.ordered(column: column)
    }

    /// A process that was killed leaves halves of assets: who writes the store next takes them away, who reads it not.
    @Test func halvesOfAssetsGoWhenAStoreIsOpened() throws {
        let folder = TemporaryFolder()
        try Self.open(folder).close()
        let half = folder.path + "/assets/copy-7-1"
        try Data("half".utf8).write(to: URL(filePath: half))
        try Self.open(folder, .readOnly).close()
        #expect(FileManager.default.fileExists(atPath: half))
        try Self.open(folder).close()
        #expect(!FileManager.default.fileExists(atPath: half))
    }

    /// A store of a newer version is no damaged one.
    @Test func aStoreOfANewerVersionIsNotVerified() async throws {
        let folder = TemporaryFolder()
        var metadata = StoreMetadata(identifier: "test", assetFolder: "")
        metadata.format += 1
        #expect(throws: StorageError.self) {
            try StorageEnvironment(path: folder.path, mode: .readWrite, new: metadata)
        }
        await fails(.incompatibleVersion) { try Container.verify(storedAt: folder.url) }
    }

    /// A store with one index of text, which was made with another version of ICU.
    private static func makeOutdatedStore(_ folder: TemporaryFolder) async throws {
        var options = StorageOptions()
        options.textVersion = "ICU 1, Unicode 1"
        let container = try Container(identifier: "test", storedAt: folder.url, options: options)
        try await container.privateDatabase.put(record("a", ["t": "one"]), record("b", ["t": "two"]))
        try buildIndex(of: "t", in: container)
        container.close()
    }

    /// Also where it is the only one: the next process, which may only read, finds it.
    @Test func oneIndexOfAnotherICUIsWrittenAgain() async throws {
        let folder = TemporaryFolder()
        try await Self.makeOutdatedStore(folder)
        #expect(try Self.open(folder, .readOnly).outdatedTextIndexCount == 1)
        let writer = try Self.open(folder)
        #expect(try Self.open(folder, .readOnly).outdatedTextIndexCount == 0)
        writer.close()
    }

    /// Who may not write builds them for the own process, and the store stays as it is.
    @Test func aReaderBuildsIndexesForItself() async throws {
        let folder = TemporaryFolder()
        try await Self.makeOutdatedStore(folder)
        let reader = try Self.open(folder, .readOnly)
        let steps = Mutex<[[Int]]>([])
        try await reader.rebuildTextIndexes { done, count in steps.withLock { $0.append([done, count]) } }
        #expect(steps.withLock { $0 } == [[1, 1]])
        #expect(reader.outdatedTextIndexCount == 0)
        #expect(try Self.open(folder, .readOnly).outdatedTextIndexCount == 1)
    }

    /// Users that were never here may read what others may, and nothing is written for them.
    @Test func aReaderNeedsNoRecordOfTheUser() async throws {
        let folder = TemporaryFolder()
        let container = try Self.open(folder)
        try await container.publicDatabase.put(record("a", ["n": 1]))
        container.close()
        let tables = URL(filePath: folder.path + "/data.mdb")
        let bytes = try Data(contentsOf: tables)
        let reader = try Container(
            identifier: "test", storedAt: folder.url, options: StorageOptions(mode: .readOnly), account: .user("_new"))
        #expect(await reader.publicDatabase.has("a"))
        #expect(!(await reader.privateDatabase.has("a")))
        #expect(try Data(contentsOf: tables) == bytes)
    }

    /// Compacting writes the indexes that there are by then, also of records that need no merging.
    @Test func compactingWritesIndexes() async throws {
        let folder = TemporaryFolder()
        let container = try Self.open(folder)
        try await container.privateDatabase.put(record("a", ["n": 1]), record("b", ["n": 2]))
        try await container.checkpoint()
        try Self.buildIndex(of: "n", in: container)
        try await container.compact()
        let beside = try Self.open(folder, .readOnly)
        let part = try await beside.storageStatistics().records.first { $0.recordType == "T" }
        #expect(part?.count == 2 && part?.segments == 1 && part?.indexes == 1)
        container.close()
    }

    /// Compacting leaves files alone that are only named much like those of the store.
    @Test func filesOfOthersAreNotCompacted() async throws {
        let folder = TemporaryFolder()
        let container = try Self.open(folder)
        try await container.privateDatabase.put(record("a", ["n": 1]), record("b", ["n": 2]))
        let (segments, others) = (folder.path + "/segments", ["+9.segment", "-1.segment", "007.segment"])
        for name in others + ["9.segment"] { try Data([1]).write(to: URL(filePath: segments + "/" + name)) }
        try await container.compact()
        container.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: segments)
        #expect(others.allSatisfy { names.contains($0) } && !names.contains("9.segment"))
    }

    /// Nor does sweeping, or opening, take away what only lies among the files of assets.
    @Test func filesOfOthersAmongAssetsStay() async throws {
        let folder = TemporaryFolder()
        let container = try Self.open(folder)
        let digest = String(repeating: "0f", count: 32)
        let others = ["logo.png", "copy-of-plan.txt", "copy-1-x", digest + "0"]
        for name in others + [digest, "copy-1-2"] {
            try Data([1]).write(to: URL(filePath: "\(folder.path)/assets/\(name)"))
        }
        #expect(container.client.store.assets.byteCount == 1)
        #expect(await container.removeUnusedAssets() == 1)
        container.close()
        try Self.open(folder).close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/assets")
        #expect(names.sorted() == others.sorted())
    }

    /// The change itself is in the log, and nobody waits for the state: the log of messages tells of it.
    @Test func aStateThatCannotBeWrittenIsTold() throws {
        let folder = TemporaryFolder()
        let failures = Mutex<[DatabaseError.Code]>([])
        var configuration = Configuration()
        configuration.log = { message in
            guard message.level == .error, case .checkpointFailed(let error) = message.event else { return }
            failures.withLock { $0.append(error.code) }
        }
        var options = StorageOptions()
        options.checkpointByteCount = 0
        let container = try Container(
            identifier: "test", storedAt: folder.url, options: options, configuration: configuration)
        try container.client.store.setRoles(["a"], of: "u")
        #expect(failures.withLock { $0 } == [])
        let (segments, away) = (folder.path + "/segments", folder.path + "/away")
        try FileManager.default.moveItem(atPath: segments, toPath: away)
        try container.client.store.setRoles(["a", "b"], of: "u")
        #expect(failures.withLock { $0 } == [.serviceUnavailable])
        try FileManager.default.moveItem(atPath: away, toPath: segments)
        container.close()
        let again = try Self.open(folder)
        #expect(again.client.store.roles(of: "u") == ["a", "b"])
        again.close()
    }
}
