// One of the servers of a container.

import RecordDatabase
import RecordModel
import Synchronization

/// A server of a container, connected to when it is first needed. May be used from any thread that may wait.
final class Node: Sendable {
    private struct State {
        var container: PostgreSQLContainer?
        var isClosed = false
    }

    /// 0 for the control node.
    let number: Int32
    private let open: @Sendable () throws(DatabaseError) -> PostgreSQLContainer
    private let state: Mutex<State>

    /// - Parameters:
    ///   - known: The server's part of the container, where it is open already.
    ///   - open: Opens it. Called again after it failed.
    init(
        _ number: Int32, known: PostgreSQLContainer? = nil,
        open: @escaping @Sendable () throws(DatabaseError) -> PostgreSQLContainer
    ) {
        (self.number, self.open) = (number, open)
        state = Mutex(State(container: known))
    }

    /// Calls a body with the server's part of the container.
    ///
    /// - Throws: `DatabaseError`; one that is the server's names the node.
    func call<Outcome>(
        _ body: (PostgreSQLContainer) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        do throws(DatabaseError) { return try body(try container()) } catch { throw error.ofNode(number) }
    }

    private func container() throws(DatabaseError) -> PostgreSQLContainer {
        // Calls that come meanwhile need the same connection.
        try state.withLock { state throws(DatabaseError) in
            if state.isClosed { throw DatabaseError(.networkUnavailable, "the connections to the server were closed") }
            if let known = state.container { return known }
            let made = try open()
            state.container = made
            return made
        }
    }

    /// Ends all use of the server.
    func close() {
        let known = state.withLock { state in
            state.isClosed = true
            return state.container
        }
        known?.close()
    }
}

extension DatabaseError {
    /// The error of a call on a node: what is the server's fault names the node.
    func ofNode(_ number: Int32) -> DatabaseError {
        switch code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .serverResponseLost, .badContainer,
            .incompatibleVersion:
            if reason.hasPrefix("node ") { return self }
            return DatabaseError(code, "node \(number): \(reason)", hint: hint, retryAfter: retryAfter)
        default: return self
        }
    }
}
