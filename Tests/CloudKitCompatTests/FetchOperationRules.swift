// Operations that fetch: what they give, and what they tell.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct FetchOperationRules {
    static let rules: [Rule] = [
        Rule(128, 134, 140, 141, 142, 317, text: "a fetch tells of each record, of its end, and completes") {
            scene async throws in
            let operation = scene.fetch([scene.id("x")])
            #expect(operation.recordIDs == [scene.id("x")])
            operation.recordIDs = [scene.id("a"), scene.id("c", scene.zone)]
            let log = scene.log
            operation.completionBlock = { log.add("complete") }
            await scene.run(operation)
            #expect(log.lines == ["a 1.0", "a done", "c 1.0", "c done", "end done", "complete"])
        },
        Rule(129, 145, text: "an error of the whole fetch is told at the end alone") { scene async throws in
            await scene.run(scene.fetch(nil))
            await scene.run(scene.fetch((0...400).map { scene.id("r\($0)") }))
            await scene.run(scene.fetch([scene.id("a")]), on: scene.nobody.privateCloudDatabase)
            #expect(scene.log.lines == ["end invalidArguments", "end limitExceeded", "end notAuthenticated"])
        },
        Rule(130, text: "no identifiers are no error, and twice the same is once") { scene async throws in
            await scene.run(scene.fetch([]))
            await scene.run(scene.fetch([scene.id("a"), scene.id("a")]))
            #expect(scene.log.lines == ["end done", "a 1.0", "a done", "end done"])
        },
        Rule(131, 132, 133, text: "the record of the current user") { scene async throws in
            let operation = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            operation.recordIDs = [scene.id("a")]
            #expect(operation.recordIDs == nil)
            scene.listen(operation)
            await scene.run(operation)
            let other = CKFetchRecordsOperation.fetchCurrentUserRecordOperation()
            scene.listen(other)
            await scene.run(other, on: scene.nobody.publicCloudDatabase)
            #expect(scene.log.lines == ["_a11ce 1.0", "_a11ce done", "end done", "end notAuthenticated"])
        },
        Rule(135, 136, 137, 138, 139, text: "desired keys narrow what comes") { scene async throws in
            let cases: [([String]?, [String])] = [
                (nil, ["name", "size"]), (["size"], ["size"]), ([], []), (["size", "other"], ["size"]),
            ]
            for (keys, expected) in cases {
                let operation = CKFetchRecordsOperation(recordIDs: [scene.id("a")])
                operation.desiredKeys = keys
                let log = Log()
                operation.fetchRecordsCompletionBlock = { records, _ in
                    for record in (records ?? [:]).values {
                        record.allKeys().forEach(log.add)
                        if record.recordChangeTag == nil || !record.changedKeys().isEmpty { log.add("wrong") }
                    }
                }
                await scene.run(operation)
                #expect(log.lines == expected)
            }
        },
        Rule(143, 144, text: "missing records are in the error of the end") { scene async throws in
            for ids in [["a", "x", "y"], ["x", "y"]] {
                let operation = scene.fetch(ids.map { scene.id($0) })
                let log = Log()
                operation.fetchRecordsCompletionBlock = { records, error in
                    let missing = (error as? CKError)?.partialErrorsByItemID ?? [:]
                    let names = missing.keys.compactMap { ($0.base as? CKRecord.ID)?.recordName }
                    log.add("\((records ?? [:]).count) \(names.sorted())")
                }
                await scene.run(operation)
                #expect(log.lines == ["\(ids.count - 2) [\"x\", \"y\"]"])
                #expect(scene.log.lines.last == "end partialFailure")
            }
        },
        Rule(114, text: "a fetch of zones, some missing, or all") { scene async throws in
            let log = scene.log
            let some = CKFetchRecordZonesOperation(recordZoneIDs: [scene.zone, CKRecordZone.ID(zoneName: "None")])
            let all = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            #expect(all.recordZoneIDs == nil)
            for operation in [some, all] {
                operation.perRecordZoneResultBlock = { log.add("\($0.zoneName) \(Scene.word($1))") }
                operation.fetchRecordZonesResultBlock = { log.add("end \(Scene.word($0))") }
                await scene.run(operation)
            }
            #expect(
                log.lines == [
                    "Z done", "None zoneNotFound", "end partialFailure", "_defaultZone done", "Z done", "end done",
                ])
        },
        Rule(239, 242, 243, text: "queries as operations: matches in order, then the cursor") { scene async throws in
            let log = scene.log
            let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
            query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: false)]
            let cursors = Mutex<CKQueryOperation.Cursor?>(nil)
            for turn in 0..<2 {
                let operation = CKQueryOperation(query: query)
                operation.zoneID = .default
                if turn == 1 {
                    operation.cursor = cursors.withLock { $0 }
                    operation.query = CKQuery(recordType: "None", predicate: NSPredicate(value: true))
                }
                operation.resultsLimit = 1
                operation.recordMatchedBlock = { log.add("\($0.recordName) \(Scene.word($1))") }
                operation.queryResultBlock = { result in
                    log.add("end \(Scene.word(result))")
                    if case .success(let cursor) = result { cursors.withLock { $0 = cursor } }
                }
                await scene.run(operation)
                #expect((cursors.withLock { $0 } != nil) == (turn == 0))
            }
            #expect(log.lines == ["b done", "end done", "a done", "end done"])
        },
        Rule(218, text: "without a zone: all zones, but the default zone for the oldest function") {
            scene async throws in
            let database = scene.database
            let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
            query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
            let zones: [(CKRecordZone.ID?, [String], [String])] = [
                (nil, ["a", "b", "c"], ["a", "b"]), (.default, ["a", "b"], ["a", "b"]), (scene.zone, ["c"], ["c"]),
            ]
            for (zone, names, oldest) in zones {
                let log = Log()
                let operation = CKQueryOperation(query: query)
                operation.zoneID = zone
                operation.recordMatchedBlock = { id, _ in log.add(id.recordName) }
                await scene.run(operation)
                #expect(log.lines == names)
                let page = try await database.records(matching: query, inZoneWith: zone)
                #expect(page.matchResults.map(\.0.recordName) == names)
                let fetched: Result<CKDatabase.MatchPage, any Error> = await awaited { done in
                    database.fetch(withQuery: query, inZoneWith: zone) { done($0) }
                }
                #expect(try fetched.get().matchResults.map(\.0.recordName) == names)
                let performed: [CKRecord]? = await awaited { done in
                    database.perform(query, inZoneWith: zone) { records, _ in done(records) }
                }
                #expect(performed?.map(\.recordID.recordName) == oldest)
            }
        },
        Rule(268, text: "the shared database has no zones and no changes") { scene async throws in
            let database = scene.container.sharedCloudDatabase
            #expect(try await database.allRecordZones().isEmpty)
            let log = scene.log
            let zones = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
            zones.perRecordZoneResultBlock = { id, _ in log.add(id.zoneName) }
            zones.fetchRecordZonesResultBlock = { log.add("zones \(Scene.word($0))") }
            let changes = CKFetchDatabaseChangesOperation()
            changes.recordZoneWithIDChangedBlock = { log.add($0.zoneName) }
            changes.fetchDatabaseChangesResultBlock = { log.add("changes \(Scene.word($0))") }
            await scene.run(zones, on: database)
            await scene.run(changes, on: database)
            #expect(log.lines == ["zones done", "changes done"])
            let rejected = await #expect(throws: CKError.self) { try await database.save(scene.record("n")) }
            #expect(rejected?.code == .zoneNotFound)
        },
    ]

    @Test("Operations that fetch", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(try await Scene()) }
}
