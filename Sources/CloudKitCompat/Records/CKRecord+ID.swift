// Identifiers and references under CloudKit's names.

public import Foundation
public import RecordDatabase

public typealias CKRecordID = CKRecord.ID
public typealias CKReference = CKRecord.Reference
public typealias CKReferenceAction = CKRecord.ReferenceAction

extension CKRecord {
    /// What happens to the holder of a reference when its target is deleted.
    public typealias ReferenceAction = RecordDatabase.Reference.Action

    /// Names a record. An illegal name fails where it is used, with `invalidArguments`.
    public struct ID: Hashable, Sendable {
        let record: Record.ID

        /// The record of an identifier of `RecordDatabase`.
        public init(_ id: Record.ID) { record = id }

        /// - Parameter recordName: A random one if none is given.
        public init(recordName: String = UUID().uuidString, zoneID: CKRecordZone.ID = .default) {
            record = Record.ID(recordName, zoneID: zoneID.zone)
        }

        public var recordName: String { record.recordName }
        public var zoneID: CKRecordZone.ID { CKRecordZone.ID(record.zoneID) }
    }

    /// A link to another record of the same zone.
    public final class Reference: Hashable, Sendable {
        let reference: RecordDatabase.Reference

        /// The same reference under CloudKit's name.
        public init(_ reference: RecordDatabase.Reference) { self.reference = reference }

        public init(recordID: ID, action: ReferenceAction) {
            reference = RecordDatabase.Reference(recordID: recordID.record, action: action)
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
