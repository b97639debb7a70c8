// Live queries against the same query asked anew.

import Foundation
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct LiveQueryTests {
    /// A list that the steps of a live query are applied to.
    struct Mirror {
        var records: [Record] = []

        mutating func apply(_ change: QueryChange) {
            switch change {
            case .initial(let all): records = all
            case .inserted(let record, let position): records.insert(record, at: position)
            case .updated(let record, let position):
                #expect(records[position].id == record.id)
                records[position] = record
            case .moved(let record, let from, let to):
                #expect(records[from].id == record.id)
                records.remove(at: from)
                records.insert(record, at: to)
            case .removed(let id, let position):
                #expect(records[position].id == id)
                records.remove(at: position)
            }
        }
    }

    /// One query with its live answer.
    final class Watch {
        let query: Query
        let zone: RecordZone.ID
        var mirror = Mirror()
        var steps: AsyncThrowingStream<QueryChange, any Error>.AsyncIterator

        init(_ query: Query, in zone: RecordZone.ID, of database: Database) async throws {
            self.query = query
            self.zone = zone
            steps = database.changes(matching: query, in: .zone(zone)).makeAsyncIterator()
            mirror.apply(try #require(try await steps.next()))
        }

        /// Takes steps until the mirror is the answer that the query gives now; records may not differ in the end.
        func catchUp(_ database: Database, limit: Int = 200) async throws {
            let expected = try database.find(query, in: .zone(zone), limit: 10_000).matches.map { try $0.1.get() }
            var taken = 0
            func isLevel() -> Bool {
                mirror.records.map(\.id) == expected.map(\.id)
                    && mirror.records.map(\.recordChangeTag) == expected.map(\.recordChangeTag)
            }
            while !isLevel(), taken < limit {
                guard let change = try await steps.next() else { break }
                mirror.apply(change)
                taken += 1
            }
            #expect(isLevel(), "\(query.predicate) \(query.sortKeys)")
        }
    }

    static func randomRecord(_ random: inout SplitMix64, in zone: RecordZone.ID) -> Record {
        var fields: [String: FieldValue] = [:]
        if random.next() % 5 > 0 { fields["a"] = .int64(Int64(random.next() % 6)) }
        if random.next() % 5 > 0 {
            fields["b"] = .string(["red fox", "blue", "green sea", "red"][Int(random.next() % 4)])
        }
        if random.next() % 3 == 0 {
            fields["of"] = .reference(RecordReference(recordID: .init("r\(random.next() % 12)", zoneID: zone)))
        }
        return record("r\(random.next() % 12)", in: zone, fields)
    }

    @Test("Steps lead to the answer that asking anew gives", arguments: [1, 2, 3] as [UInt64])
    func steps(seed: UInt64) async throws {
        let world = try await World()
        var random = SplitMix64(seed: seed)
        let all: [String: FieldValue] = [
            "a": 0, "b": "x", "of": .reference(RecordReference(recordID: .init("x", zoneID: world.zone))),
        ]
        try await world.mine.put(record("taught", in: world.zone, all))
        let queries = [
            Query("T", "a > 2", sortedBy: [.ascending("a")]), Query("T"),
            Query("T", "b TOKENMATCHES[cdl] 'red'", sortedBy: [.descending("b"), .ascending("a")]),
            Query("T", "a == 1 OR b == 'blue'", sortedBy: [.descending("modificationDate")]),
            Query("T", "creationDate > \(world.clock.now.addingTimeInterval(50)) AND a < 4"),
            Query("T", "recordID != \(Record.ID("r3", zoneID: world.zone)) AND lastModifiedUserRecordID != nil"),
            Query("T", "of.a > 2", sortedBy: [.ascending("of.b")]), Query("T", "of.of.a == nil"),
        ]
        var watches: [Watch] = []
        for query in queries { watches.append(try await Watch(query, in: world.zone, of: world.mine)) }
        for _ in 0..<150 {
            world.clock.advance()
            switch random.next() % 6 {
            case 0:
                try await world.mine2.deleteRecord(withID: .init("r\(random.next() % 12)", zoneID: world.zone))
            case 1 where random.next() % 12 == 0:
                try await world.mine.deleteRecordZone(withID: world.zone)
                try await world.mine.save(RecordZone(id: world.zone))
            default:
                var saved: [Record.ID: Record] = [:]
                for _ in 0...(random.next() % 3) {
                    let record = Self.randomRecord(&random, in: world.zone)
                    saved[record.id] = record
                }
                let database = random.next() % 2 == 0 ? world.mine : world.mine2
                _ = try await database.modifyRecords(saving: Array(saved.values), deleting: [], savePolicy: .allKeys)
            }
            if random.next() % 3 == 0 { for watch in watches { try await watch.catchUp(world.mine) } }
        }
        for watch in watches { try await watch.catchUp(world.mine) }
    }

    @Test("A slow reader is given the whole answer anew")
    func backpressure() async throws {
        let world = try await World { $0.limits.stepsWaiting = 5 }
        try await world.mine.put(record("taught", ["a": 0]))
        var steps = world.mine.changes(matching: Query("T", "a > 0"), in: .default).makeAsyncIterator()
        #expect(try await steps.next() == .initial([]))
        for number in 0..<8 { try await world.mine.put(record("r\(number)", ["a": 1])) }
        guard case .initial(let records)? = try await steps.next() else {
            Issue.record("expected the whole answer")
            return
        }
        #expect(records.map(\.id.recordName) == (0..<6).map { "r\($0)" })
        guard case .inserted(let record, at: 6)? = try await steps.next() else {
            Issue.record("expected a step")
            return
        }
        #expect(record.id.recordName == "r6")
    }

    @Test("What cannot be asked fails, and closing ends")
    func ends() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 0]))
        var bad = world.mine.changes(matching: Query("T", "none == 1"), in: .default).makeAsyncIterator()
        await fails(.invalidArguments) { try await bad.next() as Any }
        var steps = world.mine.changes(matching: Query("T", "a > 0"), in: .default).makeAsyncIterator()
        #expect(try await steps.next() == .initial([]))
        world.alice.close()
        #expect(try await steps.next() == nil)
        let stream = world.mine2.changes(matching: Query("T", "a > 0"), in: .default)
        let task = Task { for try await _ in stream {} }
        task.cancel()
        try await task.value
    }
}
