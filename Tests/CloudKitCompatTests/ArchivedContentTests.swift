// What comes back from an archive or a copy says all that the object said.

import RecordDatabase
import Testing

@testable import CloudKitCompat

@Suite struct ArchivedContentTests {
    private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
    }

    @Test("A group of operations keeps its name, its quantity and both of its sizes")
    func group() throws {
        let group = CKOperationGroup()
        (group.name, group.quantity) = ("import", 7)
        (group.expectedSendSize, group.expectedReceiveSize) = (.megabytes, .gigabytes)
        let again = try archived(group)
        #expect(again.operationGroupID == group.operationGroupID && again.name == "import" && again.quantity == 7)
        #expect(again.expectedSendSize == .megabytes && again.expectedReceiveSize == .gigabytes)
    }

    @Test("A query keeps its predicate and its order, and a copy has an order of its own")
    func query() throws {
        let place = CLLocation(latitude: 47.5, longitude: 8.25)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "a"))
        query.sortDescriptors = [
            NSSortDescriptor(key: "size", ascending: false),
            CKLocationSortDescriptor(key: "place", relativeLocation: place),
        ]
        let copy = try #require(query.copy() as? CKQuery)
        let record = CKRecord(recordType: "Note")
        for again in [try archived(query), copy] {
            for (title, holds) in [("a", true), ("b", false)] {
                record["title"] = title
                #expect(again.predicate.evaluate(with: record) == holds)
            }
            let order = try #require(again.sortDescriptors)
            #expect(again.recordType == "Note" && order.map(\.key) == ["size", "place"])
            #expect(order.map(\.ascending) == [false, true])
            #expect((order.last as? CKLocationSortDescriptor)?.relativeLocation.coordinate == place.coordinate)
        }
        copy.sortDescriptors = nil
        #expect(copy.sortDescriptors == nil && query.sortDescriptors?.count == 2)
    }

    @Test("A place without a time keeps the one at which it was made")
    func place() throws {
        let place = CLLocation(latitude: 1, longitude: 2)
        let time = place.timestamp
        // Until the clock shows another time.
        while Date() == time {}
        let again = try archived(place)
        #expect(again == place && again.timestamp == time && place.timestamp == time)
        // A degree of the equator.
        let east = place.distance(from: CLLocation(latitude: 1, longitude: 3))
        #expect(CLLocation(latitude: 0, longitude: 0).distance(from: CLLocation(latitude: 0, longitude: 1)) > 111_000)
        #expect(east > 110_000 && east < 112_000)
    }

    @Test("Subscriptions come back whole, as what they were and as nothing else")
    func subscriptions() throws {
        let zone = CKRecordZone.ID(zoneName: "Notes", ownerName: "_a11ce")
        let query = CKQuerySubscription(
            recordType: "Note", predicate: NSPredicate(format: "pages > 1"), subscriptionID: "q",
            options: [.firesOnRecordDeletion])
        query.zoneID = zone
        let zoned = CKRecordZoneSubscription(zoneID: zone, subscriptionID: "z")
        zoned.recordType = "Page"
        let all = CKDatabaseSubscription(subscriptionID: "d")
        all.recordType = "Book"
        let info = CKNotificationInfo(alertBody: "b", desiredKeys: ["title"])
        for subscription in [query, zoned, all] as [CKSubscription] { subscription.notificationInfo = info }

        let queryAgain = try archived(query)
        #expect(queryAgain.subscriptionID == "q" && queryAgain.recordType == "Note" && queryAgain.zoneID == zone)
        #expect(queryAgain.querySubscriptionOptions == [.firesOnRecordDeletion])
        #expect(queryAgain.notificationInfo == info)
        let zonedAgain = try archived(zoned)
        #expect(zonedAgain.subscriptionID == "z" && zonedAgain.recordType == "Page" && zonedAgain.zoneID == zone)
        let allAgain = try archived(all)
        #expect(allAgain.subscriptionID == "d" && allAgain.recordType == "Book")
        #expect(zonedAgain.notificationInfo == info && allAgain.notificationInfo == info)

        for (index, subscription) in ([query, zoned, all] as [CKSubscription]).enumerated() {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            subscription.encode(with: archiver)
            archiver.finishEncoding()
            func coder() throws -> NSCoder { try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) }
            let found = [
                CKQuerySubscription(coder: try coder()) != nil, CKRecordZoneSubscription(coder: try coder()) != nil,
                CKDatabaseSubscription(coder: try coder()) != nil,
            ]
            #expect(found == (0..<3).map { $0 == index })
        }
    }

    @Test("An archived participant tells how it was looked up, or names its user", arguments: ["e", nil])
    func participants(_ address: String?) throws {
        let user = Share.Participant(userRecordID: Record.ID("_b0b"), permission: .readOnly)
        let info = address.map { CKUserIdentity.LookupInfo(emailAddress: $0) }
        let participant = try archived(CKShareParticipant(user, info))
        #expect(participant.userIdentity.lookupInfo?.emailAddress == address)
        #expect((participant.userIdentity.lookupInfo?.userRecordID?.recordName == "_b0b") == (address == nil))
        #expect(participant.participant == user)
    }

    @Test("Who is looked up is one of an address, a number and an identifier")
    func lookups() throws {
        typealias Info = CKUserIdentity.LookupInfo
        let id = CKRecord.ID(recordName: "_b0b")
        let cases: [(Info, [String?])] = [
            (Info(emailAddress: "e"), ["e", nil, nil]), (Info(phoneNumber: "1"), [nil, "1", nil]),
            (Info(userRecordID: id), [nil, nil, "_b0b"]),
            (Info.lookupInfos(withEmails: ["x", "y"])[1], ["y", nil, nil]),
            (Info.lookupInfos(withPhoneNumbers: ["2", "3"])[1], [nil, "3", nil]),
            (Info.lookupInfos(with: [id])[0], [nil, nil, "_b0b"]),
        ]
        for (info, texts) in cases {
            for info in [info, try archived(info)] {
                #expect([info.emailAddress, info.phoneNumber, info.userRecordID?.recordName] == texts)
            }
        }
        #expect(Info(emailAddress: "1") != Info(phoneNumber: "1"))
    }

    private func texts(_ info: CKNotificationInfo) -> [String?] {
        [
            info.alertBody, info.alertLocalizationKey, info.title, info.titleLocalizationKey, info.subtitle,
            info.subtitleLocalizationKey, info.alertActionLocalizationKey, info.alertLaunchImage, info.soundName,
            info.category, info.collapseIDKey,
        ]
    }

    @Test("Every setting of a notification is where it belongs")
    func notificationInfo() throws {
        for isSilent in [false, true] {
            let info = CKNotificationInfo(
                alertBody: "0", alertLocalizationKey: "1", alertLocalizationArgs: ["a"], title: "2",
                titleLocalizationKey: "3", titleLocalizationArgs: ["b"], subtitle: "4", subtitleLocalizationKey: "5",
                alertActionLocalizationKey: "6", alertLaunchImage: "7", soundName: "8", desiredKeys: ["c"],
                shouldBadge: !isSilent, shouldSendContentAvailable: isSilent, shouldSendMutableContent: !isSilent,
                category: "9", collapseIDKey: "10")
            let copy = try #require(info.copy() as? CKNotificationInfo)
            for info in [info, copy, try archived(info)] {
                #expect(texts(info) == (0...10).map { "\($0)" })
                #expect(info.alertLocalizationArgs == ["a"] && info.titleLocalizationArgs == ["b"])
                #expect(info.desiredKeys == ["c"] && info.shouldBadge == !isSilent)
                #expect(info.shouldSendContentAvailable == isSilent && info.shouldSendMutableContent == !isSilent)
            }
            copy.titleLocalizationArgs = ["d"]
            #expect(copy.titleLocalizationArgs == ["d"] && copy.alertLocalizationArgs == ["a"])
            #expect(info.titleLocalizationArgs == ["b"] && copy != info)
            (copy.alertLocalizationArgs, copy.desiredKeys) = (["e"], nil)
            #expect(copy.titleLocalizationArgs == ["d"] && copy.alertLocalizationArgs == ["e"])
            #expect(copy.desiredKeys == [])
        }
    }

    @Test("A place keeps accuracies without an end, and numbers that are none")
    func endlessPlace() throws {
        let place = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 1, longitude: 2), altitude: -.infinity,
            horizontalAccuracy: .infinity, verticalAccuracy: 3, course: .nan, speed: 4,
            timestamp: Date(timeIntervalSinceReferenceDate: 5))
        let again = try archived(place)
        #expect(again.altitude == -.infinity && again.horizontalAccuracy == .infinity && again.course.isNaN)
        #expect(again.coordinate == place.coordinate && again.verticalAccuracy == 3 && again.speed == 4)
    }
}
