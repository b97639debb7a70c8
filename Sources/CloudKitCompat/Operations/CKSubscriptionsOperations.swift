// Subscriptions as operations.

import RecordDatabase

/// Fetches subscriptions by their identifiers, or all of them.
open class CKFetchSubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// `nil` for all subscriptions.
    public var subscriptionIDs: [CKSubscription.ID]?
    /// Called once for each.
    public var perSubscriptionResultBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// Called at the end.
    public var fetchSubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `fetchSubscriptionsResultBlock`, with what was fetched.
    public var fetchSubscriptionCompletionBlock: (([CKSubscription.ID: CKSubscription]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that fetches the current user's subscriptions of identifiers.
    public convenience init(subscriptionIDs: [CKSubscription.ID]) {
        self.init()
        self.subscriptionIDs = subscriptionIDs
    }

    /// An operation that fetches all subscriptions of the current user in a database.
    public static func fetchAllSubscriptionsOperation() -> CKFetchSubscriptionsOperation {
        CKFetchSubscriptionsOperation()
    }

    override func makeWork() -> Work {
        let (ids, told) = (subscriptionIDs, callback(perSubscriptionResultBlock))
        let finished = callback(fetchSubscriptionsResultBlock)
        let oldFinished = callback(fetchSubscriptionCompletionBlock)
        var found: [CKSubscription.ID: CKSubscription] = [:]
        return Work(onlyReads: true) { database, report throws(DatabaseError) in
            for (id, result) in try database.subscriptions(ids) {
                let outcome = report.read(.subscription(id), result) { CKSubscription.make($0) }
                if let value = outcome.success { found[id] = value }
                told?(id, outcome)
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(found, error)
        }
    }
}

extension Database {
    /// The subscriptions of identifiers, in their order; all for `nil`.
    fileprivate func subscriptions(
        _ ids: [CKSubscription.ID]?
    ) throws(DatabaseError) -> [(CKSubscription.ID, Result<Subscription, DatabaseError>)] {
        guard let ids else { return try fetchAllSubscriptions().map { ($0.id, .success($0)) } }
        let results = try fetchSubscriptions(ids)
        return ids.compactMap { id in results[id].map { (id, $0) } }
    }
}

/// Saves and deletes subscriptions, each on its own.
open class CKModifySubscriptionsOperation: CKDatabaseOperation, @unchecked Sendable {
    /// The subscriptions to save.
    public var subscriptionsToSave: [CKSubscription]?
    /// The subscriptions to delete.
    public var subscriptionIDsToDelete: [CKSubscription.ID]?
    /// Called once for each to save.
    public var perSubscriptionSaveBlock: ((CKSubscription.ID, Result<CKSubscription, any Error>) -> Void)?
    /// Called once for each to delete.
    public var perSubscriptionDeleteBlock: ((CKSubscription.ID, Result<Void, any Error>) -> Void)?
    /// Called at the end.
    public var modifySubscriptionsResultBlock: ((Result<Void, any Error>) -> Void)?
    /// The older form of `modifySubscriptionsResultBlock`, with what was saved and deleted.
    public var modifySubscriptionsCompletionBlock: (([CKSubscription]?, [CKSubscription.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that saves and deletes; either list may be missing.
    public convenience init(
        subscriptionsToSave: [CKSubscription]? = nil, subscriptionIDsToDelete: [CKSubscription.ID]? = nil
    ) {
        self.init()
        self.subscriptionsToSave = subscriptionsToSave
        self.subscriptionIDsToDelete = subscriptionIDsToDelete
    }

    override func makeWork() -> Work {
        let (saves, ids) = (SubscriptionSaves(subscriptionsToSave ?? []), subscriptionIDsToDelete ?? [])
        let (saved, deleted) = (callback(perSubscriptionSaveBlock), callback(perSubscriptionDeleteBlock))
        let finished = callback(modifySubscriptionsResultBlock)
        let oldFinished = callback(modifySubscriptionsCompletionBlock)
        var (savedValues, deletedIDs): ([CKSubscription], [CKSubscription.ID]) = ([], [])
        return Work { database, report throws(DatabaseError) in
            let result = saves.completed(try database.modifySubscriptions(saving: saves.legal, deletingIDs: ids))
            for (id, outcome) in result.saves.map({ ($0.id, $0.result) }) {
                let outcome = report.written(.subscription(id), outcome) { CKSubscription.make($0) }
                if let value = outcome.success { savedValues.append(value) }
                saved?(id, outcome)
            }
            for (id, outcome) in result.deletes.map({ ($0.id, $0.result) }) {
                let outcome = report.written(.subscription(id), outcome) { $0 }
                if outcome.failure == nil { deletedIDs.append(id) }
                deleted?(id, outcome)
            }
        } finish: { error in
            finished?(error.map { .failure($0) } ?? .success(()))
            oldFinished?(savedValues, deletedIDs, error)
        }
    }
}
