// Subscriptions and notifications.

import Foundation
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct SubscriptionRules {
    /// What a client is told of what happens in `body`; the client is closed then.
    static func told(_ container: Container, _ body: () async throws -> Void) async throws -> [ChangeNotification] {
        let stream = container.notifications
        try await body()
        container.close()
        var notifications: [ChangeNotification] = []
        for await notification in stream { notifications.append(notification) }
        return notifications
    }

    /// A subscription to records of type T.
    static func subscription(
        _ id: String, _ predicate: RecordPredicate = "a > 1", _ options: Subscription.Options = .all,
        in zone: RecordZone.ID? = nil, keys: [String] = []
    ) throws -> Subscription {
        var info = Subscription.NotificationInfo()
        info.desiredKeys = keys
        return try Subscription(
            recordType: "T", predicate: predicate, id: id, zoneID: zone, options: options,
            notificationInfo: keys.isEmpty ? nil : info)
    }

    /// A record of every field that the rules ask for, so that the schema knows them.
    static func teach(_ world: World) async throws {
        let fields: [String: FieldValue] = [
            "a": 0, "b": "text", "c": "more", "d": 1.5, "when": .date(Date(timeIntervalSince1970: 0)),
            "data": .data(Data([1])), "list": ["x"],
        ]
        try await world.mine.put(record("taught", in: world.zone, fields))
        try await world.everyones.put(record("taught", fields))
    }

    static let rules: [Rule] = [
        Rule(269, 270, 271, text: "query subscriptions are made of type, predicate and options") { _ async throws in
            let made = try Subscription(recordType: "T", predicate: "a > 1")
            #expect(UUID(uuidString: made.id) != nil)
            #expect(try Subscription(recordType: "T", predicate: "a > 1").id != made.id)
            #expect(
                made.subject == .query(recordType: "T", predicate: "a > 1", zoneID: nil, options: .all))
            await fails(.invalidArguments) { try subscription("") }
            await fails(.invalidArguments) { try subscription("s", "a > 1", []) }
            await fails(.invalidArguments) { try subscription("s", "a > 1", .firesOnce) }
            let raw: [Subscription.Options] = [
                .firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion, .firesOnce,
            ]
            #expect(raw.map(\.rawValue) == [1, 2, 4, 8])
            #expect(try recoded(made) == made)
        },
        Rule(272, 283, text: "only what comes after is told") { world async throws in
            try await teach(world)
            let told = try await told(world.alice2) {
                try await world.mine.put(record("early", ["a": 2]))
                try await world.mine.save(subscription("s"))
                try await world.mine.put(record("late", ["a": 3]), record("other", ["a": 1]))
            }
            #expect(told.map(\.recordID?.recordName) == ["late"])
            #expect(told[0].reason == .recordCreated && told[0].reason?.rawValue == 1 && told[0].kind == .query)
        },
        Rule(273, text: "a subscription saved again is replaced") { world async throws in
            try await teach(world)
            let told = try await told(world.alice2) {
                try await world.mine.save(subscription("s", "a > 1"))
                try await world.mine.save(subscription("s", "a < 1"))
                try await world.mine.put(record("large", ["a": 2]), record("small", ["a": 0]))
            }
            #expect(told.map(\.recordID?.recordName) == ["small"])
            #expect(try await world.mine.allSubscriptions() == [subscription("s", "a < 1")])
        },
        Rule(274, text: "no two subscriptions to the same") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s"))
            await fails(.serverRejectedRequest) { try await world.mine.save(subscription("t")) }
            try await world.mine.save(subscription("t", "a > 2"))
            try await world.mine.save(subscription("u", "a > 1", in: world.zone))
            try await world.mine.save(subscription("v", "a > 1", .firesOnRecordUpdate))
        },
        Rule(275, text: "subscriptions of one user are no one else's") { world async throws in
            try await teach(world)
            let told = try await told(world.bob) {
                try await world.everyones.save(subscription("s"))
                #expect(try await world.bob.publicDatabase.allSubscriptions().isEmpty)
                await fails(.unknownItem) { try await world.bob.publicDatabase.subscription(for: "s") }
                try await world.everyones.put(record("r", ["a": 2]))
            }
            #expect(told.isEmpty)
        },
        Rule(276, 277, 278, text: "listing, missing and deleted subscriptions") { world async throws in
            try await teach(world)
            #expect(try await world.mine.allSubscriptions().isEmpty)
            await fails(.unknownItem) { try await world.mine.subscription(for: "s") }
            await fails(.unknownItem) { try await world.mine.deleteSubscription(withID: "s") }
            let told = try await told(world.alice2) {
                try await world.mine.save(subscription("s"))
                #expect(try await world.mine2.subscription(for: "s") == subscription("s"))
                try await world.mine.deleteSubscription(withID: "s")
                try await world.mine.put(record("r", ["a": 2]))
            }
            #expect(told.isEmpty)
        },
        Rule(279, text: "several subscriptions, each on its own") { world async throws in
            try await teach(world)
            let good = try subscription("s")
            let bad = try subscription("t", "none == 1")
            let (saves, deletes) = try await world.mine.modifySubscriptions(saving: [good, bad], deleting: ["none"])
            #expect(saves["s"]?.isSuccess == true && saves["t"]?.failure?.code == .invalidArguments)
            #expect(deletes["none"]?.failure?.code == .unknownItem)
            let found = try await world.mine.subscriptions(for: ["s", "t"])
            #expect(try found["s"]?.get() == good && found["t"]?.failure?.code == .unknownItem)
        },
        Rule(280, text: "what a database can be subscribed to") { world async throws in
            try await teach(world)
            try await world.everyones.save(subscription("q"))
            try await world.mine.save(subscription("q"))
            let zone = try Subscription(zoneID: world.zone)
            try await world.mine.save(zone)
            await fails(.invalidArguments) { try await world.everyones.save(zone) }
            await fails(.invalidArguments) { try await world.mine.save(Subscription(zoneID: .default)) }
            await fails(.zoneNotFound) { try await world.mine.save(Subscription(zoneID: .init("None"))) }
            try await world.mine.save(Subscription(databaseWithRecordType: nil))
            await fails(.invalidArguments) { try await world.everyones.save(Subscription(databaseWithRecordType: "T")) }
        },
        Rule(281, text: "the predicate is checked when it is saved") { world async throws in
            try await teach(world)
            for text in ["missing == 1", "data == 1", "a == 'text'"] {
                let predicate = try RecordPredicate(format: text)
                await fails(.invalidArguments) { try await world.mine.save(subscription("s", predicate)) }
            }
            await fails(.unknownItem) {
                try await world.mine.save(Subscription(recordType: "Unknown", predicate: "TRUEPREDICATE"))
            }
            let strict = try world.client(World.alice) { $0.dialect = .cloudKit }
            await fails(.invalidArguments) {
                try await strict.privateDatabase.save(subscription("s", "b MATCHES 'x.*'"))
            }
        },
        Rule(282, text: "subscriptions need a user") { world async throws in
            try await teach(world)
            let database = world.nobody.publicDatabase
            await fails(.notAuthenticated) { try await database.save(subscription("s")) }
            await fails(.notAuthenticated) { try await database.allSubscriptions() }
        },
        Rule(284, text: "an update that leaves the record matching") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s", "a > 1", .firesOnRecordUpdate))
            let told = try await told(world.alice2) {
                var saved = try await world.mine.put(record("r", ["a": 2]))[0]
                for value: FieldValue in [3, 0, 0, 5] {
                    saved["a"] = value
                    saved = try await world.mine.save(saved)
                }
            }
            #expect(told.map(\.reason) == [.recordUpdated, .recordUpdated])
            #expect(told.first?.reason?.rawValue == 2)
        },
        Rule(285, text: "deletions of what matched, cascades too") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s", "a > 1", .firesOnRecordDeletion))
            let owner = RecordReference("owner", action: .deleteSelf)
            try await world.mine.put(
                record("owner", ["a": 2]), record("owned", ["a": 2, "of": .reference(owner)]), record("not", ["a": 0]))
            let told = try await told(world.alice2) {
                try await world.mine.deleteRecord(withID: Record.ID("not"))
                try await world.mine.deleteRecord(withID: Record.ID("owner"))
            }
            #expect(Set(told.map(\.recordID?.recordName)) == ["owner", "owned"] && told.count == 2)
            #expect(told.allSatisfy { $0.reason == .recordDeleted && $0.reason?.rawValue == 3 })
        },
        Rule(286, text: "what did not happen is not told") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s"))
            let told = try await told(world.alice2) {
                await fails(.partialFailure) {
                    try await world.mine.modifyRecords(
                        saving: [
                            record("r", in: world.zone, ["a": 2]), record("bad", in: world.zone, ["a": "text"]),
                        ], deleting: [])
                }
            }
            #expect(told.isEmpty)
        },
        Rule(287, text: "one zone or all") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("all"))
            try await world.mine.save(subscription("one", in: world.zone))
            let told = try await told(world.alice2) {
                try await world.mine.put(record("r", ["a": 2]))
                try await world.mine.put(record("r", in: world.zone, ["a": 2]))
            }
            #expect(told.map(\.subscriptionID) == ["all", "all", "one"])
        },
        Rule(225, 287, text: "metadata in predicates, and zones by the name of their owner") { world async throws in
            try await teach(world)
            let named = RecordZone.ID("Z", ownerName: World.alice)
            try await world.mine.save(
                subscription("mine", "creatorUserRecordID == \(Record.ID(World.alice))", in: named))
            try await world.mine.save(subscription("children", "parent == \(Record.ID("p", zoneID: world.zone))"))
            try await world.mine.save(
                subscription("late", "modificationDate > \(Date(timeIntervalSince1970: 1_800_000_000))"))
            await fails(.serverRejectedRequest) {
                try await world.mine.save(
                    subscription("same", "creatorUserRecordID == \(Record.ID(World.alice))", in: world.zone))
            }
            let told = try await told(world.alice2) {
                try await world.mine.put(record("p", in: world.zone, ["a": 2]))
                var child = record("c", in: world.zone)
                child.setParent(Record.ID("p", zoneID: world.zone))
                try await world.mine.put(child)
                world.clock.advance(200_000_000)
                try await world.mine.put(record("d"))
            }
            #expect(told.map(\.subscriptionID) == ["mine", "mine", "children", "late"])
        },
        Rule(227, 288, text: "nobody is told of records that they may not read") { world async throws in
            try await teach(world)
            var schema = world.alice.schema
            schema.recordTypes["T"]?.grants = [
                ContainerSchema.userRole: [.create], ContainerSchema.creatorRole: [.read, .write], "auditor": [.read],
            ]
            try world.alice.setSchema(schema)
            let database = world.bob.publicDatabase
            try await database.save(subscription("s", keys: ["a"]))
            try await database.save(subscription("once", "a > 2", [.all, .firesOnce]))
            let bob2 = try world.client(World.bob) { _ in }
            let told = try await told(bob2) {
                var secret = try await world.everyones.put(record("secret", ["a": 5]))[0]
                try await world.bob.publicDatabase.put(record("own", ["a": 3]))
                try world.alice.setRoles(["auditor"], ofUser: World.bob)
                secret["a"] = 6
                try await world.everyones.put(secret)
                try world.alice.setRoles([], ofUser: World.bob)
                try await world.everyones.deleteRecord(withID: secret.id)
            }
            #expect(told.map(\.subscriptionID) == ["s", "once", "s"])
            #expect(told.map(\.recordID?.recordName) == ["own", "own", "secret"])
        },
        Rule(288, text: "once") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s", "a > 1", [.all, .firesOnce]))
            let told = try await told(world.alice2) {
                try await world.mine.put(record("r", ["a": 2]), record("q", ["a": 2]))
                try await world.mine.put(record("p", ["a": 2]))
            }
            #expect(told.count == 1)
            #expect(try await world.mine.allSubscriptions().isEmpty)
        },
        Rule(289, text: "zones and databases") { world async throws in
            try await teach(world)
            try await world.mine.save(Subscription(zoneID: world.zone, id: "zone"))
            try await world.mine.save(Subscription(zoneID: world.zone, recordType: "U", id: "zone of U"))
            try await world.mine.save(Subscription(databaseWithRecordType: nil, id: "database"))
            let told = try await told(world.alice2) {
                try await world.mine.put(record("r", in: world.zone, ["a": 0]), record("q", in: world.zone, ["a": 0]))
                try await world.mine.put(record("u", in: world.zone, type: "U"))
                try await world.mine.put(record("d", ["a": 0]))
                try await world.mine.save(RecordZone(id: .init("New")))
            }
            #expect(
                told.map(\.subscriptionID) == [
                    "zone", "database", "zone", "zone of U", "database", "database", "database",
                ])
            #expect(told[0].recordZoneID == world.zone && told[0].kind == .recordZone && told[1].kind == .database)
            try await world.mine.deleteRecordZone(withID: world.zone)
            #expect(try await world.mine.allSubscriptions().map(\.id) == ["database"])
        },
        Rule(290, text: "a client is not told its own changes") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s"))
            let second = try world.client(World.alice) { _ in }
            let told = try await told(world.alice) {
                try await world.mine.put(record("own", ["a": 2]))
                try await second.privateDatabase.put(record("other", ["a": 2]))
            }
            #expect(told.map(\.recordID?.recordName) == ["other"])
        },
        Rule(291, text: "what a notification names") { world async throws in
            #expect(
                ChangeNotification.Kind.allCases.map(\.rawValue) == [1, 2, 3, 4])
            try await teach(world)
            try await world.everyones.save(subscription("s"))
            let told = try await told(world.alice2) {
                try await world.everyones.put(record("r", ["a": 2]), record("q", ["a": 2]))
            }
            #expect(told.count == 2 && told[0].id != told[1].id)
            for notification in told {
                #expect(notification.subscriptionID == "s" && notification.containerIdentifier == "test")
                #expect(notification.databaseScope == .public && notification.recordZoneID == nil)
                #expect(try recoded(notification) == notification)
            }
        },
        Rule(292, 294, 295, text: "desired keys") { world async throws in
            try await teach(world)
            try await world.mine.save(subscription("s", keys: ["a", "b", "when"]))
            try await world.mine.save(subscription("silent", "a > 2"))
            let long = String(repeating: "é", count: 150)
            let told = try await told(world.alice2) {
                try await world.mine.put(record("r", ["a": 2, "b": .string(long), "c": "x"]))
                try await world.mine.deleteRecord(withID: Record.ID("r"))
                try await world.mine.put(record("q", ["a": 3]))
            }
            #expect(told[0].fields == ["a": 2, "b": .string(String(repeating: "é", count: 100))])
            #expect(told.count == 4 && told[1].fields.isEmpty && told[2].fields == ["a": 3])
            #expect(told[3].subscriptionID == "silent" && told.allSatisfy { !$0.isPruned })
            let small = try world.client(World.alice) { $0.limits.bytesPerNotification = 20 }
            let pruned = try await SubscriptionRules.told(small) {
                try await world.mine.put(record("p", ["a": 2, "b": "longer than the twenty bytes"]))
            }
            #expect(pruned.count == 1 && pruned[0].isPruned && pruned[0].fields == ["a": 2])
        },
        Rule(293, text: "keys that notifications cannot carry") { world async throws in
            try await teach(world)
            for keys in [["a", "b", "c", "d"], ["data"], ["list"], ["none"]] {
                await fails(.invalidArguments) { try await world.mine.save(subscription("s", keys: keys)) }
            }
            var info = Subscription.NotificationInfo()
            info.desiredKeys = ["a"]
            await fails(.invalidArguments) {
                try await world.mine.save(Subscription(zoneID: world.zone, notificationInfo: info))
            }
        },
    ]

    @Test("Subscriptions", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(World()) }

    @Test("A full queue tells less, and says so")
    func overflow() async throws {
        let world = try await World { $0.limits.notificationsWaiting = 3 }
        try await Self.teach(world)
        try await world.mine.save(Subscription(zoneID: world.zone, id: "zone"))
        try await world.mine.save(Self.subscription("s"))
        let told = try await Self.told(world.alice2) {
            for number in 0..<3 { try await world.mine.put(record("z\(number)", in: world.zone, ["a": 0])) }
            for number in 0..<2 { try await world.mine.put(record("q\(number)", ["a": 2])) }
        }
        #expect(told.map(\.subscriptionID) == ["zone", "s", "s"])
        #expect(told.map(\.isPruned) == [true, false, false])
        let again = try await World { $0.limits.notificationsWaiting = 2 }
        try await Self.teach(again)
        try await again.mine.save(Self.subscription("s"))
        let last = try await Self.told(again.alice2) {
            for number in 0..<4 { try await again.mine.put(record("q\(number)", ["a": 2])) }
        }
        #expect(last.map(\.recordID?.recordName) == ["q2", "q3"] && last.map(\.isPruned) == [true, false])
    }

    @Test("A stream ends with its task")
    func cancellation() async throws {
        let world = try await World()
        let stream = world.alice2.notifications
        try await Self.teach(world)
        try await world.mine.save(Self.subscription("s"))
        let (first, started) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            for await _ in stream {
                count += 1
                started.yield()
            }
            return count
        }
        try await world.mine.put(record("a", ["a": 2]))
        for await _ in first { break }
        task.cancel()
        #expect(await task.value == 1)
        // Who comes later is told of what happens later.
        let told = try await Self.told(world.alice2) { try await world.mine.put(record("b", ["a": 2])) }
        #expect(told.map(\.recordID?.recordName) == ["b"])
    }
}
