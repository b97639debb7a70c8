// What is not to be mistaken for something else: lists of foreign objects, errors of unnamed codes,
// subscriptions beside illegal ones.

import CloudKitCompat
import Foundation
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct RefusedValueTests {
    @Test("A list of objects that no field takes is refused, and empties none")
    func lists() async throws {
        let scene = try await Scene()
        let record = try await scene.database.record(for: scene.id("a"))
        record.setObject(NSArray(array: [NSObject()]), forKey: "name")
        await #expect(throws: CKError.self) { try await scene.database.save(record) }
        #expect(try await scene.database.record(for: scene.id("a"))["name"] as? String == "a")
    }

    @Test("A list is refused for one element that no field takes, and is not saved without it")
    func elements() async throws {
        let scene = try await Scene()
        let elements: [Any] = ["x", NSObject()]
        // No record has the field yet: a list of texts would be taken.
        for value in [elements, NSArray(array: elements)] as [Any] {
            let record = scene.record("n")
            record.setValue(value, forKey: "tags")
            await #expect(throws: CKError.self) { try await scene.database.save(record) }
        }
    }

    @Test("Errors differ by codes that have no names, with the same words too")
    func codes() {
        let codes: [CKError.Code] = [.internalError, .unnamed(112), .unnamed(113)]
        let errors = codes.map { CKError($0, userInfo: [NSLocalizedDescriptionKey: "words"]) }
        let again = codes.map { CKError($0, userInfo: [NSLocalizedDescriptionKey: "words"]) }
        for (index, error) in errors.enumerated() {
            #expect(again.map { $0 == error } == codes.indices.map { $0 == index })
        }
    }

    @Test("An illegal subscription fails alone, in an operation, in a call and with a handler")
    func subscriptions() async throws {
        let (scene, log) = (try await Scene(), Log())
        let (good, other) = (
            CKDatabaseSubscription(subscriptionID: "good"), CKDatabaseSubscription(subscriptionID: "other")
        )
        other.recordType = "T"
        let bad = CKQuerySubscription(
            recordType: "T", predicate: NSPredicate(value: true), subscriptionID: "bad", options: [])
        let batch = CKModifySubscriptionsOperation(subscriptionsToSave: [bad, good])
        batch.perSubscriptionSaveBlock = { log.add("\($0) \(Scene.word($1))") }
        batch.modifySubscriptionsResultBlock = { log.add("end \(Scene.word($0))") }
        await scene.run(batch)
        #expect(log.lines == ["bad invalidArguments", "good done", "end partialFailure"])

        let called = try await scene.database.modifySubscriptions(saving: [bad, other], deleting: ["good"])
        #expect(called.saveResults.mapValues { Scene.word($0) } == ["bad": "invalidArguments", "other": "done"])
        #expect(called.deleteResults.mapValues { Scene.word($0) } == ["good": "done"])
        let told: Result<CKDatabase.ModifySubscriptionsResults, any Error> = await awaited { done in
            scene.database.modifySubscriptions(saving: [good, bad], deleting: [], completionHandler: done)
        }
        #expect(try told.get().saveResults.mapValues { Scene.word($0) } == ["bad": "invalidArguments", "good": "done"])
    }
}
