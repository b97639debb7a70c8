// News of other clients' changes, for the current user's subscriptions.

import RecordModel
import Synchronization

extension Container {
    /// What the current user's subscriptions tell from now on, in the order of commits.
    ///
    /// Changes that this client makes are not told to it. Each stream gets all notifications, and
    /// keeps up to `Limits.notificationsWaiting` of them until they are taken; then notifications of zones and
    /// databases that say the same are told once, and if there are none, the oldest is left out; `isPruned` marks the
    /// next one. A stream ends when its task is cancelled or the container is closed.
    public var notifications: AsyncStream<ChangeNotification> {
        let reading = readNotifications()
        return AsyncStream(unfolding: { await reading.queue.next() })
    }

    /// As `notifications`, for readers that may not wait.
    package func readNotifications() -> NotificationReading { NotificationReading(client) }
}

/// A reader of a client's notifications, from its making to its end.
package final class NotificationReading: Sendable {
    fileprivate let queue = ReaderQueue<ChangeNotification>()
    private let client: Client
    private let observer: Int
    private let end: Int

    fileprivate init(_ client: Client) {
        self.client = client
        // The client is not kept by those who tell it.
        observer = client.store.events.add { [weak client, queue] event in
            guard let client, event.commit.client != client.number else { return }
            for notice in event.notices where notice.userName == client.account.userName {
                queue.append(
                    ChangeNotification(notice, of: event.commit, to: client),
                    capacity: client.configuration.limits.notificationsWaiting)
            }
        }
        end = client.whenClosed { [queue] in queue.end() }
    }

    /// All notifications that wait to be taken: those of every commit that has returned to its caller.
    package func takeWaiting() -> [ChangeNotification] { queue.takeWaiting() }

    deinit {
        client.store.events.remove(observer)
        client.forget(end)
    }
}

extension ChangeNotification {
    /// A notice as one client is told it.
    fileprivate init(_ notice: Notice, of commit: Commit, to client: Client) {
        let limits = client.configuration.limits
        var fields: [String: FieldValue] = [:]
        var byteCount = 0
        var isPruned = false
        let type = notice.record.flatMap { client.store.schema.current.recordTypes[$0.type] }
        for key in notice.subscription.notificationInfo?.desiredKeys ?? [] {
            if type?.fields[key]?.traits.contains(.encrypted) == true { continue }
            guard let value = notice.record?[key], !value.isNull else { continue }
            let short = value.cut(at: ChangeNotification.longestText)
            byteCount += ValueCheck.byteCount(short)
            if byteCount > limits.bytesPerNotification { isPruned = true } else { fields[key] = short }
        }
        let kind: Kind =
            switch notice.subscription.subject {
            case .query: .query
            case .zone: .recordZone
            case .database: .database
            }
        self.init(
            id: client.configuration.identifiers(), kind: kind, subscriptionID: notice.subscription.id,
            containerIdentifier: client.store.identifier, databaseScope: notice.scope ?? commit.scope,
            recordZoneID: notice.zoneID,
            recordID: notice.recordID, reason: notice.reason, fields: fields, isPruned: isPruned)
    }

    /// Characters of a text that a notification carries.
    private static let longestText = 100
}

extension FieldValue {
    fileprivate func cut(at characters: Int) -> FieldValue {
        guard case .string(let text) = self, text.utf8.count > characters else { return self }
        return .string(String(text.prefix(characters)))
    }
}
