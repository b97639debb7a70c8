// Notifications under CloudKit's names.

public import Foundation
public import RecordDatabase
import RecordModel

/// News of a change that a subscription of the current user covers.
// Unchecked, since classes that have subclasses cannot be checked: nothing changes.
public class CKNotification: NSObject, RemoteNotificationReading, @unchecked Sendable {
    /// The identifier of a notification.
    public typealias ID = String
    /// What a notification is about.
    public typealias NotificationType = ChangeNotification.Kind

    let notification: ChangeNotification

    /// What a device would show; nothing for one that the container told.
    let alert: RemoteAlert

    fileprivate init(_ notification: ChangeNotification, _ alert: RemoteAlert = RemoteAlert()) {
        (self.notification, self.alert) = (notification, alert)
        super.init()
    }

    /// What the notification is about.
    public var notificationType: NotificationType { notification.kind }
    /// Names the notification: no other has the identifier.
    public var notificationID: ID? { notification.id }
    /// The identifier of the container.
    public var containerIdentifier: String? { notification.containerIdentifier }
    /// The subscription that covers the change.
    public var subscriptionID: CKSubscription.ID? { notification.subscriptionID }
    /// Whether something was left out for its size.
    public var isPruned: Bool { notification.isPruned }

    /// Whose subscription it is: always the current user's.
    public var subscriptionOwnerUserRecordID: CKRecord.ID? { nil }

    /// The same notification under CloudKit's name.
    static func make(_ notification: ChangeNotification, _ alert: RemoteAlert = RemoteAlert()) -> CKNotification {
        switch notification.kind {
        case .query: CKQueryNotification(notification, alert)
        case .recordZone: CKRecordZoneNotification(notification, alert)
        case .database: CKDatabaseNotification(notification, alert)
        case .readNotification: CKNotification(notification, alert)
        }
    }

    public override var description: String {
        "<\(Self.self): notificationType=\(notificationType), subscriptionID=\(subscriptionID ?? "")>"
    }
}

/// News of a record that a query subscription is about.
public final class CKQueryNotification: CKNotification, @unchecked Sendable {
    /// What happened to a record.
    public typealias Reason = ChangeNotification.Reason

    /// What happened to the record.
    public var queryNotificationReason: Reason { notification.reason ?? .recordUpdated }
    /// Which record it is.
    public var recordID: CKRecord.ID? { notification.recordID.map { CKRecord.ID($0) } }
    /// The desired fields of a created or updated record.
    public var recordFields: [String: any CKRecordValue]? {
        notification.fields.isEmpty ? nil : notification.fields.compactMapValues(\.recordValue)
    }
    /// The database of the record.
    public var databaseScope: CKDatabase.Scope { notification.databaseScope }
}

/// News of a zone.
public final class CKRecordZoneNotification: CKNotification, @unchecked Sendable {
    /// Which zone it is.
    public var recordZoneID: CKRecordZone.ID? { notification.recordZoneID.map { CKRecordZone.ID($0) } }
    /// The database of the zone.
    public var databaseScope: CKDatabase.Scope { notification.databaseScope }
}

/// News of a database.
public final class CKDatabaseNotification: CKNotification, @unchecked Sendable {
    /// Which of the container's databases it is.
    public var databaseScope: CKDatabase.Scope { notification.databaseScope }
}

extension CKContainer {
    /// What the current user's subscriptions tell from now on: what a device would get as remote notifications.
    /// A closed or illegal container tells nothing.
    public var notifications: AsyncStream<CKNotification> {
        guard case .success(let container) = container else { return AsyncStream { $0.finish() } }
        let stream = container.notifications
        // One at a time, on demand: what waits stays in the client's queue, whose length is bounded.
        return AsyncStream {
            for await notification in stream { return CKNotification.make(notification) }
            return nil
        }
    }
}
