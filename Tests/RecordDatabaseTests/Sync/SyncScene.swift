// A database with a sync engine that is called by hand, and a delegate that writes down what it is told.

import RecordDatabase
import Synchronization

/// A delegate that gives batches in their order, and has a line of each event.
final class SyncNotebook: SyncEngineDelegate {
    typealias Batch = SyncEngine.RecordChangeBatch
    typealias Action = @Sendable (_ line: String, SyncEngine, SyncNotebook) async -> Void

    private struct Content {
        var lines: [String] = []
        var batches: [Batch] = []
        var isLastGivenAgain = false
        var asked = 0
        var options: SyncEngine.FetchOptions?
        var action: Action?
        var whenAsked: (@Sendable () -> Void)?
    }

    private let content = Mutex(Content())

    /// How often a batch was asked for.
    var asked: Int { content.withLock { $0.asked } }

    /// The lines since the last call.
    func taken() -> [String] {
        content.withLock { content in
            defer { content.lines = [] }
            return content.lines
        }
    }

    /// Has batches given, each once, or the last one again and again.
    func give(_ batches: [Batch], again: Bool = false) {
        content.withLock { ($0.batches, $0.isLastGivenAgain) = (batches, again) }
    }

    /// Has the next fetches changed; `nil` leaves them as they are.
    func fetch(with options: SyncEngine.FetchOptions?) { content.withLock { $0.options = options } }

    /// Has something done with each event, before the engine goes on.
    func whenTold(_ action: @escaping Action) { content.withLock { $0.action = action } }

    /// Has something done when the next batch is asked for, before it is given.
    func whenAsked(_ action: @escaping @Sendable () -> Void) { content.withLock { $0.whenAsked = action } }

    func write(_ line: String) { content.withLock { $0.lines.append(line) } }

    // MARK: The delegate

    func handle(_ event: SyncEngine.Event, of engine: SyncEngine) async {
        let line = Self.line(event)
        write(line)
        let action = content.withLock { $0.action }
        await action?(line, engine, self)
    }

    func nextRecordChangeBatch(_ context: SyncEngine.SendContext, of engine: SyncEngine) async -> Batch? {
        let action = content.withLock { content -> (@Sendable () -> Void)? in
            defer { content.whenAsked = nil }
            return content.whenAsked
        }
        action?()
        return content.withLock { content in
            content.asked += 1
            if content.batches.isEmpty { return nil }
            if content.batches.count == 1, content.isLastGivenAgain { return content.batches[0] }
            return content.batches.removeFirst()
        }
    }

    func nextFetchOptions(
        _ context: SyncEngine.FetchContext, of engine: SyncEngine
    ) async -> SyncEngine.FetchOptions { content.withLock { $0.options } ?? context.options }

    private static func line(_ event: SyncEngine.Event) -> String {
        switch event {
        case .stateUpdate: return "state"
        case .accountChange(.signIn(let user)): return "in \(user.recordName)"
        case .accountChange(.signOut(let user)): return "out \(user.recordName)"
        case .accountChange(.switchAccounts(let old, let new)): return "from \(old.recordName) to \(new.recordName)"
        case .willFetchChanges(let context): return "fetch \(context.reason)"
        case .fetchedDatabaseChanges(let zones, let deletions):
            let gone = deletions.map { $0.zoneID.zoneName + ($0.isPurged ? " purged" : "") }
            return "zones \(zones.map(\.zoneName)) \(gone)"
        case .willFetchZoneChanges(let zone): return "zone \(zone.zoneName)"
        case .fetchedZoneChanges(let zone, let records, let deletions):
            let gone = deletions.map(\.recordID.recordName)
            return "\(zone.zoneName) \(records.map(\.id.recordName)) \(gone)"
        case .didFetchZoneChanges(let zone, let error):
            return "end of \(zone.zoneName)" + (error.map { ": \($0.code)" } ?? "")
        case .didFetchChanges: return "fetched"
        case .willSendChanges(let context): return "send \(context.reason)"
        case .sentDatabaseChanges(let sent):
            let failed = sent.failedSaves.map { "\($0.zoneID.zoneName) \($0.error.code)" }
            let kept = sent.failedDeletes.map { "\($0.key.zoneName) \($0.value.code)" }
            return "zones \(sent.saved.map(\.id.zoneName)) \(failed) \(sent.deleted.map(\.zoneName)) \(kept)"
        case .sentRecordChanges(let sent):
            let failed = sent.failedSaves.map { "\($0.record.id.recordName) \($0.error.code)" }
            let kept = sent.failedDeletes.map { "\($0.key.recordName) \($0.value.code)" }
            return "sent \(sent.saved.map(\.id.recordName)) \(failed) \(sent.deleted.map(\.recordName)) \(kept)"
        case .didSendChanges: return "all sent"
        }
    }
}

/// A database with one zone, an engine of a client whose calls may fail, and another client.
struct SyncScene {
    let script = FaultScript()
    let notebook = SyncNotebook()
    let zone = RecordZone.ID("Notes")
    let other: Database
    let client: Container
    let engine: SyncEngine

    init(_ configure: (inout Configuration) -> Void = { _ in }) async throws {
        let container = try Container(identifier: "sync scene")
        other = container.privateDatabase
        try await other.save(RecordZone(id: zone))
        var configuration = Configuration()
        configuration.faults = script.faults
        configure(&configuration)
        client = try Container(sharing: container, account: .localUser, configuration: configuration)
        var settings = SyncEngine.Configuration(container: client)
        settings.syncsAutomatically = false
        engine = SyncEngine(settings, delegate: notebook)
    }

    /// A new record of the zone, or of another one.
    func record(_ name: String, in zone: RecordZone.ID? = nil) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone ?? self.zone))
    }

    /// Says that records are to be saved.
    func want(_ records: Record...) {
        engine.state.add(records.map { SyncEngine.PendingRecordChange.save($0.id) })
    }

    /// The engine's calls of a kind, each by the number of its items.
    func calls(_ kind: DatabaseCall.Kind) -> [Int] { script.calls.filter { $0.kind == kind }.map(\.itemCount) }

    /// The names of the zone's records, in the order in which they were saved.
    func stored() async throws -> [String] {
        try await other.recordZoneChanges(inZoneWith: zone).modifications.map(\.id.recordName)
    }
}
