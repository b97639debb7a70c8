// Subscriptions of every kind, and what is done about the dictionaries in which a device is told.

import CloudKitCompat
import Foundation

public enum PushOutcome: Equatable {
    case record(CKRecord.ID, CKQueryNotification.Reason)
    case zone(String)
    case database(CKDatabase.Scope)
    case foreign
}

public final class SubscriptionCenter: @unchecked Sendable {
    private let container: CKContainer
    private let database: CKDatabase

    public init(container: CKContainer) {
        self.container = container
        database = container.privateCloudDatabase
    }

    public func subscribe(completion: @escaping @Sendable (Result<[String], Error>) -> Void) {
        let query = CKQuerySubscription(
            recordType: "Task", predicate: NSPredicate(format: "done == %@", NSNumber(value: false)),
            subscriptionID: "open-tasks", options: [.firesOnRecordCreation, .firesOnRecordUpdate])
        let info = CKSubscription.NotificationInfo()
        info.alertBody = "A task"
        info.alertLocalizationKey = "TASK_%1$@"
        info.alertLocalizationArgs = ["title"]
        info.shouldBadge = true
        info.shouldSendContentAvailable = true
        info.soundName = "default"
        info.category = "task"
        info.desiredKeys = ["title"]
        query.notificationInfo = info
        query.zoneID = CKRecordZone.ID(zoneName: "Tasks")

        let zone = CKRecordZoneSubscription(zoneID: CKRecordZone.ID(zoneName: "Tasks"), subscriptionID: "zone")
        zone.recordType = "Task"
        let all = CKDatabaseSubscription(subscriptionID: "all")
        let silent = CKSubscription.NotificationInfo(shouldSendContentAvailable: true)
        all.notificationInfo = silent
        zone.notificationInfo = silent

        let operation = CKModifySubscriptionsOperation(
            subscriptionsToSave: [query, zone, all], subscriptionIDsToDelete: [])
        operation.modifySubscriptionsResultBlock = { result in
            switch result {
            case .success:
                self.database.fetchAllSubscriptions { subscriptions, error in
                    if let error { return completion(.failure(error)) }
                    completion(.success(subscriptions?.map(\.subscriptionID).sorted() ?? []))
                }
            case .failure(let error): completion(.failure(error))
            }
        }
        operation.qualityOfService = .utility
        database.add(operation)
    }

    /// As an application's delegate gets it.
    public func handle(_ userInfo: [AnyHashable: Any]) -> PushOutcome {
        guard let notification = CKNotification(fromRemoteNotificationDictionary: userInfo) else { return .foreign }
        switch notification.notificationType {
        case .query:
            guard let query = notification as? CKQueryNotification, let id = query.recordID else { return .foreign }
            return .record(id, query.queryNotificationReason)
        case .recordZone:
            let zone = notification as? CKRecordZoneNotification
            return .zone(zone?.recordZoneID?.zoneName ?? "?")
        case .database:
            guard let database = notification as? CKDatabaseNotification else { return .foreign }
            return .database(database.databaseScope)
        case .readNotification: return .foreign
        @unknown default: return .foreign
        }
    }

    /// What the container tells from now on.
    public var notifications: AsyncStream<CKNotification> { container.notifications }

    /// What the container tells, routed like remote notifications.
    public func outcomes(_ notifications: AsyncStream<CKNotification>, _ count: Int) async -> [PushOutcome] {
        var outcomes: [PushOutcome] = []
        for await notification in notifications {
            outcomes.append(handle(notification.remoteNotificationDictionary))
            if outcomes.count == count { break }
        }
        return outcomes
    }

    public func unsubscribe() async throws -> Int {
        let subscriptions = try await database.allSubscriptions()
        for subscription in subscriptions {
            switch subscription.subscriptionType {
            case .query: _ = (subscription as? CKQuerySubscription)?.querySubscriptionOptions
            case .recordZone: _ = (subscription as? CKRecordZoneSubscription)?.zoneID
            case .database: _ = subscription.notificationInfo?.shouldSendContentAvailable
            @unknown default: break
            }
            try await database.deleteSubscription(withID: subscription.subscriptionID)
        }
        return subscriptions.count
    }
}
