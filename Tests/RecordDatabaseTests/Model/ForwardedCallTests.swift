// A database of an application's own that knows the long calls alone: the shorter ones come with the protocol.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ForwardedCallTests {
    /// Records are saved and deleted together, under the policy, and come back in the order given.
    @Test func recordsGoTogether() async throws {
        let stored = try Container(identifier: "test").privateDatabase
        let database = Adapter(database: stored)
        try await stored.put(record("old"), record("a", ["m": 1]))
        let saved = try await database.modifyTogether(
            saving: [record("b", ["n": 1]), record("a", ["n": 2])], deleting: [Record.ID("old")], savePolicy: .allKeys)
        #expect(saved.map(\.id.recordName) == ["b", "a"])
        #expect(saved[0]["n"] == 1 && saved[1]["n"] == 2)
        await fails(.unknownItem) { try await stored.record(for: Record.ID("old")) }
        #expect(try await stored.record(for: Record.ID("a")).fields == ["m": 1, "n": 2])
    }

    @Test func oneItemAtATime() async throws {
        let stored = try Container(identifier: "test").privateDatabase
        let database = Adapter(database: stored)
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        #expect(try await database.recordZone(for: zone).id == zone)
        try await stored.put(record("r", in: zone, ["n": 1]), record("q", in: zone, ["n": 2]))
        #expect(try await database.records(for: [Record.ID("r", zoneID: zone)]).count == 1)
        #expect(try await database.recordZoneChanges(inZoneWith: zone).modifications.count == 2)
        try await database.save(Subscription(recordType: "T", predicate: "n > 1", id: "s", zoneID: zone))
        #expect(try await database.subscription(for: "s").id == "s")
        #expect(try await database.deleteSubscription(withID: "s") == "s")
        await fails(.unknownItem) { try await database.subscription(for: "s") }
        #expect(try await database.deleteRecordZone(withID: zone) == zone)
        await fails(.zoneNotFound) { try await database.recordZone(for: zone) }
    }
}
