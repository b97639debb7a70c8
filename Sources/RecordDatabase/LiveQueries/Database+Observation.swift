// What is read from a database, and again whenever that may have changed.

import QueryExecution
import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// What is read from the database, and then what is read again after commits, as often as it is another value.
    ///
    ///     let counts = database.observe { snapshot in
    ///         try snapshot.records(ofType: "City").count(matching: "population > \(1_000_000)")
    ///     }
    ///     for try await count in counts { show(count) }
    ///
    /// For counts, facets, groups, values and whatever else a snapshot gives; `changes(matching:in:)` tells what
    /// happens to each record of a result. Each reading is of one moment; a reader that is slower than commits gets
    /// the newest value and none in between. Nothing is read before the first step. When the container gets another
    /// user, a private database is that user's from then on.
    ///
    /// - Parameter body: Runs on a thread of the database.
    /// - Returns: A sequence that fails with what the body throws, and with `DatabaseError` as `snapshot()`. It ends
    ///   when its task is cancelled or the container is closed.
    /// - Complexity: That of the body, after each commit of the database or several of them.
    public func observe<Value: Sendable & Equatable>(
        _ body: @escaping @Sendable (DatabaseSnapshot) throws -> Value
    ) -> AsyncThrowingStream<Value, any Error> {
        let observation = Observation(self, body)
        return AsyncThrowingStream(unfolding: { try await observation.next() })
    }
}

/// A reader of one value: told of commits from its first step on, until it goes.
private final class Observation<Value: Sendable & Equatable>: Sendable {
    private struct Running {
        var commits: ReaderQueue<Void>
        var source: CommitSource
        var end: Int
        var account: Int
        var last: Value?
    }

    private let database: Database
    private let body: @Sendable (DatabaseSnapshot) throws -> Value
    private let state = Mutex<Running?>(nil)

    init(_ database: Database, _ body: @escaping @Sendable (DatabaseSnapshot) throws -> Value) {
        (self.database, self.body) = (database, body)
    }

    /// The next value that differs from the one before; `nil` after the end.
    func next() async throws -> Value? {
        let commits = try commits()
        while await commits.next() != nil {
            try followAccount(commits)
            let value: Value
            do {
                value = try await database.read(body)
            } catch {
                // A reader that goes is no failure.
                if Task.isCancelled { return nil }
                throw error
            }
            let isNew = state.withLock { running in
                defer { running?.last = value }
                return running?.last != value
            }
            if isNew { return value }
        }
        return nil
    }

    /// What is told of commits; the first reading waits in it from the beginning.
    private func commits() throws(DatabaseError) -> ReaderQueue<Void> {
        if let running = state.withLock({ $0 }) { return running.commits }
        let storing = try database.begin(.query).1
        let commits = ReaderQueue<Void>([()])
        let end = database.client.whenClosed { commits.end() }
        let source = CommitSource(storing, commits)
        let account = database.client.accountReaders.add { commits.tell() }
        state.withLock { $0 = Running(commits: commits, source: source, end: end, account: account) }
        return commits
    }

    /// Is told of the commits of the current user's database.
    private func followAccount(_ commits: ReaderQueue<Void>) throws(DatabaseError) {
        let storing = try database.client.storing(database.scope)
        guard let known = state.withLock({ $0?.source }), known.origin != storing.origin else { return }
        known.end()
        let source = CommitSource(storing, commits)
        state.withLock { $0?.source = source }
    }

    deinit {
        guard let running = state.withLock({ $0 }) else { return }
        running.source.end()
        database.client.accountReaders.remove(running.account)
        database.client.forget(running.end)
    }
}

/// What tells a reader of the commits of a database, wherever that is.
struct CommitSource: Sendable {
    let origin: DatabaseOrigin
    /// Ends it.
    let end: @Sendable () -> Void

    init(_ storing: any DatabaseStoring, _ commits: ReaderQueue<Void>) {
        origin = storing.origin
        end = storing.watch { commits.tell() }
    }
}

extension ReaderQueue<Void> {
    /// One signal waits for the reader, however many commits there were.
    fileprivate func tell() { update { if $0.isEmpty { $0.append(()) } } }
}

/// Who is told that a database has other records than before, or that it is another one. May be used from any thread.
final class CommitReaders: Sendable {
    private struct State {
        var readers: [Int: @Sendable () -> Void] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Whether nobody is told.
    var isEmpty: Bool { state.withLock { $0.readers.isEmpty } }

    /// - Parameter reader: Called by whoever writes, which waits for it.
    /// - Returns: A number that ends it.
    func add(_ reader: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            state.next += 1
            state.readers[state.next] = reader
            return state.next
        }
    }

    func remove(_ number: Int) { state.withLock { $0.readers[number] = nil } }

    /// Called after a commit was published.
    func tell() {
        let readers = state.withLock { Array($0.readers.values) }
        for reader in readers { reader() }
    }
}
