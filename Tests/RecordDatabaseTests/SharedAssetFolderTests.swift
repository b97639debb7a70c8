// A folder of assets that several containers in memory use, and the program itself.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SharedAssetFolderTests {
    /// A container removes the files that it made, and no others.
    @Test func filesOfOthersStay() async throws {
        let scratch = try AssetRules.Scratch()
        let folder = scratch.folder.appending(path: "kept")
        var configuration = Configuration()
        configuration.assetFolder = folder
        let containers = [
            try Container(identifier: "a", configuration: configuration),
            try Container(identifier: "b", configuration: configuration),
        ]
        var paths: [String] = []
        for (number, container) in containers.enumerated() {
            let file = try scratch.file("\(number)", Data("file \(number)".utf8))
            let saved = try await container.privateDatabase.save(record("r", ["file": .asset(Asset(fileURL: file))]))
            paths.append(try #require(saved["file"] as Asset?).path)
        }
        // One of the program's own, that looks like those of stores.
        paths.append(try scratch.file("kept/" + String(repeating: "0f", count: 32), Data([1])).path)
        #expect(await containers[0].removeUnusedAssets() == 0)
        try await containers[0].privateDatabase.deleteRecord(withID: Record.ID("r"))
        #expect(await containers[0].removeUnusedAssets() == 1)
        #expect(paths.map(FileManager.default.fileExists) == [false, true, true])
        let other = try await containers[1].privateDatabase.record(for: Record.ID("r"))
        #expect((other["file"] as Asset?)?.path == paths[1])
    }

    /// Files that are copied at the same time do not get into each other's way.
    @Test func copiesAtTheSameTime() throws {
        let scratch = try AssetRules.Scratch()
        let url = scratch.folder.appending(path: "kept")
        let (folder, other) = (AssetFolder(url), AssetFolder(url))
        let files = try ["one", "two"].map { try scratch.file($0, Data($0.utf8)) }
        folder.whileCopying.withLock { $0 = { _ = try? other.store(Asset(fileURL: files[1])) } }
        let stored = try folder.store(Asset(fileURL: files[0]))
        #expect(try Data(contentsOf: URL(filePath: stored.path)) == Data("one".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).count == 2)
    }
}
