// Code as applications of CloudKit have it: it compiles with the import changed, and does what it says.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

/// A container with a signed-in user and no data.
func freshContainer() throws -> CKContainer { CKContainer(try Container(identifier: "samples")) }

/// Waits for one call of a handler.
func awaited<Value: Sendable>(_ body: (@escaping @Sendable (Value) -> Void) -> Void) async -> Value {
    await withCheckedContinuation { continuation in body { continuation.resume(returning: $0) } }
}

@Suite(.mayDeadlock) struct SampleTests {
    @Test("Records are made, saved, changed and deleted")
    func records() async throws {
        let database = try freshContainer().publicCloudDatabase
        let artworkRecordID = CKRecord.ID(recordName: "115")
        let artworkRecord = CKRecord(recordType: "Artwork", recordID: artworkRecordID)
        artworkRecord["title"] = "MacKerricher State Park"
        artworkRecord["artist"] = "Mei Chen"
        artworkRecord["year"] = 1987
        artworkRecord["tags"] = ["coast", "park"]
        artworkRecord["address"] = CLLocation(latitude: 39.5, longitude: -123.8)
        artworkRecord.setObject(Date(timeIntervalSince1970: 0) as CKRecordValue, forKey: "date")

        let saved = try await database.save(artworkRecord)
        #expect(saved !== artworkRecord && saved.recordChangeTag == artworkRecord.recordChangeTag)
        #expect(artworkRecord.creationDate != nil && artworkRecord.changedKeys().isEmpty)

        let record = try await database.record(for: artworkRecordID)
        #expect(record["title"] as? String == "MacKerricher State Park")
        #expect(record["year"] as? Int == 1987 && record.object(forKey: "year") as? NSNumber == 1987)
        #expect(record["tags"] as? [String] == ["coast", "park"])
        #expect((record["address"] as? CLLocation)?.coordinate.latitude == 39.5)
        #expect(record["date"] as? Date == Date(timeIntervalSince1970: 0))
        let year: Int? = record["year"]
        #expect(year == 1987)
        record["year"] = nil
        #expect(record.changedKeys() == ["year"] && record["year"] == nil)

        let deleted = try await database.deleteRecord(withID: artworkRecordID)
        #expect(deleted == artworkRecordID)
        do {
            _ = try await database.record(for: artworkRecordID)
            Issue.record("the record is still there")
        } catch let error as CKError where error.code == .unknownItem {
            #expect((error as NSError).domain == CKErrorDomain && (error as NSError).code == 11)
        }
    }

    @Test("What CloudKit does not have: objects, and types without a record")
    func withoutCounterparts() async throws {
        let scene = try await Scene()
        let address = FieldValue.object(["city": "Bern"])
        _ = try await scene.own.privateDatabase.save(
            Record(type: "Person", id: Record.ID("p"), fields: ["name": "Ann", "address": address]))
        let person = try await scene.database.record(for: CKRecord.ID(recordName: "p"))
        #expect((person["address"] as? [String: CKRecordValue])?["city"] as? String == "Bern")
        #expect(person["name"] as? String == "Ann")
        person["name"] = "Bob"
        try await scene.database.save(person)
        let stored = try await scene.own.privateDatabase.record(for: Record.ID("p"))
        #expect(stored["address"] == address && stored["name"] == "Bob")
        let query = CKQuery(recordType: "Nobody", predicate: NSPredicate(value: true))
        let error = await #expect(throws: CKError.self) { try await scene.database.records(matching: query) }
        #expect(error?.code == .unknownItem)
    }

    @Test("References delete their holders")
    func references() async throws {
        let database = try freshContainer().privateCloudDatabase
        let artist = CKRecord(recordType: "Artist")
        let artwork = CKRecord(recordType: "Artwork")
        artwork["artist"] = CKRecord.Reference(record: artist, action: .deleteSelf)
        _ = try await database.modifyRecords(saving: [artist, artwork], deleting: [])
        let reference = artwork["artist"] as? CKRecord.Reference
        #expect(reference?.recordID == artist.recordID && reference?.action == .deleteSelf)

        let query = CKQuery(
            recordType: "Artwork", predicate: NSPredicate(format: "artist == %@", artist.recordID))
        #expect(try await database.records(matching: query).matchResults.map(\.0) == [artwork.recordID])
        try await database.deleteRecord(withID: artist.recordID)
        #expect(try await database.records(for: [artwork.recordID])[artwork.recordID]?.isFailure == true)
    }

    @Test("Queries by a format, sorted, page by page")
    func queries() async throws {
        let container = try freshContainer()
        let database = container.publicCloudDatabase
        let places: [(String, Double, Int)] = [("near", 50.1, 3), ("far", 10, 1), ("middle", 45, 2)]
        for (name, latitude, rank) in places {
            let record = CKRecord(recordType: "Place", recordID: CKRecord.ID(recordName: name))
            record["rank"] = rank
            record["location"] = CLLocation(latitude: latitude, longitude: 30)
            try await database.save(record)
        }
        let query = CKQuery(recordType: "Place", predicate: NSPredicate(value: true))
        query.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: false)]
        #expect(query.sortDescriptors?.first?.key == "rank" && query.sortDescriptors?.first?.ascending == false)
        let (first, cursor) = try await database.records(matching: query, resultsLimit: 2)
        #expect(first.map(\.0.recordName) == ["near", "middle"])
        let (rest, end) = try await database.records(continuingMatchFrom: try #require(cursor))
        #expect(rest.map(\.0.recordName) == ["far"] && end == nil)

        let here = CLLocation(latitude: 50, longitude: 30)
        let around = CKQuery(
            recordType: "Place",
            predicate: NSPredicate(format: "distanceToLocation:fromLocation:(location, %@) < %f", here, 1_000_000.0))
        around.sortDescriptors = [CKLocationSortDescriptor(key: "location", relativeLocation: here)]
        let found: ([CKRecord]?, (any Error)?) = await awaited { done in
            database.perform(around, inZoneWith: nil) { done(($0, $1)) }
        }
        #expect(found.0?.map(\.recordID.recordName) == ["near", "middle"] && found.1 == nil)

        query.sortDescriptors = [NSSortDescriptor(keyPath: \String.count, ascending: true)]
        await #expect(throws: CKError.self) { try await database.records(matching: query) }
    }

    @Test("Handlers of conflicts get the record as it is stored")
    func conflicts() async throws {
        let database = try freshContainer().privateCloudDatabase
        let id = CKRecord.ID(recordName: "note")
        try await database.save(CKRecord(recordType: "Note", recordID: id))
        let mine = CKRecord(recordType: "Note", recordID: id)
        mine["text"] = "mine"
        let (record, error): (CKRecord?, (any Error)?) = await awaited { done in
            database.save(mine) { done(($0, $1)) }
        }
        #expect(record === mine)
        let conflict = try #require(error as? CKError)
        #expect(conflict.code == .serverRecordChanged && conflict.ancestorRecord == nil)
        #expect(conflict.userInfo[CKRecordChangedErrorClientRecordKey] is CKRecord)
        let server = try #require(conflict.serverRecord)
        server["text"] = "mine"
        #expect(try await database.save(server)["text"] as? String == "mine")
    }

    @Test("Zones and subscriptions are saved and told of")
    func zonesAndSubscriptions() async throws {
        let mine = try Container(identifier: "samples")
        let container = CKContainer(mine)
        let other = CKContainer(try Container(sharing: mine, account: .localUser))
        let database = container.privateCloudDatabase
        let zone = try await database.save(CKRecordZone(zoneName: "Notes"))
        #expect(zone.capabilities == [.fetchChanges, .atomic, .sharing, .zoneWideSharing])
        #expect(try await database.allRecordZones().map(\.zoneID.zoneName) == ["_defaultZone", "Notes"])

        let subscription = CKRecordZoneSubscription(zoneID: zone.zoneID, subscriptionID: "notes")
        let info = CKSubscription.NotificationInfo()
        info.shouldSendContentAvailable = true
        subscription.notificationInfo = info
        try await database.save(subscription)
        let query = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "text BEGINSWITH %@", "a"), subscriptionID: "query",
            options: [.firesOnRecordCreation])
        query.zoneID = zone.zoneID
        let note = CKRecord(
            recordType: "Note", recordID: CKRecord.ID(recordName: "n", zoneID: zone.zoneID))
        note["text"] = "a b"
        try await database.save(note)
        try await database.save(query)
        #expect(Set(try await database.allSubscriptions().map(\.subscriptionID)) == ["notes", "query"])
        let stored = try await database.subscription(for: "notes")
        #expect(stored is CKRecordZoneSubscription && stored.notificationInfo?.shouldSendContentAvailable == true)

        let stream = other.notifications
        let again = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "m", zoneID: zone.zoneID))
        again["text"] = "a c"
        try await database.save(again)
        var told: [CKNotification] = []
        for await notification in stream {
            told.append(notification)
            if told.count == 2 { break }
        }
        #expect(told.compactMap { ($0 as? CKRecordZoneNotification)?.recordZoneID } == [zone.zoneID])
        #expect(told.compactMap { ($0 as? CKQueryNotification)?.recordID } == [again.recordID])
    }

    @Test("System fields are archived beside own data")
    func systemFields() async throws {
        let database = try freshContainer().privateCloudDatabase
        let record = CKRecord(recordType: "Note")
        record["text"] = "x"
        try await database.save(record)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        record.encodeSystemFields(with: archiver)
        archiver.finishEncoding()
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
        let again = try #require(CKRecord(coder: unarchiver))
        #expect(again.recordID == record.recordID && again.recordChangeTag == record.recordChangeTag)
        #expect(again.allKeys().isEmpty)
        again["text"] = "y"
        #expect(try await database.save(again)["text"] as? String == "y")
    }

    @Test("Containers of one identifier share their data; illegal names fail where they are used")
    func containers() async throws {
        let (a, b) = (CKContainer(identifier: "one"), CKContainer(identifier: "one"))
        let record = CKRecord(recordType: "Note")
        try await a.privateCloudDatabase.save(record)
        #expect(try await b.privateCloudDatabase.record(for: record.recordID).recordType == "Note")
        #expect(try await a.accountStatus() == .available)
        #expect(CKContainer.default() === CKContainer.default())
        let database = a.privateCloudDatabase
        let attempts: [(String, () async throws -> Any)] = [
            ("container", { try await CKContainer(identifier: "").userRecordID() }),
            ("record", { try await database.save(CKRecord(recordType: "T", recordID: .init(recordName: "_x"))) }),
            ("type", { try await database.save(CKRecord(recordType: "1")) }),
            ("zone", { try await database.save(CKRecordZone(zoneName: "")) }),
            ("subscription", { try await database.save(CKDatabaseSubscription(subscriptionID: "")) }),
            (
                "predicate",
                {
                    let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "a =="))
                    return try await database.records(matching: query)
                }
            ),
        ]
        for (name, attempt) in attempts {
            do {
                _ = try await attempt()
                Issue.record("\(name) was accepted")
            } catch {
                #expect((error as? CKError)?.code == .invalidArguments, "\(name): \(error)")
            }
        }
    }
}

extension Result {
    var isFailure: Bool { if case .failure = self { true } else { false } }
}
