// Who shares something with a user, on its way to those who read what commits tell the user.

import RecordModel
import Synchronization

/// Looks for those who share something with a user, while the user has subscriptions to the shared database: what their
/// commits tell is with their databases. May be used from any thread.
final class SharedLookout: Sendable {
    typealias Place = ServerNotices.Place

    private let user: String
    private let identifier: String
    private let server: any RecordServer
    private let found: @Sendable ([Place: Int64]) -> Void
    private let work = WokenWork(pause: 20_000)
    /// What there was when this looked last: the last changes, and what changes with the user's subscriptions; `nil`
    /// before the first time.
    private let seen = Mutex<(changes: [Place: Int64], subscriptions: Int64)?>(nil)
    private let watch = Mutex<Int?>(nil)

    /// - Parameters:
    ///   - identifier: Names the container.
    ///   - found: Gets the databases, and the changes behind which the user is to be told. Called now and then.
    init(
        of user: String, _ identifier: String, _ server: any RecordServer,
        _ found: @escaping @Sendable ([Place: Int64]) -> Void
    ) {
        (self.user, self.identifier, self.server, self.found) = (user, identifier, server, found)
        let number = server.watch(origin(.shared, user)) { [weak self] in self?.wake() }
        watch.withLock { $0 = number }
        wake()
    }

    func end() {
        work.end()
        if let number = watch.withLock({ $0 }) { server.endWatching(number) }
    }

    private func wake() {
        work.wakeCall { [self] () throws(DatabaseError) in try look() }
    }

    private func origin(_ scope: DatabaseScope, _ user: String) -> DatabaseOrigin {
        DatabaseOrigin(container: identifier, scope: scope, user: user)
    }

    private func look() throws(DatabaseError) {
        let sharers = try server.sharers(of: user)
        // A subscription that is saved after this is told of what comes after the changes above.
        var need = ServerNeed()
        need.subscribers = .user(user)
        let moment = try server.read(origin(.shared, user), need)
        let earlier = seen.withLock { $0 }
        // One that tells once may have come and gone since.
        let hasSubscriptions =
            !moment.subscriptions.isEmpty || earlier.map { $0.subscriptions != moment.watchVersion } ?? false
        var (last, starts): ([Place: Int64], [Place: Int64]) = ([:], [:])
        for sharer in sharers {
            let place = Place(user: sharer.owner, node: sharer.node)
            last[place] = sharer.lastChange
            if !hasSubscriptions { continue }
            if let known = earlier.map({ $0.changes[place] }) ?? sharer.lastChange {
                starts[place] = known
            } else {
                starts[place] = try start(of: sharer)
            }
        }
        if !starts.isEmpty { found(starts) }
        seen.withLock { $0 = (last, moment.watchVersion) }
    }

    /// The change before the user accepted the first of the shares.
    private func start(of sharer: ServerSharer) throws(DatabaseError) -> Int64 {
        var need = ServerNeed()
        need.shares = .all
        let owner = origin(.private, sharer.owner)
        let access = SharedAccess(of: user, in: try server.read(owner, need).snapshot())
        let nodes = try server.nodes(of: Set(access.grants.map(\.share.id)), in: owner)
        let grants = access.grants.filter { (nodes[$0.share.id] ?? 0) == sharer.node }
        return grants.map(\.acceptance).min().map { $0 - 1 } ?? sharer.lastChange
    }
}
