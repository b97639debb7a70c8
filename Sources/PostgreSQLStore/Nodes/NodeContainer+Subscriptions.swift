// Subscriptions, which all nodes have: the commits of each tell them by themselves.

import Dispatch
import FoundationEssentials
import RecordDatabase
import RecordModel
import Synchronization

extension NodeContainer {
    /// The subscriptions of a user that all nodes have, as the control node has them, what nodes have besides, and the
    /// moment that joins the nodes.
    private struct Subscribed {
        var moment: ServerMoment
        /// Those that a node has alone, or otherwise than the control node, by the nodes' numbers.
        var stray: [(node: Node, deletes: [Subscription.ID], saves: [StoredSubscription])] = []
    }

    /// Changes the subscriptions of a user on one node after another, the control node last: what it lists all have.
    func writeSubscriptions<Outcome>(
        _ origin: DatabaseOrigin, of user: String, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        var outcome: Outcome?
        try locked { () throws(DatabaseError) in
            try levelUnderLock()
            let subscribed = try subscribed(origin, user, need)
            try settle(subscribed, origin, user)
            let decided = try body(subscribed.moment, FirstReading())
            outcome = decided.outcome
            guard let commit = decided.commit else { return }
            do throws(DatabaseError) {
                for node in nodes.reversed() {
                    try node.store(
                        commit.savedSubscriptions, deleting: commit.deletedSubscriptions.map(\.id), origin, user)
                }
            } catch {
                // What cannot be taken back now is settled by the next call.
                if let halves = try? self.subscribed(origin, user, need) { try? settle(halves, origin, user) }
                throw error
            }
        }
        guard let outcome else { throw DatabaseError(.internalError, "subscriptions were not changed") }
        return outcome
    }

    /// Takes from all nodes what a commit ended on its own, soon and until it is done.
    func endSubscriptions(_ origin: DatabaseOrigin, of user: String) {
        endings.run { [self] () throws(DatabaseError) in
            try locked { () throws(DatabaseError) in
                try levelUnderLock()
                var need = ServerNeed()
                need.subscribers = .user(user)
                try settle(try subscribed(origin, user, need), origin, user)
            }
        }
    }

    private func subscribed(
        _ origin: DatabaseOrigin, _ user: String, _ need: ServerNeed
    ) throws(DatabaseError) -> Subscribed {
        let parts = try SideBySide.run(nodes) { node throws(DatabaseError) in
            try node.call { container throws(DatabaseError) in try container.read(origin, need) }
        }
        typealias Contents = [Subscription.ID: [UInt8]]
        var contents: [Contents] = []
        for part in parts {
            var own: Contents = [:]
            for stored in part.subscriptions { own[stored.subscription.id] = try BinaryForm.bytes(stored) }
            contents.append(own)
        }
        // One that a node does not have was saved by half, or a commit there ended it.
        let common = contents.dropFirst().reduce(Set(contents.first.map { Array($0.keys) } ?? [])) {
            $0.intersection($1.keys)
        }
        let listed = (parts.first?.subscriptions ?? []).filter { common.contains($0.subscription.id) }
        var found = Subscribed(moment: Self.join(Array(zip(nodes.map(\.number), parts))))
        found.moment.subscriptions = listed
        for (node, own) in zip(nodes, contents) {
            let deletes = own.keys.filter { !common.contains($0) }
            let saves = listed.filter { own[$0.subscription.id] != contents.first?[$0.subscription.id] }
            if !deletes.isEmpty || !saves.isEmpty { found.stray.append((node, deletes, saves)) }
        }
        return found
    }

    private func settle(
        _ subscribed: Subscribed, _ origin: DatabaseOrigin, _ user: String
    ) throws(DatabaseError) {
        for (node, deletes, saves) in subscribed.stray { try node.store(saves, deleting: deletes, origin, user) }
    }
}

extension Node {
    fileprivate func store(
        _ saves: [StoredSubscription], deleting ids: [Subscription.ID], _ origin: DatabaseOrigin, _ user: String
    ) throws(DatabaseError) {
        try call { container throws(DatabaseError) in try container.store(saves, deleting: ids, origin, user) }
    }
}

extension PostgreSQLContainer {
    /// Saves and deletes subscriptions of a user here.
    func store(
        _ saves: [StoredSubscription], deleting ids: [Subscription.ID], _ origin: DatabaseOrigin, _ user: String
    ) throws(DatabaseError) {
        try write(origin, ServerNeed()) { moment, _ throws(DatabaseError) in
            var commit = ServerCommit(
                userName: user, client: 0, date: moment.lastDate, after: moment.lastChange, deletionsKept: 0)
            commit.savedSubscriptions = saves
            commit.deletedSubscriptions = ids.map { (user, $0) }
            return (commit, ())
        }
    }
}

/// Work that is tried until it is done, beside the calls that made it necessary. May be used from any thread.
final class NodeEndings: Sendable {
    private let isClosed = Mutex(false)
    private let queue = DispatchQueue(label: "ended subscriptions")

    func run(_ work: @escaping @Sendable () throws(DatabaseError) -> Void) {
        queue.async { [self] in attempt(work) }
    }

    func close() { isClosed.withLock { $0 = true } }

    private func attempt(_ work: @escaping @Sendable () throws(DatabaseError) -> Void) {
        if isClosed.withLock({ $0 }) { return }
        do throws(DatabaseError) { try work() } catch {
            queue.asyncAfter(deadline: .now() + .milliseconds(500)) { [self] in attempt(work) }
        }
    }
}
