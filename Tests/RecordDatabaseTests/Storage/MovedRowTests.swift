// Rows of a moved store that do not count any more: the assets that they held come back into no record.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct MovedRowTests {
    /// Of three records that are stored together, one loses its asset, one is deleted, and one stays as it is.
    @Test func assetsOfFormerRowsStayForgotten() async throws {
        let (folder, moved) = (TemporaryFolder(), TemporaryFolder())
        let scratch = try AssetRules.Scratch()
        func whole(_ name: String) throws -> Record {
            let file = try scratch.file(name, Data(name.utf8))
            return record(name, ["file": .asset(try Asset(fileURL: file)), "n": 1])
        }
        let container = try Container(identifier: "test", storedAt: folder.url)
        try await container.privateDatabase.put(whole("lost"), whole("kept"), whole("deleted"))
        var lost = try await container.privateDatabase.record(for: Record.ID("lost"))
        lost["file"] = .null
        try await container.privateDatabase.put(lost)
        try await container.privateDatabase.deleteRecord(withID: Record.ID("deleted"))
        try await container.checkpoint()
        // As a process that is killed leaves it.
        container.client.store.journal?.close()
        try FileManager.default.moveItem(at: folder.url, to: moved.url)
        let again = try Container(identifier: "test", storedAt: moved.url)
        #expect(try await again.privateDatabase.record(for: Record.ID("lost")).fields == ["n": 1])
        #expect(!(await again.privateDatabase.has("deleted")))
        let kept = try await again.privateDatabase.record(for: Record.ID("kept"))
        let asset = try #require(kept.fields["file"]?.assets.first)
        #expect(asset.path.hasPrefix(moved.path + "/assets/"))
        #expect(try Data(contentsOf: URL(filePath: asset.path)) == Data("kept".utf8))
        again.close()
    }
}
