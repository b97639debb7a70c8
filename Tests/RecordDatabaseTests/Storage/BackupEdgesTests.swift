// Backups of stores whose files of assets come and go meanwhile, or are not there.

import Foundation
import RecordModel
import RecordStorage
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct BackupEdgesTests {
    private static func asset(_ text: String, _ scratch: AssetRules.Scratch) throws -> FieldValue {
        .asset(try Asset(fileURL: scratch.file(text, Data(text.utf8))))
    }

    private static func open(_ folder: TemporaryFolder) throws -> Container {
        try Container(identifier: "test", storedAt: folder.url, options: StorageOptions(durability: .off))
    }

    /// What the records of a copy name is in it, though they got other files while it was made, and unused ones are
    /// swept. Who does not have the store open for writing is told when that cannot be.
    @Test(arguments: [true, false]) func copiesHaveTheFilesOfTheirMoment(isOfWriter: Bool) async throws {
        let (folder, copy, scratch) = (TemporaryFolder(), TemporaryFolder(), try AssetRules.Scratch())
        let container = try Self.open(folder)
        let database = container.privateDatabase
        for number in 0..<50 {
            try await database.save(record("r\(number)", ["file": Self.asset("file \(number)", scratch)]))
        }
        let replacing = BackgroundLoop(pause: 0.001) { round in
            let saved = record("r", ["file": try Self.asset("round \(round)", scratch)])
            _ = try database.modify(ModifyRequest(saves: [saved], policy: .allKeys))
            _ = container.client.store.removeUnusedAssets()
        }
        while replacing.rounds == 0, !replacing.isEnded { try await Task.sleep(for: .milliseconds(1)) }
        var failure: DatabaseError?
        do throws(DatabaseError) {
            if isOfWriter {
                try await container.backUp(to: copy.url)
            } else {
                try Container.backUp(storedAt: folder.url, to: copy.url)
            }
        } catch {
            failure = error
        }
        #expect(try await replacing.stop() > 0)
        container.close()
        guard let failure else {
            #expect(try Container.verify(storedAt: copy.url) == [])
            return
        }
        #expect(!isOfWriter && failure.code == .serviceUnavailable, "\(failure)")
        #expect(!FileManager.default.fileExists(atPath: copy.path))
    }

    /// A store that lacks a file is copied without it.
    @Test func filesThatAreMissingAreMissingInTheCopy() async throws {
        let (folder, copy, scratch) = (TemporaryFolder(), TemporaryFolder(), try AssetRules.Scratch())
        let container = try Self.open(folder)
        let assets = [try Self.asset("one", scratch), try Self.asset("two", scratch)]
        let saved = try await container.privateDatabase.put(
            record("a", ["file": assets[0]]), record("b", ["file": assets[1]]))
        let gone: Asset = try #require(saved[0]["file"])
        try FileManager.default.removeItem(atPath: gone.path)
        try await container.backUp(to: copy.url)
        container.close()
        #expect(try Container.verify(storedAt: copy.url).count == 1)
    }

    /// Nothing is swept while somebody copies the folder, and everything afterwards.
    @Test func sweepsWaitForCopies() throws {
        let (folder, scratch) = (AssetFolder(nil), try AssetRules.Scratch())
        folder.release([try folder.store(Asset(fileURL: scratch.file("a", Data("a".utf8))))])
        let swept = try folder.keepingFiles { () throws(StorageError) -> [Int] in
            let beside = try folder.keepingFiles { () throws(StorageError) in try folder.sweep { _ in [] } }
            return [beside, try folder.sweep { _ in [] }]
        }
        #expect(swept == [0, 0])
        #expect(try folder.sweep { _ in [] } == 1)
    }
}
