// Operations that fetch changes: stretch by stretch, with a token after each.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

extension Scene {
    /// A fetch of the changes of zones whose callbacks write the log.
    func changes(
        _ zones: [CKRecordZone.ID], since token: CKServerChangeToken? = nil, limit: Int? = nil
    ) -> CKFetchRecordZoneChangesOperation {
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: token, resultsLimit: limit)
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: zones,
            configurationsByRecordZoneID: Dictionary(uniqueKeysWithValues: zones.map { ($0, configuration) }))
        let log = log
        operation.recordWasChangedBlock = { log.add("\($0.recordName) \(Self.word($1))") }
        operation.recordWithIDWasDeletedBlock = { log.add("-\($0.recordName) \($1)") }
        operation.recordZoneChangeTokensUpdatedBlock = { zone, token, _ in
            log.add("\(zone.zoneName) token \(token != nil)")
        }
        operation.recordZoneFetchResultBlock = { zone, result in
            log.add("\(zone.zoneName) \(Self.word(result))" + ((try? result.get().moreComing) == true ? " more" : ""))
        }
        operation.fetchRecordZoneChangesResultBlock = { log.add("end \(Self.word($0))") }
        return operation
    }

    /// Saves records d, e, f in the zone and deletes c.
    func change() async throws {
        for name in ["d", "e", "f"] { try await database.save(record(name, zone)) }
        try await database.deleteRecord(withID: id("c", zone))
    }
}

@Suite(.mayDeadlock) struct ChangeOperationRules {
    static let rules: [Rule] = [
        Rule(257, text: "all changes, with a token after every stretch but the last") { scene async throws in
            let start = try await scene.database.recordZoneChanges(inZoneWith: scene.zone, since: nil)
            #expect(start.modificationResultsByID.count == 1 && !start.moreComing)
            try await scene.change()
            await scene.run(scene.changes([scene.zone], since: start.changeToken, limit: 2))
            #expect(
                scene.log.lines == [
                    "d done", "e done", "Z token true", "f done", "-c T", "Z done", "end done",
                ])
        },
        Rule(257, text: "one stretch where no more is requested") { scene async throws in
            try await scene.change()
            let operation = scene.changes([scene.zone], limit: 2)
            operation.fetchAllChanges = false
            await scene.run(operation)
            #expect(scene.log.lines == ["d done", "e done", "Z done more", "end done"])
        },
        Rule(257, text: "zones are those of the identifiers, each once, without any those of the configurations") {
            scene async throws in
            let named = scene.changes([scene.zone, .default])
            named.recordZoneIDs = [scene.zone, scene.zone]
            await scene.run(named)
            #expect(scene.log.lines == ["c done", "Z done", "end done"])
            let unnamed = scene.changes([scene.zone, .default])
            unnamed.recordZoneIDs = nil
            await scene.run(unnamed)
            #expect(
                scene.log.lines.dropFirst(3) == [
                    "c done", "Z done", "_defaultZone invalidArguments", "end partialFailure",
                ])
        },
        Rule(258, text: "the operation for one zone knows whether there is more before it ends") { scene async throws in
            try await scene.change()
            var token: CKServerChangeToken?
            let stretches: [(limit: Int, deleted: String?, expected: [String])] = [
                (2, nil, ["d", "e", "true"]), (0, nil, ["f", "false"]), (0, "e", ["-e", "false"]),
            ]
            for (limit, deleted, expected) in stretches {
                if let deleted { try await scene.database.deleteRecord(withID: scene.id(deleted, scene.zone)) }
                let operation = CKFetchRecordChangesOperation(
                    recordZoneID: scene.zone, previousServerChangeToken: token)
                operation.resultsLimit = limit
                let (log, tokens) = (Log(), Tokens())
                operation.recordChangedBlock = { log.add($0.recordID.recordName) }
                operation.recordWithIDWasDeletedBlock = { log.add("-\($0.recordName)") }
                operation.fetchRecordChangesCompletionBlock = { [weak operation] token, _, error in
                    tokens.take(token)
                    log.add("\(operation?.moreComing ?? false)" + (error == nil ? "" : " error"))
                }
                await scene.run(operation)
                #expect(log.lines == expected)
                token = tokens.last
            }
            #expect(token != nil)
        },
        Rule(260, 262, 266, 321, text: "zones that fail, and cancellation, leave what was told valid") {
            scene async throws in
            await scene.run(scene.changes([CKRecordZone.ID(zoneName: "None"), .default, scene.zone]))
            #expect(
                scene.log.lines == [
                    "None zoneNotFound", "_defaultZone invalidArguments", "c done", "Z done",
                    "end partialFailure",
                ])
            try await scene.change()
            let operation = scene.changes([scene.zone], limit: 1)
            let (log, tokens) = (Log(), Tokens())
            operation.recordWasChangedBlock = { [weak operation] id, _ in
                log.add(id.recordName)
                if id.recordName == "e" { operation?.cancel() }
            }
            operation.recordZoneChangeTokensUpdatedBlock = { _, token, _ in tokens.take(token) }
            operation.recordZoneFetchResultBlock = { log.add(Scene.word($1)) }
            operation.fetchRecordZoneChangesResultBlock = { log.add(Scene.word($0)) }
            await scene.run(operation)
            #expect(log.lines == ["d", "e", "operationCancelled", "operationCancelled"])
            let rest = try await scene.database.recordZoneChanges(inZoneWith: scene.zone, since: tokens.last)
            #expect(rest.modificationResultsByID.keys.map(\.recordName) == ["f"])
        },
        Rule(262, text: "a cancelled fetch tells no further deletion") { scene async throws in
            let start = try await scene.database.recordZoneChanges(inZoneWith: scene.zone, since: nil)
            try await scene.change()
            for name in ["d", "e"] { try await scene.database.deleteRecord(withID: scene.id(name, scene.zone)) }
            let operation = scene.changes([scene.zone], since: start.changeToken)
            let log = Log()
            operation.recordWithIDWasDeletedBlock = { [weak operation] id, _ in
                log.add(id.recordName)
                operation?.cancel()
            }
            operation.fetchRecordZoneChangesResultBlock = { log.add(Scene.word($0)) }
            await scene.run(operation)
            #expect(log.lines.count == 2 && log.lines.last == "operationCancelled", "\(log.lines)")
        },
        Rule(268, text: "zones made, changed, deleted and purged since a token") { scene async throws in
            let own = scene.own.privateDatabase
            let start = try await scene.database.databaseChanges(since: nil)
            #expect(start.modifications.map(\.zoneID) == [scene.zone])
            for name in ["X", "Y", "W"] { try await scene.database.save(CKRecordZone(zoneName: name)) }
            try await scene.database.deleteRecordZone(withID: CKRecordZone.ID(zoneName: "X"))
            try await own.purgeRecordZone(withID: RecordZone.ID("Y"))
            for limit in [0, 1] {
                let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: start.changeToken)
                operation.resultsLimit = limit
                let log = Log()
                operation.recordZoneWithIDChangedBlock = { log.add($0.zoneName) }
                operation.recordZoneWithIDWasDeletedBlock = { log.add("-\($0.zoneName)") }
                operation.recordZoneWithIDWasPurgedBlock = { log.add("--\($0.zoneName)") }
                operation.changeTokenUpdatedBlock = { _ in log.add("token") }
                operation.fetchDatabaseChangesResultBlock = { result in
                    log.add("\(Scene.word(result))")
                }
                await scene.run(operation)
                let lines = log.lines.filter { $0 != "token" }
                #expect(lines == ["W", "-X", "--Y", "done"])
                #expect(log.lines.count - lines.count == (limit == 0 ? 0 : 2))
            }
            // Without a block of their own zones that were purged are deleted ones.
            let plain = CKFetchDatabaseChangesOperation(previousServerChangeToken: start.changeToken)
            let told = Log()
            plain.recordZoneWithIDWasDeletedBlock = { told.add("-\($0.zoneName)") }
            await scene.run(plain)
            #expect(told.lines == ["-X", "-Y"])
            let changes = try await scene.database.databaseChanges(since: start.changeToken)
            #expect(changes.deletions.map(\.reason) == [.deleted, .purged])
        },
        Rule(32, 263, text: "tokens are archived and come back equal") { scene async throws in
            let token = try await scene.database.databaseChanges(since: nil).changeToken
            let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
            let again = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKServerChangeToken.self, from: data)
            #expect(again == token)
            try await scene.change()
            #expect(try await scene.database.databaseChanges(since: nil).changeToken != token)
            #expect(try await scene.database.databaseChanges(since: again).modifications.map(\.zoneID) == [scene.zone])
        },
        Rule(267, text: "changes with handlers") { scene async throws in
            let records: Result<CKDatabase.RecordZoneChanges, any Error> = await awaited { done in
                scene.database.fetchRecordZoneChanges(
                    inZoneWith: scene.zone, since: nil, desiredKeys: ["size"], completionHandler: done)
            }
            let found = try records.get().modificationResultsByID[scene.id("c", scene.zone)]
            #expect(try found?.get().record.allKeys() == ["size"])
            let zones: Result<CKDatabase.DatabaseChanges, any Error> = await awaited { done in
                scene.database.fetchDatabaseChanges(since: nil, completionHandler: done)
            }
            #expect(try zones.get().modifications.map(\.zoneID) == [scene.zone])
            // Without a limit all come at once.
            try await scene.change()
            let all: Result<CKDatabase.RecordZoneChanges, any Error> = await awaited { done in
                scene.database.fetchRecordZoneChanges(inZoneWith: scene.zone, since: nil, completionHandler: done)
            }
            #expect(try all.get().modificationResultsByID.keys.map(\.recordName).sorted() == ["d", "e", "f"])
            #expect(try !all.get().moreComing)
            let some: Result<CKDatabase.RecordZoneChanges, any Error> = await awaited { done in
                scene.database.fetchRecordZoneChanges(
                    inZoneWith: scene.zone, since: nil, resultsLimit: 2, completionHandler: done)
            }
            #expect(try some.get().modificationResultsByID.count == 2 && some.get().moreComing)
        },
    ]

    @Test("Operations that fetch changes", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(try await Scene()) }
}
