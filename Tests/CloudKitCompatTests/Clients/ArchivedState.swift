// The state of an application in archives: classes of its own that hold CloudKit's, collections, and older functions.

import CloudKitCompat
import Foundation

/// What is kept between launches.
public final class ArchivedState: NSObject, NSSecureCoding {
    public static var supportsSecureCoding: Bool { true }
    public var databaseToken: CKServerChangeToken?
    public var zoneTokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
    public var zone: CKRecordZone?
    public var subscription: CKSubscription?
    public var pending: [CKRecord.ID] = []
    public var drafts: [CKRecord] = []
    public var cursor: CKQueryOperation.Cursor?

    public override init() { super.init() }

    public func encode(with coder: NSCoder) {
        coder.encode(databaseToken, forKey: "databaseToken")
        coder.encode(zone, forKey: "zone")
        coder.encode(subscription, forKey: "subscription")
        coder.encode(cursor, forKey: "cursor")
        coder.encode(pending as NSArray, forKey: "pending")
        coder.encode(drafts as NSArray, forKey: "drafts")
        coder.encode(Array(zoneTokens.keys) as NSArray, forKey: "zones")
        coder.encode(Array(zoneTokens.values) as NSArray, forKey: "tokens")
    }

    public required init?(coder: NSCoder) {
        super.init()
        databaseToken = coder.decodeObject(of: CKServerChangeToken.self, forKey: "databaseToken")
        zone = coder.decodeObject(of: CKRecordZone.self, forKey: "zone")
        subscription = coder.decodeObject(of: CKDatabaseSubscription.self, forKey: "subscription")
        cursor = coder.decodeObject(of: CKQueryOperation.Cursor.self, forKey: "cursor")
        pending = coder.decodeObject(of: [NSArray.self, CKRecord.ID.self], forKey: "pending") as? [CKRecord.ID] ?? []
        drafts = coder.decodeObject(of: [NSArray.self, CKRecord.self], forKey: "drafts") as? [CKRecord] ?? []
        let zones = coder.decodeObject(of: [NSArray.self, CKRecordZone.ID.self], forKey: "zones")
        let tokens = coder.decodeObject(of: [NSArray.self, CKServerChangeToken.self], forKey: "tokens")
        if let zones = zones as? [CKRecordZone.ID], let tokens = tokens as? [CKServerChangeToken] {
            zoneTokens = Dictionary(uniqueKeysWithValues: zip(zones, tokens))
        }
    }

    public func saved() throws -> Data {
        try NSKeyedArchiver.archivedData(withRootObject: self, requiringSecureCoding: true)
    }

    public static func read(_ data: Data) throws -> ArchivedState? {
        try NSKeyedUnarchiver.unarchivedObject(ofClass: ArchivedState.self, from: data)
    }
}

/// Objects of CloudKit in the collections of Foundation.
public enum ObjectCollections {
    public static func check(_ record: CKRecord) -> [String] {
        var faults: [String] = []
        func check(_ isRight: Bool, _ what: String) { if !isRight { faults.append(what) } }
        let id = record.recordID
        let same = CKRecord.ID(recordName: id.recordName, zoneID: id.zoneID)
        check(id == same && id.isEqual(same) && id.hash == same.hash && id.hashValue == same.hashValue, "equality")
        check(Set([id, same]).count == 1 && [id: 1][same] == 1, "hashing")
        check(NSSet(array: [id]).contains(same), "NSSet")
        let table = NSMutableDictionary()
        table[id] = "x"
        check(table[same] as? String == "x", "NSMutableDictionary")
        let cache = NSCache<CKRecord.ID, CKRecord>()
        cache.setObject(record, forKey: id)
        check(cache.object(forKey: same) === record, "NSCache")
        check(record.copy() as? CKRecord !== record && record.isEqual(record), "copy")
        check((id.copy() as? CKRecord.ID) == id, "copy of an identifier")
        let link = CKRecord.Reference(record: record, action: .none)
        let objects: [NSObject] = [record, id, id.zoneID, CKRecordZone.default(), link]
        check(objects.allSatisfy { !$0.description.isEmpty && !$0.debugDescription.isEmpty }, "descriptions")
        check(objects.filter { $0 is NSSecureCoding }.count == objects.count, "archives")
        check(CKRecordZone.ID.default == CKRecordZone.default().zoneID, "default zone")
        check(CKRecordZone.ID.defaultZoneName == CKRecordZoneDefaultName, "name of the default zone")
        let owned = CKRecordZone.ID(zoneName: "a", ownerName: CKCurrentUserDefaultName)
        check(owned == CKRecordZone.ID(zoneName: "a"), "owner")
        return faults
    }
}
