// Connections to one server, which calls share.

import Deadlines
import Dispatch
import Synchronization

/// Up to a number of connections; calls beyond them wait. May be used from any thread that may wait.
package final class ConnectionPool: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isClosed = false
    }

    private let address: ConnectionString
    private let state = Mutex(State())
    private let free: DispatchSemaphore
    /// Run on each connection before it is used.
    private let preparation: [Statement]

    /// - Parameters:
    ///   - count: Connections that there may be at a time.
    ///   - preparation: Statements that each connection begins with, such as a search path.
    package init(_ address: ConnectionString, count: Int, preparation: [Statement] = []) {
        (self.address, self.preparation) = (address, preparation)
        free = DispatchSemaphore(value: max(1, count))
    }

    /// Calls a body with a connection that is its alone meanwhile. One that the body leaves lost, or within a
    /// transaction, or whose server can only be read, is not used again.
    ///
    /// - Throws: What the body throws, and `ServerError` where there is no connection, or where the task is cancelled
    ///   or its time is over before one is free.
    package func withConnection<Outcome>(
        _ body: (Connection) throws(ServerError) -> Outcome
    ) throws(ServerError) -> Outcome {
        try waitUntilFree()
        defer { free.signal() }
        let connection = try take()
        defer {
            if !connection.isLost, !connection.isInTransaction, !connection.isReadOnly {
                state.withLock { if !$0.isClosed { $0.idle.append(connection) } }
            }
        }
        return try body(connection)
    }

    private func waitUntilFree() throws(ServerError) {
        if free.wait(timeout: .now()) == .success { return }
        try free.waitWhileWanted()
    }

    private func take() throws(ServerError) -> Connection {
        let (idle, isClosed) = state.withLock { ($0.idle.popLast(), $0.isClosed) }
        if isClosed { throw ServerError(.unreachable, "the connections to the server were closed") }
        if let idle { return idle }
        let connection = try Connection(address)
        try connection.run(preparation)
        return connection
    }

    /// Forgets connections that nobody uses: after one was lost, others are likely to be.
    package func forgetIdle() {
        let idle = state.withLock { state in
            defer { state.idle = [] }
            return state.idle
        }
        _ = idle.count
    }

    /// Closes all connections, those in use when their calls end.
    package func close() {
        state.withLock { $0.isClosed = true }
        forgetIdle()
    }
}

extension DispatchSemaphore {
    /// Waits as long as the work at hand is wanted.
    ///
    /// - Parameter givesUp: Whether it may be given up, at the moment when it is not wanted any more.
    /// - Throws: `ServerError` where it was given up.
    func waitWhileWanted(_ givesUp: () -> Bool = { true }) throws(ServerError) {
        let watch = Deadline.watch
        // A semaphore cannot be woken by a cancelled task: whether it was is looked at every 20 ms.
        while wait(timeout: .now() + .milliseconds(20)) == .timedOut {
            if let cause = watch.interruption, givesUp() { throw Connection.interrupted(cause) }
        }
    }
}
