// Live queries in trouble: their zone goes, or the server of their records is out of reach.

import Dispatch
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.waits) struct LiveTroubleTests {
    /// The records of a zone leave with it, also where the query is about this zone alone.
    @Test func recordsLeaveWithTheirZone() async throws {
        let world = try await World()
        try await world.mine.put(record("stays", ["a": 1]))
        try await world.mine.put(record("goes", in: world.zone, ["a": 1]))
        let ofZone = world.mine.watch(Query("T", "a > 0"), in: .zone(world.zone))
        let ofAll = world.mine.watch(Query("T", "a > 0"), in: .all)
        for reading in [ofZone, ofAll] { #expect(try reading.takeSteps().count == 1) }
        try await world.mine.deleteRecordZone(withID: world.zone)
        for reading in [ofZone, ofAll] {
            #expect(try reading.takeSteps() == [.removed(world.own("goes"), at: 0)])
        }
    }

    /// A zone that nobody made is not watched, nor one that is gone.
    @Test func zonesThatAreNotThere() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 1]))
        try await world.mine.deleteRecordZone(withID: world.zone)
        for zone in [RecordZone.ID("None"), world.zone] {
            let reading = world.mine.watch(Query("T", "a > 0"), in: .zone(zone))
            await fails(.zoneNotFound) { try reading.takeSteps() }
        }
    }

    /// A query that was woken while the server was out of reach runs again by itself, and until then its result stays.
    @Test func aServerThatIsOutOfReachIsTriedAgain() async throws {
        let world = try await World()
        try await world.mine.put(record("taught", ["a": 0]))
        let stored = try world.alice.client.stored(.private)
        let subject = LiveSubject(
            query: Query("T", "a > 0"), zoneID: nil, scope: .private, caller: try world.mine.beginCall(.query),
            store: world.alice.client.store)
        let binding = try #require(try subject.binding(to: world.alice.schema))
        let live = try LiveQuery(subject, binding, on: stored.records.snapshot)
        try await world.mine.put(record("r", ["a": 1]))
        let records = stored.records.snapshot
        let calls = Mutex(0)
        let isReached = DispatchSemaphore(value: 0)
        let runner = WokenLiveQuery(live, pause: 0) { _ throws(DatabaseError) in
            let isFirst = calls.withLock { count -> Bool in
                count += 1
                return count == 1
            }
            if isFirst { throw DatabaseError(.networkUnavailable, "the server is out of reach") }
            isReached.signal()
            return (binding, records)
        }
        defer { runner.end() }
        runner.wake()
        guard isReached.waitUnlessDeadlocked() else {
            Issue.record("the query did not run again")
            return
        }
        #expect(await live.steps.next() == .initial([]))
        guard case .inserted(let found, at: 0)? = await live.steps.next() else {
            Issue.record("no step")
            return
        }
        #expect(found.id == Record.ID("r"))
    }
}
