// Lists of zones and records that a sync engine takes in: each of them is told once.

import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SyncListEdgesTests {
    private static let zone = RecordZone.ID("Z")
    private static let token = ChangeToken(
        incarnation: nil, origin: DatabaseOrigin(container: "c", scope: .private, user: "_a"), subject: .database,
        position: 0, deletionsAfter: 0)

    private static func id(_ name: String) -> Record.ID { Record.ID(name, zoneID: zone) }

    /// A record whose deletion comes with the last stretch is not missing from the list besides.
    @Test func deletionsOfTheLastStretchAreToldOnce() {
        var items = KnownItems()
        for name in ["a", "b", "c"] { items.insert(Record(type: "T", id: Self.id(name))) }
        items.beginRecords(of: Self.zone)
        var last = RecordZoneChanges(changeToken: Self.token)
        last.modifications = [(Self.id("c"), .success(Record(type: "T", id: Self.id("c"))))]
        last.deletions = [RecordDeletion(recordID: Self.id("a"), recordType: "T")]
        let missing = items.missingRecords(of: Self.zone, beside: last)
        #expect(missing == [RecordDeletion(recordID: Self.id("b"), recordType: "T")])
    }

    /// A zone that changed again before it was fetched is fetched once.
    @Test func zonesThatChangedAgainAreFetchedOnce() {
        let state = SyncEngine.State(.init())
        for _ in 0..<2 {
            let missing = state.take(DatabaseChanges(modifications: [Self.zone], changeToken: Self.token))
            #expect(missing.isEmpty)
        }
        #expect(state.zonesWithUnfetchedChanges == [Self.zone])
    }
}
