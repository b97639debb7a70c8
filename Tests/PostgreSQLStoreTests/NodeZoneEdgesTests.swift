// Zones on several servers at the edges: those that were purged, page by page, and one whose server is down.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

/// A delegate that has no records to send.
private final class ZoneSender: SyncEngineDelegate {
    func handle(_ event: SyncEngine.Event, of engine: SyncEngine) async {}

    func nextRecordChangeBatch(
        _ context: SyncEngine.SendContext, of engine: SyncEngine
    ) async -> SyncEngine.RecordChangeBatch? { nil }
}

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct NodeZoneEdgesTests {
    /// Zones that one call purges on several nodes are told as purged, no more at a time than are wanted.
    @Test func purgedZonesAreToldOverNodes() throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container).values.sorted { $0.zoneName < $1.zoneName }
        let database = container.privateDatabase
        var token = try database.zoneList(since: nil, limit: 100).changeToken
        let result = try database.modifyZones(saving: [], deleting: zones, isPurging: true)
        for (_, outcome) in result.deletes { try outcome.get() }
        var (gone, purged): ([RecordZone.ID], [RecordZone.ID]) = ([], [])
        for number in zones.indices {
            let page = try database.zoneList(since: token, limit: 1)
            #expect(page.modifications.isEmpty && page.deletions.count == 1)
            #expect(page.moreComing == (number < zones.count - 1))
            gone += page.deletions
            purged += page.purges
            token = page.changeToken
        }
        #expect(Set(gone) == Set(zones) && Set(purged) == Set(zones))
    }

    /// The deletion of a zone whose server is down stays pending, and is sent when the server is there again.
    @Test func deletionsOfZonesWaitForTheirServer() async throws {
        let own = try PostgreSQLServer()
        let place = try NodePlace(.shared(), others: [own.address])
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container)
        let (up, down) = (try #require(zones[0]), try #require(zones[1]))
        let delegate = ZoneSender()
        var settings = SyncEngine.Configuration(container: container)
        settings.syncsAutomatically = false
        let engine = SyncEngine(settings, delegate: delegate)
        engine.state.add([SyncEngine.PendingZoneChange.delete(up), .delete(down)])
        own.stop()
        let error = await #expect(throws: DatabaseError.self) { try await engine.sendChanges() }
        #expect(error?.partialErrors.keys.map { $0 } == [.zone(down)], "\(error?.reason ?? "")")
        #expect(engine.state.pendingZoneChanges == [.delete(down)])
        try own.start()
        try await engine.sendChanges()
        #expect(engine.state.pendingZoneChanges.isEmpty)
        let left = try await container.privateDatabase.allRecordZones().map(\.id)
        #expect(left.count == 23 && !left.contains(up) && !left.contains(down))
    }

    /// A user's own name for a zone names the one that is there, on whatever server it is.
    @Test func zonesByTheirOwnersName() async throws {
        let place = try NodePlace()
        let container = try place.open()
        defer { container.close() }
        let zones = try place.fill(container)
        let database = container.privateDatabase
        let owner = try #require(Account.localUser.userName)
        for zone in zones.values {
            let named = RecordZone.ID(zone.zoneName, ownerName: owner)
            try await database.save(RecordZone(id: named))
            #expect(try await database.allRecordZones().count { $0.id.zoneName == zone.zoneName } == 1)
        }
        let all = zones.values.map { RecordZone.ID($0.zoneName, ownerName: owner) }
        let results = try await database.modifyRecordZones(saving: [], deleting: all)
        for id in all { try results.deleteResults[id]?.get() }
        #expect(results.deleteResults.count == all.count)
        #expect(Set(try await database.allRecordZones().map(\.id)).isDisjoint(with: zones.values))
    }
}
