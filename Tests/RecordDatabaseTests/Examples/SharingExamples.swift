// The examples of the article about sharing.

import RecordDatabase
import Testing

struct SharingExamples {
    @Test func lists() async throws {
        let container = try Container(identifier: "example.lists", account: .user("_a11ce"))
        let other = try Container(sharing: container, account: .user("_b0b"))
        let friend = try await other.userRecordID()
        let zone = try await container.privateDatabase.save(RecordZone(zoneName: "Lists"))

        let list = Record(type: "List", id: Record.ID("groceries", zoneID: zone.id), fields: ["title": "Groceries"])
        var milk = Record(type: "Item", id: Record.ID("milk", zoneID: zone.id), fields: ["name": "Milk"])
        milk.setParent(list.id)

        var share = Share(root: list)
        share.title = "Groceries"
        try share.add(Share.Participant(userRecordID: friend, permission: .readWrite))
        let (saved, _) = try await container.privateDatabase.modifyRecords(
            saving: [list, milk, share.record], deleting: [])
        share = Share(try saved[share.id]!.get())!
        let url = share.url!

        let metadata = try await other.shareMetadata(for: url)
        try await other.accept(metadata)
        let shared = other.sharedDatabase
        for zone in try await shared.allRecordZones() {
            let changes = try await shared.recordZoneChanges(inZoneWith: zone.id)
            print(zone.id.ownerName, changes.modifications.map(\.id.recordName))
        }
        let items = try await shared.recordPage(matching: Query("Item", "name != nil"), in: .zone(metadata.zoneID))
        #expect(items.matchResults.map(\.0.recordName) == ["milk"])

        share = Share(try await container.privateDatabase.record(for: share.id))!
        share.remove(share.participants[1])
        try await container.privateDatabase.save(share.record)
        #expect(try await shared.allRecordZones().isEmpty)
        try await container.privateDatabase.deleteRecord(withID: share.id)
    }
}
