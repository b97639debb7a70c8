// Files of assets that transactions and migrations save: let go of when these are done, and counted.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct AssetReleaseTests {
    /// Gives every record of type T the file at a path.
    private static func adding(_ path: String) -> SchemaMigration {
        SchemaMigration("file") { change in
            change.addField("file", ContainerSchema.Field(.asset), to: "T")
            change.updateRecords(ofType: "T") { $0["file"] = .asset(Asset(path: path, size: 4)) }
        }
    }

    /// What a transaction saved is unused when its record is deleted, and no sooner.
    @Test func filesOfTransactionsAreLetGo() async throws {
        let (world, scratch) = (try await World(), try AssetRules.Scratch())
        let asset = try Asset(fileURL: scratch.file("text", Data("text".utf8)))
        let new = record("r", ["file": .asset(asset)])
        try await world.mine.write { try $0.save(new) }
        #expect(await world.alice.removeUnusedAssets() == 0)
        try await world.mine.deleteRecord(withID: new.id)
        #expect(await world.alice.removeUnusedAssets() == 1)
    }

    /// The same of a file that a migration gives a record.
    @Test func filesOfMigrationsAreLetGo() async throws {
        let (container, scratch) = (try Container(identifier: "test"), try AssetRules.Scratch())
        let database = container.privateDatabase
        try await database.save(record("r", ["n": 1]))
        let path = try scratch.file("text", Data("text".utf8)).path
        try await container.migrate([Self.adding(path)])
        #expect(await container.removeUnusedAssets() == 0)
        try await database.deleteRecord(withID: Record.ID("r"))
        #expect(await container.removeUnusedAssets() == 1)
    }

    /// A migration that adds a file and nothing else takes the bytes of the file.
    @Test func filesOfMigrationsHaveToFitTheStore() async throws {
        let scratch = try AssetRules.Scratch()
        var configuration = Configuration()
        configuration.limits.bytesPerStore = 100_000
        let container = try Container(identifier: "test", configuration: configuration)
        try await container.privateDatabase.save(record("r", ["n": 1]))
        let path = try scratch.file("large", Data(count: 200_000)).path
        await fails(.quotaExceeded) { try await container.migrate([Self.adding(path)]) }
        #expect(container.schema.recordTypes["T"]?.fields["file"] == nil)
        #expect(try await container.privateDatabase.record(for: Record.ID("r")).allKeys() == ["n"])
    }
}
