// Subscriptions: saving, listing, deleting.

import FoundationEssentials
import QueryExecution
public import RecordModel
import RecordStore
import Synchronization

extension Database {
    /// The current user's subscriptions in this database, by identifier.
    ///
    /// - Throws: `DatabaseError`.
    public func allSubscriptions() async throws(DatabaseError) -> [Subscription] { try fetchAllSubscriptions() }

    /// The current user's subscription of an identifier.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none.
    public func subscription(for id: Subscription.ID) async throws(DatabaseError) -> Subscription {
        guard let result = try fetchSubscriptions([id])[id] else {
            throw DatabaseError(.internalError, "a subscription was lost")
        }
        return try result.get()
    }

    /// The current user's subscriptions of identifiers, each or an error.
    ///
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole.
    public func subscriptions(
        for ids: [Subscription.ID]
    ) async throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>] {
        try fetchSubscriptions(ids)
    }

    /// Saves a subscription; it watches what happens from now on. One of the same identifier is replaced.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a predicate that does not suit the type, desired keys
    ///   that notifications cannot carry, and a zone or database that cannot be subscribed to; `zoneNotFound`;
    ///   `serverRejectedRequest` when another subscription is the same.
    @discardableResult
    public func save(_ subscription: Subscription) async throws(DatabaseError) -> Subscription {
        guard let result = try await modifySuspending(saving: [subscription], deletingIDs: []).saves.first else {
            throw DatabaseError(.internalError, "a subscription was lost")
        }
        return try result.result.get()
    }

    /// Deletes a subscription: no notification comes from it any more.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none.
    @discardableResult
    public func deleteSubscription(withID id: Subscription.ID) async throws(DatabaseError) -> Subscription.ID {
        try await modifySuspending(saving: [], deletingIDs: [id]).deletes.first?.result.get()
        return id
    }

    /// Saves and deletes subscriptions, each on its own.
    ///
    /// - Returns: What became of each.
    /// - Throws: `DatabaseError` for what is wrong with the call as a whole.
    public func modifySubscriptions(
        saving subscriptions: [Subscription], deleting ids: [Subscription.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [Subscription.ID: Result<Subscription, DatabaseError>],
        deleteResults: [Subscription.ID: Result<Void, DatabaseError>]
    ) {
        let result = try await modifySuspending(saving: subscriptions, deletingIDs: ids)
        return (
            Dictionary(result.saves.map { ($0.id, $0.result) }) { $1 },
            Dictionary(result.deletes.map { ($0.id, $0.result) }) { $1 }
        )
    }
}

// MARK: On this thread

/// What became of each subscription of a batch, in the order of the request.
package struct ModifySubscriptionsResult: Sendable {
    package var saves: [(id: Subscription.ID, result: Result<Subscription, DatabaseError>)] = []
    package var deletes: [(id: Subscription.ID, result: Result<Void, DatabaseError>)] = []
}

extension Database {
    /// As `allSubscriptions()`.
    package func fetchAllSubscriptions() throws(DatabaseError) -> [Subscription] {
        let (caller, stored) = try beginSubscriptions(.fetchSubscriptions)
        guard let userName = caller.userName else { return [] }
        return stored.state.withLock { $0[keyPath: table].subscriptions(of: userName) }
    }

    /// As `subscriptions(for:)`.
    package func fetchSubscriptions(
        _ ids: [Subscription.ID]
    ) throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>] {
        let (caller, stored) = try beginSubscriptions(.fetchSubscriptions, itemCount: ids.count)
        return stored.state.withLock { state in
            var results: [Subscription.ID: Result<Subscription, DatabaseError>] = [:]
            for id in ids {
                let found = caller.userName.flatMap { state[keyPath: table][id, $0] }
                results[id] = found.map { .success($0) } ?? .failure(Self.missing(id))
            }
            return results
        }
    }

    /// As `modifySubscriptions(saving:deleting:)`.
    package func modifySubscriptions(
        saving subscriptions: [Subscription], deletingIDs ids: [Subscription.ID]
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        let (caller, stored) = try beginSubscriptions(
            .modifySubscriptions, itemCount: subscriptions.count + ids.count)
        return try modifySubscriptions(saving: subscriptions, deletingIDs: ids, caller, stored)
    }

    /// As `modifySubscriptions`, for a task, which is suspended meanwhile.
    package func modifySuspending(
        saving subscriptions: [Subscription], deletingIDs ids: [Subscription.ID]
    ) async throws(DatabaseError) -> ModifySubscriptionsResult {
        let (caller, stored) = try beginSubscriptions(
            .modifySubscriptions, itemCount: subscriptions.count + ids.count)
        return try await BackgroundThread.perform { () throws(DatabaseError) in
            try self.modifySubscriptions(saving: subscriptions, deletingIDs: ids, caller, stored)
        }
    }

    private func modifySubscriptions(
        saving subscriptions: [Subscription], deletingIDs ids: [Subscription.ID], _ caller: Caller,
        _ stored: StoredDatabase
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        let result = try client.store.writing(to: [stored]) { group throws(DatabaseError) in
            func apply(_ change: (inout Commit) throws(DatabaseError) -> Void) throws(DatabaseError) {
                var commit = Commit(
                    origin: stored.origin, client: caller.client, userName: caller.userName,
                    date: max(caller.configuration.clock(), try group.state(of: stored).lastDate))
                try change(&commit)
                try group.add(commit, to: stored)
                try group.commit()
            }
            var result = ModifySubscriptionsResult()
            let check = SubscriptionCheck(
                caller: caller, schema: group.schema, origin: stored.origin, shared: sharedDatabase(caller))
            for subscription in subscriptions {
                let outcome: Result<Subscription, DatabaseError>
                do throws(DatabaseError) {
                    let saved = try check.stored(subscription, try group.state(of: stored))
                    try apply { commit throws(DatabaseError) in
                        if scope == .shared {
                            commit.sharing.savedSubscriptions = [saved]
                        } else {
                            commit.savedSubscriptions = [saved]
                        }
                    }
                    outcome = .success(subscription)
                } catch {
                    outcome = .failure(error)
                }
                result.saves.append((subscription.id, outcome))
            }
            for id in ids {
                guard let userName = caller.userName,
                    try group.state(of: stored)[keyPath: table][id, userName] != nil
                else {
                    result.deletes.append((id, .failure(Self.missing(id))))
                    continue
                }
                try apply { commit throws(DatabaseError) in
                    if scope == .shared {
                        commit.sharing.deletedSubscriptions = [id]
                    } else {
                        commit.deletedSubscriptions = [(userName, id)]
                    }
                }
                result.deletes.append((id, .success(())))
            }
            return result
        }
        client.store.events.deliver()
        client.store.checkpointIfNeeded()
        return result
    }

    /// Where the database's subscriptions are in the state that has them.
    private var table: any KeyPath<DatabaseState, SubscriptionTable> & Sendable {
        scope == .shared ? \.sharedSubscriptions : \.subscriptions
    }

    /// Begins a call. Subscriptions to the shared database are stored in the user's private one.
    private func beginSubscriptions(
        _ kind: DatabaseCall.Kind, itemCount: Int = 0
    ) throws(DatabaseError) -> (Caller, StoredDatabase) {
        let caller = try beginCall(kind, itemCount: itemCount, isWriting: true)
        return (caller, try client.stored(scope == .shared ? .private : scope, caller))
    }

    private func sharedDatabase(_ caller: Caller) -> SharedDatabase? {
        guard scope == .shared, let userName = caller.userName else { return nil }
        return SharedDatabase(store: client.store, userName: userName)
    }

    private static func missing(_ id: Subscription.ID) -> DatabaseError {
        DatabaseError(.unknownItem, "there is no subscription \(id)")
    }
}
