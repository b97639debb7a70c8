// Files of assets that are in use, and files that cannot be.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct AssetHoldTests {
    private func exists(_ asset: Asset) -> Bool { FileManager.default.fileExists(atPath: asset.path) }

    /// Equal bytes are kept once, for as long as one of the saves that use them is under way.
    @Test func equalBytesAreHeldByEachSave() throws {
        let scratch = try AssetRules.Scratch()
        let folder = AssetFolder(nil)
        let stored = try ["a", "b"].map { try folder.store(Asset(fileURL: scratch.file($0, Data("same".utf8)))) }
        let other = try folder.store(Asset(fileURL: scratch.file("c", Data("other".utf8))))
        #expect(stored[0].path == stored[1].path && other.path != stored[0].path)
        // One that is there already is held once more.
        let again = try folder.store(stored[0])
        #expect(again.path == stored[0].path)
        for asset in stored {
            folder.release([asset])
            #expect(try folder.sweep { _ in [] } == 0)
            #expect(exists(again) && exists(other))
        }
        folder.release([again, other])
        #expect(try folder.sweep { names in Set(names.map { folder.path + "/" + $0 }) } == 0)
        #expect(try folder.sweep { _ in [other.path] } == 1)
        #expect(!exists(again) && exists(other))
        #expect(throws: DatabaseError.self) { try folder.store(again) }
        #expect(folder.byteCount == 5)
    }

    /// A path through a file leads nowhere, as one through a folder that is not there.
    @Test func pathsThatLeadNowhere() throws {
        let scratch = try AssetRules.Scratch()
        let file = try scratch.file("file", Data([1]))
        let folder = AssetFolder(nil)
        for path in [file.path + "/below", scratch.folder.path + "/none", scratch.folder.path + "/none/below"] {
            let error = #expect(throws: DatabaseError.self) { try folder.store(Asset(path: path)) }
            #expect(error?.code == .assetFileNotFound, "\(path)")
        }
        let error = #expect(throws: DatabaseError.self) { try folder.store(Asset(path: scratch.folder.path)) }
        #expect(error?.code == .assetNotAvailable)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }

    /// Assets of lists are in use, each of them, until the list has others.
    @Test func assetsOfListsAreKept() async throws {
        let world = try await World()
        let scratch = try AssetRules.Scratch()
        let values = try ["a", "b"].map {
            FieldValue.asset(try Asset(fileURL: scratch.file($0, Data($0.utf8))))
        }
        var saved = try await world.mine.save(record("r", ["list": .list(values)]))
        #expect(await world.alice.removeUnusedAssets() == 0)
        let assets: [Asset] = try #require(saved["list"])
        #expect(assets.count == 2 && assets.allSatisfy(exists))
        saved["list"] = .list([.asset(assets[1])])
        try await world.mine.save(saved)
        #expect(await world.alice.removeUnusedAssets() == 1)
        #expect(!exists(assets[0]) && exists(assets[1]))
    }

    /// The record of a conflict tells its share, whether its type has files or not.
    @Test(arguments: [false, true]) func sharesOfConflicts(hasFiles: Bool) async throws {
        let world = try await World()
        var type = ContainerSchema.RecordType()
        type.define("n", ContainerSchema.Field(.int64))
        if hasFiles { type.define("file", ContainerSchema.Field(.asset)) }
        var schema = world.alice.schema
        schema.recordTypes["T"] = type
        try world.alice.setSchema(schema)
        let stale = try await world.mine.put(record("list", in: world.zone, ["n": 1]))[0]
        let share = Share(root: stale)
        try await world.mine.put(stale, share.record)
        var changed = stale
        changed["n"] = 2
        let sent = changed
        let error = await fails(.serverRecordChanged) { try await world.mine.save(sent) }
        #expect(error?.serverRecord?.share?.recordID == share.id)
    }
}
