// What programs for CloudKit do with its classes: values by keys, casts of arguments, notifications as dictionaries.

import CloudKitCompat
import RecordDatabase
import Testing

@Suite struct ClassTests {
    @Test("Values by keys, of any type")
    func values() async throws {
        let record = CKRecord(recordType: "Note")
        record.setValuesForKeys(["title": "a", "size": 3, "when": Date(timeIntervalSinceReferenceDate: 5)])
        record.setValue(NSArray(array: ["x", "y"]), forKey: "tags")
        record.setValue(NSData(data: Data([1, 2])), forKey: "bytes")
        #expect(record["title"] == "a" && record["size"] == 3 && record["tags"] == ["x", "y"])
        #expect(record["bytes"] as? Data == Data([1, 2]))
        record["mixed"] = ["a", "b"] as [CKRecordValue]
        #expect(record["mixed"] as? [String] == ["a", "b"])
        let values = record.dictionaryWithValues(forKeys: ["title", "none"])
        #expect(values["title"] as? String == "a" && values["none"] is NSNull)
        #expect(record.map(\.0) == ["bytes", "mixed", "size", "tags", "title", "when"])
        record.setValue(nil, forKey: "title")
        #expect(record["title"] == nil)
        let database = CKContainer(identifier: "class tests").privateCloudDatabase
        try await database.save(record)
        record.setValue(NSObject(), forKey: "title")
        await #expect(throws: CKError.self) { try await database.save(record) }
    }

    @Test("Lists of every kind, empty ones too, and the record above")
    func lists() {
        let record = CKRecord(recordType: "Note")
        let (date, place) = (Date(timeIntervalSinceReferenceDate: 5), CLLocation(latitude: 1, longitude: 2))
        (record["none"], record["dates"], record["bytes"]) = ([String](), [date], [Data([1])])
        (record["places"], record["truths"]) = ([place], [true, false])
        #expect(record["none"] as? [String] == [] && record.object(forKey: "none") != nil)
        #expect(record["dates"] as? [Date] == [date] && record["bytes"] as? [Data] == [Data([1])])
        #expect(record["places"] as? [CLLocation] == [place] && record["truths"] as? [Bool] == [true, false])
        let (texts, dates): ([String]?, [Date]?) = (record["dates"], record["dates"])
        #expect(texts == nil && dates == [date])
        let (above, other) = (CKRecord.ID(recordName: "above"), CKRecord(recordType: "Note"))
        record.parent = CKReference(recordID: above, action: .none)
        #expect(record.parent?.recordID == above && record.record.parent?.recordID.recordName == "above")
        record.setParent(other)
        #expect(record.parent?.recordID == other.recordID)
        record.setParent(above)
        #expect(record.parent?.recordID == above)
        record.parent = nil
        #expect(record.parent == nil)
    }

    @Test("References are equal when they say the same")
    func references() {
        let id = CKRecord.ID(recordName: "a")
        let reference = CKRecord.Reference(recordID: id, action: .deleteSelf)
        let same = CKRecord.Reference(recordID: CKRecord.ID(recordName: "a"), action: .deleteSelf)
        #expect(reference.isEqual(same) && reference == same && reference.hash == same.hash)
        for other in [
            CKRecord.Reference(recordID: id, action: .none),
            CKRecord.Reference(recordID: CKRecord.ID(recordName: "b"), action: .deleteSelf),
        ] {
            #expect(!reference.isEqual(other) && reference != other)
        }
        #expect(!reference.isEqual(id) && !reference.isEqual(nil))
    }

    @Test("What a place does not tell is negative or 0")
    func barePlaces() {
        let place = CLLocation(latitude: 1, longitude: 2)
        #expect(place.verticalAccuracy == -1 && place.course == -1 && place.speed == -1)
        #expect(place.altitude == 0 && place.horizontalAccuracy == 0)
    }

    @Test("Subscriptions are changed after they were made")
    func changedSubscriptions() {
        let zone = CKRecordZone.ID(zoneName: "Z")
        let query = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "size > 3"), subscriptionID: "q",
            options: [.firesOnRecordUpdate])
        query.zoneID = zone
        #expect(query.zoneID == zone && query.recordType == "Note")
        #expect(query.querySubscriptionOptions == [.firesOnRecordUpdate])
        query.zoneID = nil
        #expect(query.zoneID == nil)
        let zoned = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "z")
        zoned.recordType = "Note"
        #expect(zoned.recordType == "Note" && zoned.zoneID == zone)
        let all = CKDatabaseSubscription(subscriptionID: "d")
        all.recordType = "Note"
        #expect(all.recordType == "Note")
    }

    @Test("Operations tell whether they are executing")
    func executing() async {
        let database = CKContainer(identifier: "executing tests").privateCloudDatabase
        let operation = CKFetchRecordZonesOperation(recordZoneIDs: [CKRecordZone.ID(zoneName: "none")])
        #expect(!operation.isExecuting)
        let seen = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            operation.fetchRecordZonesResultBlock = { _ in continuation.resume(returning: operation.isExecuting) }
            database.add(operation)
        }
        #expect(seen)
        while !operation.isFinished { await Task.yield() }
        #expect(!operation.isExecuting)
    }

    /// What a nested struct is in a database.
    private static let address: [String: FieldValue] = [
        "city": "Zürich", "zip": 8000, "lines": ["a", "b"], "place": .location(Location(latitude: 47, longitude: 8)),
        "owners": .list([.object(["name": "x"]), .object(["name": "y"])]), "mixed": .list(["a", 1, .null]),
        "home": true, "flags": [true, false],
    ]

    @Test("Objects are dictionaries, and stay when a record is saved")
    func objects() async throws {
        let database = CKContainer(identifier: "object tests").privateCloudDatabase
        let id = CKRecord.ID(recordName: "a")
        let record = CKRecord(
            Record(type: "Person", id: Record.ID("a"), fields: ["address": .object(Self.address), "age": 7]))
        try await database.save(record)
        let saved = try await database.record(for: id)
        let address = try #require(saved["address"] as? [String: CKRecordValue])
        #expect(address["city"] as? String == "Zürich" && address["lines"] as? [String] == ["a", "b"])
        #expect((address["zip"] as? NSNumber)?.intValue == 8000 && address["home"] as? Bool == true)
        #expect(address["flags"] as? [Bool] == [true, false])
        #expect((address["place"] as? CLLocation)?.coordinate.latitude == 47)
        let owners = try #require(address["owners"] as? [[String: CKRecordValue]])
        #expect(owners.map { $0["name"] as? String } == ["x", "y"])
        #expect((address["mixed"] as? NSArray)?.count == 3)
        #expect(saved.map(\.0) == ["address", "age"])
        // Another record of all fields, as applications copy them, has the same ones.
        let copy = CKRecord(recordType: "Person", recordID: CKRecord.ID(recordName: "b"))
        for (key, value) in saved { copy[key] = value }
        try await database.save(copy)
        let stored = try await database.record(for: copy.recordID)
        #expect(stored.record.fields == saved.record.fields)
        // Set as a dictionary of Swift, of Foundation, and by key.
        saved["address"] = ["city": "Bern", "zip": 3000] as [String: CKRecordValue]
        #expect(saved.record["address"] as FieldValue == .object(["city": "Bern", "zip": 3000]))
        saved["address"] = NSDictionary(dictionary: ["city": "Chur", "zip": 7000])
        #expect(saved.record["address"] as FieldValue == .object(["city": "Chur", "zip": 7000]))
        #expect((saved["address"] as NSDictionary?)?["city"] as? String == "Chur")
        saved.setValue(["city": "Genf"], forKey: "address")
        #expect(saved.record["address"] as FieldValue == .object(["city": "Genf"]))
        saved.setValue([7: "x"] as NSDictionary, forKey: "address")
        await #expect(throws: CKError.self) { try await database.save(saved) }
    }

    @Test("Fields through the protocol")
    func settings() {
        let record = CKRecord(recordType: "Note")
        let fields: any CKRecordKeyValueSetting = record
        fields["title"] = "a"
        #expect(record["title"] == "a" && fields.allKeys() == ["title"] && fields.changedKeys() == ["title"])
    }

    @Test("Arguments that are cast")
    func arguments() {
        let id = CKRecord.ID(recordName: "a")
        let (date, uuid) = (Date(timeIntervalSinceReferenceDate: 5), UUID())
        let arguments: [CVarArg] = [date as CVarArg, uuid as CVarArg, id, CKReference(recordID: id, action: .none), 5]
        #expect(arguments.count == 5)
        let predicate = NSPredicate(
            format: "when > %@ AND key == %@ AND owner == %@", date as CVarArg, uuid as CVarArg, id)
        let record = CKRecord(recordType: "Note")
        (record["when"], record["key"]) = (Date(timeIntervalSinceReferenceDate: 6), uuid.uuidString)
        record["owner"] = CKReference(recordID: id, action: .none)
        #expect(predicate.evaluate(with: record))
        record["key"] = "other"
        #expect(!predicate.evaluate(with: record))
    }

    @Test("Configurations are objects that are changed in place")
    func configurations() {
        let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration()
        configuration.resultsLimit = 5
        let operation = CKFetchRecordZoneChangesOperation(
            recordZoneIDs: [.default], optionsByRecordZoneID: [.default: configuration])
        configuration.desiredKeys = ["a"]
        #expect(operation.optionsByRecordZoneID?[.default]?.desiredKeys == ["a"])
        #expect((configuration.copy() as? CKFetchRecordZoneChangesConfiguration)?.resultsLimit == 5)
        operation.configuration.qualityOfService = .userInitiated
        #expect(operation.configuration.qualityOfService == .userInitiated)
        operation.configuration = nil
        #expect(operation.configuration.qualityOfService == .default)
        operation.timeoutIntervalForRequest = 9
        #expect(operation.configuration.timeoutIntervalForRequest == 9)
    }

    @Test("Notifications come as dictionaries, too, each of its class")
    func notifications() throws {
        let zone: [String: Any] = ["sid": "s", "zid": "Z", "zoid": "_o", "dbs": 2]
        let dictionary: [AnyHashable: Any] = [
            "aps": ["alert": ["body": "b", "loc-args": ["x"]], "badge": 4, "sound": "ping"],
            "ck": ["cid": "c", "nid": "n", "fet": zone] as [String: Any],
        ]
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: dictionary))
        #expect(notification.notificationType == .recordZone && notification.subscriptionID == "s")
        #expect(notification.alertBody == "b" && notification.badge == 4 && notification.soundName == "ping")
        #expect(notification.alertLocalizationArgs == ["x"] && notification.title == nil)
        let zoneNotification = try #require(notification as? CKRecordZoneNotification)
        #expect(zoneNotification.recordZoneID == CKRecordZone.ID(zoneName: "Z", ownerName: "_o"))
        let again = CKRecordZoneNotification(
            fromRemoteNotificationDictionary: notification.remoteNotificationDictionary)
        #expect(again?.recordZoneID == zoneNotification.recordZoneID && again?.notificationID == "n")
        let sent = notification.remoteNotificationDictionary["ck"] as? [String: Any]
        #expect(sent?["ce"] as? Int == 2, "the form that CloudKit sends")
        #expect(CKDatabaseNotification(fromRemoteNotificationDictionary: dictionary) == nil)
        #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": "value"]) == nil)
        #expect(CKNotification(fromRemoteNotificationDictionary: ["ck": ["qry": ["sid": "s"]]]) == nil)
        let record: [String: Any] = ["rid": "r", "sid": "s", "fo": 3, "dbs": 1, "af": ["title": "t"]]
        let query = CKQueryNotification(fromRemoteNotificationDictionary: ["ck": ["qry": record]])
        #expect(query?.recordID?.recordName == "r" && query?.queryNotificationReason == .recordDeleted)
        #expect(query?.recordFields?["title"] as? String == "t" && query?.databaseScope == .public)
    }

    @Test("A notification of plain text has that for its body")
    func plainAlerts() {
        let zone: [String: Any] = ["sid": "s", "zid": "Z", "dbs": 2]
        for (alert, body) in [("plain", "plain"), (["title": "t"], nil)] as [(Any, String?)] {
            let dictionary: [AnyHashable: Any] = [
                "aps": ["alert": alert, "category": "c"] as [String: Any],
                "ck": ["cid": "c", "nid": "n", "fet": zone] as [String: Any],
            ]
            let notification = CKNotification(fromRemoteNotificationDictionary: dictionary)
            #expect(notification?.alertBody == body && notification?.category == "c")
            #expect(notification?.title == (body == nil ? "t" : nil))
        }
    }

    @Test("What a notification shows is told all at once")
    func notificationInfo() {
        let info = CKNotificationInfo(
            alertBody: "b", alertLocalizationKey: "bk", alertLocalizationArgs: ["ba"], title: "t",
            titleLocalizationKey: "tk", titleLocalizationArgs: ["ta"], subtitle: "s", subtitleLocalizationKey: "sk",
            subtitleLocalizationArgs: ["sa"], alertActionLocalizationKey: "ak", alertLaunchImage: "i", soundName: "n",
            desiredKeys: ["d"], shouldBadge: true, shouldSendContentAvailable: true, category: "c",
            collapseIDKey: "ck")
        #expect(info.alertBody == "b" && info.alertLocalizationKey == "bk" && info.alertLocalizationArgs == ["ba"])
        #expect(info.title == "t" && info.titleLocalizationKey == "tk" && info.titleLocalizationArgs == ["ta"])
        #expect(info.subtitle == "s" && info.subtitleLocalizationKey == "sk" && info.subtitleLocalizationArgs == ["sa"])
        #expect(info.alertActionLocalizationKey == "ak" && info.alertLaunchImage == "i" && info.soundName == "n")
        #expect(info.desiredKeys == ["d"] && info.category == "c" && info.collapseIDKey == "ck")
        #expect(info.shouldBadge && info.shouldSendContentAvailable && !info.shouldSendMutableContent)
        info.subtitleLocalizationArgs = nil
        #expect(info.subtitleLocalizationArgs == [] && info.titleLocalizationArgs == ["ta"])
    }

    @Test("Errors of Foundation's class")
    func errors() {
        let error = CKError(_nsError: NSError(domain: CKErrorDomain, code: 11, userInfo: ["own": 1]))
        #expect(error.code == .unknownItem && error.userInfo["own"] as? Int == 1)
        #expect(CKError(_nsError: NSError(domain: "other", code: 11)).code == .internalError)
        #expect(CKError.Code(rawValue: 37) == .participantAlreadyInvited)
    }

    @Test("Assets are equal when they are of one file")
    func assets() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "assets-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = ["a", "b"].map { folder.appending(path: $0) }
        for file in files { try Data([1]).write(to: file) }
        let (asset, same) = (CKAsset(fileURL: files[0]), CKAsset(fileURL: files[0]))
        let other = CKAsset(fileURL: files[1])
        #expect(asset.isEqual(same) && asset == same && asset.hash == same.hash)
        #expect(!asset.isEqual(other) && asset != other)
        #expect(!asset.isEqual("a") && !asset.isEqual(nil))
    }
}
