// Archives of CloudKit's classes: they come back equal, and damaged, incomplete or foreign ones do not end the process.

import CloudKitCompat
import RecordDatabase
import Testing
import _TestSupport

/// A class that archives hold, with what is written of an object of it.
private struct Archived: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Writes the object as the root of an archive.
    let encode: @Sendable (NSKeyedArchiver) -> Void
    /// Reads one from the root; a text of it, or `nil`.
    let decode: @Sendable (NSKeyedUnarchiver) -> String?

    var archive: Data { archive(.binary) }

    func archive(_ format: PropertyListSerialization.PropertyListFormat) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.outputFormat = format
        encode(archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    /// What an archive gives; `nil` also for one that Foundation rejects.
    func read(_ archive: Data) -> String? {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: archive) else { return nil }
        return decode(unarchiver)
    }

    private static let zoneID = CKRecordZone.ID(zoneName: "Notes", ownerName: "_a11ce")
    private static let recordID = CKRecord.ID(recordName: "note 1", zoneID: zoneID)

    static let all: [Archived] = [
        Archived(testDescription: "CKRecord.ID") {
            recordID.encode(with: $0)
        } decode: {
            CKRecord.ID(coder: $0)?.description
        },
        Archived(testDescription: "CKRecordZone.ID") {
            zoneID.encode(with: $0)
        } decode: {
            CKRecordZone.ID(coder: $0)?.description
        },
        Archived(testDescription: "CKRecord") {
            CKRecord(recordType: "Note", recordID: recordID).encodeSystemFields(with: $0)
        } decode: {
            CKRecord(coder: $0)?.description
        },
        Archived(testDescription: "CKServerChangeToken") { archiver in
            token?.encode(with: archiver)
        } decode: {
            CKServerChangeToken(coder: $0).map { $0 == token ? "the token" : "another" }
        },
    ]

    /// An object by its class and what its archive says: most classes have no other equality.
    private static func row<Object: NSObject & NSCoding>(
        _ object: Object, _ text: @escaping @Sendable (Object) -> String
    )
        -> Archived
    {
        let held = Held(object)
        return Archived(testDescription: "\(Object.self)") {
            (held.object as? Object)?.encode(with: $0)
        } decode: {
            Object(coder: $0).map(text)
        }
    }

    /// An object that tests only read.
    private final class Held: @unchecked Sendable {
        let object: Any
        init(_ object: Any) { self.object = object }
    }

    static let others: [Archived] = {
        let record = CKRecord(recordType: "Note", recordID: recordID)
        (record["title"], record["size"]) = ("a", Double.nan)
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@", "a"))
        query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        let watched = CKQuerySubscription(recordType: "Note", predicate: NSPredicate(format: "pages > 1"))
        let info = CKNotificationInfo(alertBody: "b", desiredKeys: ["title"])
        watched.notificationInfo = info
        let group = CKOperationGroup()
        (group.name, group.quantity, group.expectedSendSize) = ("g", 3, .megabytes)
        return [
            row(record) { "\($0) \($0["title"] as? String ?? "") \($0["size"] as? Double ?? 0) \($0.changedKeys())" },
            row(CKRecordZone(zoneID: zoneID)) { $0.description },
            row(CKReference(recordID: recordID, action: .deleteSelf)) { $0.description },
            row(CLLocation(latitude: 47.5, longitude: 8)) { $0.description },
            row(query) { "\($0.recordType) \($0.predicate.recordPredicate) \($0.sortDescriptors?.map(\.key) ?? [])" },
            row(watched) {
                "\($0.subscriptionID) \($0.predicate.recordPredicate) \($0.notificationInfo?.desiredKeys ?? [])"
            },
            row(CKRecordZoneSubscription(zoneID: zoneID)) { "\($0.subscriptionID) \($0.zoneID)" },
            row(CKDatabaseSubscription(subscriptionID: "s")) { "\($0.subscriptionID) \($0.recordType ?? "")" },
            row(info) { "\($0.alertBody ?? "") \($0.desiredKeys ?? [])" },
            row(group) { "\($0.operationGroupID) \($0.name ?? "") \($0.quantity) \($0.expectedSendSize)" },
        ]
    }()

    private static let token: CKServerChangeToken? = {
        guard let container = try? Container(identifier: "archives") else { return nil }
        return try? CKServerChangeToken(container.privateDatabase.zoneList(since: nil).changeToken)
    }()
}

@Suite(.mayDeadlock) struct ArchiveTests {
    @Test("Arrays of identifiers are archived and come back equal")
    func identifiers() throws {
        let zones = ["", "Notes", "Zámek 🏰"].map { CKRecordZone.ID(zoneName: $0, ownerName: "_a11ce") } + [.default]
        let records = zones.flatMap { zone in ["", "a", "☃"].map { CKRecord.ID(recordName: $0, zoneID: zone) } }
        let data = try NSKeyedArchiver.archivedData(withRootObject: records, requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, CKRecord.ID.self], from: data)
        #expect(again as? [CKRecord.ID] == records)
        let zoneData = try NSKeyedArchiver.archivedData(withRootObject: zones, requiringSecureCoding: true)
        let zonesAgain = try NSKeyedUnarchiver.unarchivedObject(
            ofClasses: [NSArray.self, CKRecordZone.ID.self], from: zoneData)
        #expect(zonesAgain as? [CKRecordZone.ID] == zones)
        let single = try NSKeyedArchiver.archivedData(withRootObject: records[1], requiringSecureCoding: true)
        #expect(try NSKeyedUnarchiver.unarchivedObject(ofClass: CKRecord.ID.self, from: single) == records[1])
    }

    @Test("Identifiers are objects that are equal by what they name")
    func objects() throws {
        let zone = CKRecordZone.ID(zoneName: "Notes")
        let (a, b) = (CKRecord.ID(recordName: "a", zoneID: zone), CKRecord.ID(recordName: "a", zoneID: zone))
        #expect(a !== b && a == b && a.isEqual(b) && a.hash == b.hash && Set([a, b]).count == 1)
        #expect(a != CKRecord.ID(recordName: "a") && a != CKRecord.ID(recordName: "b", zoneID: zone))
        #expect(!a.isEqual(zone) && !zone.isEqual(a) && !zone.isEqual(nil))
        #expect(a.copy() as? CKRecord.ID == a && zone.copy() as? CKRecordZone.ID == zone)
        #expect(NSDictionary(dictionary: [a: 1])[b] as? Int == 1)
        #expect(CKRecord.ID().recordName != CKRecord.ID().recordName && CKRecord.ID().zoneID == .default)
        #expect(CKRecordZone.ID() == .default && CKRecordZone.default().zoneID == .default)
    }

    @Test("Objects describe themselves as CloudKit's do, without an address and without values")
    func descriptions() {
        let id = CKRecord.ID(recordName: "a", zoneID: CKRecordZone.ID(zoneName: "Notes"))
        #expect("\(id)" == "<CKRecordID: recordName=a, zoneID=Notes:__defaultOwner__>")
        #expect("\(id.zoneID)" == "<CKRecordZoneID: zoneName=Notes, ownerName=__defaultOwner__>")
        #expect("\([id.zoneID])" == "[\(id.zoneID)]")
        let record = CKRecord(recordType: "Note", recordID: id)
        record["secret"] = "word"
        #expect("\(record)" == "<CKRecord: recordType=Note, recordID=a:(Notes:__defaultOwner__)>")
        #expect("\(CKRecordZone(zoneID: id.zoneID))" == "<CKRecordZone: zoneID=Notes:__defaultOwner__>")
    }

    @Test("What was archived comes back", arguments: Archived.all + Archived.others)
    private func roundTrip(_ archived: Archived) throws {
        let text = try #require(archived.read(archived.archive))
        #expect(archived.read(archived.archive(.xml)) == text)
    }

    @Test("Archives of other things give nil", arguments: Archived.all)
    private func foreign(_ archived: Archived) {
        let empty = NSKeyedArchiver(requiringSecureCoding: true)
        empty.finishEncoding()
        #expect(archived.read(empty.encodedData) == nil)
        let keys = ["RecordName", "ZoneName", "OwnerName", "CKRecordSystemFields", "CKServerChangeToken"]
        let writers: [(NSKeyedArchiver, String) -> Void] = [
            { $0.encode(NSString(string: "text"), forKey: $1) }, { $0.encode(NSNumber(value: 1), forKey: $1) },
            { $0.encode(NSArray(array: [NSNull()]), forKey: $1) }, { $0.encode(NSData(), forKey: $1) },
            { $0.encode(CKRecord.ID(recordName: "x"), forKey: $1) }, { $0.encode(1.5, forKey: $1) },
            { $0.encode(true, forKey: $1) },
        ]
        for write in writers {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            for key in keys { write(archiver, key) }
            archiver.finishEncoding()
            #expect(archived.read(archiver.encodedData) == nil)
        }
        for other in Archived.all where other.testDescription != archived.testDescription {
            // The identifier of a record says its zone, too.
            if archived.testDescription == "CKRecordZone.ID", other.testDescription == "CKRecord.ID" { continue }
            #expect(archived.read(other.archive) == nil)
        }
    }

    @Test("Truncated archives give nil", arguments: Archived.all + Archived.others)
    private func truncated(_ archived: Archived) {
        for format in [PropertyListSerialization.PropertyListFormat.binary, .xml] {
            let archive = archived.archive(format)
            for count in 0..<archive.count {
                // The last bytes of the textual form are white space.
                let text = archived.read(archive.prefix(count))
                #expect(text == nil || text == archived.read(archive), "\(count)")
            }
        }
    }

    /// Foundation's own reader of archives ends the process on some damage to the structure of an archive, before any
    /// class is asked. So the damage is done to what our classes wrote: the bytes of their keys.
    @Test("Objects are archived as roots, and copied")
    func roots() throws {
        let record = CKRecord(recordType: "Note", recordID: CKRecord.ID(recordName: "a"))
        record["title"] = "t"
        let archive = try NSKeyedArchiver.archivedData(withRootObject: [record], requiringSecureCoding: true)
        let again = try NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, CKRecord.self], from: archive)
        let found = try #require((again as? [CKRecord])?.first)
        #expect(found["title"] as? String == "t" && found.changedKeys() == ["title"] && found != record)
        let copy = try #require(record.copy() as? CKRecord)
        copy["title"] = "other"
        #expect(copy.recordID == record.recordID && record["title"] as? String == "t")
        let zone = CKRecordZone(zoneName: "Z")
        #expect(zone.copy() as? CKRecordZone == zone && zone.hash == CKRecordZone(zoneName: "Z").hash)
        let subscription = CKDatabaseSubscription(subscriptionID: "s")
        let info = CKSubscription.NotificationInfo(alertBody: "b")
        subscription.notificationInfo = info
        let other = try #require(subscription.copy() as? CKDatabaseSubscription)
        info.alertBody = "changed"
        #expect(other.subscriptionID == "s" && other.notificationInfo?.alertBody == "b")
        #expect(subscription.notificationInfo?.alertBody == "changed")
        let settings = CKOperation.Configuration()
        settings.timeoutIntervalForRequest = 7
        #expect((settings.copy() as? CKOperation.Configuration)?.timeoutIntervalForRequest == 7)
    }

    @Test("Damaged archives give nil or an object", arguments: Archived.all)
    private func damaged(_ archived: Archived) {
        let archive = archived.archive
        let payloads = Self.payloads(of: archive)
        #expect(!payloads.isEmpty)
        var random = SplitMix64(seed: 0x5EED)
        var rejected = 0
        for _ in 0..<3000 {
            var damaged = archive
            guard let range = payloads.randomElement(using: &random) else { return }
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: range, using: &random)
                damaged[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
            if archived.read(damaged) == nil { rejected += 1 }
        }
        #expect(rejected > 100, "\(rejected)")
    }

    /// Where the bytes are in an archive that this module's classes wrote. Another archive of the same object may have
    /// them elsewhere.
    private static func payloads(of archive: Data) -> [Range<Int>] {
        guard let unarchiver = try? NSKeyedUnarchiver(forReadingFrom: archive) else { return [] }
        return ["RecordName", "ZoneName", "OwnerName", "CKRecordSystemFields", "CKServerChangeToken"].compactMap {
            guard unarchiver.containsValue(forKey: $0) else { return nil }
            let bytes = unarchiver.withDecodedUnsafeBytes(forKey: $0) { $0.map { Data($0) } }
            return bytes.flatMap { archive.range(of: $0) }
        }
    }
}
