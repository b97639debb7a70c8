// Sync engines: two applications with copies of their own end with what the database has.

import Foundation
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

/// An application's copy of a database's records, which its sync engine keeps.
private final class Replica: SyncEngineDelegate {
    private struct Content {
        var records: [Record.ID: Record] = [:]
        var stored: SyncEngine.State.Serialization?
        var events: [String] = []
    }

    private let content = Mutex(Content())
    var events: [String] { content.withLock { $0.events } }
    var records: [Record.ID: Record] { content.withLock { $0.records } }
    var stored: SyncEngine.State.Serialization? { content.withLock { $0.stored } }

    /// Changes a record here, and has it sent.
    func set(_ id: Record.ID, _ value: Int, _ engine: SyncEngine) {
        content.withLock { content in
            var record = content.records[id] ?? Record(type: "Note", id: id)
            record["value"] = value
            content.records[id] = record
        }
        engine.state.add([.save(id)])
    }

    func delete(_ id: Record.ID, _ engine: SyncEngine) {
        guard content.withLock({ $0.records.removeValue(forKey: id) }) != nil else { return }
        engine.state.add([.delete(id)])
    }

    func handle(_ event: SyncEngine.Event, of engine: SyncEngine) async {
        content.withLock { $0.events.append("\(event)".prefix { $0 != "(" }.description) }
        switch event {
        case .stateUpdate(let state): content.withLock { $0.stored = state }
        case .fetchedZoneChanges(_, let records, let deletions):
            for record in records { take(record, engine) }
            for deletion in deletions { drop(deletion.recordID, engine) }
        case .fetchedDatabaseChanges(_, let deletions):
            content.withLock { content in
                for zone in deletions { content.records = content.records.filter { $0.key.zoneID != zone.zoneID } }
            }
        case .sentRecordChanges(let sent):
            for record in sent.saved { take(record, engine) }
            for (record, error) in sent.failedSaves { resolve(record, error, engine) }
        default: break
        }
    }

    /// The record of the server, with what is to be sent of this one.
    private func take(_ record: Record, _ engine: SyncEngine) {
        let pending = engine.state.pendingRecordChanges.filter { $0.recordID == record.id }
        content.withLock { content in
            if pending.contains(.delete(record.id)) { return }
            var record = record
            if pending.contains(.save(record.id)), let own = content.records[record.id] {
                record["value"] = own["value"]
            }
            content.records[record.id] = record
        }
    }

    private func drop(_ id: Record.ID, _ engine: SyncEngine) {
        _ = content.withLock { $0.records.removeValue(forKey: id) }
        engine.state.remove([SyncEngine.PendingRecordChange.save(id), .delete(id)])
    }

    private func resolve(_ record: Record, _ error: DatabaseError, _ engine: SyncEngine) {
        switch error.code {
        case .serverRecordChanged:
            guard var server = error.serverRecord else { return drop(record.id, engine) }
            content.withLock { content in
                server["value"] = content.records[record.id]?["value"] ?? record["value"]
                content.records[record.id] = server
            }
            engine.state.add([.save(record.id)])
        case .unknownItem: drop(record.id, engine)
        case .zoneNotFound: engine.state.add([SyncEngine.PendingZoneChange.save(record.id.zoneID)])
        default: break
        }
    }

    func nextRecordChangeBatch(
        _ context: SyncEngine.SendContext, of engine: SyncEngine
    ) async -> SyncEngine.RecordChangeBatch? {
        let changes = engine.state.pendingRecordChanges.filter { context.options.scope.contains($0) }
        return await SyncEngine.RecordChangeBatch(of: changes, limit: 7) { id in records[id] }
    }
}

@Suite(.waits) struct SyncEngineTests {
    private static let zone = RecordZone.ID("Notes")

    /// Calls that fail now and then.
    private final class Faults: Sendable {
        private let random: Mutex<SplitMix64>
        let isOn = Mutex(true)
        init(seed: UInt64) { random = Mutex(SplitMix64(seed: seed)) }

        func fault() -> DatabaseError? {
            guard isOn.withLock({ $0 }) else { return nil }
            let number = random.withLock { Int.random(in: 0..<8, using: &$0) }
            return number == 0 ? DatabaseError(.networkFailure, "the connection was lost") : nil
        }
    }

    @Test("Two copies with conflicts, lost connections and restarts end as the database is", arguments: [UInt64](1...6))
    func converge(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let faults = Faults(seed: seed)
        var configuration = Configuration()
        configuration.faults = { _ in faults.fault() }
        let container = try Container(identifier: "sync \(seed)")
        let clients = [
            try Container(sharing: container, account: .localUser, configuration: configuration),
            try Container(sharing: container, account: .localUser, configuration: configuration),
        ]
        func engine(_ client: Int, _ replica: Replica, _ state: SyncEngine.State.Serialization?) -> SyncEngine {
            var settings = SyncEngine.Configuration(container: clients[client], state: state)
            settings.syncsAutomatically = false
            return SyncEngine(settings, delegate: replica)
        }
        let replicas = [Replica(), Replica()]
        var engines = [engine(0, replicas[0], nil), engine(1, replicas[1], nil)]
        engines[0].state.add([SyncEngine.PendingZoneChange.save(Self.zone)])
        for step in 0..<400 {
            let client = Int.random(in: 0...1, using: &random)
            let id = Record.ID("r\(Int.random(in: 0..<20, using: &random))", zoneID: Self.zone)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: replicas[client].delete(id, engines[client])
            case 1: try? await engines[client].fetchChanges()
            case 2: try? await engines[client].sendChanges()
            case 3:
                let coded = try JSONEncoder().encode(engines[client].state.serialization)
                let state = try JSONDecoder().decode(SyncEngine.State.Serialization.self, from: coded)
                #expect(state == engines[client].state.serialization)
                engines[client] = engine(client, replicas[client], state)
            default: replicas[client].set(id, step, engines[client])
            }
        }
        faults.isOn.withLock { $0 = false }
        for _ in 0..<4 {
            for engine in engines {
                try? await engine.sendChanges()
                try await engine.fetchChanges()
            }
        }
        let stored = try await container.privateDatabase.recordZoneChanges(inZoneWith: Self.zone).modifications
        let expected = Dictionary(try stored.map { ($0.id, try $0.result.get()["value"] as FieldValue) }) { $1 }
        #expect(!expected.isEmpty)
        for (replica, engine) in zip(replicas, engines) {
            #expect(engine.state.pendingRecordChanges.isEmpty && engine.state.pendingZoneChanges.isEmpty)
            #expect(replica.records.mapValues { $0["value"] as FieldValue } == expected)
        }
    }

    /// An engine that syncs when it is called.
    private func engine(
        _ container: Container, _ replica: Replica, _ state: SyncEngine.State.Serialization? = nil
    ) -> SyncEngine {
        var settings = SyncEngine.Configuration(container: container, state: state)
        settings.syncsAutomatically = false
        return SyncEngine(settings, delegate: replica)
    }

    @Test(
        "Where a token has expired, what is gone is told beside what is there, over failures and restarts",
        arguments: [
            UInt64
        ](1...12))
    func expiredTokens(_ seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        let faults = Faults(seed: seed)
        var configuration = Configuration()
        (configuration.limits.deletionsPerZone, configuration.limits.changesPerRequest) = (2, 3)
        let container = try Container(identifier: "sync expired \(seed)", configuration: configuration)
        let database = container.privateDatabase
        try await database.save(RecordZone(id: Self.zone))
        configuration.faults = { _ in faults.fault() }
        let client = try Container(sharing: container, account: .localUser, configuration: configuration)
        let replica = Replica()
        var engine = engine(client, replica)
        for _ in 0..<12 {
            // So much is deleted between two fetches that the token expires.
            var expected: Set<Record.ID> = []
            for number in 0..<12 {
                let id = Record.ID("r\(number)", zoneID: Self.zone)
                if Bool.random(using: &random) {
                    expected.insert(id)
                    _ = try await database.modifyRecords(
                        saving: [Record(type: "T\(number % 2)", id: id)],
                        deleting: [], savePolicy: .allKeys)
                } else {
                    _ = try await database.modifyRecords(saving: [], deleting: [id])
                }
            }
            faults.isOn.withLock { $0 = true }
            for _ in 0..<3 {
                try? await engine.fetchChanges()
                if Bool.random(using: &random) { engine = self.engine(client, replica, replica.stored) }
            }
            faults.isOn.withLock { $0 = false }
            try await engine.fetchChanges()
            #expect(Set(replica.records.keys) == expected)
        }
        let types = replica.records.mapValues(\.type)
        for (id, type) in types { #expect(try await database.record(for: id).type == type) }
    }

    @Test("What an engine has sent and others delete before it fetches is told as deleted")
    func sentBeforeTheFirstFetch() async throws {
        let container = try Container(identifier: "sync sent")
        let replica = Replica()
        let engine = engine(container, replica)
        engine.state.add([SyncEngine.PendingZoneChange.save(Self.zone)])
        let ids = (0..<3).map { Record.ID("r\($0)", zoneID: Self.zone) }
        for id in ids { replica.set(id, 1, engine) }
        try await engine.sendChanges()
        try await container.privateDatabase.deleteRecord(withID: ids[1])
        try await engine.fetchChanges()
        #expect(Set(replica.records.keys) == [ids[0], ids[2]])
    }

    @Test("Zones and records that a restored backup lacks are told as deleted")
    func restoredBackup() async throws {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let (old, new) = (RecordZone.ID("Old"), RecordZone.ID("New"))
        var container = try Container(identifier: "sync restored", storedAt: folder.url)
        try await container.privateDatabase.save(RecordZone(id: old))
        try await container.privateDatabase.save(Record(type: "T", id: Record.ID("a", zoneID: old)))
        try await container.backUp(to: copy.url)
        try await container.privateDatabase.save(RecordZone(id: new))
        for zone in [old, new] {
            try await container.privateDatabase.save(Record(type: "T", id: Record.ID("b", zoneID: zone)))
        }
        let replica = Replica()
        try await engine(container, replica).fetchChanges()
        #expect(replica.records.count == 3)
        container.close()
        container = try Container(identifier: "sync restored", storedAt: copy.url)
        try await engine(container, replica, replica.stored).fetchChanges()
        #expect(Set(replica.records.keys) == [Record.ID("a", zoneID: old)])
        container.close()
    }

    @Test("Events come in order: who is there, zones before records, a state after every step")
    func events() async throws {
        let container = try Container(identifier: "sync events")
        let replica = Replica()
        var settings = SyncEngine.Configuration(container: container)
        settings.syncsAutomatically = false
        let engine = SyncEngine(settings, delegate: replica)
        engine.state.add([SyncEngine.PendingZoneChange.save(Self.zone)])
        replica.set(Record.ID("a", zoneID: Self.zone), 1, engine)
        try await engine.sendChanges()
        try await engine.fetchChanges()
        #expect(
            replica.events == [
                "accountChange", "stateUpdate", "willSendChanges", "sentDatabaseChanges", "stateUpdate",
                "sentRecordChanges", "stateUpdate", "didSendChanges", "willFetchChanges", "fetchedDatabaseChanges",
                "stateUpdate", "willFetchZoneChanges", "fetchedZoneChanges", "stateUpdate", "didFetchZoneChanges",
                "didFetchChanges",
            ])
        #expect(replica.stored == engine.state.serialization)
        // Nothing is new.
        let count = replica.events.count
        try await engine.fetchChanges()
        #expect(replica.events.dropFirst(count) == ["willFetchChanges", "stateUpdate", "didFetchChanges"])
    }

    @Test("The error of a zone is told, whatever becomes of the zones behind it", arguments: [1, 2])
    func firstError(count: Int) async throws {
        let container = try Container(identifier: "sync errors")
        for name in ["Y", "Z"] {
            let zone = RecordZone.ID(name)
            try await container.privateDatabase.save(RecordZone(id: zone))
            try await container.privateDatabase.save(Record(type: "T", id: Record.ID("a", zoneID: zone)))
        }
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let client = try Container(sharing: container, account: .localUser, configuration: configuration)
        let replica = Replica()
        let engine = engine(client, replica)
        script.failNext(1, .fetchZoneChanges, with: .networkFailure)
        if count == 2 { script.failNext(1, .fetchZoneChanges, with: .zoneBusy) }
        let error = await #expect(throws: DatabaseError.self) { try await engine.fetchChanges() }
        #expect(error?.code == .networkFailure && replica.records.count == 2 - count)
        try await engine.fetchChanges()
        #expect(replica.records.count == 2)
    }

    @Test("What others share is kept, sent and dropped like one's own")
    func shared() async throws {
        let container = try Container(identifier: "sync shared", account: .user("_a11ce"))
        let other = try Container(sharing: container, account: .user("_b0b"))
        let own = container.privateDatabase
        try await own.save(RecordZone(id: Self.zone))
        let root = Record(type: "Note", id: Record.ID("root", zoneID: Self.zone), fields: ["value": 1])
        var below = Record(type: "Note", id: Record.ID("below", zoneID: Self.zone), fields: ["value": 2])
        below.setParent(root.id)
        let hidden = Record(type: "Note", id: Record.ID("hidden", zoneID: Self.zone))
        var share = Share(root: root)
        share.publicPermission = .readWrite
        let saved = try await own.modifyRecords(saving: [root, below, hidden, share.record], deleting: []).saveResults
        share = try #require(saved[share.id].flatMap { try? $0.get() }.flatMap { Share($0) })
        let url = try #require(share.url)
        let replica = Replica()
        var settings = SyncEngine.Configuration(container: other)
        (settings.scope, settings.syncsAutomatically) = (.shared, false)
        let engine = SyncEngine(settings, delegate: replica)
        try await engine.fetchChanges()
        #expect(replica.records.isEmpty)
        try await other.accept(other.shareMetadata(for: url))
        try await engine.fetchChanges()
        #expect(Set(replica.records.keys.map(\.recordName)) == ["root", "below", share.id.recordName])
        let zone = RecordZone.ID(Self.zone.zoneName, ownerName: "_a11ce")
        replica.set(Record.ID("below", zoneID: zone), 7, engine)
        try await engine.sendChanges()
        let sent: Int? = try await own.record(for: below.id)["value"]
        #expect(sent == 7 && engine.state.pendingRecordChanges.isEmpty)
        try await own.deleteRecord(withID: share.id)
        try await engine.fetchChanges()
        #expect(replica.records.isEmpty)
    }

    @Test("The last of several changes counts; what does not pass by itself does not stay")
    func pending() async throws {
        let container = try Container(identifier: "sync pending")
        let replica = Replica()
        var settings = SyncEngine.Configuration(container: container)
        settings.syncsAutomatically = false
        let engine = SyncEngine(settings, delegate: replica)
        let (a, b) = (Record.ID("a", zoneID: Self.zone), Record.ID("b"))
        engine.state.add([.save(a), .save(b), .delete(a)] as [SyncEngine.PendingRecordChange])
        #expect(engine.state.pendingRecordChanges == [.save(b), .delete(a)])
        engine.state.remove([SyncEngine.PendingRecordChange.save(a)])
        #expect(engine.state.pendingRecordChanges.count == 2)
        replica.set(b, 1, engine)
        do throws(DatabaseError) {
            try await engine.sendChanges(.init(scope: .records([a])))
            Issue.record("a zone that is not there")
        } catch {
            #expect(error.code == .partialFailure && error.partialErrors[.record(a)]?.code == .zoneNotFound)
        }
        #expect(engine.state.pendingRecordChanges == [.save(b)])
        try await engine.sendChanges()
        #expect(engine.state.pendingRecordChanges.isEmpty)
    }

    @Test("By itself an engine sends what is added, and fetches what others save")
    func automatic() async throws {
        let first = try Container(identifier: "sync automatic")
        let second = try Container(sharing: first, account: .localUser)
        let replicas = [Replica(), Replica()]
        let engines = [
            SyncEngine(.init(container: first), delegate: replicas[0]),
            SyncEngine(.init(container: second), delegate: replicas[1]),
        ]
        engines[0].state.add([SyncEngine.PendingZoneChange.save(Self.zone)])
        let id = Record.ID("a", zoneID: Self.zone)
        replicas[0].set(id, 5, engines[0])
        for _ in 0..<1_500 where replicas[1].records[id] == nil { try await Task.sleep(for: .milliseconds(20)) }
        #expect(replicas[1].records[id]?["value"] == 5)
        replicas[1].set(id, 6, engines[1])
        for _ in 0..<1_500 where replicas[0].records[id]?["value"] != 6 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(replicas[0].records[id]?["value"] == 6)
        for engine in engines { await engine.cancelOperations() }
    }
}
