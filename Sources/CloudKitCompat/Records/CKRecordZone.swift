// Zones under CloudKit's names.

public import RecordDatabase

/// A part of a database whose records are committed together.
public final class CKRecordZone: Hashable, Sendable {
    /// What a zone can do beyond holding records.
    public typealias Capabilities = RecordZone.Capabilities

    /// Names a zone.
    public typealias ID = CKRecordZoneID

    let zone: RecordZone

    /// The same zone under CloudKit's name.
    public init(_ zone: RecordZone) { self.zone = zone }
    /// A zone of the current user that is not saved yet.
    public convenience init(zoneName: String) { self.init(zoneID: ID(zoneName: zoneName)) }
    /// A zone that is not saved yet.
    public init(zoneID: ID) { zone = RecordZone(id: zoneID.zone) }

    /// The zone that every database has.
    public static func `default`() -> CKRecordZone { CKRecordZone(RecordZone.default) }

    /// Names the zone within its database.
    public var zoneID: ID { ID(zone.id) }
    /// Empty until the zone comes from a database.
    public var capabilities: Capabilities { zone.capabilities }

    public static func == (a: CKRecordZone, b: CKRecordZone) -> Bool { a.zone == b.zone }
    public func hash(into hasher: inout Hasher) { hasher.combine(zone) }
}

extension CKRecordZone: CustomStringConvertible {
    public var description: String { "<CKRecordZone: zoneID=\(zoneID.names)>" }
}
