// Sync engines at their edges: what passes by itself, zones that go without a word, halves of batches, reasons.

import Foundation
import RecordModel
import Synchronization
import Testing

@testable import RecordDatabase

/// A delegate that keeps events, and chooses what is fetched.
private final class EventList: SyncEngineDelegate {
    private let events = Mutex<[SyncEngine.Event]>([])
    private let options: SyncEngine.FetchOptions?

    init(fetching options: SyncEngine.FetchOptions? = nil) { self.options = options }

    /// The zones that were told to be gone.
    var deletions: [SyncEngine.ZoneDeletion] {
        events.withLock { $0 }.flatMap { event -> [SyncEngine.ZoneDeletion] in
            if case .fetchedDatabaseChanges(_, let deletions) = event { return deletions }
            return []
        }
    }

    /// What a fetch was told to be of, at its beginning and its end.
    var contexts: [SyncEngine.FetchContext] {
        events.withLock { $0 }.compactMap { event -> SyncEngine.FetchContext? in
            switch event {
            case .willFetchChanges(let context), .didFetchChanges(let context): return context
            default: return nil
            }
        }
    }

    func handle(_ event: SyncEngine.Event, of engine: SyncEngine) async { events.withLock { $0.append(event) } }

    func nextRecordChangeBatch(
        _ context: SyncEngine.SendContext, of engine: SyncEngine
    ) async -> SyncEngine.RecordChangeBatch? { nil }

    func nextFetchOptions(
        _ context: SyncEngine.FetchContext, of engine: SyncEngine
    ) async -> SyncEngine.FetchOptions { options ?? context.options }
}

@Suite struct SyncStepEdgesTests {
    typealias Batch = SyncEngine.RecordChangeBatch

    /// An engine of a scene's client that is called by hand.
    private static func engine(_ scene: SyncScene, _ delegate: EventList) -> SyncEngine {
        var settings = SyncEngine.Configuration(container: scene.client)
        settings.syncsAutomatically = false
        return SyncEngine(settings, delegate: delegate)
    }

    /// What was told of the zones of a scene, one line for each stretch.
    private static func stretches(_ scene: SyncScene) -> [String] {
        scene.notebook.taken().filter { $0.hasPrefix("zones ") }
    }

    // MARK: Errors

    /// What fails for a reason of these stays pending; all else waits for somebody to do something about it.
    @Test func errorsThatPassByThemselves() {
        let passing: Set<DatabaseError.Code> = [
            .networkFailure, .networkUnavailable, .zoneBusy, .serviceUnavailable, .requestRateLimited,
            .notAuthenticated, .operationCancelled, .accountTemporarilyUnavailable, .serverResponseLost,
        ]
        for code in DatabaseError.Code.allCases {
            #expect(DatabaseError(code, "why").passes == passing.contains(code), "\(code)")
        }
    }

    // MARK: Fetching

    /// A delegate tells zones that went with their key from those that somebody deleted.
    @Test func zonesThatWentWithTheirKey() async throws {
        let (scene, list) = (try await SyncScene(), EventList())
        let engine = Self.engine(scene, list)
        let secret = RecordZone.ID("Secret")
        try await scene.other.save(RecordZone(id: secret))
        var note = scene.record("n", in: secret)
        note.encryptedValues["text"] = "x"
        try await scene.other.save(note)
        try await engine.fetchChanges()
        #expect(list.deletions.isEmpty)
        try await scene.other.deleteRecordZone(withID: scene.zone)
        try await scene.client.resetEncryptedData()
        try await engine.fetchChanges()
        #expect(
            list.deletions == [
                SyncEngine.ZoneDeletion(zoneID: scene.zone, isPurged: false, isEncryptedDataReset: false),
                SyncEngine.ZoneDeletion(zoneID: secret, isPurged: false, isEncryptedDataReset: true),
            ])
    }

    /// Events say what is fetched, not what the call asked for.
    @Test func aFetchIsOfWhatTheDelegateChose() async throws {
        let scene = try await SyncScene()
        let chosen = SyncEngine.FetchOptions(scope: .zones([scene.zone]))
        let list = EventList(fetching: chosen)
        let engine = Self.engine(scene, list)
        try await engine.fetchChanges(SyncEngine.FetchOptions(scope: .allExcluding([scene.zone])))
        #expect(list.contexts == Array(repeating: SyncEngine.FetchContext(reason: .manual, options: chosen), count: 2))
    }

    /// When all zones are listed anew in several stretches, those of later stretches are not gone.
    @Test func zonesOfLaterStretchesAreThere() async throws {
        let scene = try await SyncScene { $0.limits.changesPerRequest = 1 }
        for name in ["Second", "Third"] { try await scene.other.save(RecordZone(id: RecordZone.ID(name))) }
        let all = ["Notes", "Second", "Third"].map { "zones [\"\($0)\"] []" }
        try await scene.engine.fetchChanges()
        #expect(Self.stretches(scene) == all)
        scene.script.failNext(1, .fetchDatabaseChanges, with: .changeTokenExpired)
        try await scene.engine.fetchChanges()
        #expect(Self.stretches(scene) == all)
    }

    /// A zone that the engine has sent and others deleted before it fetched is told to be gone.
    @Test func aZoneThatWasSentMayGo() async throws {
        let scene = try await SyncScene()
        let new = RecordZone.ID("New")
        scene.engine.state.add([SyncEngine.PendingZoneChange.save(new)])
        try await scene.engine.sendChanges()
        #expect(Self.stretches(scene) == [#"zones ["New"] [] [] []"#])
        try await scene.other.deleteRecordZone(withID: new)
        try await scene.engine.fetchChanges()
        #expect(Self.stretches(scene) == [#"zones ["Notes"] ["New"]"#])
    }

    // MARK: Sending

    /// Without a limit a batch has as many changes as a database takes at a time.
    @Test func aBatchIsAsLargeAsADatabaseTakes() async {
        let changes = (0...400).map { SyncEngine.PendingRecordChange.delete(Record.ID("r\($0)")) }
        let batch = await Batch(of: changes) { _ in nil }
        #expect(batch?.recordIDsToDelete.count == 400 && Limits().itemsPerRequest == 400)
    }

    private static let halves: [(taken: String, beside: String, saved: [String])] = [
        ("a", "b", ["c", "d"]), ("d", "c", ["a", "b"]),
    ]

    /// Each half of an atomic batch is one: what is beside a conflict is not saved.
    @Test(arguments: halves.indices) func halvesOfAtomicBatchesAreAtomic(_ index: Int) async throws {
        let (taken, beside, saved) = Self.halves[index]
        let scene = try await SyncScene { $0.limits.itemsPerRequest = 2 }
        let records = ["a", "b", "c", "d"].map { scene.record($0) }
        try await scene.other.save(scene.record(taken))
        scene.engine.state.add(records.map { SyncEngine.PendingRecordChange.save($0.id) })
        scene.notebook.give([Batch(recordsToSave: records, isAtomic: true)])
        let error = await fails(.partialFailure) { try await scene.engine.sendChanges() }
        let (first, second) = (scene.record(taken).id, scene.record(beside).id)
        #expect(
            error?.partialErrors.mapValues(\.code)
                == [.record(first): .serverRecordChanged, .record(second): .batchRequestFailed])
        #expect(try await scene.stored() == [taken] + saved)
        #expect(scene.engine.state.pendingRecordChanges == [.save(second)])
    }
}
