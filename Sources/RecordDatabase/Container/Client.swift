// One client of a store: what a container and its databases share.

import FoundationEssentials
import RecordModel
import Synchronization

/// The state of one client: who uses it, and how it was configured.
package final class Client: Sendable {
    private struct Session {
        var account: Account
        var isClosed = false
        var watchers: [Int: AsyncStream<Account.Status>.Continuation] = [:]
        var nextWatcher = 0
        /// What is done when the client is closed.
        var endings: [Int: @Sendable () -> Void] = [:]
        var nextEnding = 0
        /// Calls that may still be made now, and when that was reckoned.
        var allowance: (calls: Double, date: Date)?
    }

    let store: ContainerStore
    let configuration: Configuration
    /// Tells the client from others of its store.
    let number: Int
    private let session: Mutex<Session>
    /// The keys of encrypted values.
    let keys: ContainerKeys
    /// Who reads again when the current user is another one.
    let accountReaders = CommitReaders()

    /// - Throws: `DatabaseError` when the records of a new user cannot be made.
    init(store: ContainerStore, account: Account, configuration: Configuration) throws(DatabaseError) {
        self.store = store
        self.configuration = configuration
        number = store.addClient()
        keys = ContainerKeys(configuration.encryptionKeys, store)
        if let log = configuration.log { store.log.add(log, of: number) }
        session = Mutex(Session(account: account))
        try register(account)
    }

    deinit {
        store.log.remove(number)
        if !session.withLock({ $0.isClosed }) { store.removeClient() }
    }

    private func register(_ account: Account) throws(DatabaseError) {
        guard let userName = account.userName else { return }
        try NameRules.check(Record.ID(userName), isSystem: true)
        try store.register(userName, client: number, date: configuration.clock())
    }

    var isClosed: Bool { session.withLock { $0.isClosed } }

    /// - Throws: `DatabaseError` of code `badContainer` when the client was closed.
    func checkIsOpen() throws(DatabaseError) {
        if isClosed { throw DatabaseError(.badContainer, "the container was closed") }
    }

    var account: Account { session.withLock { $0.account } }

    /// Replaces the current user, and tells those who watch.
    /// - Throws: `DatabaseError` when the records of a new user cannot be made.
    func setAccount(_ account: Account) throws(DatabaseError) {
        try register(account)
        let watchers = session.withLock { session -> [AsyncStream<Account.Status>.Continuation]? in
            if session.account == account { return nil }
            session.account = account
            return Array(session.watchers.values)
        }
        guard let watchers else { return }
        for watcher in watchers { watcher.yield(account.status) }
        store.remote?.notices.followUsers()
        accountReaders.tell()
    }

    /// The status after each change of the current user.
    func accountChanges() -> AsyncStream<Account.Status> {
        let (stream, continuation) = AsyncStream.makeStream(of: Account.Status.self)
        let number = session.withLock { session in
            session.nextWatcher += 1
            session.watchers[session.nextWatcher] = continuation
            return session.nextWatcher
        }
        continuation.onTermination = { [weak self] _ in
            self?.session.withLock { $0.watchers[number] = nil }
        }
        return stream
    }

    /// Ends all use of the client.
    func close() {
        let (watchers, endings, isFirst) = session.withLock { session in
            let isFirst = !session.isClosed
            session.isClosed = true
            defer { (session.watchers, session.endings) = ([:], [:]) }
            return (session.watchers.values.map(\.self), session.endings.values.map(\.self), isFirst)
        }
        for watcher in watchers { watcher.finish() }
        for ending in endings { ending() }
        if isFirst { store.removeClient() }
    }

    /// Has something done when the client is closed, at once if it is; the number takes it back.
    func whenClosed(_ ending: @escaping @Sendable () -> Void) -> Int {
        let (number, isClosed) = session.withLock { session in
            session.nextEnding += 1
            if !session.isClosed { session.endings[session.nextEnding] = ending }
            return (session.nextEnding, session.isClosed)
        }
        if isClosed { ending() }
        return number
    }

    func forget(_ ending: Int) { session.withLock { $0.endings[ending] = nil } }

    // MARK: Calls

    /// Begins a call: whether the client may make it, and who makes it.
    ///
    /// - Throws: `DatabaseError` of codes `operationCancelled`, `badContainer`, `requestRateLimited`,
    ///   `notAuthenticated`, `accountTemporarilyUnavailable`, and whatever faults are injected.
    func begin(_ call: DatabaseCall, needsUser: Bool) throws(DatabaseError) -> Caller {
        if Task.isCancelled { throw DatabaseError(.operationCancelled, "the task was cancelled") }
        try checkIsOpen()
        if let fault = configuration.faults?(call) { throw fault }
        try checkRate()
        let account = account
        if needsUser { try Self.checkStatus(account) }
        return caller(account)
    }

    private func caller(_ account: Account) -> Caller {
        Caller(
            client: number, rights: store.rights(of: account.userName), configuration: configuration, keys: keys)
    }

    /// The data of a database for the current user, without a call.
    /// - Throws: `DatabaseError` of code `notAuthenticated` and others.
    func stored(_ scope: DatabaseScope) throws(DatabaseError) -> StoredDatabase { try stored(scope, caller(account)) }

    /// Where the data of a database are for the current user, without a call.
    /// - Throws: As `stored`.
    func storing(_ scope: DatabaseScope) throws(DatabaseError) -> any DatabaseStoring {
        try storing(scope, caller(account))
    }

    /// The identifier of the current user's record.
    /// - Throws: `DatabaseError` of code `notAuthenticated` or `accountTemporarilyUnavailable`.
    package func userRecordID() throws(DatabaseError) -> Record.ID {
        let call = DatabaseCall(kind: .fetchUser, scope: .public, itemCount: 1)
        let caller = try begin(call, needsUser: true)
        guard let userName = caller.userName else { throw DatabaseError(.notAuthenticated, "nobody is signed in") }
        return Record.ID(userName)
    }

    /// - Throws: `DatabaseError` unless someone is signed in.
    static func checkStatus(_ account: Account) throws(DatabaseError) {
        switch account.status {
        case .available: return
        case .temporarilyUnavailable:
            throw DatabaseError(.accountTemporarilyUnavailable, "the account is temporarily unavailable")
        case .restricted: throw DatabaseError(.notAuthenticated, "the account is restricted")
        case .noAccount: throw DatabaseError(.notAuthenticated, "nobody is signed in")
        case .couldNotDetermine: throw DatabaseError(.notAuthenticated, "the account could not be determined")
        }
    }

    /// Takes one of the calls that are allowed each second; up to a second's worth may come at once.
    private func checkRate() throws(DatabaseError) {
        guard let rate = configuration.limits.callsPerSecond, rate > 0 else { return }
        let now = configuration.clock()
        let wait = session.withLock { session -> Double? in
            let burst = max(1, rate)
            var calls = burst
            if let (left, date) = session.allowance {
                calls = min(burst, left + max(0, now.timeIntervalSince(date)) * rate)
            }
            guard calls >= 1 else {
                session.allowance = (calls, now)
                return (1 - calls) / rate
            }
            session.allowance = (calls - 1, now)
            return nil
        }
        guard let wait else { return }
        throw DatabaseError(
            .requestRateLimited, "more than \(rate) calls in a second", hint: "wait for retryAfter",
            retryAfter: .seconds(wait))
    }

    /// The data of a database in this process, for a caller; a private one needs a user.
    /// - Throws: `DatabaseError`, of code `badDatabase` where the data are on a server.
    func stored(_ scope: DatabaseScope, _ caller: Caller) throws(DatabaseError) -> StoredDatabase {
        try store.checkIsLocal()
        if scope == .shared {
            throw DatabaseError(
                .badDatabase, "the shared database does not offer this call",
                hint: "it saves, fetches and queries records, and tells changes of zones")
        }
        guard let userName = try owner(scope, caller) else { return store.publicDatabase }
        return store.privateDatabase(of: userName)
    }

    /// Where the data of a database are, for a caller.
    /// - Throws: As `stored`.
    func storing(_ scope: DatabaseScope, _ caller: Caller) throws(DatabaseError) -> any DatabaseStoring {
        let userName = try owner(scope, caller)
        guard scope == .shared, let userName else { return store.storing(userName) }
        return SharedDatabase(store: store, userName: userName)
    }

    /// Whose the database of a scope is; `nil` for the public one.
    private func owner(_ scope: DatabaseScope, _ caller: Caller) throws(DatabaseError) -> String? {
        if scope == .public { return nil }
        guard let userName = caller.userName else { throw DatabaseError(.notAuthenticated, "nobody is signed in") }
        return userName
    }
}
