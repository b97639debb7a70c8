// Archives of CloudKit's classes from strangers: an object that comes back equal, or none.

import CloudKitCompat
import RecordDatabase
import RecordFiles

/// A class that archives hold.
private struct ArchivedClass: Sendable {
    let name: String
    /// Reads an object from an archive's root; nil for none.
    let read: @Sendable (NSKeyedUnarchiver) -> (any ArchivedObject)?
    /// Objects to begin with.
    let samples: @Sendable () -> [any ArchivedObject]

    init<Object: ArchivedObject>(
        _ name: String, _ type: Object.Type, _ samples: @escaping @Sendable () -> [Object?]
    ) {
        self.name = name
        read = { Object(coder: $0) }
        self.samples = { samples().compactMap { $0 } }
    }

    static let all: [ArchivedClass] = [
        ArchivedClass("recordID", CKRecord.ID.self) { [recordID] },
        ArchivedClass("zoneID", CKRecordZone.ID.self) { [recordID.zoneID, .default] },
        ArchivedClass("zone", CKRecordZone.self) { [CKRecordZone(zoneID: recordID.zoneID)] },
        ArchivedClass("record", CKRecord.self) { [record(with: []), record(with: ["title", "size", "place", "of"])] },
        ArchivedClass("reference", CKRecord.Reference.self) {
            [CKRecord.Reference(recordID: recordID, action: .deleteSelf)]
        },
        ArchivedClass("location", CLLocation.self) { [CLLocation(latitude: 47.5, longitude: 8)] },
        ArchivedClass("token", CKServerChangeToken.self) { [token] },
        ArchivedClass("query", CKQuery.self) { [query] },
        ArchivedClass("information", CKNotificationInfo.self) {
            [CKNotificationInfo(alertBody: "b", desiredKeys: ["title"])]
        },
        ArchivedClass("zoneSubscription", CKRecordZoneSubscription.self) {
            [CKRecordZoneSubscription(zoneID: recordID.zoneID)]
        },
        ArchivedClass("querySubscription", CKQuerySubscription.self) {
            [CKQuerySubscription(recordType: "Note", predicate: NSPredicate(format: "pages > 1"))]
        },
        ArchivedClass("databaseSubscription", CKDatabaseSubscription.self) {
            [CKDatabaseSubscription(subscriptionID: "s")]
        },
        ArchivedClass("group", CKOperationGroup.self) { [CKOperationGroup()] },
        ArchivedClass("lookup", CKUserIdentityLookupInfo.self) {
            [CKUserIdentityLookupInfo(emailAddress: "a@b.c"), CKUserIdentityLookupInfo(userRecordID: recordID)]
        },
        ArchivedClass("identity", CKUserIdentity.self) { [metadata.map { $0.ownerIdentity }] },
        ArchivedClass("options", CKAllowedSharingOptions.self) { [CKAllowedSharingOptions.standard] },
        ArchivedClass("participant", CKShareParticipant.self) { [metadata.map { $0.share.owner }] },
        ArchivedClass("share", CKShare.self) { [CKShare(recordZoneID: recordID.zoneID), metadata.map { $0.share }] },
        ArchivedClass("metadata", CKShareMetadata.self) { [metadata] },
        ArchivedClass("cursor", CKQueryCursor.self) { [cursor] },
    ]

    static func named(_ name: String) -> ArchivedClass? { all.first { $0.name == name } }

    private static let recordID = CKRecord.ID(
        recordName: "note 1", zoneID: CKRecordZone.ID(zoneName: "Notes", ownerName: "_a11ce"))

    private static func record(with keys: [String]) -> CKRecord {
        let record = CKRecord(recordType: "Note", recordID: recordID)
        let values: [String: any CKRecordValue] = [
            "title": "a", "size": 3.5, "place": CLLocation(latitude: 1, longitude: 2),
            "of": CKRecord.Reference(recordID: recordID, action: .none),
        ]
        for key in keys { record[key] = values[key] }
        return record
    }

    private static var query: CKQuery {
        let query = CKQuery(recordType: "Note", predicate: NSPredicate(format: "title == %@ AND size > 2", "a"))
        query.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        return query
    }

    private static var token: CKServerChangeToken? {
        guard let container = try? Container(identifier: "archives") else { return nil }
        return try? CKServerChangeToken(container.privateDatabase.zoneList(since: nil).changeToken)
    }

    /// What the URL of a share of a zone leads to.
    private static var metadata: CKShareMetadata? {
        let zone = RecordZone.ID("Notes")
        guard let container = try? Container(identifier: "archives"),
            (try? container.privateDatabase.modifyZones(saving: [RecordZone(id: zone)], deleting: [])) != nil,
            let saved = try? container.privateDatabase.modify(ModifyRequest(saves: [Share(zoneID: zone).record])),
            let share = try? saved.saves.first?.result.get(), let url = Share(share)?.url
        else { return nil }
        return (try? container.fetchShareMetadata(for: url)).map { CKShareMetadata($0) }
    }

    /// Where the second page of two records begins, as its archive holds it: applications make none.
    private static var cursor: CKQueryCursor? {
        let saves = ["a", "b"].map { Record(type: "Note", id: Record.ID($0)) }
        guard let database = try? Container(identifier: "archives").privateDatabase,
            (try? database.modify(ModifyRequest(saves: saves))) != nil,
            let page = try? database.find(Query("Note", "TRUEPREDICATE"), in: .all, limit: 1),
            let data = try? JSONEncoder().encode(page.cursor)
        else { return nil }
        return ArchiveCheck.read(ArchiveCheck.archived { ArchiveCheck.write(data, "CKQueryCursor", $0) }) {
            CKQueryCursor(coder: $0)
        }
    }
}

/// An object of an archive.
private protocol ArchivedObject: NSObject, NSCoding {
    /// All that its archive holds.
    var says: String { get }
}

extension ArchivedObject {
    fileprivate var says: String { description }
}

extension CKRecord.ID: ArchivedObject {}
extension CKRecordZone.ID: ArchivedObject {}
extension CKRecordZone: ArchivedObject {}
extension CKRecord.Reference: ArchivedObject {}
extension CLLocation: ArchivedObject {}
extension CKServerChangeToken: ArchivedObject { fileprivate var says: String { "\(hash)" } }
extension CKRecord: ArchivedObject {
    fileprivate var says: String {
        // Members of objects come in any order: what they consist of is compared.
        let values = map { key, value in "\(key) \(String("\(value)".sorted()))" }
        return "\(description) \(values) \(changedKeys())"
    }
}
extension CKQuery: ArchivedObject {
    fileprivate var says: String {
        let order = (sortDescriptors ?? []).map { "\($0.key ?? "") \($0.ascending)" }
        return "\(recordType) \(predicate.recordPredicate) \(order)"
    }
}
extension CKNotificationInfo: ArchivedObject {
    fileprivate var says: String { "\(self.alertBody ?? "") \(self.desiredKeys ?? [])" }
}
extension CKSubscription: ArchivedObject {
    fileprivate var says: String { "\(type(of: self)) \(subscriptionID) \(notificationInfo?.says ?? "")" }
}
extension CKUserIdentityLookupInfo: ArchivedObject {
    fileprivate var says: String { "\(emailAddress ?? "") \(phoneNumber ?? "") \(userRecordID?.says ?? "")" }
}
extension CKUserIdentity: ArchivedObject {
    fileprivate var says: String { "\(userRecordID?.says ?? "") \(lookupInfo?.says ?? "")" }
}
extension CKAllowedSharingOptions: ArchivedObject {
    fileprivate var says: String {
        "\(allowedParticipantPermissionOptions.rawValue) \(allowedParticipantAccessOptions.rawValue)"
    }
}
extension CKShareParticipant: ArchivedObject {
    fileprivate var says: String { "\(description) \(participantID) \(userIdentity.says)" }
}
extension CKShareMetadata: ArchivedObject {
    fileprivate var says: String {
        "\(description) \(share.says) \(rootRecord?.says ?? "") \(ownerIdentity.says) \(participantPermission)"
    }
}
extension CKQueryCursor: ArchivedObject { fileprivate var says: String { "\(hash)" } }
extension CKOperationGroup: ArchivedObject {
    fileprivate var says: String { "\(operationGroupID) \(name ?? "") \(quantity) \(expectedSendSize)" }
}

/// Writes an archive of given values, and reads objects from it.
enum ArchiveCheck {
    /// What stands before bytes that are no text.
    private static let binary = "base64:"

    /// - Parameter bytes: JSON of `class`, a name, and `values`, what the archive holds by key: objects and lists are
    ///   written as their JSON, texts as they are, numbers as numbers.
    static func run(_ bytes: [UInt8]) -> FuzzOutcome {
        guard let json = try? JSONReader.tree(bytes), case .string(let name)? = json["class"],
            let known = ArchivedClass.named(name), case .object(let members)? = json["values"]
        else { return .rejected }
        let archive = archived { archiver in
            // The archiver takes a key once.
            var keys: Set<String> = []
            for member in members where !member.key.isEmpty && keys.insert(member.key).inserted {
                encode(member.value, member.key, archiver)
            }
        }
        guard let object = read(archive, known.read) else { return .rejected }
        let again = read(archived { object.encode(with: $0) }, known.read)
        guard let again else { return .finding("\(name): its own archive gives nothing") }
        return again.says == object.says
            ? .accepted : .finding("\(name): '\(object.says)' comes back as '\(again.says)'")
    }

    fileprivate static func archived(_ encode: (NSKeyedArchiver) -> Void) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        encode(archiver)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    fileprivate static func read<Object>(_ archive: Data, _ object: (NSKeyedUnarchiver) -> Object?) -> Object? {
        (try? NSKeyedUnarchiver(forReadingFrom: archive)).flatMap(object)
    }

    private static func encode(_ value: JSONValue, _ key: String, _ archiver: NSKeyedArchiver) {
        switch value {
        case .int64(let number): archiver.encode(number, forKey: key)
        case .string(let text) where text.hasPrefix(binary):
            write(Data(base64Encoded: String(text.dropFirst(binary.count))) ?? Data(), key, archiver)
        case .string(let text): write(Data(text.utf8), key, archiver)
        default:
            var writer = JSONWriter()
            writer.write(value)
            write(Data(writer.bytes), key, archiver)
        }
    }

    fileprivate static func write(_ data: Data, _ key: String, _ archiver: NSKeyedArchiver) {
        unsafe data.withUnsafeBytes { buffer in
            // SAFETY: The archiver copies as many bytes as the buffer has, before this closure ends.
            unsafe archiver.encodeBytes(
                buffer.bindMemory(to: UInt8.self).baseAddress, length: buffer.count, forKey: key)
        }
    }

    // MARK: Inputs

    /// What the objects of all classes write.
    static func seeds() -> [[UInt8]] {
        ArchivedClass.all.flatMap { known in
            known.samples().compactMap { object in input(known.name, archived { object.encode(with: $0) }) }
        }
    }

    private static func input(_ name: String, _ archive: Data) -> [UInt8]? {
        // SAFETY: no place for the format is passed.
        let list = try? unsafe PropertyListSerialization.propertyList(from: archive, options: [], format: nil)
        guard let top = (list as? [String: Any])?["$top"] as? [String: Any] else { return nil }
        let members = top.sorted { $0.key < $1.key }.compactMap { key, value -> JSONValue.Member? in
            (value as? Data).map { JSONValue.Member(key: key, value: json(of: $0)) }
        }
        var writer = JSONWriter()
        writer.write(
            .object([
                JSONValue.Member(key: "class", value: .string(name)),
                JSONValue.Member(key: "values", value: .object(members)),
            ]))
        return writer.bytes
    }

    private static func json(of data: Data) -> JSONValue {
        if data.first == 0x7B || data.first == 0x5B, let tree = try? JSONReader.tree([UInt8](data)) { return tree }
        return .string(String(data: data, encoding: .utf8) ?? binary + data.base64EncodedString())
    }

    static let words = JSONMutator(
        words: ArchivedClass.all.map(\.name) + [
            "class", "values", "CKRecord", "CKRecordSystemFields", "recordName", "zoneName", "zoneID", "ownerName",
            "fields", "type", "id", "title", "size", "a > 1", "a ==", "", "participants", "inf", "nan", "base64:AAEC",
            "base64:",
        ])
}

extension FuzzTarget {
    static let archives = FuzzTarget(
        name: "archives", summary: "archives of CloudKitCompat's classes: an object that comes back equal, or none",
        run: { ArchiveCheck.run($0) }, seeds: { ArchiveCheck.seeds() },
        mutated: { ArchiveCheck.words.mutated($0, using: &$1) ?? FileMutator.mutated($0, using: &$1) })
}
