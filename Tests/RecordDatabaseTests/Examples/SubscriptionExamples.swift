// The examples of the article about subscriptions.

import RecordDatabase
import Testing

struct SubscriptionExamples {
    @Test func subscriptions() async throws {
        let container = try Container(identifier: "example.travel")
        let city = try await container.publicDatabase.save(
            Record(type: "City", id: Record.ID("kyiv"), fields: ["population": 2_950_000]))
        var info = Subscription.NotificationInfo()
        info.desiredKeys = ["population"]
        let subscription = try Subscription(
            recordType: "City", predicate: "population > \(1_000_000)", id: "large", notificationInfo: info)
        try await container.publicDatabase.save(subscription)

        let other = try Container(sharing: container, account: .localUser)
        let news = other.notifications
        var changed = city
        changed["population"] = 2_960_000
        try await container.publicDatabase.save(changed)
        for await notification in news {
            print(notification.recordID?.recordName ?? "", notification.fields)
            break
        }

        let changes = container.publicDatabase.changes(
            matching: Query("City", "population > \(1_000_000)"), in: .default)
        var names: [String] = []
        for try await change in changes {
            switch change {
            case .initial(let records): names = records.map(\.id.recordName)
            case .inserted(let record, let position): names.insert(record.id.recordName, at: position)
            case .updated: break
            case .moved(let record, let from, let to):
                names.remove(at: from)
                names.insert(record.id.recordName, at: to)
            case .removed(_, let position): names.remove(at: position)
            }
            break
        }
        #expect(names == ["kyiv"])
    }
}
