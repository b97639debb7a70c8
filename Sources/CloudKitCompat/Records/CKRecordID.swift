// The identifiers of records and zones. They are top-level classes: archives on Linux hold no nested ones.

public import Foundation
public import RecordDatabase

/// Names a record. An illegal name fails where it is used, with `invalidArguments`.
public final class CKRecordID: NSObject, NSSecureCoding, NSCopying, Sendable {
    let record: Record.ID

    /// The record of an identifier of `RecordDatabase`.
    public init(_ id: Record.ID) { record = id }

    /// - Parameter recordName: A random one if none is given.
    public convenience init(recordName: String = UUID().uuidString, zoneID: CKRecordZoneID = .default) {
        self.init(Record.ID(recordName, zoneID: zoneID.zone))
    }

    /// The name within the zone.
    public var recordName: String { record.recordName }
    /// The zone that the record lies in.
    public var zoneID: CKRecordZoneID { CKRecordZoneID(record.zoneID) }

    // MARK: Archives

    private static let nameKey = "RecordName"
    /// True: an identifier can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        coder.encode(recordName, for: Self.nameKey)
        zoneID.encode(with: coder)
    }

    /// `nil` where no identifier was archived.
    public convenience init?(coder: NSCoder) {
        guard let name = coder.text(for: Self.nameKey), let zoneID = CKRecordZoneID(coder: coder) else { return nil }
        self.init(recordName: name, zoneID: zoneID)
    }

    /// The identifier itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Equality

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordID)?.record == record }
    public override var hash: Int { record.hashValue }
    public override var description: String { "<CKRecordID: recordName=\(recordName), zoneID=\(zoneID.names)>" }
}

/// Names a zone: its name and whose it is. An illegal name fails where it is used, with `invalidArguments`.
public final class CKRecordZoneID: NSObject, NSSecureCoding, NSCopying, Sendable {
    let zone: RecordZone.ID

    /// The zone of an identifier of `RecordDatabase`.
    public init(_ id: RecordZone.ID) { zone = id }

    /// A zone by its name, by default the default zone of the current user.
    public convenience init(
        zoneName: String = RecordZone.ID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName
    ) {
        self.init(RecordZone.ID(zoneName, ownerName: ownerName))
    }

    /// The zone that every database has.
    public static let `default` = CKRecordZoneID(RecordZone.ID.default)
    /// The name of the zone that every database has: `_defaultZone`.
    public static let defaultZoneName = RecordZone.ID.defaultZoneName

    /// The name within the owner's zones.
    public var zoneName: String { zone.zoneName }
    /// The name of the user whose zone it is, or `CKCurrentUserDefaultName`.
    public var ownerName: String { zone.ownerName }
    /// Both names, as descriptions of other objects show them.
    var names: String { "\(zoneName):\(ownerName)" }

    // MARK: Archives

    private static let nameKey = "ZoneName"
    private static let ownerKey = "OwnerName"
    /// True: an identifier can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        coder.encode(zoneName, for: Self.nameKey)
        coder.encode(ownerName, for: Self.ownerKey)
    }

    /// `nil` where no identifier was archived.
    public convenience init?(coder: NSCoder) {
        guard let name = coder.text(for: Self.nameKey), let owner = coder.text(for: Self.ownerKey) else { return nil }
        self.init(zoneName: name, ownerName: owner)
    }

    /// The identifier itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Equality

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZoneID)?.zone == zone }
    public override var hash: Int { zone.hashValue }
    public override var description: String { "<CKRecordZoneID: zoneName=\(zoneName), ownerName=\(ownerName)>" }
}
