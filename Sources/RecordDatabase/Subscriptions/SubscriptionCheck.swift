// Whether a subscription suits the database that it is saved in.

import PredicateSemantics
import RecordModel

/// The rules of subscriptions for one call.
struct SubscriptionCheck {
    let caller: Caller
    let schema: ContainerSchema
    let origin: DatabaseOrigin
    /// Checks that a zone is one of the shared database, where the subscription is to that one.
    var shared: ZoneCheck?

    typealias ZoneCheck = (RecordZone.ID) throws(DatabaseError) -> Void

    /// Fields that a notification can carry.
    static let maximumDesiredKeys = 3

    /// A subscription that passed all rules.
    /// - Throws: `DatabaseError`, as `Database.save(_:)` says.
    func stored(_ subscription: Subscription, _ state: DatabaseState) throws(DatabaseError) -> StoredSubscription {
        guard let userName = caller.userName else { throw DatabaseError(.notAuthenticated, "nobody is signed in") }
        var predicate: BoundPredicate?
        let keys = subscription.notificationInfo?.desiredKeys ?? []
        switch subscription.subject {
        case .query(let type, let wanted, let zoneID, _):
            let check = try QueryCheck(type, schema, caller, in: origin.scope)
            if let zoneID { try checkExists(zoneID, state) }
            predicate = try check.bind(wanted)
            try Self.checkKeys(keys, of: check)
        case .zone(let zoneID, _):
            try rejectKeys(keys)
            try checkZone(zoneID, state)
        case .database:
            try rejectKeys(keys)
            if origin.scope != .private { throw unsupported("a database subscription") }
        }
        let stored = StoredSubscription(userName: userName, subscription: subscription, predicate: predicate)
        if let other = table(of: state).duplicate(of: stored) {
            throw DatabaseError(
                .serverRejectedRequest, "subscription \(other.id) is the same", hint: "delete that one first")
        }
        return stored
    }

    /// The subscriptions that are stored beside the one that is checked.
    func table(of state: DatabaseState) -> SubscriptionTable {
        shared == nil ? state.subscriptions : state.sharedSubscriptions
    }

    private func checkZone(_ id: RecordZone.ID, _ state: DatabaseState) throws(DatabaseError) {
        if origin.scope != .private { throw unsupported("a zone subscription") }
        if shared != nil { return try checkExists(id, state) }
        guard try state.zone(caller.normalized(id)).zone.capabilities.contains(.fetchChanges) else {
            throw DatabaseError(
                .invalidArguments, "the zone \(id.zoneName) keeps no changes", hint: "use a zone of your own")
        }
    }

    private func checkExists(_ id: RecordZone.ID, _ state: DatabaseState) throws(DatabaseError) {
        if let shared {
            try shared(id)
        } else {
            _ = try state.zone(caller.normalized(id))
        }
    }

    private func unsupported(_ kind: String) -> DatabaseError {
        DatabaseError(.invalidArguments, "\(kind) needs the private database", hint: "subscribe to a query")
    }

    private func rejectKeys(_ keys: [String]) throws(DatabaseError) {
        if keys.isEmpty { return }
        throw DatabaseError(.invalidArguments, "only notifications of queries carry fields")
    }

    /// Checks that notifications can carry fields.
    static func checkKeys(_ keys: [String], of check: QueryCheck) throws(DatabaseError) {
        if keys.count > maximumDesiredKeys {
            throw DatabaseError(
                .invalidArguments, "a notification carries at most \(maximumDesiredKeys) fields, not \(keys.count)"
            )
        }
        for key in keys {
            if check.type.fields[key]?.traits.contains(.encrypted) == true {
                throw DatabaseError(.invalidArguments, "the desired keys: field \(key) is encrypted")
            }
            switch check.type.fields[key]?.type {
            case .string, .int64, .double, .date, .location, .reference: break
            case nil:
                throw DatabaseError(.invalidArguments, "the desired keys: \(check.recordType) has no field \(key)")
            case let type?:
                throw DatabaseError(
                    .invalidArguments, "the desired keys: field \(key) is \(type.schemaName)",
                    hint: "notifications carry strings, numbers, dates, locations and references")
            }
        }
    }
}
