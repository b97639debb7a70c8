// Commits of several processes at a time: each counts once, and readers of changes miss none.

import Campaigns
import Foundation
import Glibc
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Synchronization
import Testing
import _TestSupport

/// A value that threads share.
private final class Shared<Value: Sendable>: Sendable {
    private let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
    var current: Value { value.withLock { $0 } }
    func change(_ body: @Sendable (inout Value) -> Void) { value.withLock { body(&$0) } }
}

/// Runs bodies side by side, each on a thread of its own, and waits for all of them without keeping a task's thread.
private func together(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) async -> [String] {
    let errors = Shared<[String]>([])
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread {
                        do {
                            try body(number)
                        } catch {
                            let text = "\(error)"
                            errors.change { $0.append(text) }
                        }
                        continuation.resume()
                    }
                }
            }
        }
    }
    return errors.current
}

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .serialized)
struct CommitTests {
    private static let zone = RecordZone.ID("Z")

    /// A container as another process would have it.
    private static func container(_ identifier: String, _ address: String) throws -> Container {
        try Container(
            identifier: "commits", on: PostgreSQLContainer(identifier: identifier, connectingTo: address),
            account: .localUser, configuration: Configuration())
    }

    /// A call made again while its zone is busy, as clients of CloudKit do: nothing was saved then.
    private static func patiently(_ call: () throws -> Void) throws {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            do { return try call() } catch let error as DatabaseError where error.code == .zoneBusy {
                if ContinuousClock.now > end { throw error }
                usleep(200_000)
            }
        }
    }

    /// All changes of the zone since a token.
    private static func follow(
        _ database: Database, _ token: inout ChangeToken?, _ mirror: inout [String: String], _ told: inout [String]
    ) throws {
        while true {
            let changes = try database.zoneChanges(zone, since: token, limit: 7)
            for (id, result) in changes.modifications {
                let tag = try result.get().recordChangeTag ?? ""
                mirror[id.recordName] = tag
                told.append(tag)
            }
            for deletion in changes.deletions { mirror[deletion.recordID.recordName] = nil }
            token = changes.changeToken
            if !changes.moreComing { return }
        }
    }

    @Test func eachSaveCountsOnceOverConnectionsThatAreCut() async throws {
        let server = try PostgreSQLServer.shared()
        let identifier = "cuts " + UUID().uuidString
        let proxy = try CuttingProxy(server, seed: 5)
        defer { proxy.stop() }
        let first = try Self.container(identifier, server.address)
        _ = try first.privateDatabase.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: [])
        _ = try first.privateDatabase.modify(
            ModifyRequest(saves: [Record(type: "T", id: Record.ID("r", zoneID: Self.zone), fields: ["n": 0])])
        ).saves[0].result.get()
        let before = try first.privateDatabase.zoneChanges(Self.zone, since: nil)
        let start = try #require(
            before.modifications.first?.result.get().recordChangeTag.flatMap { Int($0, radix: 36) })
        let (savers, saves) = (4, 25)
        let containers = try (0..<savers).map { _ in try Self.container(identifier, proxy.address) }
        proxy.isCutting = true
        let errors = await together(savers) { saver in
            for number in 0..<saves {
                // Saved twice, the record would be there already, and the save would fail.
                let id = Record.ID("r\(saver)-\(number)", zoneID: Self.zone)
                let record = Record(type: "T", id: id, fields: ["n": .int64(Int64(number))])
                try Self.patiently {
                    let result = try containers[saver].privateDatabase.modify(ModifyRequest(saves: [record]))
                    _ = try result.saves[0].result.get()
                }
            }
        }
        proxy.isCutting = false
        #expect(errors == [])
        #expect(proxy.cuts.before > 3 && proxy.cuts.after > 6, "\(proxy.cuts)")
        var (token, mirror, told) = (ChangeToken?.none, [String: String](), [String]())
        try Self.follow(first.privateDatabase, &token, &mirror, &told)
        #expect(mirror.count == savers * saves + 1)
        let numbers = told.compactMap { Int($0, radix: 36) }
        #expect(numbers == Array(start...start + savers * saves), "every change has its number, none has two")
    }

    @Test func readersOfChangesMissNothing() async throws {
        let server = try PostgreSQLServer.shared()
        let identifier = "tokens " + UUID().uuidString
        let first = try Self.container(identifier, server.address)
        _ = try first.privateDatabase.modifyZones(saving: [RecordZone(id: Self.zone)], deleting: [])
        let (savers, saves) = (4, 40)
        let containers = try (0..<savers).map { _ in try Self.container(identifier, server.address) }
        let left = Shared(savers)
        let mirrors = Shared<[[String: String]]>([])
        let disorder = Shared(0)
        let errors = await together(savers + 2) { worker in
            guard worker < savers else {
                let reader = try Self.container(identifier, server.address)
                var (token, mirror) = (ChangeToken?.none, [String: String]())
                while true {
                    let isLast = left.current == 0
                    var told: [String] = []
                    try Self.follow(reader.privateDatabase, &token, &mirror, &told)
                    let numbers = told.compactMap { Int($0, radix: 36) }
                    if numbers != numbers.sorted() { disorder.change { $0 += 1 } }
                    if isLast {
                        let mirror = mirror
                        return mirrors.change { $0.append(mirror) }
                    }
                    usleep(2_000)
                }
            }
            defer { left.change { $0 -= 1 } }
            var random = SplitMix64(seed: UInt64(worker + 1))
            for number in 0..<saves {
                let id = Record.ID("r\(Int.random(in: 0..<30, using: &random))", zoneID: Self.zone)
                var request = ModifyRequest(policy: .changedKeys)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    request.deletes = [id]
                } else {
                    request.saves = [Record(type: "T\(number % 3)", id: id, fields: ["n": .int64(Int64(number))])]
                }
                // A record of another type may be there: that save fails, by the rules.
                try Self.patiently { _ = try containers[worker].privateDatabase.modify(request) }
            }
        }
        #expect(errors == [])
        var expected: [String: String] = [:]
        let ids = (0..<30).map { Record.ID("r\($0)", zoneID: Self.zone) }
        for case .success(let record) in try first.privateDatabase.fetch(ids).values {
            expected[record.id.recordName] = record.recordChangeTag
        }
        #expect(!expected.isEmpty)
        #expect(mirrors.current == [expected, expected])
        #expect(disorder.current == 0)
    }

    @Test func serversThatAreGoneAreToldOf() throws {
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let container = try Self.container("gone", server.address)
        let record = Record(type: "T", id: Record.ID("r"), fields: ["n": 1])
        _ = try container.privateDatabase.modify(ModifyRequest(saves: [record])).saves[0].result.get()
        server.stop()
        let database = container.privateDatabase
        let calls: [(Database) throws -> Void] = [
            { _ = try $0.fetch([Record.ID("r")]) },
            { _ = try $0.find(Query("T", "n == 1"), in: .all) },
            { _ = try $0.modify(ModifyRequest(saves: [Record(type: "T", id: Record.ID("s"))])) },
            { _ = try $0.fetchAllZones() },
        ]
        for call in calls {
            let error = #expect(throws: DatabaseError.self) { try call(database) }
            #expect(error?.code == .networkUnavailable, "\(String(describing: error))")
        }
        try server.start()
        let found = try database.find(Query("T", "n == 1"), in: .all).matches
        #expect(found.map(\.0) == [Record.ID("r")])
    }
}
