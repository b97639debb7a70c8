// Further reads in a transaction that is open.

import RecordDatabase
import RecordModel
import Synchronization

/// Reads a database in a transaction that was begun, until that ends.
final class OpenReading: ServerReading {
    private struct State {
        var isOpen = true
        var failure: CallError?
        /// When the server last had something to do for the transaction.
        var lastCall = ContinuousClock.now
    }

    private let reader: MomentReader
    /// For how long the server may have nothing to do.
    private let patience: Duration?
    private let state = Mutex(State())

    /// - Parameter patience: How long the transaction may be idle; `nil` for any time.
    init(_ reader: MomentReader, patience: Duration? = nil) { (self.reader, self.patience) = (reader, patience) }

    /// Why a read failed: the transaction is lost.
    var failure: CallError? { state.withLock { $0.failure } }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        // One read at a time: the connection is one.
        try state.withLock { state throws(DatabaseError) in
            guard state.isOpen else {
                throw DatabaseError(
                    .badDatabase, "the call that read the server's database has ended",
                    hint: "use its snapshot and its transaction within the body alone")
            }
            if let failure = state.failure { throw failure.databaseError }
            do throws(CallError) {
                try checkPatience(since: state.lastCall)
                guard let read = try reader.read(need, beginning: [], mayWait: false) else { throw .staleSchema }
                state.lastCall = .now
                return read.moment
            } catch {
                state.failure = error
                throw error.databaseError
            }
        }
    }

    /// - Throws: `CallError` where a read failed, or where the server ends the transaction by itself by now.
    func checkIsWhole() throws(CallError) {
        try state.withLock { state throws(CallError) in
            if let failure = state.failure { throw failure }
            try checkPatience(since: state.lastCall)
        }
    }

    private func checkPatience(since date: ContinuousClock.Instant) throws(CallError) {
        guard let patience, ContinuousClock.now - date > patience else { return }
        throw .database(
            DatabaseError(
                .limitExceeded,
                "the transaction left the server waiting for more than \(patience.components.seconds) s",
                hint: "do what takes long before the transaction"))
    }

    /// Ends all reading, when the transaction ends.
    func end() { state.withLock { $0.isOpen = false } }
}
