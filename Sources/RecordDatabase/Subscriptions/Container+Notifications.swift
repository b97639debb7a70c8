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
    ///
    /// For a container on a server, the changes of all processes are told: those of this one before the call that made
    /// them returns, those of others soon.
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
        let read: @Sendable (_ sender: Int?, NoticeContent) -> Void = { [weak client, queue] sender, content in
            guard let client, sender != client.number, content.userName == client.account.userName else { return }
            queue.append(
                ChangeNotification(content, to: client), capacity: client.configuration.limits.notificationsWaiting)
        }
        if let notices = client.store.remote?.notices {
            observer = notices.add(
                of: { [weak client] in client?.account.userName },
                { told in for notice in told { read(notice.client, notice.content) } })
        } else {
            observer = client.store.events.add { [weak client] event in
                guard let client, !event.notices.isEmpty else { return }
                let schema = client.store.schema.current
                for notice in event.notices where notice.userName == client.account.userName {
                    read(event.commit.client, NoticeContent(notice, of: event.commit.scope, schema))
                }
            }
        }
        end = client.whenClosed { [queue] in queue.end() }
    }

    /// All notifications that wait to be taken: those of every commit that has returned to its caller.
    package func takeWaiting() -> [ChangeNotification] { queue.takeWaiting() }

    deinit {
        if let notices = client.store.remote?.notices {
            notices.remove(observer)
        } else {
            client.store.events.remove(observer)
        }
        client.forget(end)
    }
}

extension ChangeNotification {
    /// What a commit tells, as one client is told it.
    fileprivate init(_ content: NoticeContent, to client: Client) {
        let limits = client.configuration.limits
        var fields: [String: FieldValue] = [:]
        var byteCount = 0
        var isPruned = false
        for field in content.fields {
            byteCount += ValueCheck.byteCount(field.value)
            if byteCount > limits.bytesPerNotification { isPruned = true } else { fields[field.key] = field.value }
        }
        self.init(
            id: client.configuration.identifiers(), kind: content.kind, subscriptionID: content.subscriptionID,
            containerIdentifier: client.store.identifier, databaseScope: content.scope, recordZoneID: content.zoneID,
            recordID: content.recordID, reason: content.reason, fields: fields, isPruned: isPruned)
    }
}
