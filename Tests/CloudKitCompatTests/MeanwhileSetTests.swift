// What is set in objects after they were given to a save, or to an operation that waits.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct MeanwhileSetTests {
    /// Saves an object, and changes it when its batch is made and not saved yet.
    private func save(_ record: CKRecord, in scene: Scene, _ change: @escaping @Sendable () -> Void) async {
        let batch = CKModifyRecordsOperation(recordsToSave: [record])
        batch.perRecordProgressBlock = { _, part in if part == 0 { change() } }
        await scene.run(batch)
    }

    @Test("What is set in a record while it is saved stays set, and goes with the next save")
    func records() async throws {
        let scene = try await Scene()
        let (record, parent) = (scene.record("n", scene.zone), scene.id("c", scene.zone))
        record["mood"] = "calm"
        record.encryptedValues["diary"] = "before"
        await save(record, in: scene) {
            record["name"] = "typed"
            record["size"] = nil as Int?
            record.encryptedValues["diary"] = "after"
            record.setParent(parent)
        }
        #expect(record.recordChangeTag != nil && record.changedKeys() == ["name", "size"])
        #expect(record["name"] as? String == "typed" && record["size"] == nil && record["mood"] as? String == "calm")
        let first = try await scene.database.record(for: record.recordID)
        #expect(first["name"] as? String == "n" && first["size"] as? Int == 1 && first.parent == nil)
        #expect(first.encryptedValues["diary"] as? String == "before")

        let told = try await scene.database.save(record)
        #expect(told.recordChangeTag == record.recordChangeTag && record.changedKeys() == [])
        #expect(record.encryptedValues.changedKeys() == [])
        let second = try await scene.database.record(for: record.recordID)
        #expect(second["name"] as? String == "typed" && second["size"] == nil && second.parent?.recordID == parent)
        #expect(second.encryptedValues["diary"] as? String == "after" && second["mood"] as? String == "calm")
    }

    @Test("Participants who are added to a share while it is saved stay, and its permission")
    func shares() async throws {
        let scene = try await Scene()
        _ = try Container(sharing: scene.own, account: .user("_b0b"))
        let bob = CKRecord.ID(recordName: "_b0b")
        let participant = try await scene.container.shareParticipant(forUserRecordID: bob)
        participant.permission = .readOnly
        let share = CKShare(recordZoneID: scene.zone)
        await save(share, in: scene) {
            share.addParticipant(participant)
            share.publicPermission = .readOnly
            share[CKShare.SystemFieldKey.title] = "typed"
        }
        #expect(share.url != nil && share.participants.last === participant && share.publicPermission == .readOnly)
        let first = try #require(try await scene.database.record(for: share.recordID) as? CKShare)
        #expect(first.participants.count == 1 && first.publicPermission == .none)

        try await scene.database.save(share)
        let second = try #require(try await scene.database.record(for: share.recordID) as? CKShare)
        #expect(second.participants.map(\.permission) == [.readWrite, .readOnly])
        #expect(second.publicPermission == .readOnly && second[CKShare.SystemFieldKey.title] as? String == "typed")
        #expect(share.participants.last?.acceptanceStatus == .pending && share.changedKeys() == [])
    }

    @Test("An operation runs with what its settings, its database and its objects said when it was added")
    func operations() async throws {
        let (scene, log) = (try await Scene(), Log())
        let queue = scene.database.operationQueue
        let end = try await scene.database.recordZoneChanges(inZoneWith: scene.zone, since: nil).changeToken
        let configuration = CKFetchRecordZoneChangesConfiguration()
        let changes = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [scene.zone], configurationsByRecordZoneID: [scene.zone: configuration])
        changes.recordWasChangedBlock = { id, _ in log.add(id.recordName) }
        let subscription = CKRecordZoneSubscription(zoneID: scene.zone, subscriptionID: "s")
        let batch = CKModifySubscriptionsOperation(subscriptionsToSave: [subscription])
        let fetch = scene.fetch([scene.id("a")])
        queue.isSuspended = true
        for operation in [changes, batch, fetch] as [CKDatabaseOperation] { scene.database.add(operation) }
        configuration.previousServerChangeToken = end
        subscription.recordType = "T"
        fetch.timeoutIntervalForRequest = 1e-9
        fetch.database = scene.container.publicCloudDatabase
        queue.isSuspended = false
        await awaited { done in queue.addBarrierBlock { done(()) } }
        #expect(log.lines == ["c"] && scene.log.lines == ["a 1.0", "a done", "end done"])
        #expect(fetch.resolvedConfiguration.timeoutIntervalForRequest == 60)
        let saved = try #require(try await scene.database.subscription(for: "s") as? CKRecordZoneSubscription)
        #expect(saved.recordType == nil)
    }
}
