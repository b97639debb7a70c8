// Assets of all databases of a store, and what conflicts tell of records that have some.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct AssetUseEdgesTests {
    private static func asset(_ text: String, _ scratch: AssetRules.Scratch) throws -> FieldValue {
        .asset(try Asset(fileURL: scratch.file(text, Data(text.utf8))))
    }

    /// Files that records of other users and of the public database name are in use, whoever cleans up.
    @Test func filesOfAllDatabasesStay() async throws {
        let (world, scratch) = (try await World(), try AssetRules.Scratch())
        let databases = [world.mine, world.bob.privateDatabase, world.everyones]
        for (number, database) in databases.enumerated() {
            try await database.save(record("r", ["a": Self.asset("file \(number)", scratch)]))
        }
        #expect(await world.alice.removeUnusedAssets() == 0)
        for (number, database) in databases.enumerated() {
            let asset: Asset = try #require(try await database.record(for: Record.ID("r"))["a"])
            #expect(try Data(contentsOf: URL(filePath: asset.path)) == Data("file \(number)".utf8))
        }
    }

    /// The stored record of a conflict has its parent and its encrypted values, though not the files of its assets.
    @Test func conflictsOfRecordsWithFiles() async throws {
        let (world, scratch) = (try await World(), try AssetRules.Scratch())
        try await world.mine.put(record("p", in: world.zone))
        var child = record("c", in: world.zone, ["n": 1, "file": try Self.asset("file", scratch)])
        child.setParent(world.own("p"))
        child.encryptedValues["text"] = "secret"
        let old = try await world.mine.put(child)[0]
        var newer = old
        newer["n"] = 2
        try await world.mine2.put(newer)
        var late = old
        late["n"] = 3
        let sent = late
        let error = await fails(.serverRecordChanged) { try await world.mine.save(sent) }
        let server = try #require(error?.serverRecord)
        #expect(server["n"] == 2 && server.parent?.recordID == world.own("p"))
        #expect(server.encryptedValues.fields == ["text": "secret"])
        let asset: Asset = try #require(server["file"])
        #expect(asset.fileURL == nil)
    }
}
