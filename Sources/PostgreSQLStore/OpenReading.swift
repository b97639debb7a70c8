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
        var hasRead = false
        /// How many cursors there were.
        var cursorCount = 0
    }

    private let reader: MomentReader
    /// For how long the server may have nothing to do.
    private let patience: Duration?
    /// The databases of those who share something with a user, by these users.
    private let databases: [String: Int32]
    /// Commits of the transaction that the first read sends along.
    private let unsent: UnsentCommits
    private let state = Mutex(State())

    /// - Parameters:
    ///   - unsent: Commits of the transaction that the first read sends along.
    ///   - patience: How long the transaction may be idle; `nil` for any time.
    ///   - databases: Those of the users who share something with the one whose shared database is read.
    init(
        _ reader: MomentReader, after unsent: UnsentCommits = UnsentCommits(), patience: Duration? = nil,
        databases: [String: Int32] = [:]
    ) {
        (self.reader, self.unsent, self.patience, self.databases) = (reader, unsent, patience, databases)
    }

    /// Why a read failed: the transaction is lost.
    var failure: CallError? { state.withLock { $0.failure } }
    /// Whether anything was read.
    var hasRead: Bool { state.withLock { $0.hasRead } }

    func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment { try read(need, of: nil) }

    var owners: [String] { databases.keys.sorted() }

    func reading(of owner: String) -> (any ServerReading)? {
        databases[owner].map { OwnerReading(base: self, database: $0) }
    }

    /// Reads the private database of another user, in the same transaction.
    private struct OwnerReading: ServerReading {
        let base: OpenReading
        let database: Int32

        func read(_ need: ServerNeed) throws(DatabaseError) -> ServerMoment { try base.read(need, of: database) }
    }

    /// - Parameter database: The number of the database; `nil` for that of the call.
    private func read(_ need: ServerNeed, of database: Int32?) throws(DatabaseError) -> ServerMoment {
        var reader = reader
        if let database { reader.database = database }
        return try call { beginning throws(CallError) in
            guard let read = try reader.read(need, beginning: beginning, mayWait: false) else {
                throw .staleSchema
            }
            return read.moment
        }
    }

    func portions(of types: [String]) throws(DatabaseError) -> any ServerPortions {
        let number = state.withLock { state in
            state.cursorCount += 1
            return state.cursorCount
        }
        let portions = OpenPortions(self, "portions_\(number)", of: types)
        try portions.begin()
        return portions
    }

    /// Records that a cursor of the transaction gives.
    private final class OpenPortions: ServerPortions {
        private let base: OpenReading
        private let cursor: String
        private let types: [String]
        /// Rows of a portion.
        private static let size = 1_000

        init(_ base: OpenReading, _ cursor: String, of types: [String]) {
            (self.base, self.cursor, self.types) = (base, cursor, types)
        }

        /// Begins to look for the records.
        func begin() throws(DatabaseError) {
            if types.isEmpty { return }
            let parts = types.map { base.reader.selection(of: $0, "z.database = $1") }
            let declare = Statement(
                "DECLARE \(cursor) NO SCROLL CURSOR FOR SELECT * FROM (\(parts.joined(separator: " UNION ALL "))) p "
                    + "ORDER BY p._s, p._n", [base.reader.number])
            _ = try base.call { beginning throws(CallError) -> [ServerRow] in
                _ = try base.reader.connection.call(beginning + [declare])
                return []
            }
        }

        func next() throws(DatabaseError) -> [ServerRow] {
            if types.isEmpty { return [] }
            let fetch = Statement("FETCH \(Self.size) FROM \(cursor)")
            return try base.call { beginning throws(CallError) in
                guard let rows = try base.reader.connection.call(beginning + [fetch]).last else { return [] }
                return try base.reader.coding.readRows(rows).map(\.row)
            }
        }
    }

    /// Does something in the transaction, behind the commits that were not sent yet.
    private func call<Outcome: Sendable>(
        _ body: (_ beginning: [Statement]) throws(CallError) -> Outcome
    ) throws(DatabaseError) -> Outcome {
        // One call at a time: the connection is one.
        try state.withLock { state throws(DatabaseError) in
            guard state.isOpen else {
                throw DatabaseError(
                    .badDatabase, "the call that read the server's database has ended",
                    hint: "use its snapshot and its transaction within the body alone")
            }
            if let failure = state.failure { throw failure.databaseError }
            do throws(CallError) {
                try checkPatience(since: state.lastCall)
                var beginning: [Statement] = []
                if !state.hasRead {
                    do throws(DatabaseError) { beginning = try unsent.statements() } catch { throw .database(error) }
                    state.hasRead = true
                }
                let outcome = try body(beginning)
                state.lastCall = .now
                return outcome
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
