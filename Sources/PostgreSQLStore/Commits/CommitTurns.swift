// Commits of one process that wait for each other.

import Dispatch
import RecordDatabase
import RecordModel
import Synchronization

/// What makes a commit of rows.
typealias CommitBody<Outcome> =
    (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)

/// A commit that waits for its turn, and then for the end of the transaction that it is part of.
final class CommitTurn: Sendable {
    /// What the commit does next.
    enum Part: Sendable {
        /// It begins a transaction, and gives others their turns in it.
        case leads
        /// It is made in a transaction of another commit.
        case joins(SharedTransaction)
        /// It begins a transaction that is its alone.
        case isAlone
    }

    let need: ServerNeed
    private let part = Mutex<Part?>(nil)
    private let end = Mutex<TransactionEnd?>(nil)
    private let (hasPart, isMade, hasEnded) = (
        DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
    )

    init(_ need: ServerNeed) { self.need = need }

    /// Waits until others let the commit go on.
    ///
    /// - Parameter leave: Takes the commit out of those that wait; false where it has its turn.
    /// - Throws: `DatabaseError` where the task is cancelled or its time is over before.
    fileprivate func wait(_ leave: () -> Bool) throws(DatabaseError) -> Part {
        do throws(ServerError) { try hasPart.waitWhileWanted(leave) } catch { throw error.databaseError }
        return part.withLock { $0 } ?? .isAlone
    }

    fileprivate func begin(_ part: Part) {
        self.part.withLock { $0 = part }
        hasPart.signal()
    }

    /// Has the commit made in a transaction, and returns when that is done.
    func join(_ transaction: SharedTransaction) {
        begin(.joins(transaction))
        isMade.wait()
    }

    /// Tells that the commit is made.
    func noteMade() { isMade.signal() }

    /// Tells how the transaction ended.
    func tell(_ end: TransactionEnd) {
        self.end.withLock { $0 = end }
        hasEnded.signal()
    }

    /// Waits for the end of the transaction.
    func waitForEnd() -> TransactionEnd {
        hasEnded.wait()
        return end.withLock { $0 } ?? .notStored
    }
}

/// A transaction that several threads make commits in, one after another.
final class SharedTransaction: Sendable {
    private struct State {
        var transaction: CommitTransaction
        var failure: CallError?
        /// When the first commit was made: the lock of the database may have been waited for before.
        var start: ContinuousClock.Instant?
    }

    private let state: Mutex<State>

    /// How many commits a transaction has at most, and for how long the first may wait for the others.
    fileprivate static let limits = (commits: 64, time: Duration.milliseconds(50))

    init(_ transaction: CommitTransaction) { state = Mutex(State(transaction: transaction)) }

    /// Whether one more commit may follow so many.
    func isOpen(_ count: Int) -> Bool {
        state.withLock { state in
            guard let start = state.start, state.failure == nil, !state.transaction.isClosed else { return false }
            return count < Self.limits.commits && ContinuousClock.now - start < Self.limits.time
        }
    }

    /// As `CommitTransaction.make`. After an error all commits of the transaction are lost.
    func make<Outcome>(
        _ need: ServerNeed, besides others: [ServerNeed], _ body: CommitBody<Outcome>
    ) throws(CallError) -> Made<Outcome> {
        var made: Made<Outcome>?
        try state.withLock { state throws(CallError) in
            do throws(CallError) {
                made = try state.transaction.make(need, besides: others, body)
                state.start = state.start ?? .now
            } catch {
                state.failure = error
                throw error
            }
        }
        return made ?? .apart
    }

    /// As `CommitTransaction.end`.
    func end() throws(CallError) -> TransactionEnd {
        try state.withLock { state throws(CallError) in
            if let failure = state.failure { throw failure }
            return try state.transaction.end()
        }
    }
}

/// The commits that wait, by the numbers of their databases. May be used from any thread that may wait.
final class CommitTurns: Sendable {
    private let waiting = Mutex<[Int32: [CommitTurn]]>([:])

    /// Waits until a commit may lead, or has its turn in the transaction of another one.
    /// - Throws: `DatabaseError` where the task is cancelled or its time is over before.
    func wait(_ turn: CommitTurn, in database: Int32) throws(DatabaseError) -> CommitTurn.Part {
        let isFirst = waiting.withLock { waiting in
            // Somebody leads where there is an entry.
            guard let others = waiting[database] else {
                waiting[database] = []
                return true
            }
            waiting[database] = others + [turn]
            return false
        }
        if isFirst { return .leads }
        return try turn.wait {
            waiting.withLock { waiting in
                guard let place = waiting[database]?.firstIndex(where: { $0 === turn }) else { return false }
                waiting[database]?.remove(at: place)
                return true
            }
        }
    }

    /// What the commits need that wait and have their turns next.
    func needs(in database: Int32) -> [ServerNeed] {
        waiting.withLock { $0[database]?.prefix(SharedTransaction.limits.commits).map(\.need) ?? [] }
    }

    /// The first of those that wait, which does so no longer.
    func next(in database: Int32) -> CommitTurn? {
        waiting.withLock { waiting in
            guard waiting[database]?.isEmpty == false else { return nil }
            return waiting[database]?.removeFirst()
        }
    }

    /// Ends the lead of a commit.
    ///
    /// - Parameter isLost: Whether the server did not let it begin: the others try by themselves, all at a time, and
    ///   wait no longer than it did.
    func endLead(in database: Int32, isLost: Bool) {
        let (next, lost) = waiting.withLock { waiting -> (CommitTurn?, [CommitTurn]) in
            let others = waiting[database] ?? []
            guard !isLost, let first = others.first else {
                waiting[database] = nil
                return (nil, others)
            }
            waiting[database]?.removeFirst()
            return (first, [])
        }
        next?.begin(.leads)
        for turn in lost { turn.begin(.isAlone) }
    }
}
