// Zones under CloudKit's names.

public import RecordDatabase

public typealias CKRecordZoneID = CKRecordZone.ID

/// A part of a database whose records are committed together.
public final class CKRecordZone: Hashable, Sendable {
    /// What a zone can do beyond holding records.
    public typealias Capabilities = RecordZone.Capabilities

    /// Names a zone: its name and whose it is. An illegal name fails where it is used, with `invalidArguments`.
    public struct ID: Hashable, Sendable {
        let zone: RecordZone.ID

        /// The zone of an identifier of `RecordDatabase`.
        public init(_ id: RecordZone.ID) { zone = id }

        public init(zoneName: String = RecordZone.ID.defaultZoneName, ownerName: String = CKCurrentUserDefaultName) {
            zone = RecordZone.ID(zoneName, ownerName: ownerName)
        }

        /// The zone that every database has.
        public static let `default` = ID(RecordZone.ID.default)
        public static let defaultZoneName = RecordZone.ID.defaultZoneName

        public var zoneName: String { zone.zoneName }
        public var ownerName: String { zone.ownerName }
    }

    let zone: RecordZone

    /// The same zone under CloudKit's name.
    public init(_ zone: RecordZone) { self.zone = zone }
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }
    public init(zoneID: ID) { zone = RecordZone(id: zoneID.zone) }

    /// The zone that every database has.
    public static func `default`() -> CKRecordZone { CKRecordZone(RecordZone.default) }

    public var zoneID: ID { ID(zone.id) }
    /// Empty until the zone comes from a database.
    public var capabilities: Capabilities { zone.capabilities }

    public static func == (a: CKRecordZone, b: CKRecordZone) -> Bool { a.zone == b.zone }
    public func hash(into hasher: inout Hasher) { hasher.combine(zone) }
}
