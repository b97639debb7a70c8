// Commits: under the lock of their database, exactly once.

import FoundationEssentials
package import RecordDatabase
package import RecordModel

extension PostgreSQLContainer {
    /// How long a commit whose outcome is not known is looked for.
    private static var patience: Duration { .seconds(30) }

    package func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        let number = try number(of: origin)
        if need.isBrief {
            let turn = CommitTurn(need)
            let made: Made<Outcome>
            switch try turns.wait(turn, in: number) {
            case .leads: made = try lead(origin, number, need, body)
            case .joins(let transaction): made = try join(transaction, turn, in: number, body)
            case .isAlone: made = .apart
            }
            if case .done(let result) = made { return try result.get() }
        }
        guard case .done(let result) = try begin(origin, number, need, isLeading: false, body) else {
            throw DatabaseError(.internalError, "a commit was lost")
        }
        return try result.get()
    }

    /// Makes a commit, and gives others their turns in its transaction.
    private func lead<Outcome>(
        _ origin: DatabaseOrigin, _ database: Int32, _ need: ServerNeed, _ body: CommitBody<Outcome>
    ) throws(DatabaseError) -> Made<Outcome> {
        var isLost = true
        defer { turns.endLead(in: database, isLost: isLost) }
        let made = try begin(origin, database, need, isLeading: true, body)
        isLost = false
        return made
    }

    /// Makes a commit in the transaction of another one.
    private func join<Outcome>(
        _ transaction: SharedTransaction, _ turn: CommitTurn, in database: Int32, _ body: CommitBody<Outcome>
    ) throws(DatabaseError) -> Made<Outcome> {
        var made = Made<Outcome>.apart
        // Whoever leads learns of an error by itself.
        do throws(CallError) {
            made = try transaction.make(turn.need, besides: turns.needs(in: database), body)
        } catch {}
        turn.noteMade()
        switch turn.waitForEnd() {
        case .nothing, .stored: return made
        case .notStored: return .apart
        case .unknown(let token): return try wasStored(token) ? made : .apart
        }
    }

    /// A transaction with the commit that began it, and others that followed.
    private typealias Ended<Outcome> = (
        result: Result<Outcome, DatabaseError>, followers: [CommitTurn], end: TransactionEnd
    )

    /// Makes a commit in a transaction that it begins, as often as that takes.
    ///
    /// - Parameter isLeading: Whether those that wait may follow in it.
    /// - Returns: `apart` only where others followed, and nothing was stored.
    private func begin<Outcome>(
        _ origin: DatabaseOrigin, _ database: Int32, _ need: ServerNeed, isLeading: Bool, _ body: CommitBody<Outcome>
    ) throws(DatabaseError) -> Made<Outcome> {
        try withWriter { writer throws(DatabaseError) in
            while true {
                let done = try retrying { () throws(CallError) in
                    try withConnection { connection throws(CallError) in
                        defer { connection.rollBack() }
                        let transaction = SharedTransaction(
                            CommitTransaction(self, origin, database: database, writer: writer, on: connection))
                        return try run(transaction, need, in: isLeading ? database : nil, body)
                    }
                }
                var end = done.end
                defer { for turn in done.followers { turn.tell(end) } }
                end = try settled(end)
                switch end {
                case .nothing: return .done(done.result)
                case .stored:
                    notifier.note()
                    return .done(done.result)
                case .notStored, .unknown:
                    if !done.followers.isEmpty { return .apart }
                }
            }
        }
    }

    /// Makes a commit, then those that wait for it, and ends the transaction.
    ///
    /// - Parameter database: The database that others wait for; `nil` where none may follow.
    private func run<Outcome>(
        _ transaction: SharedTransaction, _ need: ServerNeed, in database: Int32?, _ body: CommitBody<Outcome>
    ) throws(CallError) -> Ended<Outcome> {
        let others = database.map { turns.needs(in: $0) } ?? []
        guard case .done(let result) = try transaction.make(need, besides: others, body) else { throw .staleSchema }
        var followers: [CommitTurn] = []
        while let database, transaction.isOpen(followers.count), let turn = turns.next(in: database) {
            turn.join(transaction)
            followers.append(turn)
        }
        do throws(CallError) {
            return (result, followers, try transaction.end())
        } catch {
            // What one of them did alone tells whose the error is.
            if followers.isEmpty { throw error }
            return (result, followers, .notStored)
        }
    }

    /// How a transaction ended: looked up where its connection was lost.
    ///
    /// - Throws: `DatabaseError` of code `serverResponseLost` where that cannot be told in time.
    func settled(_ end: TransactionEnd) throws(DatabaseError) -> TransactionEnd {
        guard case .unknown(let token) = end else { return end }
        return try wasStored(token) ? .stored : .notStored
    }

    /// Whether a transaction was stored whose connection was lost: looked up under the lock that it had, so that it
    /// cannot be stored later.
    private func wasStored(_ token: StoredToken) throws(DatabaseError) -> Bool {
        let statements =
            CommitTransaction.beginning(patience: patience) + [
                Statement("SELECT 1 FROM database WHERE number = $1 FOR UPDATE", [.int32(token.database)]),
                Statement("SELECT token FROM client WHERE number = $1", [.int64(token.writer)]), Statement("COMMIT"),
            ]
        let end = ContinuousClock.now + Self.patience
        pool.forgetIdle()
        while ContinuousClock.now < end {
            do throws(ServerError) {
                let results = try pool.withConnection { connection throws(ServerError) in
                    defer { connection.rollBack() }
                    return try connection.run(statements)
                }
                return results[results.count - 2].bytes(0, 0) == token.bytes
            } catch {
                if case .interrupted = error.kind { break }
                pool.forgetIdle()
                Self.pause(20)
            }
        }
        throw DatabaseError(
            .serverResponseLost, "the connection was lost while the commit was stored",
            hint: "make the call again, that of a batch with its client change token if it has one")
    }
}
