// Zones that are saved at the edges: the default zone, and names with an owner.

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
}
