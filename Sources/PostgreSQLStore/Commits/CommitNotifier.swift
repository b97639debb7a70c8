// Telling other processes that something was committed.

import Dispatch
import Synchronization

/// Notifies whoever listens to a container, after commits and apart from them: within a commit it would make all
/// commits of the server wait for each other. It has a connection of its own, made when the first commit is told of.
/// Now and then it deletes what nobody needs any more. May be used from any thread.
final class CommitNotifier: Sendable {
    private struct State {
        var isDue = false
        var isScheduled = false
        var isClosed = false
        var last = DispatchTime(uptimeNanoseconds: 0)
        /// When this process looks next whether it is time to sweep.
        var nextSweep = DispatchTime(uptimeNanoseconds: 0)
    }

    /// One notification tells of all commits in this time.
    private static let interval = DispatchTimeInterval.milliseconds(50)
    /// How often a process looks whether it is time to sweep.
    private static let sweepInterval = DispatchTimeInterval.seconds(60)

    private let address: ConnectionString
    private let statement: Statement
    private let preparation: [Statement]
    private let state = Mutex(State())
    /// Where notifications are sent: one after another.
    private let queue = DispatchQueue(label: "notifications of commits")
    /// Where this process sweeps, which may take long.
    private let sweeps = DispatchQueue(label: "sweeps")
    /// Used on the queue of notifications alone.
    private let connection = Mutex<Connection?>(nil)

    /// - Parameters:
    ///   - channel: What listeners listen to.
    ///   - preparation: What a connection begins with.
    init(_ address: ConnectionString, channel: String, preparation: [Statement]) {
        self.preparation = preparation
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

    /// Tells at once of what is due, and gives up the connection. A sweep ends with its transaction: others go on.
    func close() {
        state.withLock { $0.isClosed = true }
        queue.sync {
            send()
            connection.withLock { $0 = nil }
        }
        sweeps.sync {}
    }

    private func send() {
        let (isDue, mayBeTime) = state.withLock { state in
            let mayBeTime = !state.isClosed && state.isDue && state.nextSweep <= .now()
            if mayBeTime { state.nextSweep = .now() + Self.sweepInterval }
            defer { (state.isDue, state.isScheduled, state.last) = (false, false, .now()) }
            return (state.isDue, mayBeTime)
        }
        if !isDue { return }
        // Whoever misses a notification finds out when they next look.
        connection.withLock { connection in
            do throws(ServerError) {
                let known: Connection
                if let connection {
                    known = connection
                } else {
                    known = try Connection(address)
                    try known.run(preparation)
                }
                connection = known
                try known.run(statement)
                guard mayBeTime, try Sweep.isDue(known) else { return }
                sweeps.async { [weak self] in self?.sweep() }
            } catch {
                connection = nil
            }
        }
    }

    /// Sweeps, on a connection of its own. What is left when that is lost goes the next time.
    private func sweep() {
        do throws(ServerError) {
            let connection = try Connection(address)
            try connection.run(preparation)
            var isBrokenOff = false
            let sweep = Sweep(connection: connection) {
                isBrokenOff = self.state.withLock { $0.isClosed }
                return isBrokenOff
            }
            _ = try? sweep.run()
            // The rest is for the next process, which need not wait.
            if isBrokenOff { try connection.run(Statement("UPDATE sweep SET last = '-infinity'")) }
        } catch {}
    }
}
