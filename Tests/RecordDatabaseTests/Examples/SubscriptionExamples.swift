// The examples of the article about subscriptions.

import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.mayDeadlock)
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
        let shown = Mutex<[ChangeNotification]>([])
        let show: @Sendable (ChangeNotification) -> Void = { news in shown.withLock { $0.append(news) } }
        let task = Task {
            for await notification in news { show(notification) }
        }
        while shown.withLock({ $0.isEmpty }) { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        await task.value
        #expect(shown.withLock { $0.map(\.fields) } == [["population": 2_960_000]])
    }

    @Test func liveQueries() async throws {
        let database = try Container(identifier: "example.travel").publicDatabase
        let fields: [String: FieldValue] = ["population": 2_950_000]
        try await database.save(Record(type: "City", id: Record.ID("kyiv"), fields: fields))
        let (shown, continuation) = AsyncStream<[String]>.makeStream()
        let task = Task { try await showLargeCities(of: database) { continuation.yield($0) } }
        var lists = shown.makeAsyncIterator()
        #expect(await lists.next() == ["kyiv"])
        let larger: [String: FieldValue] = ["population": 15_000_000]
        try await database.save(Record(type: "City", id: Record.ID("istanbul"), fields: larger))
        #expect(await lists.next() == ["istanbul", "kyiv"])
        try await database.deleteRecord(withID: Record.ID("kyiv"))
        #expect(await lists.next() == ["istanbul"])
        task.cancel()
        _ = await task.result
    }

    func showLargeCities(of database: Database, show: ([String]) -> Void) async throws {
        let query = Query("City", "population > \(1_000_000)", sortedBy: [.descending("population")])
        var names: [String] = []
        for try await change in database.changes(matching: query, in: .default) {
            switch change {
            case .initial(let records): names = records.map(\.id.recordName)
            case .inserted(let record, let position): names.insert(record.id.recordName, at: position)
            case .updated: break
            case .moved(let record, let from, let to):
                names.remove(at: from)
                names.insert(record.id.recordName, at: to)
            case .removed(_, let position): names.remove(at: position)
            }
            show(names)
        }
    }
}
