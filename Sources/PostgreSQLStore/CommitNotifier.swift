// Telling other processes that something was committed.

import Dispatch
import Synchronization

/// Notifies whoever listens to a container, after commits and apart from them: within a commit it would make all
/// commits of the server wait for each other. May be used from any thread.
final class CommitNotifier: Sendable {
    private struct State {
        var isDue = false
        var isScheduled = false
        var last = DispatchTime(uptimeNanoseconds: 0)
    }

    /// One notification tells of all commits in this time.
    private static let interval = DispatchTimeInterval.milliseconds(50)

    private let pool: ConnectionPool
    private let statement: Statement
    private let state = Mutex(State())

    /// - Parameter channel: What listeners listen to.
    init(_ pool: ConnectionPool, channel: String) {
        (self.pool, statement) = (pool, Statement("SELECT pg_notify($1, '')", [.text(channel)]))
    }

    /// Has a commit told of, soon.
    func note() {
        let date = state.withLock { state -> DispatchTime? in
            state.isDue = true
            if state.isScheduled { return nil }
            state.isScheduled = true
            return max(.now(), state.last + Self.interval)
        }
        if let date { DispatchQueue.global().asyncAfter(deadline: date) { [weak self] in self?.send() } }
    }

    /// Tells at once of what is due.
    func flush() { send() }

    private func send() {
        let isDue = state.withLock { state in
            defer { (state.isDue, state.isScheduled, state.last) = (false, false, .now()) }
            return state.isDue
        }
        if !isDue { return }
        // Whoever misses a notification finds out when they next look.
        _ = try? pool.withConnection { connection throws(ServerError) in try connection.run(statement) }
    }
}
