// A server whose commits are written down in their order, and which does something wrong where that is wanted.

import Dispatch
import RecordDatabase
import RecordModel
import Synchronization

/// Passes calls on to a server of records.
///
/// Commits are made one at a time, so that they are written down in the order in which the server made them. Whoever
/// reads does not wait for them.
final class WatchedServer: PassingServer {
    /// What a server does wrong, so that a campaign shows that it finds it.
    enum Flaw: Sendable, CaseIterable {
        /// Now and then a record is not stored that the caller is told is.
        case losesSave
        /// Now and then a record stays that the caller is told is gone.
        case losesDeletion
        /// Now and then a field is stored as it was not sent.
        case changesField
        /// Subscribers are not told of every commit.
        case losesNotice
    }

    /// Takes in a commit, of a database, on one of the nodes.
    typealias Note = @Sendable (ServerCommit, DatabaseOrigin, _ node: Int32) -> Void

    private struct State {
        /// `nil` as long as nothing is written down.
        var note: Note?
        /// Commits in which the flaw might have shown.
        var chances = 0
    }

    let base: any RecordServer
    private let flaw: Flaw?
    private let state = Mutex(State())
    /// Held from before a commit until it is written down.
    private let turn = DispatchSemaphore(value: 1)

    init(_ base: any RecordServer, flaw: Flaw? = nil) { (self.base, self.flaw) = (base, flaw) }

    /// Has commits written down from now on.
    func begin(_ note: @escaping Note) { state.withLock { $0.note = note } }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        turn.wait()
        defer { turn.signal() }
        // The last call of the body counts.
        var told: (commit: ServerCommit, node: Int32)?
        let outcome = try base.write(origin, need) { moment, reading throws(DatabaseError) in
            let made = try body(moment, reading)
            told = made.commit.map { ($0, moment.node) }
            return (made.commit.map(stored), made.outcome)
        }
        if let told { state.withLock { $0.note }?(told.commit, origin, told.node) }
        return outcome
    }

    /// What is stored of a commit: all of it, but for the flaw.
    private func stored(_ commit: ServerCommit) -> ServerCommit {
        var commit = commit
        guard let flaw, state.withLock({ $0.note != nil }) else { return commit }
        let isChance =
            switch flaw {
            case .losesSave, .changesField: !commit.saves.isEmpty
            case .losesDeletion: !commit.deletions.isEmpty
            case .losesNotice: !commit.notices.isEmpty
            }
        let isTaken = state.withLock { state in
            if isChance { state.chances += 1 }
            return isChance && state.chances % 3 == 0
        }
        guard isTaken else { return commit }
        switch flaw {
        case .losesSave: commit.saves.removeLast()
        case .changesField: commit.saves[0].row.fields["a"] = .int64(77)
        case .losesDeletion: commit.deletions.removeLast()
        case .losesNotice: commit.notices.removeLast()
        }
        return commit
    }
}
