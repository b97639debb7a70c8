// Zones under CloudKit's names.

public import Foundation
public import RecordDatabase

/// A part of a database whose records are committed together.
public final class CKRecordZone: NSObject, NSSecureCoding, NSCopying, Sendable {
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
    public convenience init(zoneID: ID) { self.init(RecordZone(id: zoneID.zone)) }

    /// The zone that every database has.
    public static func `default`() -> CKRecordZone { CKRecordZone(RecordZone.default) }

    /// Names the zone within its database.
    public var zoneID: ID { ID(zone.id) }
    /// Empty until the zone comes from a database.
    public var capabilities: Capabilities { zone.capabilities }

    // MARK: Archives

    private static let key = "CKRecordZone"
    /// True: a zone can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: zone, for: Self.key) }

    /// `nil` where no zone was archived.
    public convenience init?(coder: NSCoder) {
        guard let zone: RecordZone = coder.value(for: Self.key) else { return nil }
        self.init(zone)
    }

    /// The zone itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Equality

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKRecordZone)?.zone == zone }
    public override var hash: Int { zone.hashValue }
    public override var description: String { "<CKRecordZone: zoneID=\(zoneID.names)>" }
}
