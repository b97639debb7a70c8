// Changes of zones and databases at their edges: names of zones, lengths of stretches, and tokens of the first stretch.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ChangeTokenEdgesTests {
    /// What is told of a zone has the name that the reader uses for it.
    @Test func changesAreNamedAsTheZoneIs() async throws {
        let world = try await World()
        let named = RecordZone.ID(world.zone.zoneName, ownerName: World.alice)
        try await world.mine.put(record("a", in: world.zone), record("b", in: world.zone))
        let token = try world.mine.changes(in: world.zone).token
        try await world.mine.put(record("c", in: world.zone))
        try await world.mine.deleteRecord(withID: world.own("b"))
        for zone in [world.zone, named] {
            let changes = try world.mine.zoneChanges(zone, since: token)
            #expect(changes.modifications.map(\.id) == [Record.ID("c", zoneID: zone)])
            #expect(changes.deletions.map(\.recordID) == [Record.ID("b", zoneID: zone)])
            #expect(try changes.modifications.first?.result.get().id == Record.ID("c", zoneID: zone))
        }
    }

    /// Where the caller leaves it to the database, zones come in stretches of the length that is configured.
    @Test func zonesComeInStretches() async throws {
        let world = try await World()
        let zones = [world.zone, RecordZone.ID("X"), RecordZone.ID("Y")]
        for zone in zones.dropFirst() { try await world.mine.save(RecordZone(id: zone)) }
        let client = try world.client(World.alice) { $0.limits.changesPerRequest = 2 }.privateDatabase
        for limit in [nil, 0] as [Int?] {
            let first = try await client.databaseChanges(resultsLimit: limit)
            #expect(first.modifications == Array(zones.prefix(2)) && first.moreComing)
            let rest = try await client.databaseChanges(since: first.changeToken, resultsLimit: limit)
            #expect(rest.modifications == [zones[2]] && !rest.moreComing)
        }
        #expect(try await client.databaseChanges(resultsLimit: 3).modifications == zones)
    }

    /// As many as there are may be wanted, however that is said.
    @Test(arguments: [3, Int.max - 1, Int.max]) func allChangesAtOnce(_ limit: Int) async throws {
        let world = try await World()
        try await world.mine.put(record("a", in: world.zone), record("b", in: world.zone))
        let changes = try await world.mine.recordZoneChanges(inZoneWith: world.zone, resultsLimit: limit)
        #expect(changes.modifications.map(\.id.recordName) == ["a", "b"] && !changes.moreComing)
        let zones = try await world.mine.databaseChanges(resultsLimit: limit)
        #expect(zones.modifications == [world.zone] && !zones.moreComing)
    }

    /// Who has read the first of many records need not know the deletions that were forgotten before.
    @Test func deletionsBeforeTheFirstStretchExpireNothing() async throws {
        let world = try await World()
        let zone = world.zone
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 4 }.privateDatabase
        let gone = (0..<8).map { "x\($0)" }
        _ = try await few.modifyRecords(saving: (["a", "b"] + gone).map { record($0, in: zone) }, deleting: [])
        let before = try few.changes(in: zone, limit: 20).token
        for name in gone { try await few.deleteRecord(withID: Record.ID(name, zoneID: zone)) }
        // Four of them are forgotten.
        await fails(.changeTokenExpired) { try await few.recordZoneChanges(inZoneWith: zone, since: before) }
        let first = try await few.recordZoneChanges(inZoneWith: zone, resultsLimit: 1)
        #expect(first.modifications.map(\.id.recordName) == ["a"] && first.moreComing)
        let rest = try await few.recordZoneChanges(inZoneWith: zone, since: first.changeToken)
        #expect(rest.modifications.map(\.id.recordName) == ["b"] && rest.deletions.isEmpty && !rest.moreComing)
    }
}
