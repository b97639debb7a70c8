// An application's copy of the records of a database, in a file, kept by a sync engine.

import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

/// What a copy does wrong, so that the campaign shows that it finds it.
enum SyncFlaw: Sendable, CaseIterable {
    /// Values are read as others than were stored.
    case misreads
    /// Deletions that are fetched are not taken in.
    case ignoresDeletions
    /// The record in the way of a save is not looked at, and only its tag is taken.
    case savesOverConflicts
}

/// A copy that survives its process: what is changed is in the file before it is sent.
final class SyncReplica: SyncEngineDelegate {
    /// What the file holds.
    private struct Content: Codable {
        var records: [Record.ID: Record] = [:]
        /// Records changed and deleted here that were not sent yet.
        var unsent: Set<Record.ID> = []
        var changeCount = 0
        var state: SyncEngine.State.Serialization?
    }

    private let content: Mutex<Content>
    private let engine: Mutex<SyncEngine?> = Mutex(nil)
    private let file: String
    private let number: Int
    private let model: SyncModel
    private let flaw: SyncFlaw?

    /// The copy in a file, with an engine that goes on from the state there.
    ///
    /// - Parameters:
    ///   - number: The number of the copy.
    ///   - model: What the database holds.
    init(_ container: Container, file: String, number: Int, _ model: SyncModel, flaw: SyncFlaw?) throws {
        (self.file, self.number, self.model, self.flaw) = (file, number, model, flaw)
        let stored = try FileManager.default.contents(atPath: file).map {
            try JSONDecoder().decode(Content.self, from: $0)
        }
        content = Mutex(stored ?? Content())
        var settings = SyncEngine.Configuration(container: container, state: stored?.state)
        settings.syncsAutomatically = false
        let made = SyncEngine(settings, delegate: self)
        engine.withLock { $0 = made }
        // What was changed last may have been lost on the way to the state.
        let (unsent, records) = content.withLock { ($0.unsent, $0.records) }
        for record in records.values { model.begin(number, record) }
        made.state.add(unsent.map { records[$0] == nil ? .delete($0) : .save($0) })
    }

    var changeCount: Int { content.withLock { $0.changeCount } }
    var texts: [Record.ID: String] { content.withLock { $0.records.mapValues { Self.text($0) } } }
    var pendingCount: Int { engine.withLock { $0?.state.pendingRecordChanges.count ?? 0 } }
    private var running: SyncEngine? { engine.withLock { $0 } }

    /// What a record says, for comparison.
    static func text(_ record: Record) -> String { "\(text(of: record.fields)) \(secret(of: record) ?? "none")" }

    /// The value among fields, without what is encrypted.
    static func text(of fields: [String: FieldValue]) -> String {
        if case .int64(let value)? = fields["value"] { return "\(value)" }
        return "none"
    }

    static func secret(of record: Record) -> String? {
        if case .string(let secret) = record.encryptedValues["secret"] as FieldValue { return secret }
        return nil
    }

    /// Changes a record here, or deletes it, and has it sent.
    func change(_ id: Record.ID, to value: Int64?) throws {
        let isThere = content.withLock { content -> Bool in
            content.changeCount += 1
            content.unsent.insert(id)
            guard let value else { return content.records.removeValue(forKey: id) != nil }
            var record = content.records[id] ?? Record(type: "Note", id: id)
            Self.set(value, in: &record)
            content.records[id] = record
            return true
        }
        write()
        if isThere { running?.state.add([value == nil ? .delete(id) : .save(id)]) }
    }

    private static func set(_ value: Int64, in record: inout Record) {
        record["value"] = .int64(value)
        record.encryptedValues["secret"] = .string("s\(value)")
    }

    func deleteZone(_ zone: RecordZone.ID) { running?.state.add([SyncEngine.PendingZoneChange.delete(zone)]) }

    /// Fetches, and sends. What fails is tried again the next time.
    func synchronize(sends: Bool) async {
        guard let engine = running else { return }
        do throws(DatabaseError) {
            try await engine.fetchChanges()
            if sends { try await engine.sendChanges() }
        } catch {}
    }

    /// The whole file in one step: a process that is killed leaves the one before or the new one.
    private func write() {
        content.withLock { content in
            guard let data = try? JSONEncoder().encode(content) else { return }
            try? data.write(to: URL(filePath: file), options: .atomic)
        }
    }

    // MARK: The engine's delegate

    func handle(_ event: SyncEngine.Event, of engine: SyncEngine) async {
        switch event {
        case .stateUpdate(let state):
            content.withLock { $0.state = state }
            // With the records of that step, and not before: what is lost in between is told once more.
            write()
        case .fetchedDatabaseChanges(_, let deletions):
            for deletion in deletions {
                model.tellDeletion(number, of: deletion.zoneID)
                dropAll(in: deletion.zoneID, engine)
            }
        case .fetchedZoneChanges(_, let records, let deletions):
            for record in records { take(record, engine) }
            for deletion in deletions where flaw != .ignoresDeletions {
                model.tellDeletion(number, deletion.recordID)
                drop(deletion.recordID, engine)
            }
        case .sentRecordChanges(let sent):
            for record in sent.saved { take(record, engine) }
            for id in sent.deleted {
                model.tellDeletion(number, id)
                settle(id, engine)
            }
            for (record, error) in sent.failedSaves { resolve(record, error, engine) }
            for (id, error) in sent.failedDeletes where !error.mayPass { settle(id, engine) }
        case .sentDatabaseChanges(let sent):
            for zone in sent.deleted { dropAll(in: zone, engine) }
        default: break
        }
    }

    /// The stored record, with what is to be sent of this copy.
    private func take(_ told: Record, _ engine: SyncEngine) {
        var record = told
        if flaw == .misreads, case .int64(let value) = record["value"] as FieldValue, value % 7 == 0 {
            Self.set(value + 1, in: &record)
        }
        model.tell(number, record)
        let pending = engine.state.pendingRecordChanges.last { $0.recordID == record.id }
        content.withLock { content in
            if case .delete? = pending { return }
            var record = record
            if case .save? = pending, case .int64(let value)? = content.records[record.id]?["value"] as FieldValue? {
                Self.set(value, in: &record)
            } else {
                content.unsent.remove(record.id)
            }
            content.records[record.id] = record
        }
    }

    private func settle(_ id: Record.ID, _ engine: SyncEngine) {
        if engine.state.pendingRecordChanges.contains(where: { $0.recordID == id }) { return }
        _ = content.withLock { $0.unsent.remove(id) }
    }

    private func drop(_ id: Record.ID, _ engine: SyncEngine) {
        content.withLock { content in
            content.records[id] = nil
            content.unsent.remove(id)
        }
        engine.state.remove([SyncEngine.PendingRecordChange.save(id), .delete(id)])
    }

    private func dropAll(in zone: RecordZone.ID, _ engine: SyncEngine) {
        let ids = content.withLock { content in
            Set(content.records.keys).union(content.unsent).filter { $0.zoneID == zone }
        }
        for id in ids { drop(id, engine) }
    }

    private func resolve(_ record: Record, _ error: DatabaseError, _ engine: SyncEngine) {
        switch error.code {
        case .serverRecordChanged:
            guard var server = error.serverRecord else { return drop(record.id, engine) }
            if flaw != .savesOverConflicts { model.tell(number, server) }
            content.withLock { content in
                if case .int64(let value)? = content.records[record.id]?["value"] as FieldValue? {
                    Self.set(value, in: &server)
                }
                content.records[record.id] = server
            }
            engine.state.add([.save(record.id)])
        case .unknownItem:
            model.tellDeletion(number, record.id)
            drop(record.id, engine)
        case .zoneNotFound:
            content.withLock { content in
                var fresh = Record(type: record.type, id: record.id)
                if case .int64(let value) = record["value"] as FieldValue { Self.set(value, in: &fresh) }
                content.records[record.id] = fresh
            }
            engine.state.add([SyncEngine.PendingZoneChange.save(record.id.zoneID)])
            engine.state.add([SyncEngine.PendingRecordChange.save(record.id)])
        default: break
        }
    }

    func nextRecordChangeBatch(
        _ context: SyncEngine.SendContext, of engine: SyncEngine
    ) async -> SyncEngine.RecordChangeBatch? {
        let changes = engine.state.pendingRecordChanges.filter { context.options.scope.contains($0) }
        let records = content.withLock { $0.records }
        return await SyncEngine.RecordChangeBatch(of: changes, limit: 9) { id in records[id] }
    }
}

extension DatabaseError {
    /// Whether the same call may succeed later.
    fileprivate var mayPass: Bool {
        [.networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .batchRequestFailed].contains(code)
    }
}
