// A server whose commits are written down in their order, and which does something wrong where that is wanted.

import Dispatch
import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

/// Passes calls on to a server of records.
///
/// Commits are made one at a time, so that they are written down in the order in which the server made them. Whoever
/// reads does not wait for them.
final class WatchedServer: RecordServer {
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

    private struct State {
        var isBegun = false
        /// Commits in which the flaw might have shown.
        var chances = 0
    }

    private let base: any RecordServer
    private let log: DatabaseLog
    private let flaw: Flaw?
    private let state = Mutex(State())
    /// Held from before a commit until it is written down.
    private let turn = DispatchSemaphore(value: 1)

    init(_ base: any RecordServer, _ log: DatabaseLog, flaw: Flaw?) {
        (self.base, self.log, self.flaw) = (base, log, flaw)
    }

    /// Writes commits down from now on.
    func begin() { state.withLock { $0.isBegun = true } }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        turn.wait()
        defer { turn.signal() }
        // The last call of the body counts.
        var told: ServerCommit?
        let outcome = try base.write(origin, need) { moment, reading throws(DatabaseError) in
            let made = try body(moment, reading)
            told = made.commit
            return (made.commit.map(stored), made.outcome)
        }
        if let told, state.withLock({ $0.isBegun }) { log.append(told, origin) }
        return outcome
    }

    /// What is stored of a commit: all of it, but for the flaw.
    private func stored(_ commit: ServerCommit) -> ServerCommit {
        var commit = commit
        guard let flaw, state.withLock({ $0.isBegun }) else { return commit }
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

    // MARK: What is passed on

    var incarnation: String { base.incarnation }
    var callCount: Int { base.callCount }
    var assetFolder: String { base.assetFolder }

    func storeAssets(_ assets: [Asset]) throws(DatabaseError) { try base.storeAssets(assets) }
    func removeUnusedAssets() throws(DatabaseError) -> [String] { try base.removeUnusedAssets() }
    func assetsInUse(among digests: [String]) throws(DatabaseError) -> Set<String> {
        try base.assetsInUse(among: digests)
    }
    func readAsset(
        _ digest: String, _ take: ([UInt8]) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> Bool { try base.readAsset(digest, take) }

    func schema() throws(DatabaseError) -> ContainerSchema { try base.schema() }
    func changeSchema(
        _ change: (ContainerSchema) throws(DatabaseError) -> ServerSchemaChange?
    ) throws(DatabaseError) { try base.changeSchema(change) }
    func encryptionKey(noting name: String?) throws(DatabaseError) -> String? {
        try base.encryptionKey(noting: name)
    }
    func roles() throws(DatabaseError) -> [String: Set<String>] { try base.roles() }
    func setRoles(_ roles: Set<String>, of userName: String) throws(DatabaseError) {
        try base.setRoles(roles, of: userName)
    }

    func read(_ origin: DatabaseOrigin, _ need: ServerNeed) throws(DatabaseError) -> ServerMoment {
        try base.read(origin, need)
    }
    func reading<Outcome>(
        _ origin: DatabaseOrigin, _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> Outcome
    ) throws(DatabaseError) -> Outcome { try base.reading(origin, body) }
    func notices(
        _ origin: DatabaseOrigin, of users: Set<String>, on node: Int32, after place: NoticePlace,
        through end: Int64?, limit: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64) {
        try base.notices(origin, of: users, on: node, after: place, through: end, limit: limit)
    }
    func watch(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        base.watch(origin, tell)
    }
    func share(withToken token: String) throws(DatabaseError) -> (owner: String, id: Record.ID)? {
        try base.share(withToken: token)
    }
    func owners(ofSharesAcceptedBy userName: String) throws(DatabaseError) -> [String] {
        try base.owners(ofSharesAcceptedBy: userName)
    }
    func isKnown(_ origin: DatabaseOrigin) throws(DatabaseError) -> Bool { try base.isKnown(origin) }
    func endWatching(_ number: Int) { base.endWatching(number) }
    func close() { base.close() }
}
