// Subscriptions to save and to delete, wherever their database is.

import QueryExecution
import RecordModel
import RecordStore
import Synchronization

/// Subscriptions to save and to delete, each on its own.
struct SubscriptionsRequest: Sendable {
    let saves: [Subscription]
    let deletes: [Subscription.ID]

    /// What a database does for an item that passed all rules.
    enum Change {
        case save(StoredSubscription)
        case delete(SubscriptionTable.Key)
    }

    /// Checks each item on what the ones before leave, and has those that pass carried out.
    ///
    /// - Parameters:
    ///   - state: The database as it is by then.
    ///   - apply: Carries a change out. An error of a save is that of its item, one of a deletion that of the call.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole.
    func perform(
        _ check: SubscriptionCheck, on state: () throws(DatabaseError) -> DatabaseState,
        _ apply: (Change) throws(DatabaseError) -> Void
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        var result = ModifySubscriptionsResult()
        for subscription in saves {
            let outcome: Result<Subscription, DatabaseError>
            do throws(DatabaseError) {
                try apply(.save(try check.stored(subscription, try state())))
                outcome = .success(subscription)
            } catch {
                outcome = .failure(error)
            }
            result.saves.append((subscription.id, outcome))
        }
        for id in deletes {
            guard let userName = check.caller.userName, check.table(of: try state())[id, userName] != nil else {
                result.deletes.append((id, .failure(Self.missing(id))))
                continue
            }
            try apply(.delete(SubscriptionTable.Key(userName: userName, id: id)))
            result.deletes.append((id, .success(())))
        }
        return result
    }

    fileprivate static func missing(_ id: Subscription.ID) -> DatabaseError {
        DatabaseError(.unknownItem, "there is no subscription \(id)")
    }
}

extension DatabaseStoring {
    /// The subscriptions of a caller, by identifier.
    func allSubscriptions(of caller: Caller) throws(DatabaseError) -> [Subscription] {
        guard let userName = caller.userName else { return [] }
        return try subscriptions(of: userName).subscriptions(of: userName)
    }

    /// The subscriptions of a caller with some identifiers, each or an error.
    func subscriptions(
        _ ids: [Subscription.ID], of caller: Caller
    ) throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>] {
        let known = try caller.userName.map { name throws(DatabaseError) in (name, try subscriptions(of: name)) }
        var results: [Subscription.ID: Result<Subscription, DatabaseError>] = [:]
        for id in ids {
            let found = known.flatMap { name, table in table[id, name] }
            results[id] = found.map { .success($0) } ?? .failure(SubscriptionsRequest.missing(id))
        }
        return results
    }
}

extension LocalDatabase {
    func subscriptions(of _: String) throws(DatabaseError) -> SubscriptionTable {
        stored.state.withLock { $0.subscriptions }
    }

    func modifySubscriptions(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        try store.modifySubscriptions(request, caller, of: stored, shared: nil)
    }

    func modifySubscriptionsSuspending(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifySubscriptionsResult {
        try await BackgroundThread.perform { () throws(DatabaseError) in try modifySubscriptions(request, caller) }
    }
}

extension SharedDatabase {
    /// The subscriptions are those of a database of their own, of which a server keeps nothing else.
    private func served(on remote: RemoteStore) -> RemoteDatabase {
        RemoteDatabase(store: store, remote: remote, origin: origin)
    }

    func subscriptions(of userName: String) throws(DatabaseError) -> SubscriptionTable {
        if let remote = store.remote { return try served(on: remote).subscriptions(of: userName) }
        return store.privateDatabase(of: userName).state.withLock { $0.sharedSubscriptions }
    }

    /// Subscriptions to a shared database in this process are stored in the user's private one.
    func modifySubscriptions(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        guard let remote = store.remote else {
            return try store.modifySubscriptions(
                request, caller, of: store.privateDatabase(of: userName)
            ) { id throws(DatabaseError) in _ = try zones([id], caller)[id]?.get() }
        }
        // Whoever changes subscriptions has a connection, and does not wait for another one.
        let known = try zones(request.saves.compactMap(\.subject.zoneID), caller)
        return try served(on: remote).modifySubscriptions(request, caller) { id throws(DatabaseError) in
            _ = try known[id]?.get()
        }
    }

    func modifySubscriptionsSuspending(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifySubscriptionsResult {
        try await perform { () throws(DatabaseError) in try modifySubscriptions(request, caller) }
    }
}

extension Subscription.Subject {
    /// The zone that is watched; `nil` for all.
    fileprivate var zoneID: RecordZone.ID? {
        switch self {
        case .query(_, _, let zoneID, _): zoneID
        case .zone(let zoneID, _): zoneID
        case .database: nil
        }
    }
}

extension ContainerStore {
    /// Saves and deletes subscriptions of a database in this process, each in a commit of its own.
    ///
    /// - Parameter shared: Checks that zones are shared, where these are subscriptions to the shared database; `nil`
    ///   for those to the one that stores them.
    fileprivate func modifySubscriptions(
        _ request: SubscriptionsRequest, _ caller: Caller, of stored: StoredDatabase,
        shared: SubscriptionCheck.ZoneCheck?
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        let result = try writing(to: [stored]) { group throws(DatabaseError) in
            let check = SubscriptionCheck(
                caller: caller, schema: group.schema, origin: stored.origin, shared: shared)
            return try request.perform(
                check, on: { () throws(DatabaseError) in try group.state(of: stored) },
                { change throws(DatabaseError) in
                    var commit = Commit(
                        origin: stored.origin, client: caller.client, userName: caller.userName,
                        date: max(caller.configuration.clock(), try group.state(of: stored).lastDate))
                    commit.add(change, isShared: shared != nil)
                    try group.add(commit, to: stored)
                    try group.commit()
                })
        }
        events.deliver()
        checkpointIfNeeded()
        return result
    }
}

extension Commit {
    fileprivate mutating func add(_ change: SubscriptionsRequest.Change, isShared: Bool) {
        switch change {
        case .save(let saved) where isShared: sharing.savedSubscriptions = [saved]
        case .save(let saved): savedSubscriptions = [saved]
        case .delete(let key) where isShared: sharing.deletedSubscriptions = [key.id]
        case .delete(let key): deletedSubscriptions = [(key.userName, key.id)]
        }
    }
}
