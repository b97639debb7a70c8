// Tokens and limits of changes: what is told between two stretches, and what calls with handlers begin with.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct ToldTokenTests {
    @Test("A token between two stretches of a database is the end of the first one")
    func databaseTokens() async throws {
        let scene = try await Scene()
        let start = try await scene.database.databaseChanges(since: nil).changeToken
        for name in ["X", "Y", "W"] { try await scene.database.save(CKRecordZone(zoneName: name)) }
        let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: start)
        operation.resultsLimit = 1
        let told = Mutex<[CKServerChangeToken]>([])
        operation.changeTokenUpdatedBlock = { token in told.withLock { $0.append(token) } }
        await scene.run(operation)
        var rests: [[String]] = []
        for token in told.withLock({ $0 }) {
            let rest = try await scene.database.databaseChanges(since: token)
            rests.append(rest.modifications.map(\.zoneID.zoneName))
        }
        #expect(rests == [["Y", "W"], ["W"]])
    }

    @Test("Between two stretches of a zone the client's own token is told too")
    func clientTokens() async throws {
        let (scene, log) = (try await Scene(), Log())
        let batch = CKModifyRecordsOperation(recordsToSave: [scene.record("e", scene.zone)])
        batch.clientChangeTokenData = Data([7])
        await scene.run(batch)
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [scene.zone],
            configurationsByRecordZoneID: [
                scene.zone: CKFetchRecordZoneChangesConfiguration(previousServerChangeToken: nil, resultsLimit: 1)
            ])
        operation.recordWasChangedBlock = { id, _ in log.add(id.recordName) }
        operation.recordZoneChangeTokensUpdatedBlock = { zone, token, data in
            log.add("\(zone.zoneName) \(token != nil) \(data == Data([7]))")
        }
        await scene.run(operation)
        #expect(log.lines == ["c", "Z true true", "e"])
    }

    @Test("Changes with handlers begin at their token and end at their limit")
    func handlers() async throws {
        let scene = try await Scene()
        let start = try await scene.database.databaseChanges(since: nil).changeToken
        let zoneStart = try await scene.database.recordZoneChanges(inZoneWith: scene.zone, since: nil).changeToken
        for name in ["X", "Y"] { try await scene.database.save(CKRecordZone(zoneName: name)) }
        let zones: Result<CKDatabase.DatabaseChanges, any Error> = await awaited { done in
            scene.database.fetchDatabaseChanges(since: start, resultsLimit: 1, completionHandler: done)
        }
        let changes = try zones.get()
        #expect(changes.modifications.map(\.zoneID.zoneName) == ["X"] && changes.moreComing)
        try await scene.database.save(scene.record("d", scene.zone))
        let records: Result<CKDatabase.RecordZoneChanges, any Error> = await awaited { done in
            scene.database.fetchRecordZoneChanges(inZoneWith: scene.zone, since: zoneStart, completionHandler: done)
        }
        #expect(try records.get().modificationResultsByID.keys.map(\.recordName) == ["d"])
    }

    @Test("A batch with a handler is saved as its policy says")
    func policies() async throws {
        let scene = try await Scene()
        // Made anew, the record has no change tag.
        let record = scene.record("a")
        record["size"] = 5
        let result: Result<CKDatabase.ModifyRecordsResults, any Error> = await awaited { done in
            scene.database.modifyRecords(
                saving: [record], deleting: [], savePolicy: .allKeys, completionHandler: done)
        }
        #expect(try result.get().saveResults.count == 1)
        #expect(try await scene.database.record(for: record.recordID)["size"] as? Int == 5)
    }
}
