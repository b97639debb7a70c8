// Values under CloudKit's names: what they are equal to, what they say by default, and what archives hold.

import Foundation
import RecordDatabase
import Testing

@testable import CloudKitCompat

@Suite struct ValueEdgesTests {
    // MARK: Errors

    @Test("Errors differ by their codes, and by the names of their own values")
    func unequalErrors() {
        let words = [NSLocalizedDescriptionKey: "words"]
        // Both are internal errors of the database.
        #expect(CKError(.unnamed(1000), userInfo: words) != CKError(.unnamed(1001), userInfo: words))
        #expect(CKError(.unnamed(1000), userInfo: words) == CKError(.unnamed(1000), userInfo: words))
        #expect(CKError(.zoneBusy) != CKError(.unknownItem))
        #expect(CKError(.zoneBusy, userInfo: ["a": 1]) != CKError(.zoneBusy, userInfo: ["b": 1]))
        // An object that is equal to none is the same or another.
        let (own, other) = (Log(), Log())
        #expect(CKError(.zoneBusy, userInfo: ["own": own]) == CKError(.zoneBusy, userInfo: ["own": own]))
        #expect(CKError(.zoneBusy, userInfo: ["own": own]) != CKError(.zoneBusy, userInfo: ["own": other]))
        #expect(CKError(.zoneBusy, userInfo: ["own": own]) != CKError(.zoneBusy, userInfo: ["own": 1]))
        #expect(CKError(.zoneBusy, userInfo: words).databaseError.reason == "words")
    }

    @Test("A time to wait is a duration below a quadrillion seconds")
    func longWaits() {
        for (seconds, isKnown) in [(1e15, false), (-1e15, false), (1e15 - 1, true), (1 - 1e15, true)] {
            let error = CKError(.zoneBusy, userInfo: [CKErrorRetryAfterKey: seconds])
            #expect((error.databaseError.retryAfter != nil) == isKnown && error.retryAfterSeconds == seconds)
        }
    }

    // MARK: Records

    @Test("Archives hold numbers that are not finite, and texts that read like them")
    func numbersAndTexts() throws {
        let record = CKRecord(recordType: "T")
        for value in [Double.infinity, -.infinity] {
            record["number"] = value
            let data = try NSKeyedArchiver.archivedData(withRootObject: record, requiringSecureCoding: true)
            let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
            #expect(read?["number"] as? Double == value)
        }
        // Texts that read like such numbers are texts, alone and within lists and objects.
        let texts = ["nan", "inf", "-inf", "NaN", "Infinity", "1"]
        let values = texts.map { FieldValue.string($0) }
        var fields: [String: FieldValue] = ["list": .list(values), "text": .string("nan")]
        for text in texts { fields["f" + text.lowercased()] = .object(["text": .string(text), text: .string(text)]) }
        let plain = Record(type: "T", id: Record.ID("a"), fields: fields)
        let data = try NSKeyedArchiver.archivedData(withRootObject: CKRecord(plain), requiringSecureCoding: true)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.self, from: data)
        #expect(read?.record.fields == fields)
        let stored = try OperationFolder.decoder.decode(
            [FieldValue].self, from: OperationFolder.encoder.encode(values + [.double(.infinity), .double(-0.5)]))
        #expect(stored == values + [.double(.infinity), .double(-0.5)])
    }

    // MARK: Notifications

    @Test("Dictionaries of notifications have the edition and the silence of those of a server")
    func notificationForm() throws {
        let told = try #require(
            CKDatabaseNotification(fromRemoteNotificationDictionary: ["ck": ["met": ["sid": "s"]]]))
        let dictionary = told.remoteNotificationDictionary
        #expect((dictionary["ck"] as? [String: Any])?["ce"] as? Int == 2)
        #expect(dictionary["aps"] as? [String: Int] == ["content-available": 1])
        #expect(CKQueryNotification(fromRemoteNotificationDictionary: dictionary) == nil)
        #expect(CKQueryNotification(fromRemoteNotificationDictionary: ["ck": ["qry": ["sid": "s"]]]) == nil)
    }

    @Test("The lists of a notification's settings are set each on its own")
    func notificationLists() {
        let info = CKNotificationInfo(alertBody: "b")
        info.alertLocalizationArgs = ["a"]
        info.titleLocalizationArgs = ["t"]
        info.subtitleLocalizationArgs = ["s"]
        info.desiredKeys = ["k"]
        let lists = [
            info.alertLocalizationArgs, info.titleLocalizationArgs, info.subtitleLocalizationArgs, info.desiredKeys,
        ]
        #expect(lists == [["a"], ["t"], ["s"], ["k"]])
    }

    // MARK: Defaults

    @Test("Numbers that nobody set are 0, and settings of changes are kept")
    func defaults() throws {
        let numbers = [
            CKFetchDatabaseChangesOperation().resultsLimit, CKFetchNotificationChangesOperation().resultsLimit,
            CKFetchRecordChangesOperation(recordZoneID: .default).resultsLimit, CKModifyBadgeOperation().badgeValue,
            CKFetchRecordZoneChangesConfiguration().resultsLimit, CKOperationGroup().quantity,
            CKFetchRecordZoneChangesConfiguration(resultsLimit: nil).resultsLimit,
        ]
        #expect(numbers == Array(repeating: 0, count: 7))
        let container = try Container(identifier: "settings of changes")
        let token = CKServerChangeToken(try container.privateDatabase.zoneList(since: nil).changeToken)
        let settings = CKFetchRecordZoneChangesConfiguration()
        settings.previousServerChangeToken = token
        #expect(settings.previousServerChangeToken == token)
        let operation = CKFetchRecordZoneChangesOperation()
        operation.optionsByRecordZoneID = [.default: settings]
        #expect(operation.configurationsByRecordZoneID?[.default] === settings)
    }

    @Test("A place tells what it was made with, and -1 for a course and a speed that it was not")
    func places() {
        let (coordinate, date) = (CLLocationCoordinate2D(latitude: 1, longitude: 2), Date(timeIntervalSince1970: 10))
        let short = CLLocation(
            coordinate: coordinate, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, timestamp: date)
        let long = CLLocation(
            coordinate: coordinate, altitude: 3, horizontalAccuracy: 4, verticalAccuracy: 5, course: 6, speed: 7,
            timestamp: date)
        for place in [short, long] {
            #expect([place.altitude, place.horizontalAccuracy, place.verticalAccuracy] == [3, 4, 5])
            #expect(place.timestamp == date && place.coordinate == coordinate)
        }
        #expect([short.course, short.speed, long.course, long.speed] == [-1, -1, 6, 7])
    }

    // MARK: Archives

    @Test("Every class that is archived is read by its class")
    func secureCoding() {
        let classes: [any NSSecureCoding.Type] = [
            CKRecord.self, CKShare.self, CKReference.self, CKRecordID.self, CKRecordZoneID.self, CKRecordZone.self,
            CLLocation.self, CKQuery.self, CKQueryCursor.self, CKServerChangeToken.self, CKSubscription.self,
            CKQuerySubscription.self, CKNotificationInfo.self, CKOperationGroup.self, CKUserIdentity.self,
            CKUserIdentityLookupInfo.self, CKShareMetadata.self, CKShareParticipant.self, CKAllowedSharingOptions.self,
        ]
        let unread = classes.filter { !$0.supportsSecureCoding }
        #expect(unread.isEmpty, "\(unread)")
    }

    private func coder(_ key: String, _ text: String) throws -> NSCoder {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(text, for: key)
        archiver.finishEncoding()
        return try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
    }

    @Test("What may be shared is two numbers in an archive, no more and no less")
    func sharingOptions() throws {
        for text in ["[]", "[1]", "[1,2,1]", "1"] {
            #expect(CKAllowedSharingOptions(coder: try coder("CKAllowedSharingOptions", text)) == nil, "\(text)")
        }
        let options = try #require(CKAllowedSharingOptions(coder: try coder("CKAllowedSharingOptions", "[1,2]")))
        #expect(options.allowedParticipantPermissionOptions == .readOnly)
        #expect(options.allowedParticipantAccessOptions == .specifiedRecipientsOnly)
        func made(
            _ permissions: CKSharingParticipantPermissionOption, _ access: CKSharingParticipantAccessOption
        ) -> CKAllowedSharingOptions {
            CKAllowedSharingOptions(
                allowedParticipantPermissionOptions: permissions, allowedParticipantAccessOptions: access)
        }
        #expect(options.isEqual(made(.readOnly, .specifiedRecipientsOnly)))
        for other in [made(.readWrite, .specifiedRecipientsOnly), made(.readOnly, .anyoneWithLink), .standard] {
            #expect(!options.isEqual(other) && !other.isEqual(options))
        }
        #expect(!options.isEqual(NSObject()) && !options.isEqual(nil))
        let numbers: [UInt] = [
            CKSharingParticipantPermissionOption.readOnly.rawValue, CKSharingParticipantPermissionOption.any.rawValue,
            CKSharingParticipantAccessOption.anyoneWithLink.rawValue, CKSharingParticipantAccessOption.any.rawValue,
        ]
        #expect(numbers == [1, 3, 1, 3])
    }

    @Test("An archive of any subscription is read by the class above all of them")
    func anySubscription() throws {
        for (subscription, type) in [
            (CKDatabaseSubscription(subscriptionID: "s"), .database),
            (CKRecordZoneSubscription(zoneID: .default, subscriptionID: "s"), .recordZone),
        ] as [(CKSubscription, CKSubscription.SubscriptionType)] {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            subscription.encode(with: archiver)
            archiver.finishEncoding()
            let again = CKSubscription(coder: try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData))
            #expect(again?.subscriptionID == "s" && again?.subscriptionType == type)
        }
    }

    // MARK: People

    @Test("Identities are equal when user and look-up are")
    func identities() {
        typealias Info = CKUserIdentity.LookupInfo
        let (a, b) = (CKRecord.ID(recordName: "a"), CKRecord.ID(recordName: "b"))
        let identity = CKUserIdentity(a, Info(emailAddress: "e"))
        #expect(identity.isEqual(CKUserIdentity(CKRecord.ID(recordName: "a"), Info(emailAddress: "e"))))
        let others = [
            CKUserIdentity(b, Info(emailAddress: "e")), CKUserIdentity(a, Info(phoneNumber: "e")),
            CKUserIdentity(nil, Info(emailAddress: "e")), CKUserIdentity(a, nil), CKUserIdentity(b, nil),
        ]
        for other in others { #expect(!identity.isEqual(other) && !other.isEqual(identity)) }
        #expect(!identity.isEqual(a) && !identity.isEqual(nil))
        #expect(identity.hasiCloudAccount && !CKUserIdentity(nil, Info(emailAddress: "e")).hasiCloudAccount)
        #expect(!Info(emailAddress: "e").isEqual(a) && Info(emailAddress: "e") != Info(emailAddress: "f"))
    }

    @Test("A participant has the role that it is given, and tells how it was looked up")
    func participants() {
        let user = Share.Participant(userRecordID: Record.ID("_b0b"))
        let participant = CKShareParticipant(user, CKUserIdentity.LookupInfo(emailAddress: "e"))
        #expect(participant.userIdentity.lookupInfo?.emailAddress == "e")
        #expect(CKShareParticipant(user).userIdentity.lookupInfo?.userRecordID?.recordName == "_b0b")
        #expect(participant.role == .privateUser && participant.type == .privateUser)
        participant.role = .publicUser
        #expect(participant.role == .publicUser && participant.type == .publicUser)
        participant.type = .owner
        #expect(participant.role == .owner && participant.participant.role == .owner)
        #expect(
            !participant.isEqual(NSObject())
                && participant != CKShareParticipant(.init(userRecordID: user.userRecordID)))
    }

    @Test("The owner of a share is the first of its participants, the same object at every access")
    func owner() {
        let root = CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: "root"))
        for share in [CKShare(rootRecord: root), CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Z"))] {
            #expect(share.owner === share.participants.first && share.owner === share.currentUserParticipant)
        }
    }

    // MARK: Fields

    @Test("Words of the machine that stand for an identifier are its bytes, the first ones first")
    func identifierWords() {
        let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
        #expect(id._cVarArgEncoding == [0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10])
    }

    @Test("A mixed list within an object keeps its elements")
    func mixedLists() throws {
        let fields: [String: FieldValue] = ["o": .object(["mixed": .list(["a", 1, .null])])]
        let record = CKRecord(Record(type: "T", id: Record.ID("a"), fields: fields))
        let object = try #require(record["o"] as? [String: CKRecordValue])
        let list = try #require(object["mixed"] as? NSArray)
        #expect(list.count == 3 && "\(list[0]) \(list[1])" == "a 1" && list[2] is NSNull)
    }

    @Test("Truth values of a list within an object are truth values, all alike or not")
    func truthValues() throws {
        for list in [[true], [false], [false, true]] as [[FieldValue]] {
            let fields: [String: FieldValue] = ["o": .object(["list": .list(list)])]
            let record = CKRecord(Record(type: "T", id: Record.ID("a"), fields: fields))
            let object = try #require(record["o"] as? [String: CKRecordValue])
            let value = try #require(object["list"])
            // Numbers could be taken for truth values, but are of another type.
            #expect(ObjectIdentifier(type(of: value)) == ObjectIdentifier([Bool].self), "\(list)")
        }
    }

    // MARK: Queries

    @Test("A sort descriptor without a name has no key, and no query takes it")
    func namelessOrder() {
        let query = CKQuery(recordType: "T", predicate: NSPredicate(value: true))
        for descriptor in [NSSortDescriptor(key: nil, ascending: true), NSSortDescriptor(key: "", ascending: true)] {
            #expect(descriptor.key == nil && descriptor.sortKey == nil)
            query.sortDescriptors = [NSSortDescriptor(key: "a", ascending: true), descriptor]
            #expect(throws: DatabaseError.self) { try query.query() }
        }
        let near = CKLocationSortDescriptor(key: "place", relativeLocation: CLLocation(latitude: 1, longitude: 2))
        #expect(near.ascending && near.sortKey == .distance("place", Location(latitude: 1, longitude: 2)))
        query.sortDescriptors = [near]
        #expect(throws: Never.self) { try query.query() }
    }

    @Test("Numbers of Foundation's class are stored with their fractions, whatever type they were made of")
    func fractions() {
        for number in [NSNumber(value: Float(1.5)), NSNumber(value: 1.5)] {
            #expect(number.recordFieldValue == .double(1.5))
        }
        #expect(NSNumber(value: 1).recordFieldValue == .int64(1))
    }

    @Test("An object that no field holds satisfies no predicate")
    func foreignObjects() {
        #expect(NSPredicate(format: "TRUEPREDICATE").evaluate(with: CKRecord(recordType: "T")))
        for format in ["TRUEPREDICATE", "a == nil"] {
            #expect(!NSPredicate(format: format).evaluate(with: NSObject()), "\(format)")
        }
    }

    @Test("Errors of predicates say where: nowhere in a block, all of a format with a wrong argument")
    func errorPlaces() throws {
        let block = NSPredicate { _, _ in true }
        let none = #expect(throws: RecordPredicateError.self) { try block.recordPredicate.validated() }
        #expect(none?.span.lowerBound == 0 && none?.span.upperBound == 0)
        let format = "ä == %@"
        let wrong = NSPredicate(format: format, NSObject())
        let whole = #expect(throws: RecordPredicateError.self) { try wrong.recordPredicate.validated() }
        #expect(whole?.span.lowerBound == 0 && whole?.span.upperBound == 8 && whole?.text == format)
    }
}
