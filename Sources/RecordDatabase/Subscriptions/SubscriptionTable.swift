// The subscriptions of one database, and what a commit means to them.

import Percolation
import PredicateSemantics
import RecordModel
import RecordStore

/// A subscription with what a database made of it.
package struct StoredSubscription: Sendable {
    /// Whose it is.
    package let userName: String
    package let subscription: Subscription
    /// What is watched, its zone by the name that the store knows it by.
    let subject: Subscription.Subject
    /// The predicate of a query subscription, bound to its type.
    let predicate: BoundPredicate?

    init(userName: String, subscription: Subscription, predicate: BoundPredicate?) {
        (self.userName, self.subscription, self.predicate) = (userName, subscription, predicate)
        subject = subscription.subject.inZones { $0.known(to: userName) }
    }
}

extension Subscription.Subject {
    /// No path of the predicate has more steps: its text has a point before each but the first.
    fileprivate var pathLength: Int {
        guard case .query(_, let predicate, _, _) = self else { return 0 }
        return predicate.description.utf8.count { $0 == UInt8(ascii: ".") } + 1
    }

    /// The same with another name of its zone.
    fileprivate func inZones(_ name: (RecordZone.ID) -> RecordZone.ID) -> Subscription.Subject {
        switch self {
        case .query(let type, let predicate, let zoneID, let options):
            .query(recordType: type, predicate: predicate, zoneID: zoneID.map(name), options: options)
        case .zone(let zoneID, let type): .zone(name(zoneID), recordType: type)
        case .database: self
        }
    }
}

/// Something to tell a user, not yet a notification of a client.
package struct Notice: Sendable {
    let userName: String
    let subscription: Subscription
    var zoneID: RecordZone.ID?
    var recordID: Record.ID?
    var reason: ChangeNotification.Reason?
    /// The record as it is now, where its fields are wanted.
    var record: Record?
    /// The database that the subscription is to, where it is not that of the commit.
    var scope: DatabaseScope?
}

/// The subscriptions of one database. Predicates are filed, so that a record finds those it concerns.
struct SubscriptionTable {
    /// Names a subscription among those of all users.
    struct Key: Hashable {
        var userName: String
        var id: Subscription.ID
    }

    private var entries: [Int: StoredSubscription] = [:]
    private var numbers: [Key: Int] = [:]
    /// Numbers of the subscriptions that are no queries, in order of saving.
    private var broad: [Int] = []
    private var predicates = PredicateIndex()
    private var nextNumber = 0
    /// How many references, one behind the other, a predicate may follow at most; the largest there ever was.
    private(set) var referenceDepth = 0
    /// Whose zones are named with their owner.
    private var owner: String?

    /// Whether there is none.
    var isEmpty: Bool { entries.isEmpty }

    /// No subscriptions.
    init() {}

    /// Subscriptions in the order in which they were saved, their predicates bound to a schema.
    init(_ stored: [StoredSubscription], _ schema: ContainerSchema) {
        for subscription in stored { insert(subscription.bound(schema)) }
    }

    /// The subscriptions by their names.
    var keys: Set<Key> { Set(numbers.keys) }

    /// Number of subscriptions.
    var count: Int { entries.count }

    /// The subscriptions of all users, in order of saving.
    var all: [StoredSubscription] { entries.sorted { $0.key < $1.key }.map(\.value) }

    /// The subscription of a user, or `nil`.
    subscript(id: Subscription.ID, userName: String) -> Subscription? {
        numbers[Key(userName: userName, id: id)].flatMap { entries[$0]?.subscription }
    }

    /// The subscriptions of a user, by identifier. Complexity: O(all subscriptions).
    func subscriptions(of userName: String) -> [Subscription] {
        entries.values.filter { $0.userName == userName }.map(\.subscription).sorted { $0.id < $1.id }
    }

    /// Another subscription of the user to the same query, or `nil`.
    func duplicate(of stored: StoredSubscription) -> Subscription? {
        guard case .query = stored.subject else { return nil }
        return entries.values.first { entry in
            entry.userName == stored.userName && entry.subscription.id != stored.subscription.id
                && entry.subject == stored.subject
        }?.subscription
    }

    /// Stores a subscription, in place of the one of its user and identifier.
    mutating func insert(_ stored: StoredSubscription) {
        let key = Key(userName: stored.userName, id: stored.subscription.id)
        remove(key)
        numbers[key] = nextNumber
        set(stored, at: nextNumber)
        nextNumber += 1
    }

    private mutating func set(_ stored: StoredSubscription, at number: Int) {
        entries[number] = stored
        guard case .query(let type, _, _, _) = stored.subject else { return broad.append(number) }
        guard let predicate = stored.predicate else { return }
        predicates.insert(predicate, id: number, type: type)
        if predicate.followsReferences { referenceDepth = max(referenceDepth, stored.subscription.subject.pathLength) }
    }

    /// Binds the predicates of some types to another schema. Complexity: O(all subscriptions).
    mutating func bind(_ schema: ContainerSchema, typesAmong changed: Set<String>) {
        for (number, stored) in entries {
            guard case .query(let type, _, _, _) = stored.subject, changed.contains(type) else { continue }
            predicates.remove(number)
            set(stored.bound(schema), at: number)
        }
    }

    /// Forgets a subscription; nothing happens when there is none.
    mutating func remove(_ key: Key) {
        guard let number = numbers.removeValue(forKey: key) else { return }
        entries[number] = nil
        predicates.remove(number)
        broad.removeAll { $0 == number }
    }

    /// Forgets the subscriptions of an identifier.
    mutating func remove(_ id: Subscription.ID) {
        for key in numbers.keys where key.id == id { remove(key) }
    }

    /// Forgets the subscriptions to a zone.
    mutating func removeZone(_ id: RecordZone.ID) {
        for entry in entries.values {
            switch entry.subject {
            case .query(_, _, id?, _), .zone(id, _): remove(Key(userName: entry.userName, id: entry.subscription.id))
            default: break
            }
        }
    }

    // MARK: What a commit means

    /// What a commit has to tell, in its order; forgets the subscriptions that tell once.
    ///
    /// - Parameters:
    ///   - owner: Whose database was changed, where subscriptions name its zones with their owner.
    ///   - mayRead: Whether a user may read a record: nobody is told of others.
    mutating func notices(
        of event: CommitEvent, inZonesOf owner: String? = nil, mayRead: (_ userName: String, Record) -> Bool
    ) -> [Notice] {
        self.owner = owner
        // A migration is no change by anybody.
        if entries.isEmpty || event.commit.saves.first?.isRewritten == true { return [] }
        var notices: [Notice] = []
        if predicates.count > 0 {
            for save in event.commit.saves { append(queryNotices(of: save, in: event, mayRead), to: &notices) }
            for deletion in event.commit.deletions {
                append(queryNotices(of: deletion, in: event, mayRead), to: &notices)
            }
        }
        for number in broad { notices += broadNotices(number, event.commit) }
        return notices
    }

    private mutating func append(_ found: [(number: Int, notice: Notice)], to notices: inout [Notice]) {
        for (number, notice) in found {
            guard let entry = entries[number] else { continue }
            notices.append(notice)
            if case .query(_, _, _, let options) = notice.subscription.subject, options.contains(.firesOnce) {
                remove(Key(userName: entry.userName, id: entry.subscription.id))
            }
        }
    }

    private func queryNotices(
        of save: Commit.Save, in event: CommitEvent, _ mayRead: (String, Record) -> Bool
    ) -> [(number: Int, notice: Notice)] {
        guard let record = event.saved(save) else { return [] }
        let (option, reason): (Subscription.Options, ChangeNotification.Reason) =
            save.isNew ? (.firesOnRecordCreation, .recordCreated) : (.firesOnRecordUpdate, .recordUpdated)
        return notices(matching: record, option, reason, event.after, mayRead).map { number, notice in
            var notice = notice
            if notice.subscription.notificationInfo?.desiredKeys.isEmpty == false { notice.record = record }
            return (number, notice)
        }
    }

    private func queryNotices(
        of deletion: Commit.Deletion, in event: CommitEvent, _ mayRead: (String, Record) -> Bool
    ) -> [(number: Int, notice: Notice)] {
        guard let record = event.deleted(deletion) else { return [] }
        return notices(matching: record, .firesOnRecordDeletion, .recordDeleted, event.before, mayRead)
    }

    private func notices(
        matching record: Record, _ option: Subscription.Options, _ reason: ChangeNotification.Reason,
        _ snapshot: Snapshot,
        _ mayRead: (String, Record) -> Bool
    ) -> [(number: Int, notice: Notice)] {
        let matches = predicates.matches(record) { CommitEvent.record($0.recordID, in: snapshot) }
        return matches.ids.sorted().compactMap { number in
            guard let entry = entries[number], case .query(_, _, let zoneID, let options) = entry.subject,
                options.contains(option), zoneID == nil || known(zoneID) == record.id.zoneID,
                mayRead(entry.userName, record)
            else { return nil }
            let notice = Notice(
                userName: entry.userName, subscription: entry.subscription, recordID: record.id, reason: reason)
            return (number, notice)
        }
    }

    /// A zone by the name that the records of the commit have.
    private func known(_ zoneID: RecordZone.ID?) -> RecordZone.ID? {
        guard let zoneID, let owner else { return zoneID }
        // The placeholder is the subscriber here.
        return zoneID.ownerName == RecordZone.ID.currentUserName ? nil : zoneID.known(to: owner)
    }

    /// What a commit tells a subscription to a zone or a database: at most one notice.
    private func broadNotices(_ number: Int, _ commit: Commit) -> [Notice] {
        guard let entry = entries[number] else { return [] }
        switch entry.subject {
        case .zone(let zoneID, let type):
            guard commit.changes(zoneID: known(zoneID), recordType: type) else { return [] }
            return [Notice(userName: entry.userName, subscription: entry.subscription, zoneID: zoneID)]
        case .database(let type):
            guard commit.changes(zoneID: nil, recordType: type) || (type == nil && commit.changesZones) else {
                return []
            }
            return [Notice(userName: entry.userName, subscription: entry.subscription)]
        case .query: return []
        }
    }
}

extension Commit {
    /// Whether a record of a zone and type is saved or deleted; `nil` for any.
    fileprivate func changes(zoneID: RecordZone.ID?, recordType: String?) -> Bool {
        func concerns(_ id: Record.ID, _ type: String) -> Bool {
            (zoneID == nil || id.zoneID == zoneID) && (recordType == nil || type == recordType)
        }
        return saves.contains { concerns($0.id, $0.type) } || deletions.contains { concerns($0.id, $0.type) }
    }
}
