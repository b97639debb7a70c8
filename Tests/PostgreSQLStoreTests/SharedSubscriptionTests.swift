// Subscriptions to the shared database of containers on servers: other processes are told of what is shared.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct SharedSubscriptionTests {
    private static let guest = "_b0b"

    /// A container with processes of its own for each user.
    private struct Place {
        let identifier = "shared " + UUID().uuidString
        let nodes: PostgreSQLNodes

        init(nodeCount: Int) throws {
            nodes = try .shared(nodeCount)
            try nodes.makeContainer(identifier)
        }

        func open(_ user: String) throws -> Container {
            let server = try NodeContainer.open(identifier: identifier, connectingTo: nodes.servers[0].address)
            return try Container(
                identifier: identifier, on: server, account: .user(user), configuration: Configuration())
        }
    }

    private static func save(_ records: [Record], _ container: Container) throws -> [Record] {
        let result = try container.privateDatabase.modify(ModifyRequest(saves: records, policy: .allKeys))
        return try result.saves.map { try $0.result.get() }
    }

    private static func record(_ name: String, in zone: RecordZone.ID) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zone), fields: ["a": .string(name)])
    }

    /// Makes zones with a record each and shares them with the guest.
    ///
    /// - Returns: What the shares' URLs lead to.
    private static func share(_ names: [String], of owner: Container) throws -> [URL] {
        try names.map { name in
            let zone = RecordZone.ID(name)
            let made = try owner.privateDatabase.modifyZones(saving: [RecordZone(id: zone)], deleting: [])
            for (_, result) in made.saves { _ = try result.get() }
            var share = Share(zoneID: zone)
            try share.add(Share.Participant(userRecordID: Record.ID(guest), permission: .readWrite))
            let saved = try save([record("first", in: zone), share.record], owner)
            return try #require(Share(saved[1])?.url)
        }
    }

    private static func accept(_ urls: [URL], _ container: Container) throws {
        for url in urls { _ = try container.acceptShare(container.fetchShareMetadata(for: url)) }
    }

    private static func subscribe(_ subscriptions: [Subscription], _ container: Container) throws {
        let result = try container.sharedDatabase.modifySubscriptions(saving: subscriptions, deletingIDs: [])
        for (_, saved) in result.saves { _ = try saved.get() }
    }

    /// What is told until so much was, and a little later.
    private static func told(_ reading: NotificationReading, _ count: Int) async throws -> [ChangeNotification] {
        var told: [ChangeNotification] = []
        for _ in 0..<250 where told.count < count {
            told += reading.takeWaiting()
            try await Task.sleep(for: .milliseconds(20))
        }
        try await Task.sleep(for: .milliseconds(100))
        return told + reading.takeWaiting()
    }

    @Test("Every commit is told once, on one server and on three", arguments: [1, 3])
    func othersAreTold(_ nodeCount: Int) async throws {
        let place = try Place(nodeCount: nodeCount)
        let (owner, guest) = (try place.open("_a11ce"), try place.open(Self.guest))
        defer { for container in [owner, guest] { container.close() } }
        let reading = guest.readNotifications()
        let zones = (0..<6).map { "Z\($0)" }
        try Self.accept(Self.share(zones, of: owner), guest)
        try Self.subscribe([try Subscription(recordType: "T", predicate: "a BEGINSWITH 'x'", id: "query")], guest)
        #expect(try await guest.sharedDatabase.allSubscriptions().map(\.id) == ["query"])
        #expect(try await guest.privateDatabase.allSubscriptions().isEmpty)
        for zone in zones {
            for name in ["x", "y"] { _ = try Self.save([Self.record(name, in: RecordZone.ID(zone))], owner) }
        }
        let told = try await Self.told(reading, zones.count)
        let expected = zones.map { Record.ID("x", zoneID: RecordZone.ID($0, ownerName: "_a11ce")) }
        #expect(told.compactMap(\.recordID).map { "\($0)" }.sorted() == expected.map { "\($0)" }.sorted())
        #expect(told.allSatisfy { $0.databaseScope == .shared && $0.reason == .recordCreated })
    }

    @Test func sharesThatBeginLaterAreTold() async throws {
        let place = try Place(nodeCount: 1)
        let (owner, guest) = (try place.open("_a11ce"), try place.open(Self.guest))
        let elsewhere = try place.open(Self.guest)
        defer { for container in [owner, guest, elsewhere] { container.close() } }
        try Self.subscribe([try Subscription(databaseWithRecordType: nil, id: "all")], guest)
        let reading = guest.readNotifications()
        // It has looked by then.
        try await Task.sleep(for: .milliseconds(200))
        try Self.accept(Self.share(["A"], of: owner), elsewhere)
        let began = try await Self.told(reading, 1)
        #expect(began.map(\.subscriptionID) == ["all"])
        try owner.privateDatabase.modifyZones(saving: [], deleting: [RecordZone.ID("A")]).deletes[0].result.get()
        let ended = try await Self.told(reading, 1)
        #expect(ended.map(\.subscriptionID) == ["all"])
        _ = try Self.share(["B"], of: owner)
        #expect(try await Self.told(reading, 0).isEmpty)
    }

    /// Two owners save at a time what a subscription that tells once waits for.
    @Test func onceIsOnce() async throws {
        let place = try Place(nodeCount: 1)
        let owners = try ["_a11ce", "_ca401"].map { try place.open($0) }
        let guest = try place.open(Self.guest)
        defer { for container in owners + [guest] { container.close() } }
        for owner in owners { try Self.accept(Self.share(["Z"], of: owner), guest) }
        let reading = guest.readNotifications()
        // It has looked by then.
        try await Task.sleep(for: .milliseconds(500))
        for round in 0..<6 {
            let name = "r\(round)"
            let once = try Subscription(
                recordType: "T", predicate: "a == \(name)", id: "once\(round)", options: [.all, .firesOnce])
            try Self.subscribe([once], guest)
            let savers = owners.map { owner in
                Thread { _ = try? Self.save([Self.record(name, in: RecordZone.ID("Z"))], owner) }
            }
            for saver in savers { saver.start() }
            while !savers.allSatisfy(\.isFinished) { try await Task.sleep(for: .milliseconds(2)) }
            #expect(try await guest.sharedDatabase.allSubscriptions().isEmpty)
        }
        let told = try await Self.told(reading, 6).map(\.subscriptionID)
        #expect(told.sorted() == (0..<6).map { "once\($0)" })
        for owner in owners {
            let found = try owner.privateDatabase.find(Query("T"), in: .zone(RecordZone.ID("Z")), limit: 20)
            #expect(found.matches.count == 7)
        }
    }
}
