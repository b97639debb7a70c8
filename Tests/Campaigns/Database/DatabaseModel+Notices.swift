// What a commit must be told to subscribers.

import RecordDatabase
import RecordModel

/// A notification, without what makes each one unique.
struct SeenNotification: Hashable {
    var subscription: Subscription.ID
    var scope: DatabaseScope
    var kind: ChangeNotification.Kind
    var zoneID: RecordZone.ID?
    var recordID: Record.ID?
    var reason: ChangeNotification.Reason?
    var fields: [String: FieldValue] = [:]

    init(_ subscription: Subscription.ID, _ scope: DatabaseScope, _ kind: ChangeNotification.Kind) {
        (self.subscription, self.scope, self.kind) = (subscription, scope, kind)
    }

    init(_ notification: ChangeNotification) {
        self.init(notification.subscriptionID, notification.databaseScope, notification.kind)
        (zoneID, recordID) = (notification.recordZoneID, notification.recordID)
        (reason, fields) = (notification.reason, notification.fields)
    }
}

extension DatabaseModel {
    /// What a commit tells each user; subscriptions that tell once are gone afterwards.
    ///
    /// - Parameter after: The database after the commit, with the subscriptions from before it.
    func notices(
        of commit: LoggedCommit, _ after: inout DatabaseModel, _ predicates: BoundPredicates
    ) -> [(userName: String, notification: SeenNotification)] {
        var notices: [(String, SeenNotification)] = []
        var subscriptions = after.subscriptions
        defer { after.subscriptions = subscriptions }
        for save in commit.saves {
            let option: Subscription.Options = save.isNew ? .firesOnRecordCreation : .firesOnRecordUpdate
            notices += after.notices(
                of: save.record, option, save.isNew ? .recordCreated : .recordUpdated, &subscriptions, predicates)
        }
        for deletion in commit.deletions {
            guard let record = records[deletion.id]?.seen else { continue }
            notices += self.notices(of: record, .firesOnRecordDeletion, .recordDeleted, &subscriptions, predicates)
        }
        for watching in subscriptions {
            var told: SeenNotification?
            switch watching.subscription.subject {
            case .query: break
            case .zone(_, let type):
                guard let zoneID = watching.zoneID, commit.concerns(zoneID, type) else { break }
                told = SeenNotification(watching.subscription.id, key.scope, .recordZone)
                told?.zoneID = zoneID
            case .database(let type):
                let changesZones = !commit.madeZones.isEmpty || !commit.deletedZones.isEmpty
                guard commit.concerns(nil, type) || (type == nil && changesZones) else { break }
                told = SeenNotification(watching.subscription.id, key.scope, .database)
            }
            if let told { notices.append((watching.userName, told)) }
        }
        return notices
    }

    private func notices(
        of record: SeenRecord, _ option: Subscription.Options, _ reason: ChangeNotification.Reason,
        _ subscriptions: inout [Watching], _ predicates: BoundPredicates
    ) -> [(String, SeenNotification)] {
        var notices: [(String, SeenNotification)] = []
        var spent: [Watching] = []
        for watching in subscriptions {
            guard case .query(let type, let predicate, _, let options) = watching.subscription.subject,
                type == record.type, options.contains(option),
                watching.zoneID == nil || watching.zoneID == record.id.zoneID, mayRead(record, watching.userName),
                predicates.holds(predicate, record, in: self)
            else { continue }
            var told = SeenNotification(watching.subscription.id, key.scope, .query)
            (told.recordID, told.reason) = (record.id, reason)
            if option != .firesOnRecordDeletion {
                let keys = watching.subscription.notificationInfo?.desiredKeys ?? []
                told.fields = record.fields.filter { keys.contains($0.key) }
            }
            notices.append((watching.userName, told))
            if options.contains(.firesOnce) { spent.append(watching) }
        }
        for watching in spent {
            subscriptions.removeAll {
                $0.subscription.id == watching.subscription.id && $0.userName == watching.userName
            }
        }
        return notices
    }
}

extension LoggedCommit {
    /// Whether records of a zone and a type are saved or deleted; `nil` for any.
    fileprivate func concerns(_ zoneID: RecordZone.ID?, _ type: String?) -> Bool {
        let records = saves.map { ($0.record.id, $0.record.type) } + deletions.map { ($0.id, $0.type) }
        return records.contains { (zoneID == nil || $0.0.zoneID == zoneID) && (type == nil || $0.1 == type) }
    }
}
