// References under CloudKit's names.

public import RecordDatabase

/// The older name of `CKRecord.Reference`.
public typealias CKReference = CKRecord.Reference
/// The older name of `CKRecord.ReferenceAction`.
public typealias CKReferenceAction = CKRecord.ReferenceAction

extension CKRecord {
    /// What happens to the holder of a reference when its target is deleted.
    public typealias ReferenceAction = RecordReference.Action

    /// Names a record.
    public typealias ID = CKRecordID

    /// A link to another record of the same zone.
    public final class Reference: Hashable, Sendable {
        let reference: RecordReference

        /// The same reference under CloudKit's name.
        public init(_ reference: RecordReference) { self.reference = reference }

        /// A reference to the record of an identifier.
        public init(recordID: ID, action: ReferenceAction) {
            reference = RecordReference(recordID: recordID.record, action: action)
        }

        /// A reference to a record, whether it is saved or not; it holds no copy of it.
        public convenience init(record: CKRecord, action: ReferenceAction) {
            self.init(recordID: record.recordID, action: action)
        }

        /// The record pointed at.
        public var recordID: ID { ID(reference.recordID) }
        /// What happens to the holder when the record pointed at is deleted.
        public var action: ReferenceAction { reference.action }
        /// The older name of `action`.
        public var referenceAction: ReferenceAction { reference.action }

        public static func == (a: Reference, b: Reference) -> Bool { a.reference == b.reference }
        public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
    }
}
