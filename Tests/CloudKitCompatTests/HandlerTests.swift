// Calls with handlers that fail, and queries in every form.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct HandlerTests {
    private static func code(_ error: (any Error)?) -> String {
        guard let error else { return "done" }
        return (error as? CKError).map { "\($0.code)" } ?? "\(error)"
    }

    @Test("Handlers of calls that fail get what was sent, and the error")
    func failures() async throws {
        let scene = try await Scene()
        let (database, log) = (scene.database, Log())
        let (none, zone) = (CKRecordZone.ID(zoneName: "None"), CKRecordZone(zoneName: ""))
        let subscription = CKDatabaseSubscription(subscriptionID: "")
        let calls: [(@escaping @Sendable (String) -> Void) -> Void] = [
            { done in database.save(subscription) { done("\($0 === subscription) \(Self.code($1))") } },
            { done in database.save(zone) { done("\($0 === zone) \(Self.code($1))") } },
            { done in
                database.delete(withSubscriptionID: "none") { done("\($0 ?? "-") \(Self.code($1))") }
            },
            { done in
                database.delete(withRecordID: scene.id("x", none)) { done("\($0?.recordName ?? "-") \(Self.code($1))") }
            },
            { done in
                database.delete(withRecordZoneID: none) { done("\($0?.zoneName ?? "-") \($1 != nil)") }
            },
            { done in database.fetch(withSubscriptionID: "none") { done("\($0 == nil) \(Self.code($1))") } },
            { done in database.fetch(withRecordZoneID: none) { done("\($0 == nil) \(Self.code($1))") } },
            { done in
                scene.nobody.privateCloudDatabase.fetchAllSubscriptions {
                    done("\($0?.count ?? -1) \(Self.code($1))")
                }
            },
        ]
        for call in calls { log.add(await awaited(call)) }
        #expect(
            log.lines == [
                "true invalidArguments", "true invalidArguments", "none unknownItem", "x zoneNotFound", "None true",
                "true unknownItem", "true zoneNotFound", "0 notAuthenticated",
            ])
    }

    @Test("Handlers of calls that delete are told when it is done")
    func deletions() async throws {
        let scene = try await Scene()
        let (database, log) = (scene.database, Log())
        try await database.save(CKDatabaseSubscription(subscriptionID: "s"))
        let calls: [(@escaping @Sendable (String) -> Void) -> Void] = [
            { done in database.delete(withSubscriptionID: "s") { done("\($0 ?? "-") \(Self.code($1))") } },
            { done in
                database.delete(withRecordID: scene.id("a")) { done("\($0?.recordName ?? "-") \(Self.code($1))") }
            },
            { done in
                database.delete(withRecordZoneID: scene.zone) { done("\($0?.zoneName ?? "-") \(Self.code($1))") }
            },
        ]
        for call in calls { log.add(await awaited(call)) }
        #expect(log.lines == ["s done", "a done", "Z done"])
        #expect(try await database.allSubscriptions().isEmpty)
        #expect(try await database.allRecordZones().map(\.zoneID) == [.default])
        await #expect(throws: CKError.self) { try await database.record(for: scene.id("a")) }
    }

    @Test("What cannot be found out about an account is not taken for an answer")
    func accounts() async throws {
        let (broken, scene) = (CKContainer(identifier: ""), try await Scene())
        let status: String = await awaited { done in
            broken.accountStatus { done("\($0 == .couldNotDetermine) \(Self.code($1))") }
        }
        #expect(status == "true invalidArguments")
        let permission: String = await awaited { done in
            scene.nobody.status(forApplicationPermission: .userDiscoverability) {
                done("\($0 == .couldNotComplete) \(Self.code($1))")
            }
        }
        #expect(permission == "true notAuthenticated")
        let other = CKContainer.ApplicationPermissions(rawValue: 3)
        #expect(try await scene.container.applicationPermissionStatus(for: other) == .denied)
        #expect(try await scene.container.applicationPermissionStatus(for: []) == .granted)
    }

    private func lines(_ page: CKDatabase.MatchPage) -> [String] {
        page.matchResults.map { "\($0.recordName) \((try? $1.get())?.allKeys() ?? [])" }
            + [page.queryCursor == nil ? "end" : "more"]
    }

    @Test("Every form of a query gives the fields and the number that are wanted")
    func pages() async throws {
        let scene = try await Scene()
        let database = scene.database
        _ = try await database.modifyRecords(saving: ["d", "e"].map { scene.record($0) }, deleting: [])
        let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        let first = try await database.records(
            matching: query, inZoneWith: .default, desiredKeys: ["size"], resultsLimit: 1)
        let firstTold: Result<CKDatabase.MatchPage, any Error> = await awaited { done in
            database.fetch(withQuery: query, inZoneWith: .default, desiredKeys: ["size"], resultsLimit: 1) { done($0) }
        }
        for page in [first, try firstTold.get()] { #expect(lines(page) == ["a [\"size\"]", "more"]) }
        let cursor = try #require(first.queryCursor)
        let next = try await database.records(continuingMatchFrom: cursor, desiredKeys: ["size"], resultsLimit: 2)
        let nextTold: Result<CKDatabase.MatchPage, any Error> = await awaited { done in
            database.fetch(withCursor: cursor, desiredKeys: ["size"], resultsLimit: 2) { done($0) }
        }
        for page in [next, try nextTold.get()] { #expect(lines(page) == ["b [\"size\"]", "d [\"size\"]", "more"]) }

        let log = Log()
        for (operation, limit) in [(CKQueryOperation(query: query), 1), (CKQueryOperation(cursor: cursor), 2)] {
            (operation.zoneID, operation.desiredKeys, operation.resultsLimit) = (.default, ["size"], limit)
            operation.recordFetchedBlock = { log.add("\($0.recordID.recordName) \($0.allKeys())") }
            operation.queryCompletionBlock = { log.add("\($0 == nil ? "end" : "more") \($1 != nil)") }
            await scene.run(operation)
        }
        #expect(
            log.lines == ["a [\"size\"]", "more false", "b [\"size\"]", "d [\"size\"]", "more false"])
    }

    @Test("Records are fetched with the fields that are wanted; the oldest query is of the default zone")
    func fetches() async throws {
        let scene = try await Scene()
        let (database, id) = (scene.database, scene.id("c", scene.zone))
        let found = try await database.records(for: [id, scene.id("x")], desiredKeys: ["size"])
        let told: Result<CKDatabase.ItemResults<CKRecord.ID, CKRecord>, any Error> = await awaited { done in
            database.fetch(withRecordIDs: [id, scene.id("x")], desiredKeys: ["size"]) { done($0) }
        }
        for results in [found, try told.get()] {
            #expect(try results.count == 2 && results[id]?.get().allKeys() == ["size"])
            #expect(results[scene.id("x")]?.isFailure == true)
        }
        let changes = try await database.recordZoneChanges(
            inZoneWith: scene.zone, since: nil, desiredKeys: ["name"], resultsLimit: 1)
        #expect(try changes.modificationResultsByID[id]?.get().record.allKeys() == ["name"])

        let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        for (zone, names) in [(nil, ["a", "b"]), (scene.zone, ["c"])] as [(CKRecordZone.ID?, [String])] {
            #expect(try await database.perform(query, inZoneWith: zone).map(\.recordID.recordName) == names)
        }
    }
}
