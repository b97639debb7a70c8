// Telling other processes that something was committed.

import Dispatch
import Synchronization

/// Notifies whoever listens to a container, after commits and apart from them: within a commit it would make all
/// commits of the server wait for each other. It has a connection of its own, made when the first commit is told of.
/// May be used from any thread.
final class CommitNotifier: Sendable {
    private struct State {
        var isDue = false
        var isScheduled = false
        var last = DispatchTime(uptimeNanoseconds: 0)
    }

    /// One notification tells of all commits in this time.
    private static let interval = DispatchTimeInterval.milliseconds(50)

    private let address: ConnectionString
    private let statement: Statement
    private let state = Mutex(State())
    /// Where notifications are sent: one after another.
    private let queue = DispatchQueue(label: "notifications of commits")
    /// Used on the queue alone.
    private let connection = Mutex<Connection?>(nil)

    /// - Parameter channel: What listeners listen to.
    init(_ address: ConnectionString, channel: String) {
        (self.address, statement) = (address, Statement("SELECT pg_notify($1, '')", [.text(channel)]))
    }

    /// Has a commit told of, soon.
    func note() {
        let date = state.withLock { state -> DispatchTime? in
            state.isDue = true
            if state.isScheduled { return nil }
            state.isScheduled = true
            return max(.now(), state.last + Self.interval)
        }
        if let date { queue.asyncAfter(deadline: date) { [weak self] in self?.send() } }
    }

    /// Tells at once of what is due, and gives up the connection.
    func close() {
        queue.sync {
            send()
            connection.withLock { $0 = nil }
        }
    }

    private func send() {
        let isDue = state.withLock { state in
            defer { (state.isDue, state.isScheduled, state.last) = (false, false, .now()) }
            return state.isDue
        }
        if !isDue { return }
        // Whoever misses a notification finds out when they next look.
        connection.withLock { connection in
            do throws(ServerError) {
                let known: Connection
                if let connection { known = connection } else { known = try Connection(address) }
                connection = known
                try known.run(statement)
            } catch {
                connection = nil
            }
        }
    }
}
