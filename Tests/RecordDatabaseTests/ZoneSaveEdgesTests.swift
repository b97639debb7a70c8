// Zones that are saved at the edges: the default zone, names with an owner, zones that are there.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ZoneSaveEdgesTests {
    /// The default zone can do no more for having been saved.
    @Test func theDefaultZoneStaysAsItIs() async throws {
        let world = try await World()
        #expect(try await world.mine.save(RecordZone.default).capabilities == [])
        #expect(try await world.mine.recordZone(for: .default).capabilities == [])
    }

    /// An owner may name a new zone by the own name.
    @Test func aZoneByTheNameOfItsOwner() async throws {
        let world = try await World()
        let id = RecordZone.ID("Y", ownerName: World.alice)
        #expect(try await world.mine.save(RecordZone(id: id)).id == id)
        #expect(try await world.mine.allRecordZones().map(\.id) == [.default, RecordZone.ID("Y"), world.zone])
    }

    /// A zone that is saved again is the one that it was: nothing changed, and its changes go on.
    @Test func aZoneThatIsThere() async throws {
        let world = try await World()
        try await world.mine.put(record("a", in: world.zone), record("b", in: world.zone))
        let zones = try await world.mine.databaseChanges().changeToken
        let records = try world.mine.changes(in: world.zone).token
        try await world.mine.save(RecordZone(id: world.zone))
        #expect(try await world.mine.databaseChanges(since: zones).modifications == [])
        try await world.mine.deleteRecord(withID: world.own("b"))
        try await world.mine.save(RecordZone(id: world.zone))
        #expect(try world.mine.changes(in: world.zone, since: records).entries == ["-b"])
    }
}
