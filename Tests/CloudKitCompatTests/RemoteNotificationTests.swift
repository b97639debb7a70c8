// Notifications as dictionaries: every key, and what those without it say.

import CloudKitCompat
import RecordDatabase
import Testing

@Suite struct RemoteNotificationTests {
    @Test("Every key of an alert is told under its own name")
    func alerts() throws {
        let alert: [String: Any] = [
            "body": "0", "loc-key": "1", "title": "2", "title-loc-key": "3", "subtitle": "4", "subtitle-loc-key": "5",
            "action-loc-key": "6", "launch-image": "7", "loc-args": ["8"], "title-loc-args": ["9"],
            "subtitle-loc-args": ["10"],
        ]
        let push: [String: Any] = ["alert": alert, "badge": 3, "sound": "s", "category": "c"]
        let message: [String: Any] = ["cid": "app", "nid": "n", "met": ["sid": "all", "dbs": 3] as [String: Any]]
        let told = try #require(
            CKDatabaseNotification(fromRemoteNotificationDictionary: ["aps": push, "ck": message]))
        let texts = [
            told.alertBody, told.alertLocalizationKey, told.title, told.titleLocalizationKey, told.subtitle,
            told.subtitleLocalizationKey, told.alertActionLocalizationKey, told.alertLaunchImage,
        ]
        #expect(texts == (0...7).map { "\($0)" })
        #expect(told.alertLocalizationArgs == ["8"] && told.titleLocalizationArgs == ["9"])
        #expect(told.subtitleLocalizationArgs == ["10"])
        #expect(told.badge?.intValue == 3 && told.soundName == "s" && told.category == "c")
        #expect(told.databaseScope == .shared && told.containerIdentifier == "app" && told.notificationID == "n")
    }

    @Test("A notification of a record comes back whole from its dictionary")
    func records() throws {
        let part: [String: Any] = [
            "sid": "s", "rid": "r", "zid": "Z", "zoid": "_o", "fo": 1, "dbs": 3,
            "af": ["title": "t", "size": 3] as [String: Any],
        ]
        let message: [String: Any] = ["cid": "app", "nid": "n", "p": true, "qry": part]
        let first = try #require(CKQueryNotification(fromRemoteNotificationDictionary: ["ck": message]))
        let second = try #require(
            CKQueryNotification(fromRemoteNotificationDictionary: first.remoteNotificationDictionary))
        for told in [first, second] {
            let zone = CKRecordZone.ID(zoneName: "Z", ownerName: "_o")
            #expect(told.recordID == CKRecord.ID(recordName: "r", zoneID: zone) && told.subscriptionID == "s")
            #expect(told.queryNotificationReason == .recordCreated && told.databaseScope == .shared)
            #expect(told.recordFields?["title"] as? String == "t" && told.recordFields?.count == 2)
            #expect((told.recordFields?["size"] as? NSNumber)?.intValue == 3)
            #expect(told.isPruned && told.containerIdentifier == "app" && told.notificationID == "n")
        }
    }

    @Test("What a dictionary does not say is the usual")
    func defaults() throws {
        let record: [AnyHashable: Any] = ["ck": ["qry": ["rid": "r"]]]
        let first = try #require(CKQueryNotification(fromRemoteNotificationDictionary: record))
        let second = CKQueryNotification(fromRemoteNotificationDictionary: first.remoteNotificationDictionary)
        for told in [first, try #require(second)] {
            #expect(told.queryNotificationReason == .recordUpdated && told.databaseScope == .private)
            #expect(told.recordFields == nil && !told.isPruned)
            #expect(told.recordID == CKRecord.ID(recordName: "r"))
        }
        let zone = CKRecordZoneNotification(fromRemoteNotificationDictionary: ["ck": ["fet": ["sid": "s"]]])
        #expect(zone?.recordZoneID == .default && zone?.databaseScope == .private)
    }
}
