// Files of assets beside copies that are under way, and beside a server that does not answer.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct AssetSweepEdgesTests {
    /// Copies under way do not count, wherever they are among the files of the folder.
    @Test func copiesAmongFilesDoNotCount() throws {
        let (scratch, folder) = (try AssetRules.Scratch(), AssetFolder(nil))
        var byteCount = 0
        // A folder lists its files in an order of its own: some copies come behind files in any case.
        for number in 1...8 {
            let bytes = Data(count: number)
            folder.release([try folder.store(Asset(fileURL: scratch.file("\(number)", bytes)))])
            try Data(count: 100).write(to: URL(filePath: folder.path + "/copy-1-\(number)"))
            byteCount += number
        }
        #expect(folder.byteCount == byteCount)
    }

    /// What a server does not tell to be unused stays.
    @Test func copiesStayWhereTheServerIsSilent() async throws {
        let scratch = try AssetRules.Scratch()
        let server = SilentServer(assetFolder: scratch.folder.appending(path: "copies").path)
        let container = try Container(identifier: "test", on: server, account: .none, configuration: Configuration())
        let assets = container.client.store.assets
        let stored = try assets.store(Asset(fileURL: scratch.file("abc", Data("abc".utf8))))
        assets.release([stored])
        #expect(await container.removeUnusedAssets() == 0)
        #expect(FileManager.default.fileExists(atPath: stored.path))
        container.close()
    }
}

/// Has an empty schema, and fails whatever else it is asked for.
private final class SilentServer: RecordServer {
    let assetFolder: String

    init(assetFolder: String) { self.assetFolder = assetFolder }

    var incarnation: String { "1" }
    var callCount: Int { 1 }

    private static var silence: DatabaseError { DatabaseError(.networkFailure, "the server does not answer") }

    func schema() throws(DatabaseError) -> ContainerSchema { ContainerSchema() }
    func roles() throws(DatabaseError) -> [String: Set<String>] { [:] }

    func storeAssets(_: [Asset]) throws(DatabaseError) { throw Self.silence }
    func removeUnusedAssets() throws(DatabaseError) -> [String] { throw Self.silence }
    func assetsInUse(among _: [String]) throws(DatabaseError) -> Set<String> { throw Self.silence }
    func readAsset(
        _: String, _: ([UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Bool { throw Self.silence }

    func changeSchema(
        _: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError) { throw Self.silence }
    func analyze(_: [String]) throws(DatabaseError) { throw Self.silence }
    func setRoles(_: Set<String>, of _: String) throws(DatabaseError) { throw Self.silence }
    func encryptionKey(noting _: String?) throws(DatabaseError) -> String? { throw Self.silence }

    func read(_: DatabaseOrigin, _: ServerNeed) throws(DatabaseError) -> ServerMoment { throw Self.silence }
    func reading<Outcome>(
        _: DatabaseOrigin, _: (ServerMoment, any ServerReading) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome { throw Self.silence }
    func write<Outcome>(
        _: DatabaseOrigin, _: ServerNeed,
        _: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome { throw Self.silence }
    func share(withToken _: String) throws(DatabaseError) -> (owner: String, id: Record.ID)? { throw Self.silence }
    func sharers(of _: String) throws(DatabaseError) -> [ServerSharer] { throw Self.silence }
    func isKnown(_: DatabaseOrigin) throws(DatabaseError) -> Bool { throw Self.silence }
    func notices(
        _: DatabaseOrigin, of _: Set<String>, on _: Int32, after _: NoticePlace, through _: Int64?, limit _: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64) { throw Self.silence }
    func watch(_: DatabaseOrigin, _: @escaping @Sendable () -> Void) -> Int { 0 }
    func endWatching(_: Int) {}
    func close() {}
}
