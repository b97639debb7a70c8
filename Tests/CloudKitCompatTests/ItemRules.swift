// What is kept in records under CloudKit's names, and errors.

import CloudKitCompat
import RecordDatabase
import Synchronization
import Testing
import _TestSupport

@Suite(.mayDeadlock) struct ItemRules {
    private static let codes: [(Int, CKError.Code)] = [
        (1, CKError.internalError), (2, CKError.partialFailure), (3, CKError.networkUnavailable),
        (4, CKError.networkFailure), (5, CKError.badContainer), (6, CKError.serviceUnavailable),
        (7, CKError.requestRateLimited), (8, CKError.missingEntitlement), (9, CKError.notAuthenticated),
        (10, CKError.permissionFailure), (11, CKError.unknownItem), (12, CKError.invalidArguments),
        (13, CKError.resultsTruncated), (14, CKError.serverRecordChanged), (15, CKError.serverRejectedRequest),
        (16, CKError.assetFileNotFound), (17, CKError.assetFileModified), (18, CKError.incompatibleVersion),
        (19, CKError.constraintViolation), (20, CKError.operationCancelled), (21, CKError.changeTokenExpired),
        (22, CKError.batchRequestFailed), (23, CKError.zoneBusy), (24, CKError.badDatabase),
        (25, CKError.quotaExceeded), (26, CKError.zoneNotFound), (27, CKError.limitExceeded),
        (28, CKError.userDeletedZone), (29, CKError.tooManyParticipants), (30, CKError.alreadyShared),
        (31, CKError.referenceViolation), (32, CKError.managedAccountRestricted),
        (33, CKError.participantMayNeedVerification), (34, CKError.serverResponseLost),
        (35, CKError.assetNotAvailable), (36, CKError.accountTemporarilyUnavailable),
    ]

    static let rules: [Rule] = [
        Rule(325, 327, text: "errors of every code, with what belongs to it") { scene async throws in
            let record = scene.record("r")
            let info: [String: Any] = [
                CKErrorRetryAfterKey: 3.0, CKRecordChangedErrorServerRecordKey: record,
                CKRecordChangedErrorClientRecordKey: record, CKRecordChangedErrorAncestorRecordKey: record,
                CKPartialErrorsByItemIDKey: [record.recordID: CKError(.zoneBusy)] as [AnyHashable: any Error],
            ]
            for (number, code) in codes {
                let error = CKError(code, userInfo: info)
                #expect(error.code.rawValue == number && (error as NSError).code == number)
                #expect((error as NSError).domain == CKErrorDomain)
                #expect((error.retryAfterSeconds == 3) == [6, 7, 23].contains(number))
                for other in [error.serverRecord, error.clientRecord, error.ancestorRecord] {
                    #expect((other?.recordID == record.recordID) == (number == 14))
                }
                #expect((error.partialErrorsByItemID?[record.recordID] is CKError) == (number == 2))
                #expect((error.userInfo[CKErrorRetryAfterKey] != nil) == [6, 7, 23].contains(number))
                #expect((error.userInfo[CKRecordChangedErrorServerRecordKey] is CKRecord) == (number == 14))
                #expect((error.userInfo[CKPartialErrorsByItemIDKey] != nil) == (number == 2))
                do { throw error } catch code {} catch { Issue.record("\(number) was not caught by its code") }
            }
        },
        Rule(296, 297, 298, 301, text: "assets are copied, and belong to one record") { scene async throws in
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try Data("bytes".utf8).write(to: file)
            defer { try? FileManager.default.removeItem(at: file) }
            let (record, other) = (scene.record("with"), scene.record("other"))
            let asset = CKAsset(fileURL: file)
            record["asset"] = asset
            other["asset"] = asset
            try await scene.database.save(record)
            let stored = try await scene.database.record(for: record.recordID)["asset"] as? CKAsset
            let copy = try #require(stored?.fileURL)
            #expect(copy != file && FileManager.default.fileExists(atPath: file.path))
            #expect(try Data(contentsOf: copy) == Data("bytes".utf8))
            await fails(.invalidArguments) { try await scene.database.save(other) }
            other["asset"] = CKAsset(fileURL: file)
            try await scene.database.save(other)
            other["asset"] = CKAsset(fileURL: try #require(URL(string: "https://example.org/a")))
            await fails(.assetFileNotFound, .invalidArguments) { try await scene.database.save(other) }
        },
        Rule(305, 307, text: "places keep what a receiver knows, and are found by their coordinate") {
            scene async throws in
            let coordinate = CLLocationCoordinate2D(latitude: 50.4, longitude: 30.5)
            let place = CLLocation(
                coordinate: coordinate, altitude: 179, horizontalAccuracy: 5, verticalAccuracy: 8, course: 90, speed: 2,
                timestamp: Date(timeIntervalSince1970: 10))
            let record = scene.record("p")
            record["place"] = place
            try await scene.database.save(record)
            let stored = try await scene.database.record(for: record.recordID)["place"] as? CLLocation
            #expect(stored == place && stored?.coordinate == coordinate && stored?.altitude == 179)
            #expect(stored?.horizontalAccuracy == 5 && stored?.verticalAccuracy == 8 && stored?.course == 90)
            #expect(stored?.speed == 2 && stored?.timestamp == Date(timeIntervalSince1970: 10))
            let bare = CLLocation(latitude: 50.4, longitude: 30.5)
            #expect(bare != place && bare.altitude == 0 && bare.speed == -1)
            let query = CKQuery(recordType: "T", predicate: NSPredicate(format: "place == %@", bare))
            #expect(try await scene.database.records(matching: query).matchResults.count == 1)
        },
        Rule(12, text: "a change of the user is posted") { scene async throws in
            let container = scene.container
            let posted = Counter()
            let (stream, end) = AsyncStream.makeStream(of: Void.self)
            let observer = NotificationCenter.default.addObserver(
                forName: .CKAccountChanged, object: container, queue: nil
            ) { _ in
                posted.add(1)
                end.finish()
            }
            defer { NotificationCenter.default.removeObserver(observer) }
            try scene.own.setAccount(.none)
            for await _ in stream {}
            #expect(posted.add(0) == 1)
            #expect(try await container.accountStatus() == .noAccount)
        },
        Rule(115, 127, 182, 279, text: "batches with handlers") { scene async throws in
            let database = scene.database
            let records: Result<CKDatabase.ModifyRecordsResults, any Error> = await awaited { done in
                database.modifyRecords(
                    saving: [scene.record("n"), scene.record("a")], deleting: [scene.id("b")], atomically: false,
                    completionHandler: done)
            }
            let saves = try records.get().saveResults
            #expect(saves[scene.id("n")]?.isFailure == false && saves[scene.id("a")]?.isFailure == true)
            let found: Result<CKDatabase.ItemResults<CKRecord.ID, CKRecord>, any Error> = await awaited { done in
                database.fetch(withRecordIDs: [scene.id("n"), scene.id("b")], completionHandler: done)
            }
            #expect(try found.get().mapValues(\.isFailure) == [scene.id("n"): false, scene.id("b"): true])

            let (made, gone) = (CKRecordZone(zoneName: "Y"), CKRecordZone.ID(zoneName: "None"))
            let zones: Result<CKDatabase.ModifyRecordZonesResults, any Error> = await awaited { done in
                database.modifyRecordZones(saving: [made], deleting: [gone], completionHandler: done)
            }
            #expect(try zones.get().saveResults[made.zoneID]?.isFailure == false)
            #expect(try zones.get().deleteResults[gone]?.isFailure == true)
            let known: Result<CKDatabase.ItemResults<CKRecordZone.ID, CKRecordZone>, any Error> = await awaited {
                done in
                database.fetch(withRecordZoneIDs: [made.zoneID, gone], completionHandler: done)
            }
            #expect(try known.get().mapValues(\.isFailure) == [made.zoneID: false, gone: true])

            let subscription = CKDatabaseSubscription(subscriptionID: "s")
            let saved: Result<CKDatabase.ModifySubscriptionsResults, any Error> = await awaited { done in
                database.modifySubscriptions(saving: [subscription], deleting: ["none"], completionHandler: done)
            }
            #expect(try saved.get().saveResults["s"]?.isFailure == false)
            #expect(try saved.get().deleteResults["none"]?.isFailure == true)
            let listed: Result<CKDatabase.ItemResults<CKSubscription.ID, CKSubscription>, any Error> = await awaited {
                done in
                database.fetch(withSubscriptionIDs: ["s", "none"], completionHandler: done)
            }
            #expect(try listed.get().mapValues(\.isFailure) == ["s": false, "none": true])
        },
    ]

    @Test("Items and errors", arguments: rules)
    func rule(_ rule: Rule) async throws { try await rule.show(try await Scene()) }

    @Test("Table 1: every type is there under its name of today and of old")
    func types() {
        let pairs: [(Any.Type, Any.Type)] = [
            (CKRecordID.self, CKRecord.ID.self), (CKRecordZoneID.self, CKRecordZone.ID.self),
            (CKReference.self, CKRecord.Reference.self), (CKReferenceAction.self, CKRecord.ReferenceAction.self),
            (CKQueryCursor.self, CKQueryOperation.Cursor.self),
            (CKNotificationInfo.self, CKSubscription.NotificationInfo.self), (CKErrorCode.self, CKError.Code.self),
            (CKDatabaseScope.self, CKDatabase.Scope.self),
            (CKRecordSavePolicy.self, CKModifyRecordsOperation.RecordSavePolicy.self),
            (CKRecordZoneCapabilities.self, CKRecordZone.Capabilities.self),
            (CKSubscriptionOptions.self, CKQuerySubscription.Options.self),
            (CKSubscriptionType.self, CKSubscription.SubscriptionType.self),
            (CKNotificationType.self, CKNotification.NotificationType.self),
            (CKQueryNotificationReason.self, CKQueryNotification.Reason.self),
        ]
        for (old, new) in pairs { #expect(ObjectIdentifier(old) == ObjectIdentifier(new)) }
        let operations: [CKDatabaseOperation] = [
            CKFetchRecordsOperation(), CKModifyRecordsOperation(), CKQueryOperation(), CKFetchRecordZonesOperation(),
            CKModifyRecordZonesOperation(), CKFetchSubscriptionsOperation(), CKModifySubscriptionsOperation(),
            CKFetchRecordZoneChangesOperation(), CKFetchDatabaseChangesOperation(),
            CKFetchRecordChangesOperation(recordZoneID: .default),
        ]
        #expect(Set(operations.map(\.operationID)).count == operations.count)
        #expect(CKQueryOperationMaximumResults == CKQueryOperation.maximumResults)
        #expect([CKOwnerDefaultName, CKRecordZoneDefaultName] == ["__defaultOwner__", "_defaultZone"])
    }
}

/// Expects an error of one of some codes.
private func fails(_ codes: CKError.Code..., body: () async throws -> Any) async {
    do {
        _ = try await body()
        Issue.record("expected \(codes), but nothing failed")
    } catch {
        #expect((error as? CKError).map { codes.contains($0.code) } == true, "\(error)")
    }
}
