// Callbacks of earlier editions, which are told the same as those of today.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct OlderBlockTests {
    @Test("Fetches tell of each record, and of zones together")
    func fetches() async throws {
        let (scene, log) = (try await Scene(), Log())
        let records = CKFetchRecordsOperation(recordIDs: [scene.id("a"), scene.id("x")])
        records.perRecordCompletionBlock = { record, id, error in
            log.add("\(record?.recordID.recordName ?? "-") \(id?.recordName ?? "-") \(error != nil)")
        }
        let zones = CKFetchRecordZonesOperation(recordZoneIDs: [CKRecordZone.ID(zoneName: "None"), scene.zone])
        zones.fetchRecordZonesCompletionBlock = { found, error in
            log.add("\((found ?? [:]).keys.map(\.zoneName)) \(error != nil)")
        }
        for operation in [records, zones] as [CKDatabaseOperation] { await scene.run(operation) }
        #expect(log.lines == ["a a false", "- x true", "[\"Z\"] true"])
    }

    @Test("What failed is not among what was saved and deleted")
    func changes() async throws {
        let (scene, log) = (try await Scene(), Log())
        let batch = scene.modify([scene.record("n"), scene.record("a")])
        batch.isAtomic = false
        batch.perRecordCompletionBlock = { log.add("\($0.recordID.recordName) \($1 != nil)") }
        let zones = CKModifyRecordZonesOperation(
            recordZonesToSave: [], recordZoneIDsToDelete: [CKRecordZone.ID(zoneName: "None"), scene.zone])
        zones.modifyRecordZonesCompletionBlock = { saved, deleted, error in
            log.add("\((saved ?? []).count) \((deleted ?? []).map(\.zoneName)) \(error != nil)")
        }
        await scene.run(batch)
        await scene.run(zones)
        let subscription = CKDatabaseSubscription(subscriptionID: "s")
        for (saves, ids) in [([subscription], ["none"]), ([], ["s"])] {
            let operation = CKModifySubscriptionsOperation(
                subscriptionsToSave: saves, subscriptionIDsToDelete: ids)
            operation.modifySubscriptionsCompletionBlock = { saved, deleted, error in
                log.add("\((saved ?? []).map(\.subscriptionID)) \(deleted ?? []) \(error != nil)")
            }
            await scene.run(operation)
        }
        #expect(
            log.lines == [
                "n false", "a true", "0 [\"Z\"] true", "[\"s\"] [] true", "[] [\"s\"] false",
            ])
    }

    @Test("Changes of a database, stretch by stretch, tell whether there are more")
    func databaseChanges() async throws {
        let (scene, tokens) = (try await Scene(), Tokens())
        tokens.take(try await scene.database.databaseChanges(since: nil).changeToken)
        for name in ["X", "Y"] { try await scene.database.save(CKRecordZone(zoneName: name)) }
        for expected in [["X", "more true", "true error false"], ["Y", "more false", "false error false"]] {
            let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: tokens.last)
            (operation.resultsLimit, operation.fetchAllChanges) = (1, false)
            let log = Log()
            operation.recordZoneWithIDChangedBlock = { log.add($0.zoneName) }
            operation.changeTokenUpdatedBlock = { _ in log.add("token") }
            operation.fetchDatabaseChangesResultBlock = { log.add("more \((try? $0.get())?.moreComing ?? false)") }
            operation.fetchDatabaseChangesCompletionBlock = { token, moreComing, error in
                tokens.take(token)
                log.add("\(moreComing) error \(error != nil)")
            }
            await scene.run(operation)
            #expect(log.lines.sorted() == expected.sorted())
        }
        #expect(try await scene.database.databaseChanges(since: tokens.last).modifications.isEmpty)
    }

    @Test("Changes of a zone come with the client's own token and whether there are more")
    func zoneChanges() async throws {
        let (scene, log) = (try await Scene(), Log())
        try await scene.database.save(scene.record("d", scene.zone))
        let batch = CKModifyRecordsOperation(recordsToSave: [scene.record("e", scene.zone)])
        batch.clientChangeTokenData = Data([7])
        await scene.run(batch)
        for (fetchesAll, limit) in [(false, 2), (true, 0)] {
            let operation = CKFetchRecordZoneChangesOperation(
                recordZoneIDs: [scene.zone],
                configurationsByRecordZoneID: [
                    scene.zone: .init(previousServerChangeToken: nil, resultsLimit: limit, desiredKeys: ["size"])
                ])
            operation.fetchAllChanges = fetchesAll
            operation.recordChangedBlock = { log.add("\($0.recordID.recordName) \($0.allKeys())") }
            operation.recordZoneFetchCompletionBlock = { zone, token, data, moreComing, error in
                log.add("\(zone.zoneName) \(token != nil) \(data == Data([7])) \(moreComing) \(error != nil)")
            }
            operation.recordZoneFetchResultBlock = {
                log.add("\((try? $1.get())?.clientChangeTokenData == Data([7]))")
            }
            operation.fetchRecordZoneChangesCompletionBlock = { log.add("end \($0 != nil)") }
            await scene.run(operation)
        }
        #expect(
            log.lines == [
                "c [\"size\"]", "d [\"size\"]", "true", "Z true true true false", "end false",
                "c [\"size\"]", "d [\"size\"]", "e [\"size\"]", "true", "Z true true false false", "end false",
            ])
        let single = CKFetchRecordChangesOperation(recordZoneID: scene.zone)
        single.desiredKeys = ["name"]
        let told = Log()
        single.recordChangedBlock = { told.add("\($0.recordID.recordName) \($0.allKeys())") }
        single.fetchRecordChangesCompletionBlock = { token, data, error in
            told.add("\(token != nil) \(data == Data([7])) \(error != nil)")
        }
        await scene.run(single)
        #expect(told.lines == ["c [\"name\"]", "d [\"name\"]", "e [\"name\"]", "true true false"])
    }

    @Test("Operations about notifications tell nothing as done when they were cancelled")
    func notifications() async throws {
        let (scene, log) = (try await Scene(), Log())
        let token = try await scene.database.databaseChanges(since: nil).changeToken
        for isCancelled in [false, true] {
            let read = CKMarkNotificationsReadOperation(notificationIDsToMarkRead: ["a"])
            read.markNotificationsReadCompletionBlock = { log.add("\($0 ?? ["none"]) \($1 != nil)") }
            let changes = CKFetchNotificationChangesOperation(previousServerChangeToken: token)
            changes.fetchNotificationChangesCompletionBlock = { log.add("\($0 == token) \($1 != nil)") }
            let badge = CKModifyBadgeOperation(badgeValue: 1)
            badge.modifyBadgeCompletionBlock = { log.add("\($0 != nil)") }
            for operation in [read, changes, badge] as [CKOperation] {
                if isCancelled { operation.cancel() }
                await awaited { done in
                    operation.completionBlock = { done(()) }
                    scene.container.add(operation)
                }
            }
        }
        #expect(
            log.lines == [
                "[\"a\"] false", "true false", "false", "[\"none\"] true", "true true", "true",
            ])
    }
}
