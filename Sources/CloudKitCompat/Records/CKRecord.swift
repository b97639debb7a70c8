// Records under CloudKit's names.

public import Foundation
public import RecordDatabase
import Synchronization

/// A record: an identifier, a type, and named values. An object that is saved has the new metadata then.
///
/// Illegal names of types, records and fields fail when the record is saved, with `invalidArguments`.
public final class CKRecord: Sendable {
    /// The name of a record type, for example `City`.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String

    /// Types of records that every container has.
    public enum SystemType {
        /// The type of the records of users: `Users`.
        public static let userRecord = CKRecordTypeUserRecord
    }

    /// Keys of metadata in predicates and sort descriptors.
    public enum SystemFieldKey {
        /// The record's name: `recordID`.
        public static let recordID = "recordID"
        /// When the record was first saved: `creationDate`.
        public static let creationDate = "creationDate"
        /// When the record was last saved: `modificationDate`.
        public static let modificationDate = "modificationDate"
        /// Who saved the record first: `creatorUserRecordID`.
        public static let creatorUserRecordID = "creatorUserRecordID"
        /// Who saved the record last: `lastModifiedUserRecordID`.
        public static let lastModifiedUserRecordID = "lastModifiedUserRecordID"
        /// The record above: `parent`.
        public static let parent = "parent"
    }

    private let state: Mutex<Record>

    /// A record of its own with what a record of `RecordDatabase` says.
    public init(_ record: Record) { state = Mutex(record) }

    /// A record that is not saved yet, by default of a random name in the default zone.
    public convenience init(recordType: RecordType, recordID: ID = ID()) {
        self.init(Record(type: recordType, id: recordID.record))
    }

    /// A record that is not saved yet, of a random name in a zone.
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    /// The record in the terms of `RecordDatabase`, as it is now.
    public internal(set) var record: Record {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The name of the record's type.
    public var recordType: RecordType { record.type }
    /// Names the record within its database.
    public var recordID: ID { ID(record.id) }
    /// When the record was first saved; `nil` until then.
    public var creationDate: Date? { record.creationDate }
    /// Who saved the record first.
    public var creatorUserRecordID: ID? { record.creatorUserRecordID.map { ID($0) } }
    /// When the record was last saved.
    public var modificationDate: Date? { record.modificationDate }
    /// Who saved the record last.
    public var lastModifiedUserRecordID: ID? { record.lastModifiedUserRecordID.map { ID($0) } }
    /// Names the stored version; only equality has a meaning.
    public var recordChangeTag: String? { record.recordChangeTag }

    // MARK: Fields

    /// The value of a field. Setting `nil` removes it.
    public subscript(key: FieldKey) -> CKRecordValue? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field as a type; `nil` when it is absent or of another type. Setting `nil` removes it.
    public subscript<Value: CKRecordValueProtocol>(key: FieldKey) -> Value? {
        get { Value.read(record[key] as FieldValue) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field; `nil` when it is absent.
    public func object(forKey key: FieldKey) -> CKRecordValue? { (record[key] as FieldValue).recordValue }
    /// As `object(forKey:)`.
    public func value(forKey key: FieldKey) -> Any? { object(forKey: key) }

    /// Sets the value of a field; `nil` removes it.
    public func setObject(_ object: CKRecordValue?, forKey key: FieldKey) {
        let value = object?.recordFieldValue ?? .null
        state.withLock { $0[key] = value }
    }

    /// As `setObject(_:forKey:)`.
    public func setValue(_ value: CKRecordValue?, forKey key: FieldKey) { setObject(value, forKey: key) }

    /// The names of the fields that have a value.
    public func allKeys() -> [FieldKey] { record.allKeys() }
    /// The names of the fields set since the record was fetched or saved.
    public func changedKeys() -> [FieldKey] { record.changedKeys() }
    /// The words of all fields that hold a string.
    public func allTokens() -> [String] { record.allTokens() }

    // MARK: Hierarchy

    /// The record that this one is below.
    public var parent: Reference? {
        get { record.parent.map { Reference($0) } }
        set { state.withLock { $0.setParent(newValue?.reference.recordID) } }
    }

    /// Puts the record below another; `nil` below none.
    public func setParent(_ record: CKRecord?) { setParent(record?.recordID) }
    /// Puts the record below that of an identifier; `nil` below none.
    public func setParent(_ id: ID?) { state.withLock { $0.setParent(id?.record) } }

    // MARK: Coding

    private static let systemFieldsKey = "CKRecordSystemFields"

    /// Writes what ties the record to its stored version, without any field.
    public func encodeSystemFields(with coder: NSCoder) {
        coder.encode(record.encodedSystemFields, for: Self.systemFieldsKey)
    }

    /// The record of system fields, without any field; `nil` where none were archived.
    public convenience init?(coder: NSCoder) {
        guard let bytes = coder.data(for: Self.systemFieldsKey), let record = try? Record(systemFields: bytes)
        else { return nil }
        self.init(record)
    }
}

extension CKRecord: Hashable {
    /// Whether two names are of one object, as everywhere with objects of CloudKit's records.
    public static func == (a: CKRecord, b: CKRecord) -> Bool { a === b }
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension CKRecord: CustomStringConvertible {
    /// The type, the names and the change tag: no value of a field.
    public var description: String {
        let id = recordID
        let tag = recordChangeTag.map { ", recordChangeTag=\($0)" } ?? ""
        return "<CKRecord: recordType=\(recordType), recordID=\(id.recordName):(\(id.zoneID.names))\(tag)>"
    }
}
