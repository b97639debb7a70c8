// References under CloudKit's names.

public import RecordDatabase

public typealias CKReference = CKRecord.Reference
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

        public init(recordID: ID, action: ReferenceAction) {
            reference = RecordReference(recordID: recordID.record, action: action)
        }

        public convenience init(record: CKRecord, action: ReferenceAction) {
            self.init(recordID: record.recordID, action: action)
        }

        public var recordID: ID { ID(reference.recordID) }
        public var action: ReferenceAction { reference.action }
        /// The older name of `action`.
        public var referenceAction: ReferenceAction { reference.action }

        public static func == (a: Reference, b: Reference) -> Bool { a.reference == b.reference }
        public func hash(into hasher: inout Hasher) { hasher.combine(reference) }
    }
}
