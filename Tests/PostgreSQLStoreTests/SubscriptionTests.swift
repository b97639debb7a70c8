// Subscriptions over several processes: each commit tells each reader once, whichever process made it.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct SubscriptionTests {
    private static let zone = RecordZone.ID("Z")

    private static func city(_ name: String, _ fields: [String: FieldValue]) -> Record {
        Record(type: "City", id: Record.ID(name, zoneID: zone), fields: fields)
    }

    /// Two processes with a zone and a record of every field.
    private static func processes(_ place: ServerPlace) async throws -> [Container] {
        let processes = try [place.open(), place.open()]
        let database = processes[0].privateDatabase
        try await database.save(RecordZone(id: zone))
        try await database.save(city("first", ["population": 0, "name": "first"]))
        return processes
    }

    @Test func otherProcessesAreTold() async throws {
        let place = try ServerPlace()
        let processes = try await Self.processes(place)
        var info = Subscription.NotificationInfo()
        info.desiredKeys = ["name"]
        try await processes[0].privateDatabase.save(
            Subscription(
                recordType: "City", predicate: "population > 10", id: "large", zoneID: Self.zone,
                notificationInfo: info))
        try await processes[0].privateDatabase.save(Subscription(zoneID: Self.zone, id: "zone"))
        #expect(try await processes[1].privateDatabase.allSubscriptions().map(\.id) == ["large", "zone"])
        // A client of the process that saves is told before the save returns, and the one that saves is not.
        let neighbour = try Container(sharing: processes[0], account: .localUser, configuration: Configuration())
        let (own, near) = (processes[0].readNotifications(), neighbour.readNotifications())
        // The other process may begin to listen behind the first commits.
        var saved = try await processes[0].privateDatabase.save(Self.city("Kyiv", ["population": 20, "name": "Kyiv"]))
        #expect(near.takeWaiting().map(\.subscriptionID) == ["large", "zone"])
        let other = processes[1].readNotifications()
        var told: [ChangeNotification] = []
        while told.isEmpty {
            saved["population"] = 30
            saved = try await processes[0].privateDatabase.save(saved)
            try await Task.sleep(for: .milliseconds(20))
            told = other.takeWaiting()
        }
        let first = try #require(told.first)
        #expect(first.subscriptionID == "large" && first.reason == .recordUpdated && first.recordID == saved.id)
        #expect(first.fields == ["name": "Kyiv"] && first.databaseScope == .private)
        #expect(own.takeWaiting().isEmpty)
        #expect(near.takeWaiting().allSatisfy { $0.reason != .recordCreated })
    }

    @Test func whatIsToldOnceIsToldOnceByAllProcesses() async throws {
        let place = try ServerPlace()
        let processes = try await Self.processes(place)
        let reader = try Container(sharing: processes[0], account: .localUser, configuration: Configuration())
        try await processes[0].privateDatabase.save(
            Subscription(
                recordType: "City", predicate: "population > 10", id: "once", options: [.all, .firesOnce]))
        let told = reader.readNotifications()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, process) in processes.enumerated() {
                group.addTask {
                    for round in 0..<5 {
                        try await process.privateDatabase.save(Self.city("c\(number)-\(round)", ["population": 20]))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try place.number("SELECT count(*) FROM notice") == 1)
        #expect(try await processes[1].privateDatabase.allSubscriptions().isEmpty)
        #expect(told.takeWaiting().count <= 1)
    }

    @Test func withoutSubscriptionsNothingIsWritten() async throws {
        let place = try ServerPlace()
        let processes = try await Self.processes(place)
        try await processes[1].privateDatabase.save(Self.city("Kyiv", ["population": 20]))
        #expect(try place.number("SELECT count(*) FROM notice") == 0)
        try await processes[0].privateDatabase.save(
            Subscription(recordType: "City", predicate: "population > 10", id: "s"))
        try await processes[1].privateDatabase.save(Self.city("Lviv", ["population": 20]))
        try await processes[1].privateDatabase.save(Self.city("small", ["population": 2]))
        #expect(try place.number("SELECT count(*) FROM notice") == 1)
        // One that goes with its zone tells nothing either.
        try await processes[0].privateDatabase.deleteSubscription(withID: "s")
        try await processes[0].privateDatabase.save(Subscription(zoneID: Self.zone, id: "zone"))
        try await processes[1].privateDatabase.deleteRecordZone(withID: Self.zone)
        #expect(try await processes[0].privateDatabase.allSubscriptions().isEmpty)
        #expect(try place.number("SELECT count(*) FROM notice") == 1)
    }

    @Test func pathsLeadToRecordsThatOthersSaved() async throws {
        let place = try ServerPlace()
        let processes = try await Self.processes(place)
        let (database, other) = (processes[0].privateDatabase, processes[1].privateDatabase)
        func reference(_ name: String) -> FieldValue {
            .reference(RecordReference(recordID: Record.ID(name, zoneID: Self.zone)))
        }
        let land = Record(type: "Land", id: Record.ID("land", zoneID: Self.zone), fields: ["name": "Ukraine"])
        let region = Record(
            type: "Region", id: Record.ID("region", zoneID: Self.zone), fields: ["land": reference("land")])
        try await other.save(land)
        try await other.save(region)
        try await other.save(Self.city("taught", ["region": reference("region"), "population": 0]))
        try await database.save(
            Subscription(recordType: "City", predicate: "region.land.name == 'Ukraine'", id: "path"))
        let reader = try Container(sharing: processes[0], account: .localUser, configuration: Configuration())
        let told = reader.readNotifications()
        var city = try await database.save(Self.city("Kyiv", ["region": reference("region")]))
        try await database.save(Self.city("Rome", ["population": 3]))
        city["population"] = 3
        try await database.save(city)
        try await database.deleteRecord(withID: city.id)
        #expect(told.takeWaiting().map(\.reason) == [.recordCreated, .recordUpdated, .recordDeleted])
    }

    @Test func commitsOfAllProcessesComeInTheirOrder() async throws {
        let place = try ServerPlace()
        let processes = try await Self.processes(place)
        var info = Subscription.NotificationInfo()
        info.desiredKeys = ["population"]
        try await processes[0].privateDatabase.save(
            Subscription(recordType: "City", predicate: "population > 0", id: "s", notificationInfo: info))
        let readers = try processes.map {
            try Container(sharing: $0, account: .localUser, configuration: Configuration()).readNotifications()
        }
        // A process may begin to listen behind the first commits of the other one.
        for (saver, reader) in [(0, readers[1]), (1, readers[0])] {
            let heard = Record(type: "City", id: Record.ID("heard", zoneID: Self.zone), fields: ["population": 1])
            repeat {
                _ = try processes[saver].privateDatabase.modify(ModifyRequest(saves: [heard], policy: .allKeys))
                try await Task.sleep(for: .milliseconds(20))
            } while !reader.takeWaiting().contains { $0.recordID == heard.id && $0.reason == .recordUpdated }
            _ = try processes[saver].privateDatabase.modify(ModifyRequest(deletes: [heard.id]))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for process in processes {
                group.addTask {
                    for _ in 0..<15 {
                        try await process.privateDatabase.write { transaction in
                            var record = try transaction.record(for: Record.ID("first", zoneID: Self.zone))
                            guard case .int64(let number) = record["population"] else { return }
                            record["population"] = .int64(number + 1)
                            try transaction.save(record)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for reader in readers {
            var numbers: [Int64] = []
            while numbers.last != 30 {
                for notification in reader.takeWaiting() where notification.recordID?.recordName == "first" {
                    if case .int64(let number)? = notification.fields["population"] { numbers.append(number) }
                }
                try await Task.sleep(for: .milliseconds(5))
            }
            #expect(numbers == Array(1...30))
        }
    }

    /// A commit is told, too, where reading begins behind it before its saver comes to tell of it.
    @Test func commitsBehindWhichReadingBeginsAreTold() throws {
        let (server, container) = try ServerPlace().open(behind: { LateServer($0) })
        defer { container.close() }
        let database = container.privateDatabase
        func save(_ name: String, _ population: Int64) throws {
            let city = Record(type: "City", id: Record.ID(name), fields: ["population": .int64(population)])
            try database.save(city, on: container)
        }
        try save("first", 0)
        let large = try Subscription(recordType: "City", predicate: "population > 10", id: "large")
        for (_, saved) in try database.modifySubscriptions(saving: [large], deletingIDs: []).saves {
            _ = try saved.get()
        }
        let neighbour = try Container(sharing: container, account: .localUser, configuration: Configuration())
        let told = neighbour.readNotifications()
        try #require(server.waitForReader())
        try save("Kyiv", 20)
        #expect(told.takeWaiting().map(\.recordID) == [Record.ID("Kyiv")])
    }
}

/// Passes calls on to a server. Where the notices of a private database begin is told when the next commit is stored.
private final class LateServer: PassingServer {
    let base: any RecordServer
    private let begun = DispatchSemaphore(value: 0)
    private let stored = DispatchSemaphore(value: 0)
    private let isBegun = Mutex(false)

    init(_ base: any RecordServer) { self.base = base }

    /// Whether somebody wants to know where the notices begin, within a minute.
    func waitForReader() -> Bool { begun.wait(timeout: .now() + 60) == .success }

    func write<Outcome>(
        _ origin: DatabaseOrigin, _ need: ServerNeed,
        _ body: (ServerMoment, any ServerReading) throws(DatabaseError) -> (commit: ServerCommit?, outcome: Outcome)
    ) throws(DatabaseError) -> Outcome {
        let outcome = try base.write(origin, need, body)
        if isBegun.withLock({ $0 }) { stored.signal() }
        return outcome
    }

    func notices(
        _ origin: DatabaseOrigin, of users: Set<String>, on node: Int32, after place: NoticePlace,
        through end: Int64?, limit: Int
    ) throws(DatabaseError) -> (notices: [ServerNotice], end: Int64) {
        if origin.scope == .private, limit == 0 {
            isBegun.withLock { $0 = true }
            begun.signal()
            _ = stored.wait(timeout: .now() + 60)
        }
        return try base.notices(origin, of: users, on: node, after: place, through: end, limit: limit)
    }
}
