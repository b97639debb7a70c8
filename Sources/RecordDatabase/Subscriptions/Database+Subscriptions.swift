// Subscriptions: saving, listing, deleting.

public import RecordModel

extension Database {
    /// The current user's subscriptions in this database, by identifier.
    ///
    /// - Throws: `DatabaseError`.
    public func allSubscriptions() async throws(DatabaseError) -> [Subscription] {
        let (caller, storing) = try begin(.fetchSubscriptions, isWriting: true)
        return try await storing.run { () throws(DatabaseError) in try storing.allSubscriptions(of: caller) }
    }

    /// The current user's subscription of an identifier.
    ///
    /// - Throws: `DatabaseError` of code `unknownItem` when there is none.
    public func subscription(for id: Subscription.ID) async throws(DatabaseError) -> Subscription {
        guard let result = try await subscriptions(for: [id])[id] else {
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
        let (caller, storing) = try begin(.fetchSubscriptions, itemCount: ids.count, isWriting: true)
        return try await storing.run { () throws(DatabaseError) in try storing.subscriptions(ids, of: caller) }
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
        let (caller, storing) = try begin(.fetchSubscriptions, isWriting: true)
        return try storing.allSubscriptions(of: caller)
    }

    /// As `subscriptions(for:)`.
    package func fetchSubscriptions(
        _ ids: [Subscription.ID]
    ) throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>] {
        let (caller, storing) = try begin(.fetchSubscriptions, itemCount: ids.count, isWriting: true)
        return try storing.subscriptions(ids, of: caller)
    }

    /// As `modifySubscriptions(saving:deleting:)`.
    package func modifySubscriptions(
        saving subscriptions: [Subscription], deletingIDs ids: [Subscription.ID]
    ) throws(DatabaseError) -> ModifySubscriptionsResult {
        let (caller, storing) = try begin(
            .modifySubscriptions, itemCount: subscriptions.count + ids.count, isWriting: true)
        return try storing.modifySubscriptions(SubscriptionsRequest(saves: subscriptions, deletes: ids), caller)
    }

    /// As `modifySubscriptions`, for a task, which is suspended meanwhile.
    package func modifySuspending(
        saving subscriptions: [Subscription], deletingIDs ids: [Subscription.ID]
    ) async throws(DatabaseError) -> ModifySubscriptionsResult {
        let (caller, storing) = try begin(
            .modifySubscriptions, itemCount: subscriptions.count + ids.count, isWriting: true)
        return try await storing.modifySubscriptionsSuspending(
            SubscriptionsRequest(saves: subscriptions, deletes: ids), caller)
    }
}
