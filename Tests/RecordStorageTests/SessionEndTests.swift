// What a session leaves that ends when its store may have another writer.

import Foundation
import Testing

@testable import RecordStorage

@Suite struct SessionEndTests {
    /// Without its lock, or with another one, a writer that closes notes nothing: the next one begins a new history.
    @Test(arguments: [Durability.normal, .off], [false, true])
    func theEndIsNotedByWhoHasTheLock(_ durability: Durability, isReplaced: Bool) throws {
        let folder = try TemporaryFolder()
        let environment = try StorageEnvironment(
            path: folder.file("store"), mode: .readWrite, durability: durability,
            new: StoreMetadata(identifier: "test", assetFolder: ""))
        let session = try environment.beginSession()
        try environment.append([1])
        try FileManager.default.removeItem(atPath: folder.file("store/writer.lock"))
        if isReplaced { _ = try folder.write([], "store/writer.lock") }
        environment.close()
        let reader = try StorageEnvironment(reading: folder.file("store"))
        let generation = try #require(try reader.metadata().generation)
        #expect(generation.mayLackChanges && generation.incarnation == session.incarnation)
        #expect(try reader.contents().log == [[1]])
    }
}
