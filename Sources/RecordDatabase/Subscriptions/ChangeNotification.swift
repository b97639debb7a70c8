// What a client is told.

public import RecordModel

/// A change that a subscription of the current user watches.
public struct ChangeNotification: Hashable, Sendable, Codable {
    /// What a notification is about; raw values are CloudKit's.
    public enum Kind: Int, Hashable, Sendable, Codable, CaseIterable {
        /// A record that a subscription to a query is about.
        case query = 1
        /// A zone.
        case recordZone = 2
        /// Never sent: the database keeps no list of notifications that were read.
        case readNotification = 3
        /// A database.
        case database = 4
    }

    /// What became of a record; raw values are CloudKit's.
    public enum Reason: Int, Hashable, Sendable, Codable, CaseIterable {
        /// It was created, and matches.
        case recordCreated = 1
        /// It was updated, and matches now.
        case recordUpdated = 2
        /// It was deleted, and matched.
        case recordDeleted = 3
    }

    /// Names the notification: no other has the identifier.
    public let id: String
    /// What the notification is about.
    public let kind: Kind
    /// The subscription that covers the change.
    public let subscriptionID: Subscription.ID
    /// The identifier of the container.
    public let containerIdentifier: String
    /// The database of the change.
    public let databaseScope: DatabaseScope
    /// The zone of a zone notification.
    public let recordZoneID: RecordZone.ID?
    /// The record of a query notification.
    public let recordID: Record.ID?
    /// What became of that record.
    public let reason: Reason?
    /// The desired fields of a created or updated record, texts cut at 100 characters.
    public let fields: [String: FieldValue]
    /// Whether fields were left out for their size, or notifications before this one because nobody took them.
    public internal(set) var isPruned: Bool

    package init(
        id: String, kind: Kind, subscriptionID: Subscription.ID, containerIdentifier: String,
        databaseScope: DatabaseScope, recordZoneID: RecordZone.ID?, recordID: Record.ID?, reason: Reason?,
        fields: [String: FieldValue], isPruned: Bool
    ) {
        (self.id, self.kind, self.subscriptionID) = (id, kind, subscriptionID)
        (self.containerIdentifier, self.databaseScope) = (containerIdentifier, databaseScope)
        (self.recordZoneID, self.recordID, self.reason) = (recordZoneID, recordID, reason)
        (self.fields, self.isPruned) = (fields, isPruned)
    }
}

extension ChangeNotification {
    /// Whether this supersedes an earlier one that nobody took yet: both only say that something changed there.
    func replaces(_ earlier: ChangeNotification) -> Bool {
        kind != .query && kind == earlier.kind && subscriptionID == earlier.subscriptionID
            && databaseScope == earlier.databaseScope && recordZoneID == earlier.recordZoneID
    }
}
