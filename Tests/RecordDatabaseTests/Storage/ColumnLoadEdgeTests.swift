// What keeps records from being taken column by column, and what loads share with saves.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ColumnLoadEdgeTests {
    private static func set(_ fields: [[String: FieldValue]]) throws -> RecordSet {
        try RecordSet(records: fields.enumerated().map { record("r\($0)", $1) })
    }

    private static func text(_ count: Int) -> FieldValue { .string(String(repeating: "x", count: count)) }

    /// Names, sizes and lists that no save takes are not loaded: one record each, and no other one.
    @Test func whatNoSaveTakes() async throws {
        let long = String(repeating: "n", count: 20)
        let cases: [(set: RecordSet, rejected: String, code: DatabaseError.Code)] = [
            (try RecordSet(records: [record(long), record(long + "n")]), long + "n", .invalidArguments),
            (try Self.set([["t": Self.text(90)], ["t": Self.text(10)], ["t": Self.text(101)]]), "r2", .limitExceeded),
            (try Self.set([["l": [1, 2]], ["l": [1, .null]], ["l": [3]]]), "r1", .invalidArguments),
        ]
        for (set, rejected, code) in cases {
            let world = try await World {
                $0.limits.nameLength = 20
                if code == .limitExceeded { $0.limits.bytesPerRecord = 100 }
            }
            let found = try world.alice2.privateDatabase.load(0..<set.count, of: set)
            #expect(found.map(\.id.recordName) == [rejected] && found.map(\.error.code) == [code], "\(found)")
            #expect(try world.mine.snapshot().records(ofType: "T").count == set.count - 1)
        }
    }

    /// References and files of a field that holds other kinds, too, are looked at one by one, also where a stretch has
    /// nothing else.
    @Test(arguments: [
        ("{'reference': 'none', 'action': 'deleteSelf'}", DatabaseError.Code.referenceViolation),
        ("{'$asset': '/nowhere/file', 'size': 1}", .assetFileNotFound),
    ])
    func valuesBesideOtherKinds(_ value: String, _ code: DatabaseError.Code) async throws {
        let world = try await World()
        let lines = [value, value, "'text'"].enumerated().map { "{'id': 'r\($0)', 'f': \($1)}" }
        let found = try world.mine.load(0..<2, of: try RecordSet.mixed(lines))
        #expect(found.map(\.error.code) == [code, code], "\(found)")
    }

    /// Records between those that are wanted stay where they are.
    @Test func ordinalsWithGaps() async throws {
        let world = try await World()
        let set = try Self.set((0..<4).map { ["n": .int64($0)] })
        #expect(try world.mine.load([0, 2, 3], of: set).isEmpty)
        let saved = try world.mine.snapshot().records(ofType: "T").records(matching: "n >= 0")
        #expect(saved.map { $0["n"] } == [0, 2, 3])
    }

    @Test func loadsCountAgainstTheStoreAndAsWork() async throws {
        let world = try await World()
        // Texts that are alike would be kept once, and count so.
        let set = try Self.set((100..<130).map { ["t": Self.text($0)] })
        let small = try world.client(World.alice) { $0.limits.bytesPerStore = 2000 }.privateDatabase
        await fails(.quotaExceeded) { try small.load(0..<30, of: set) }
        #expect(!(await world.mine.has("r0")))
        let before = world.alice.activity
        #expect(try world.mine.load(0..<30, of: set).isEmpty)
        let done = world.alice.activity.since(before)
        #expect(done.savedRecords == 30 && done.commits == 1 && done.deletedRecords == 0)
    }

    /// Until a state is written, a load is in the log and in a file of its own, however often the store is opened.
    @Test func filesThatOnlyTheLogNamesStay() async throws {
        let folder = TemporaryFolder()
        func open() throws -> Container { try Container(identifier: "test", storedAt: folder.url) }
        var container = try open()
        let set = try Self.set((0..<200).map { ["n": .int64($0)] })
        #expect(try container.privateDatabase.load(0..<200, of: set).isEmpty)
        let statistics = try await container.storageStatistics()
        #expect(statistics.segmentFiles == 1 && statistics.logChanges > 0)
        for _ in 0..<2 {
            // As a process that is killed leaves it.
            container.client.store.journal?.close()
            container = try open()
            #expect(try container.privateDatabase.snapshot().records(ofType: "T").count(matching: "n >= 100") == 100)
        }
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    /// Who watches is told of each record that is loaded.
    @Test func watchersOfLoads() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 0]))
        let set = try Self.set([["a": 1], ["a": 0], ["a": 2]])
        let reading = world.mine.watch(Query("T", "a > 0", sortedBy: [.ascending("a")]), in: .default)
        var mirror = LiveQueryTests.Mirror()
        for step in try reading.takeSteps() { mirror.apply(step) }
        #expect(try world.mine.load(0..<3, of: set).isEmpty)
        for step in try reading.takeSteps() { mirror.apply(step) }
        #expect(mirror.records.map(\.id.recordName) == ["r0", "r2"])
    }

    @Test func subscribersToLoads() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 0]))
        try await world.mine.save(SubscriptionRules.subscription("s", "a > 0"))
        let set = try Self.set([["a": 1], ["a": 0], ["a": 2]])
        let told = try await SubscriptionRules.told(world.alice2) {
            let rejected = try world.mine.load(0..<3, of: set)
            #expect(rejected.isEmpty)
        }
        #expect(Set(told.map(\.subscriptionID)) == ["s"])
    }

    /// A subscription that tells once ends with a load, whether anybody listens or not.
    @Test func subscriptionsThatTellOnce() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 0]))
        try await world.mine.save(SubscriptionRules.subscription("s", "a > 0", [.all, .firesOnce]))
        let set = try Self.set([["a": 1], ["a": 0], ["a": 2]])
        #expect(try world.mine.load(0..<3, of: set).isEmpty)
        #expect(try await world.mine.allSubscriptions().isEmpty)
    }
}
