// Subscriptions: one call each.

import RecordDatabase

extension CKDatabase {
    /// What became of each item of a batch.
    public typealias ModifySubscriptionsResults = (
        saveResults: ItemResults<CKSubscription.ID, CKSubscription>, deleteResults: ItemResults<CKSubscription.ID, Void>
    )

    /// The current user's subscriptions in this database.
    public nonisolated(nonsending) func allSubscriptions() async throws -> [CKSubscription] {
        try fetchAllSubscriptionsNow()
    }

    /// The current user's subscription of an identifier; `unknownItem` when there is none.
    public nonisolated(nonsending) func subscription(for id: CKSubscription.ID) async throws -> CKSubscription {
        try fetchNow(id)
    }

    /// The current user's subscriptions of identifiers, each or an error.
    public nonisolated(nonsending) func subscriptions(
        for ids: [CKSubscription.ID]
    ) async throws -> ItemResults<CKSubscription.ID, CKSubscription> { try fetchNow(ids) }

    /// Saves a subscription; one of the same identifier is replaced.
    @discardableResult
    public nonisolated(nonsending) func save(_ subscription: CKSubscription) async throws -> CKSubscription {
        let saved = try await calling { database async throws(DatabaseError) in
            try await database.save(try subscription.subscription())
        }
        return CKSubscription.make(saved)
    }

    /// Deletes a subscription of the current user, and gives its identifier.
    @discardableResult
    public nonisolated(nonsending) func deleteSubscription(withID id: CKSubscription.ID) async throws
        -> CKSubscription.ID
    {
        try await calling { database async throws(DatabaseError) in try await database.deleteSubscription(withID: id) }
    }

    /// Saves and deletes subscriptions, each on its own.
    @discardableResult
    public nonisolated(nonsending) func modifySubscriptions(
        saving subscriptions: [CKSubscription], deleting ids: [CKSubscription.ID]
    ) async throws -> ModifySubscriptionsResults {
        let saves = SubscriptionSaves(subscriptions)
        let result = try await calling { database async throws(DatabaseError) in
            try await database.modifySuspending(saving: saves.legal, deletingIDs: ids)
        }
        return Self.compat(saves.completed(result))
    }
}

// MARK: With handlers

extension CKDatabase {
    /// The array is empty when the subscriptions cannot be had.
    @preconcurrency
    public func fetchAllSubscriptions(
        completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
    ) {
        later {
            try self.fetchAllSubscriptionsNow()
        } _: {
            completionHandler($0.success ?? [], $0.failure)
        }
    }

    /// Fetches a subscription of the current user; the error is `unknownItem` when there is none.
    @preconcurrency
    public func fetch(
        withSubscriptionID id: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        later {
            try self.fetchNow(id)
        } _: {
            completionHandler($0.success, $0.failure)
        }
    }

    /// The handler gets the subscription that was to be saved also when that fails.
    @preconcurrency
    public func save(
        _ subscription: CKSubscription, completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
    ) {
        later {
            try self.saveNow(subscription)
        } _: {
            completionHandler($0.success ?? subscription, $0.failure)
        }
    }

    /// The handler gets the identifier that was to be deleted also when that fails.
    @preconcurrency
    public func delete(
        withSubscriptionID id: CKSubscription.ID,
        completionHandler: @escaping @Sendable (CKSubscription.ID?, (any Error)?) -> Void
    ) {
        later {
            try self.deleteNow(id)
        } _: {
            completionHandler(id, $0.failure)
        }
    }

    /// Fetches subscriptions of the current user, each or an error.
    @preconcurrency
    public func fetch(
        withSubscriptionIDs ids: [CKSubscription.ID],
        completionHandler:
            @escaping @Sendable (Result<ItemResults<CKSubscription.ID, CKSubscription>, any Error>) -> Void
    ) {
        later {
            try self.fetchNow(ids)
        } _: {
            completionHandler($0)
        }
    }

    /// Saves and deletes subscriptions, each on its own.
    @preconcurrency
    public func modifySubscriptions(
        saving subscriptions: [CKSubscription], deleting ids: [CKSubscription.ID],
        completionHandler: @escaping @Sendable (Result<ModifySubscriptionsResults, any Error>) -> Void
    ) {
        later {
            try self.modifyNow(subscriptions, ids)
        } _: {
            completionHandler($0)
        }
    }
}

// MARK: On this thread

extension CKDatabase {
    private func fetchAllSubscriptionsNow() throws -> [CKSubscription] {
        try call { database throws(DatabaseError) in try database.fetchAllSubscriptions() }
            .map { CKSubscription.make($0) }
    }

    private func fetchNow(_ id: CKSubscription.ID) throws -> CKSubscription {
        try call { database throws(DatabaseError) in
            guard let result = try database.fetchSubscriptions([id])[id] else {
                throw DatabaseError(.internalError, "a subscription was lost")
            }
            return CKSubscription.make(try result.get())
        }
    }

    private func saveNow(_ subscription: CKSubscription) throws -> CKSubscription {
        try call { database throws(DatabaseError) in
            let sent = try subscription.subscription()
            guard let saved = try database.modifySubscriptions(saving: [sent], deletingIDs: []).saves.first else {
                throw DatabaseError(.internalError, "a subscription was lost")
            }
            return CKSubscription.make(try saved.result.get())
        }
    }

    private func deleteNow(_ id: CKSubscription.ID) throws -> CKSubscription.ID {
        try call { database throws(DatabaseError) in
            try database.modifySubscriptions(saving: [], deletingIDs: [id]).deletes.first?.result.get()
            return id
        }
    }

    private func fetchNow(
        _ ids: [CKSubscription.ID]
    ) throws -> ItemResults<CKSubscription.ID, CKSubscription> {
        try call { database throws(DatabaseError) in try database.fetchSubscriptions(ids) }
            .mapValues { $0.compat { CKSubscription.make($0) } }
    }

    private func modifyNow(
        _ subscriptions: [CKSubscription], _ ids: [CKSubscription.ID]
    ) throws -> ModifySubscriptionsResults {
        let saves = SubscriptionSaves(subscriptions)
        let result = try call { database throws(DatabaseError) in
            try database.modifySubscriptions(saving: saves.legal, deletingIDs: ids)
        }
        return Self.compat(saves.completed(result))
    }

    private static func compat(_ result: ModifySubscriptionsResult) -> ModifySubscriptionsResults {
        (
            Dictionary(result.saves.map { ($0.id, $0.result.compat { CKSubscription.make($0) }) }) { $1 },
            Dictionary(result.deletes.map { ($0.id, $0.result.compat { $0 }) }) { $1 }
        )
    }
}

/// Subscriptions to save as they were when they were given, each legal or an error.
struct SubscriptionSaves {
    private let items: [(id: CKSubscription.ID, subscription: Result<Subscription, DatabaseError>)]

    init(_ subscriptions: [CKSubscription]) {
        items = subscriptions.map { value in
            (id: value.subscriptionID, subscription: Result { () throws(DatabaseError) in try value.subscription() })
        }
    }

    /// Those that can be sent.
    var legal: [Subscription] { items.compactMap { try? $0.subscription.get() } }

    /// What became of all, in their order: of the legal ones what the database says.
    func completed(_ result: ModifySubscriptionsResult) -> ModifySubscriptionsResult {
        var all = result
        var sent = result.saves.makeIterator()
        all.saves = []
        for item in items {
            if case .failure(let error) = item.subscription {
                all.saves.append((item.id, .failure(error)))
            } else if let saved = sent.next() {
                all.saves.append(saved)
            }
        }
        return all
    }
}
