// The sync engine under CloudKit's names.

import RecordDatabase
import Synchronization

/// Sends an application's changes to a database and tells it of those of others: `SyncEngine` under CloudKit's names.
public final class CKSyncEngine: Sendable {
    /// What an engine is made of.
    public struct Configuration: Sendable {
        /// The database that is kept up with: the private one, as a rule.
        public var database: CKDatabase
        /// Where an earlier engine was; `nil` for the beginning.
        public var stateSerialization: State.Serialization?
        /// Who is told; the application keeps it.
        public weak var delegate: (any CKSyncEngineDelegate)?
        /// Whether the engine fetches when the database tells of changes, and sends soon after some are added.
        public var automaticallySync = true
        /// The subscription that wakes the engine; one of the engine's own if none is given.
        public var subscriptionID: CKSubscription.ID?

        /// An engine of a database that goes on where an earlier one was.
        public init(
            database: CKDatabase, stateSerialization: State.Serialization?, delegate: any CKSyncEngineDelegate
        ) {
            (self.database, self.stateSerialization, self.delegate) = (database, stateSerialization, delegate)
        }
    }

    /// The database that is kept up with.
    public let database: CKDatabase
    /// What is to be sent, and where the engine is.
    public let state: State
    private let engine: Result<SyncEngine, DatabaseError>
    private let adapter: SyncEngineAdapter

    /// An engine; one that is to sync automatically begins at once. Calls of one whose container cannot be used fail.
    public init(_ configuration: Configuration) {
        let (own, automatic) = (SyncEngineAdapter(configuration.delegate), configuration.automaticallySync)
        (database, adapter) = (configuration.database, own)
        engine = configuration.database.container.map { container in
            var settings = SyncEngine.Configuration(
                container: container, state: configuration.stateSerialization?.serialization)
            settings.scope = configuration.database.databaseScope
            // Not before this object can be told.
            settings.syncsAutomatically = false
            if let id = configuration.subscriptionID { settings.subscriptionID = id }
            return SyncEngine(settings, delegate: own)
        }
        switch engine {
        case .success(let engine): state = State(engine.state)
        case .failure: state = State(SyncEngine.State(configuration.stateSerialization?.serialization ?? .init()))
        }
        own.take(self)
        if automatic, case .success(let engine) = engine { engine.begin() }
    }

    /// Fetches what others changed, and tells the delegate.
    ///
    /// Called while the delegate handles an event, it fails: start a task for it.
    public nonisolated(nonsending) func fetchChanges(_ options: FetchChangesOptions = FetchChangesOptions())
        async throws
    {
        do throws(DatabaseError) { try await engine.get().fetchChanges(options.options) } catch { throw CKError(error) }
    }

    /// Sends what is pending, and tells the delegate.
    ///
    /// - Throws: `CKError` of code `partialFailure` with the error of each item that failed, after the delegate was
    ///   told.
    public nonisolated(nonsending) func sendChanges(_ options: SendChangesOptions = SendChangesOptions()) async throws {
        do throws(DatabaseError) { try await engine.get().sendChanges(options.options) } catch { throw CKError(error) }
    }

    /// Cancels all calls that run or wait, and returns when they have ended; in an event's handler at once.
    public nonisolated(nonsending) func cancelOperations() async {
        if case .success(let engine) = engine { await engine.cancelOperations() }
    }
}

/// What an application does for its sync engine.
public protocol CKSyncEngineDelegate: AnyObject, Sendable {
    /// Takes in an event; the engine goes on when the function returns.
    func handleEvent(_ event: CKSyncEngine.Event, syncEngine: CKSyncEngine) async
    /// Gives the records that are to be sent next; `nil` when there are none.
    func nextRecordZoneChangeBatch(
        _ context: CKSyncEngine.SendChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.RecordZoneChangeBatch?
    /// What to fetch, before the engine does; as it would by default.
    func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions
}

extension CKSyncEngineDelegate {
    /// The options of the context.
    public func nextFetchChangesOptions(
        _ context: CKSyncEngine.FetchChangesContext, syncEngine: CKSyncEngine
    ) async -> CKSyncEngine.FetchChangesOptions { context.options }
}

/// Hands what an engine tells to a delegate of CloudKit's form.
private final class SyncEngineAdapter: SyncEngineDelegate {
    private struct Ends {
        weak var delegate: (any CKSyncEngineDelegate)?
        weak var engine: CKSyncEngine?
    }

    private let ends: Mutex<Ends>

    init(_ delegate: (any CKSyncEngineDelegate)?) { ends = Mutex(Ends(delegate: delegate)) }

    func take(_ engine: CKSyncEngine) { ends.withLock { $0.engine = engine } }

    private var both: (any CKSyncEngineDelegate, CKSyncEngine)? {
        ends.withLock { ends in
            if let delegate = ends.delegate, let engine = ends.engine { (delegate, engine) } else { nil }
        }
    }

    nonisolated(nonsending) func handle(_ event: SyncEngine.Event, of _: SyncEngine) async {
        guard let (delegate, engine) = both else { return }
        await delegate.handleEvent(CKSyncEngine.Event(event), syncEngine: engine)
    }

    nonisolated(nonsending) func nextRecordChangeBatch(
        _ context: SyncEngine.SendContext, of _: SyncEngine
    ) async -> SyncEngine.RecordChangeBatch? {
        guard let (delegate, engine) = both else { return nil }
        let batch = await delegate.nextRecordZoneChangeBatch(.init(context), syncEngine: engine)
        return batch.map {
            SyncEngine.RecordChangeBatch(
                recordsToSave: $0.recordsToSave.map(\.record), recordIDsToDelete: $0.recordIDsToDelete.map(\.record),
                isAtomic: $0.atomicByZone)
        }
    }

    nonisolated(nonsending) func nextFetchOptions(_ context: SyncEngine.FetchContext, of _: SyncEngine) async
        -> SyncEngine.FetchOptions
    {
        guard let (delegate, engine) = both else { return context.options }
        return await delegate.nextFetchChangesOptions(.init(context), syncEngine: engine).options
    }
}
