// What is given is taken as it is: values that no field holds, fields that are wanted, settings, scopes of an engine.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

/// A delegate that notes why, and what, its engine fetches and sends.
private actor Contexts: CKSyncEngineDelegate {
    private(set) var lines: [String] = []

    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async {
        switch event {
        case .willFetchChanges(let will): lines.append("fetch \(will.context.reason == .manual)")
        case .willSendChanges(let will):
            let ids = if case .recordIDs(let ids) = will.context.options.scope { ids } else { [CKRecord.ID]() }
            lines.append("send \(will.context.reason == .manual) \(ids.map(\.recordName))")
        default: break
        }
    }

    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch? { nil }
}

@Suite(.mayDeadlock) struct GivenValueTests {
    @Test("An asset of a web address has no file, though there is one of the same path")
    func webAddresses() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "web-\(UUID().uuidString)")
        try Data([1]).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let asset = CKAsset(fileURL: try #require(URL(string: "https://example.org" + file.path)))
        #expect(asset.fileURL == nil && CKAsset(fileURL: file).fileURL?.path == file.path)
        let scene = try await Scene()
        let record = scene.record("n")
        record["file"] = asset
        await #expect(throws: CKError.self) { try await scene.database.save(record) }
    }

    @Test("A set is refused as the value of a field, and is no list")
    func sets() async throws {
        let scene = try await Scene()
        let record = try await scene.database.record(for: scene.id("a"))
        for set in [Set(["x"]), Set<AnyHashable>(["x"])] as [Any] {
            record.setValue(set, forKey: "tags")
            await #expect(throws: CKError.self) { try await scene.database.save(record) }
        }
        record.setValue(["x"], forKey: "tags")
        try await scene.database.save(record)
        #expect(try await scene.database.record(for: scene.id("a"))["tags"] as? [String] == ["x"])
    }

    @Test("The record of the current user comes with the fields that are wanted")
    func userFields() async throws {
        let (scene, log) = (try await Scene(), Log())
        let database = scene.container.publicCloudDatabase
        let user = try await database.record(for: try await scene.container.userRecordID())
        user["nickname"] = "n"
        user["size"] = 1
        try await database.save(user)
        for keys in [["size"], nil] as [[String]?] {
            let fetch = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            fetch.desiredKeys = keys
            fetch.perRecordResultBlock = { id, result in
                log.add("\(id.recordName) \((try? result.get())?.allKeys().sorted() ?? [])")
            }
            await scene.run(fetch, on: database)
        }
        #expect(log.lines == ["_a11ce [\"size\"]", "_a11ce [\"nickname\", \"size\"]"])
    }

    @Test("The folder of long-lived operations is open to its user alone")
    func folders() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "closed-\(UUID().uuidString)")
        let operations = folder.path + ".operations"
        defer {
            for path in [folder.path, operations, folder.path + ".key"] {
                try? FileManager.default.removeItem(atPath: path)
            }
        }
        let store = try Container(identifier: "closed folder", storedAt: folder, account: .user("_a11ce"))
        defer { store.close() }
        let database = CKContainer(store).privateCloudDatabase
        database.operationQueue.isSuspended = true
        let fetch = CKFetchRecordsOperation(recordIDs: [CKRecord.ID(recordName: "a")])
        fetch.isLongLived = true
        database.add(fetch)
        let attributes = try FileManager.default.attributesOfItem(atPath: operations)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    }

    @Test("Settings that name no container name none after an operation was added with them")
    func settings() throws {
        let container = CKContainer(try Container(identifier: "given settings", account: .user("_a11ce")))
        let (settings, operation) = (CKOperation.Configuration(), CKDiscoverAllUserIdentitiesOperation())
        container.configuredWith(configuration: settings) { $0.add(operation) }
        #expect(operation.resolvedConfiguration.container != nil && settings.container == nil)
    }

    @Test("A sync engine that is called tells so, and which records it is to send")
    func contexts() async throws {
        let (scene, delegate) = (try await Scene(), Contexts())
        var settings = CKSyncEngine.Configuration(
            database: scene.database, stateSerialization: nil, delegate: delegate)
        settings.automaticallySync = false
        let engine = CKSyncEngine(settings)
        try await engine.fetchChanges()
        try await engine.sendChanges(.init(scope: .recordIDs([scene.id("a")])))
        #expect(await delegate.lines == ["fetch true", "send true [\"a\"]"])
    }

    @Test("A whole number beyond those with a sign is the nearest fraction, and no negative one")
    func largeNumbers() {
        let record = CKRecord(recordType: "T")
        for (number, value) in [
            (.max, .double(0x1p64)), (1 << 63, .double(0x1p63)), (5, .int64(5)),
        ] as [(UInt64, FieldValue)] {
            record.setObject(NSNumber(value: number), forKey: "n")
            #expect(record.record["n"] == value)
        }
    }
}
