// Operations that save and delete: what they tell of each item.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct ModifyOperationRules {
    static let rules: [Rule] = [
        Rule(179, 180, text: "a batch tells of progress, of each item once, and of its end") { scene async throws in
            let operation = scene.modify([scene.record("n"), scene.record("a")], [scene.id("b")])
            operation.isAtomic = false
            let log = scene.log
            operation.modifyRecordsCompletionBlock = { saved, deleted, error in
                log.add(
                    "\(saved?.map(\.recordID.recordName) ?? []) \(deleted?.map(\.recordName) ?? []) \(error != nil)")
            }
            await scene.run(operation)
            #expect(
                log.lines == [
                    "n 0.0", "a 0.0", "n 1.0", "n done", "a serverRecordChanged", "-b done", "end partialFailure",
                    "[\"n\"] [\"b\"] true",
                ])
        },
        Rule(179, 180, text: "what could not be deleted is not among what was") { scene async throws in
            let operation = scene.modify([], [scene.id("a"), scene.id("x", CKRecordZone.ID(zoneName: "none"))])
            operation.isAtomic = false
            let log = scene.log
            operation.modifyRecordsCompletionBlock = {
                log.add("\($0 ?? []) \($1?.map(\.recordName) ?? []) \($2 != nil)")
            }
            await scene.run(operation)
            #expect(log.lines == ["-a done", "-x zoneNotFound", "end partialFailure", "[] [\"a\"] true"])
        },
        Rule(179, text: "a record that is named twice is deleted and told of once") { scene async throws in
            await scene.run(scene.modify([], [scene.id("a"), scene.id("a"), scene.id("b")]))
            #expect(scene.log.lines == ["-a done", "-b done", "end done"])
        },
        Rule(115, text: "zones are saved and deleted each on its own") { scene async throws in
            let log = scene.log
            let operation = CKModifyRecordZonesOperation(
                recordZonesToSave: [CKRecordZone(zoneName: "Y"), CKRecordZone(zoneName: "_bad")],
                recordZoneIDsToDelete: [scene.zone])
            operation.perRecordZoneSaveBlock = { log.add("\($0.zoneName) \(Scene.word($1))") }
            operation.perRecordZoneDeleteBlock = { log.add("-\($0.zoneName) \(Scene.word($1))") }
            operation.modifyRecordZonesCompletionBlock = { log.add("\($0?.count ?? 0) \($1?.count ?? 0) \($2 != nil)") }
            await scene.run(operation)
            #expect(log.lines == ["Y done", "_bad invalidArguments", "-Z done", "1 1 true"])
        },
        Rule(279, text: "subscriptions are saved, fetched and deleted each on its own") { scene async throws in
            let log = scene.log
            let modify = CKModifySubscriptionsOperation(
                subscriptionsToSave: [CKDatabaseSubscription(subscriptionID: "s")], subscriptionIDsToDelete: ["none"])
            modify.perSubscriptionSaveBlock = { log.add("\($0) \(Scene.word($1))") }
            modify.perSubscriptionDeleteBlock = { log.add("-\($0) \(Scene.word($1))") }
            modify.modifySubscriptionsResultBlock = { log.add("end \(Scene.word($0))") }
            await scene.run(modify)
            let all = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
            #expect(all.subscriptionIDs == nil)
            for fetch in [all, CKFetchSubscriptionsOperation(subscriptionIDs: ["s", "none"])] {
                fetch.perSubscriptionResultBlock = { log.add("\($0) \(Scene.word($1))") }
                fetch.fetchSubscriptionsResultBlock = { log.add("end \(Scene.word($0))") }
                await scene.run(fetch)
            }
            #expect(
                log.lines == [
                    "s done", "-none unknownItem", "end partialFailure", "s done", "end done", "s done",
                    "none unknownItem", "end partialFailure",
                ])
        },
    ]

    @Test("Operations that save and delete", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(try await Scene()) }
}
