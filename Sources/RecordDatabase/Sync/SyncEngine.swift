// A sync engine: keeps an application's own copy of a database's zones and the database the same.

public import RecordModel
import Synchronization

/// Sends an application's changes to a database and tells it of those of others.
///
/// The application keeps its records where it likes. It adds what it changed to `state`, gives the records when the
/// delegate's `nextRecordChangeBatch` is called, takes in what events tell, and stores the state that `stateUpdate`
/// hands over: an engine that is made with it goes on there. Zones are sent before records, in batches that the
/// database takes; failures that pass by themselves stay pending.
///
/// Calls and events of an engine come one after another. Calling `fetchChanges` or `sendChanges` while the delegate
/// handles an event, and waiting for it there, fails: start a task of its own for that. A child of the handler's task
/// that calls them (`async let`, a task group) waits for ever, until it is cancelled.
public final class SyncEngine: Sendable {
    /// What an engine is made of.
    public struct Configuration: Sendable {
        /// The container whose database is kept up with.
        public var container: Container
        /// Which database: the private one, unless set. The public database tells no changes.
        public var scope = DatabaseScope.private
        /// Where an earlier engine was; `nil` for the beginning.
        public var state: State.Serialization?
        /// Whether the engine fetches when the database tells of changes, and sends soon after some are added.
        public var syncsAutomatically = true
        /// The subscription that wakes the engine; made when there is none.
        public var subscriptionID: Subscription.ID = "SyncEngine"

        /// - Parameter state: What the last `stateUpdate` handed over.
        public init(container: Container, state: State.Serialization? = nil) {
            (self.container, self.state) = (container, state)
        }
    }

    private struct Delegate { weak var value: (any SyncEngineDelegate)? }

    /// Calls, one after another.
    private struct Calls {
        var last: Task<DatabaseError?, Never>?
        var running: [Int: Task<DatabaseError?, Never>] = [:]
        var next = 0
        /// The task that an event is handled in.
        var handler: Int?
    }

    let configuration: Configuration
    /// What is to be sent, and where the engine is.
    public let state: State
    private let delegate: Mutex<Delegate>
    private let calls = Mutex(Calls())
    let automatic = Mutex(AutomaticSync())

    /// An engine of a database. With `syncsAutomatically` it begins at once.
    ///
    /// - Parameter delegate: Who is told, held weakly: the application keeps it.
    public init(_ configuration: Configuration, delegate: any SyncEngineDelegate) {
        self.configuration = configuration
        self.delegate = Mutex(Delegate(value: delegate))
        state = State(configuration.state ?? State.Serialization())
        if configuration.syncsAutomatically { begin() }
    }

    deinit { automatic.withLock { $0.end() } }

    /// The database that is kept up with.
    public var database: Database { configuration.container.database(with: configuration.scope) }

    // MARK: Calls

    /// Fetches what others changed, and tells the delegate.
    ///
    /// - Throws: `DatabaseError` of the first zone that could not be fetched, or of the first whose error passes by
    ///   itself; the others are fetched. Of code `operationCancelled` when the task or the engine's operations are
    ///   cancelled, `notAuthenticated` when another user signs in meanwhile.
    public func fetchChanges(_ options: FetchOptions = FetchOptions()) async throws(DatabaseError) {
        try await inTurn { [weak self] in await self?.fetch(FetchContext(reason: .manual, options: options)) }
    }

    /// Sends what is pending, and tells the delegate.
    ///
    /// - Throws: `DatabaseError` of code `partialFailure` with the error of each item that failed, after the delegate
    ///   was told; another one when nothing could be sent, `notAuthenticated` when another user signs in meanwhile.
    public func sendChanges(_ options: SendOptions = SendOptions()) async throws(DatabaseError) {
        try await inTurn { [weak self] in await self?.send(SendContext(reason: .manual, options: options)) }
    }

    /// Cancels all calls that run or wait, and returns when they have ended. In an event's handler it returns at once,
    /// as they wait for the handler: they end when that has returned.
    public func cancelOperations() async {
        let caller = Self.currentTask
        let (tasks, isHandler) = calls.withLock { calls in
            (Array(calls.running.values), caller != nil && caller == calls.handler)
        }
        for task in tasks { task.cancel() }
        if isHandler { return }
        for task in tasks { _ = await task.value }
    }

    /// How many calls run or wait.
    var callCount: Int { calls.withLock { $0.running.count } }

    /// Runs a call when those before it have ended, in a task of its own.
    func inTurn(_ work: @escaping @Sendable () async -> DatabaseError?) async throws(DatabaseError) {
        let caller = Self.currentTask
        let (number, task) = calls.withLock { calls -> (Int, Task<DatabaseError?, Never>?) in
            if caller != nil, caller == calls.handler { return (0, nil) }
            let before = calls.last
            let task = Task {
                _ = await before?.value
                if Task.isCancelled { return DatabaseError?.some(Self.cancelled) }
                return await work()
            }
            calls.next += 1
            (calls.last, calls.running[calls.next]) = (task, task)
            return (calls.next, task)
        }
        guard let task else {
            throw DatabaseError(
                .invalidArguments, "a delegate cannot wait for its own engine", hint: "start a task of its own")
        }
        let error = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        calls.withLock { calls in
            calls.running[number] = nil
            if calls.running.isEmpty { calls.last = nil }
        }
        if let error { throw error }
    }

    /// Tells the task that runs from others.
    private static var currentTask: Int? {
        // SAFETY: nothing of the task is kept but a number.
        unsafe withUnsafeCurrentTask { unsafe $0?.hashValue }
    }

    static var cancelled: DatabaseError { DatabaseError(.operationCancelled, "the call of the engine was cancelled") }

    // MARK: The delegate

    /// Calls the delegate; `nil` when there is none any more.
    func telling<Outcome>(_ body: (any SyncEngineDelegate) async -> Outcome) async -> Outcome? {
        guard let delegate = delegate.withLock({ $0.value }) else { return nil }
        let task = Self.currentTask
        calls.withLock { $0.handler = task }
        defer { calls.withLock { $0.handler = nil } }
        return await body(delegate)
    }

    func tell(_ event: Event) async { _ = await telling { await $0.handle(event, of: self) } }

    /// Hands over the state after a step.
    func tellState() async { await tell(.stateUpdate(state.serialization)) }

    /// Tells when another user is there than the state is of, and begins again for them. An account that cannot be used
    /// now tells nothing of who is signed in: the state waits, and calls fail.
    func checkAccount() async {
        let account = configuration.container.client.account
        guard account.status == .available || account.status == .noAccount else { return }
        guard let change = state.takeUser(account.userName) else { return }
        await tell(.accountChange(change))
        await tellState()
    }

    /// The database, for the user of the state: what is one user's is not sent to another, nor told as theirs. Calls
    /// throw `DatabaseError` of code `notAuthenticated` when somebody else is there, whenever they signed in.
    var usersDatabase: Database {
        let expected = state.userName
        return Database(scope: configuration.scope, client: configuration.container.client) {
            userName throws(DatabaseError) in
            // With the caller of the call itself: between a look at the account and the call it may change.
            guard userName == expected else {
                throw DatabaseError(
                    .notAuthenticated, "another user signed in while changes were sent or fetched",
                    hint: "the next call tells of it, and goes on for that user")
            }
        }
    }
}

/// What an application does for its sync engine.
public protocol SyncEngineDelegate: AnyObject, Sendable {
    /// Takes in an event; the engine goes on when the function returns.
    func handle(_ event: SyncEngine.Event, of engine: SyncEngine) async
    /// Gives the records that are to be sent next, as a rule by `RecordChangeBatch(of:limit:record:)`; `nil` when
    /// there are none. What is added to the state meanwhile stays pending, also when it is in the batch.
    func nextRecordChangeBatch(
        _ context: SyncEngine.SendContext, of engine: SyncEngine
    ) async -> SyncEngine.RecordChangeBatch?
    /// What to fetch, before the engine does; as it would by default.
    func nextFetchOptions(
        _ context: SyncEngine.FetchContext, of engine: SyncEngine
    ) async -> SyncEngine.FetchOptions
}

extension SyncEngineDelegate {
    /// The options of the context.
    public func nextFetchOptions(
        _ context: SyncEngine.FetchContext, of engine: SyncEngine
    ) async -> SyncEngine.FetchOptions { context.options }
}
