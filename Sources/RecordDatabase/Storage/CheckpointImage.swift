// The data that a store begins with, and how the changes of a log are applied to them.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import RecordStorage
import RecordStore
import Synchronization

/// The data of a container: what a store begins with.
struct CheckpointImage {
    /// The data of one database.
    struct Database {
        let origin: DatabaseOrigin
        var records: RecordStore
        var state: DatabaseState
    }

    let identifier: String
    /// Tells the history of changes that the store continues from all others; `nil` for one that only older versions
    /// have written.
    var incarnation: String?
    /// New changes have numbers above this one: those up to it may have been given in other histories of the store.
    var lastForeignChange: Int64 = 0
    var schema = ContainerSchema()
    /// Roles given to users, by user.
    var roles: [String: Set<String>] = [:]
    var databases: [Database] = []
    /// Numbers of the segment files that hold the records.
    var files: Set<Int> = []

    /// Without data.
    init(identifier: String, incarnation: String? = UUID().uuidString) {
        self.identifier = identifier
        self.incarnation = incarnation
    }
}

extension ContainerStore {
    /// Applies a change that was written before, as it was applied when it was made.
    /// - Throws: `DatabaseError` when the change does not suit the data before it.
    func replay(_ change: StoreChange) throws(DatabaseError) {
        switch change {
        case .load(_, let place):
            throw DatabaseError(.internalError, "the records of file \(place.number) were not read")
        case .schema(let newSchema):
            try writing(to: []) { group throws(DatabaseError) in try group.commit(newSchema, isLogged: false) }
        case .roles(let roles, let userName): restoreRoles(roles, of: userName)
        case .commit(var commit):
            let known = commit.schema ?? schema.current
            commit.savedSubscriptions = commit.savedSubscriptions.map { $0.bound(known) }
            commit.sharing.savedSubscriptions = commit.sharing.savedSubscriptions.map { $0.bound(known) }
            let database = commit.origin.user.map { privateDatabase(of: $0) } ?? publicDatabase
            let change = commit
            try writing(to: [database]) { group throws(DatabaseError) in
                try group.add(change, to: database, isLogged: false)
                try group.commit()
            }
        }
    }
}

extension StoredSubscription {
    /// The subscription with its predicate bound to the fields that its type has by now.
    ///
    /// It was checked when it was saved, rights included: whatever was changed in the schema since is no reason to
    /// forget it.
    func bound(_ schema: ContainerSchema) -> StoredSubscription {
        guard case .query(let type, let wanted, _, _) = subscription.subject else { return self }
        let predicate = try? QueryCheck(type, schema, caller, in: .private).bind(wanted)
        return StoredSubscription(userName: userName, subscription: subscription, predicate: predicate)
    }

    /// The user, for whom predicates are bound.
    var caller: Caller {
        Caller(client: 0, rights: Rights(userName: userName, roles: []), configuration: Configuration(), keys: .none)
    }
}
