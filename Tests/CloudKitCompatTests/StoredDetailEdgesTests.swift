// What comes back from a database says all that was saved: subscriptions whole, who saved a record, and when.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct StoredDetailEdgesTests {
    @Test("Subscriptions come back with their zone, their type and the changes that they are about")
    func subscriptions() async throws {
        let scene = try await Scene()
        let query = CKQuerySubscription(
            recordType: "T", predicate: NSPredicate(value: true), subscriptionID: "q",
            options: [.firesOnRecordDeletion])
        query.zoneID = scene.zone
        let zoned = CKRecordZoneSubscription(zoneID: scene.zone, subscriptionID: "z")
        zoned.recordType = "T"
        let all = CKDatabaseSubscription(subscriptionID: "d")
        all.recordType = "T"
        for subscription in [query, zoned, all] as [CKSubscription] { try await scene.database.save(subscription) }
        let first = try #require(try await scene.database.subscription(for: "q") as? CKQuerySubscription)
        #expect(first.recordType == "T" && first.zoneID?.zoneName == "Z")
        #expect(first.querySubscriptionOptions == [.firesOnRecordDeletion])
        let second = try #require(try await scene.database.subscription(for: "z") as? CKRecordZoneSubscription)
        #expect(second.zoneID.zoneName == "Z" && second.recordType == "T")
        let third = try #require(try await scene.database.subscription(for: "d") as? CKDatabaseSubscription)
        #expect(third.recordType == "T")
    }

    @Test("A record tells when it was made, and when it was last changed")
    func dates() async throws {
        let (start, seconds) = (4_000_000_000.0, Counter())
        var configuration = Configuration()
        configuration.clock = { Date(timeIntervalSinceReferenceDate: start + Double(seconds.add(0))) }
        let container = CKContainer(
            try Container(identifier: "dates", account: .user("_a11ce"), configuration: configuration))
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a"))
        record["size"] = 1
        try await container.privateCloudDatabase.save(record)
        seconds.add(100)
        record["size"] = 2
        try await container.privateCloudDatabase.save(record)
        let found = try await container.privateCloudDatabase.record(for: record.recordID)
        #expect(found.creationDate == Date(timeIntervalSinceReferenceDate: start))
        #expect(found.modificationDate == Date(timeIntervalSinceReferenceDate: start + 100))
    }

    @Test("A record tells who made it, and who changed it last")
    func users() async throws {
        let own = try Container(identifier: "users of a record", account: .user("_a11ce"))
        let (alice, bob) = (CKContainer(own), CKContainer(try Container(sharing: own, account: .user("_b0b"))))
        let zone = CKRecordZone.ID(zoneName: "Z")
        let record = CKRecord(recordType: "T", recordID: CKRecord.ID(recordName: "a", zoneID: zone))
        record["size"] = 1
        let share = CKShare(recordZoneID: zone)
        share.publicPermission = .readWrite
        try await alice.privateCloudDatabase.save(CKRecordZone(zoneID: zone))
        try await alice.privateCloudDatabase.save(record)
        try await alice.privateCloudDatabase.save(share)
        let metadata = try await bob.shareMetadata(for: #require(share.url))
        try await bob.accept(metadata)
        let foreign = CKRecordZone.ID(zoneName: "Z", ownerName: "_a11ce")
        let theirs = try await bob.sharedCloudDatabase.record(
            for: CKRecord.ID(recordName: "a", zoneID: foreign))
        theirs["size"] = 2
        try await bob.sharedCloudDatabase.save(theirs)
        #expect(theirs.creatorUserRecordID?.recordName == "_a11ce")
        let found = try await alice.privateCloudDatabase.record(for: record.recordID)
        #expect(found["size"] == 2 && found.lastModifiedUserRecordID?.recordName == "_b0b")
    }

    @Test("The handler of a save that fails gets the record that was sent")
    func handler() async throws {
        let scene = try await Scene()
        let record = scene.record("n", CKRecordZone.ID(zoneName: "None"))
        let told: String = await awaited { done in
            scene.database.save(record) { done("\($0 === record) \(($1 as? CKError)?.code == .zoneNotFound)") }
        }
        #expect(told == "true true")
    }

    @Test("A list of assets is one")
    func assets() {
        let record = CKRecord(recordType: "T")
        let file = URL(filePath: "/none/a")
        record["files"] = [CKAsset(fileURL: file), CKAsset(fileURL: file)]
        #expect((record["files"] as? [CKAsset])?.count == 2)
    }
}
