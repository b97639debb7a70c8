// References under CloudKit's names.

public import Foundation
public import RecordDatabase

extension CKRecord {
    /// What happens to the holder of a reference when its target is deleted.
    public typealias ReferenceAction = RecordReference.Action

    /// Names a record.
    public typealias ID = CKRecordID

    /// A link to another record of the same zone.
    public typealias Reference = CKReference
}

/// A link to another record of the same zone. Top-level, since archives on Linux hold no nested classes.
public final class CKReference: NSObject, NSSecureCoding, NSCopying, Sendable {
    /// What happens to the holder of a reference when its target is deleted.
    public typealias Action = RecordReference.Action

    let reference: RecordReference

    /// The same reference under CloudKit's name.
    public init(_ reference: RecordReference) { self.reference = reference }

    /// A reference to the record of an identifier.
    public convenience init(recordID: CKRecord.ID, action: Action) {
        self.init(RecordReference(recordID: recordID.record, action: action))
    }

    /// A reference to a record, whether it is saved or not; it holds no copy of it.
    public convenience init(record: CKRecord, action: Action) {
        self.init(recordID: record.recordID, action: action)
    }

    /// The record pointed at.
    public var recordID: CKRecord.ID { CKRecord.ID(reference.recordID) }
    /// What happens to the holder when the record pointed at is deleted.
    public var action: Action { reference.action }
    /// The older name of `action`.
    public var referenceAction: Action { reference.action }

    // MARK: Archives

    private static let key = "CKReference"
    /// True: a reference can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: reference, for: Self.key) }

    /// `nil` where no reference was archived.
    public convenience init?(coder: NSCoder) {
        guard let reference: RecordReference = coder.value(for: Self.key) else { return nil }
        self.init(reference)
    }

    /// The reference itself, which never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    // MARK: Equality

    public override func isEqual(_ object: Any?) -> Bool { (object as? CKReference)?.reference == reference }
    public override var hash: Int { reference.hashValue }
    public override var description: String {
        let id = recordID
        return "<CKReference: recordID=\(id.recordName):(\(id.zoneID.names)), action=\(action)>"
    }
}
