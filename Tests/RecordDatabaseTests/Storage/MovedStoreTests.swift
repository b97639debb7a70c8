// Stores in another folder than the one that they were made in: where the files of their assets are then.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MovedStoreTests {
    private static func open(_ folder: TemporaryFolder) throws -> Container {
        try Container(identifier: "test", storedAt: folder.url)
    }

    /// A file of its own name.
    private static func asset(_ name: String, _ scratch: AssetRules.Scratch) throws -> FieldValue {
        .asset(try Asset(fileURL: scratch.file(name, Data(name.utf8))))
    }

    /// What is in the files of a field of a record.
    private static func texts(_ name: String, in container: Container) async throws -> [String] {
        let found = try await container.privateDatabase.record(for: Record.ID(name))
        return try (found.fields["files"]?.assets ?? []).map { asset in
            String(decoding: try Data(contentsOf: URL(filePath: asset.path)), as: UTF8.self)
        }
    }

    /// The first list is in a file of records, the second in the log.
    @Test func listsOfAssetsFollowTheirStore() async throws {
        let (folder, moved) = (TemporaryFolder(), TemporaryFolder())
        let scratch = try AssetRules.Scratch()
        let container = try Self.open(folder)
        for name in ["a", "b"] {
            let files = try ["\(name)1", "\(name)2"].map { try Self.asset($0, scratch) }
            try await container.privateDatabase.put(record(name, ["files": .list(files)]))
            if name == "a" { try await container.checkpoint() }
        }
        // As a process that is killed leaves it.
        container.client.store.journal?.close()
        try FileManager.default.moveItem(at: folder.url, to: moved.url)
        let again = try Self.open(moved)
        for name in ["a", "b"] {
            #expect(try await Self.texts(name, in: again) == ["\(name)1", "\(name)2"])
        }
        #expect(await again.removeUnusedAssets() == 0)
        again.close()
    }

    /// A store that was written in another folder, and comes back without an orderly end there.
    @Test func aStoreMovesThereAndBack() async throws {
        let (here, there) = (TemporaryFolder(), TemporaryFolder())
        let scratch = try AssetRules.Scratch()
        var container = try Self.open(here)
        try await container.privateDatabase.put(record("a", ["files": .list([Self.asset("a", scratch)])]))
        container.close()
        try FileManager.default.moveItem(at: here.url, to: there.url)
        container = try Self.open(there)
        try await container.privateDatabase.put(record("b", ["files": .list([Self.asset("b", scratch)])]))
        container.client.store.journal?.close()
        try FileManager.default.moveItem(at: there.url, to: here.url)
        container = try Self.open(here)
        for name in ["a", "b"] { #expect(try await Self.texts(name, in: container) == [name]) }
        container.close()
        #expect(try Container.verify(storedAt: here.url) == [])
    }

    /// The copy of a store that lacks a file lacks it too, and has all else.
    @Test func aStoreThatLacksAFileIsCopied() async throws {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let scratch = try AssetRules.Scratch()
        let container = try Self.open(folder)
        try await container.privateDatabase.put(
            record("a", ["files": .list([Self.asset("a", scratch)])]), record("b", ["n": 1]))
        let saved = try await container.privateDatabase.record(for: Record.ID("a"))
        let lost = try #require(saved.fields["files"]?.assets.first)
        try FileManager.default.removeItem(atPath: lost.path)
        try await container.backUp(to: copy.url)
        container.close()
        #expect(FileManager.default.fileExists(atPath: copy.path + "/data.mdb"))
        let opened = try Self.open(copy)
        #expect(await opened.privateDatabase.has("b"))
        await fails(.assetNotAvailable) { try await opened.privateDatabase.record(for: Record.ID("a")) }
        opened.close()
    }
}
