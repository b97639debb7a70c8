// Records under CloudKit's names.

public import Foundation
public import RecordDatabase
import Synchronization

/// A record: an identifier, a type, and named values. An object that is saved has the new metadata then; what was set
/// in it meanwhile stays set, for the next save.
///
/// Illegal names of types, records and fields fail when the record is saved, with `invalidArguments`. Two objects are
/// equal when they are one.
// Unchecked, since classes that have subclasses cannot be checked: all that changes is in the mutex.
open class CKRecord: NSObject, NSSecureCoding, NSCopying, CKRecordKeyValueSetting, @unchecked Sendable {
    /// The name of a record type, for example `City`.
    public typealias RecordType = String
    /// The name of a field.
    public typealias FieldKey = String

    /// Types of records that every container has.
    public enum SystemType {
        /// The type of the records of users: `Users`.
        public static let userRecord = CKRecordTypeUserRecord
        /// The type of shares: `cloudkit.share`.
        public static let share = CKRecordTypeShare
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
        /// The share of the record: `share`.
        public static let share = "share"
    }

    private let state: Mutex<Record>

    /// A record of its own with what a record of `RecordDatabase` says.
    public init(_ record: Record) {
        state = Mutex(record)
        super.init()
    }

    /// A record that is not saved yet, by default of a random name in the default zone.
    public convenience init(recordType: RecordType, recordID: ID = ID()) {
        self.init(Record(type: recordType, id: recordID.record))
    }

    /// A record that is not saved yet, of a random name in a zone.
    public convenience init(recordType: RecordType, zoneID: CKRecordZone.ID) {
        self.init(recordType: recordType, recordID: ID(zoneID: zoneID))
    }

    /// The record in the terms of `RecordDatabase`, as it is now.
    public var record: Record { state.withLock { $0 } }

    /// Changes the record in the terms of `RecordDatabase`.
    func change(_ body: (inout Record) -> Void) { state.withLock { body(&$0) } }

    /// Takes what was stored of a save, and keeps what was set since the record was sent.
    func take(_ stored: Record, sent: Record) { change { $0 = $0.saved(as: stored, sent: sent) } }

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
    // Not where the form below fits: `record["title"] ?? "none"` is a text.
    @_disfavoredOverload
    public subscript(key: FieldKey) -> (any CKRecordValue)? {
        get { object(forKey: key) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field as a type; `nil` when it is absent or of another type. Setting `nil` removes it.
    public subscript<Value: CKRecordValueProtocol>(key: FieldKey) -> Value? {
        get { Value.read(record[key] as FieldValue) }
        set { setObject(newValue, forKey: key) }
    }

    /// The value of a field; `nil` when it is absent.
    public func object(forKey key: FieldKey) -> (any CKRecordValue)? { (record[key] as FieldValue).recordValue }
    /// As `object(forKey:)`.
    public func value(forKey key: FieldKey) -> Any? { object(forKey: key) }
    /// The values of fields; `NSNull` for those that are absent.
    public func dictionaryWithValues(forKeys keys: [FieldKey]) -> [FieldKey: Any] {
        var values: [FieldKey: Any] = [:]
        for key in keys {
            if let value = object(forKey: key) { values[key] = value } else { values[key] = NSNull() }
        }
        return values
    }

    /// Sets the value of a field; `nil` removes it.
    public func setObject(_ object: (any CKRecordValue)?, forKey key: FieldKey) {
        let value = object?.recordFieldValue ?? .null
        state.withLock { $0[key] = value }
    }

    /// Sets the value of a field; `nil` and `NSNull` remove it. A value that no field can hold fails when the record is
    /// saved.
    public func setValue(_ value: Any?, forKey key: FieldKey) {
        // No field takes a set, nor what has no form as a value of a field.
        let value = FieldValue(compat: value) ?? .set([])
        state.withLock { $0[key] = value }
    }

    /// Sets the values of fields, as `setValue(_:forKey:)` each.
    public func setValuesForKeys(_ keyedValues: [FieldKey: Any]) {
        for (key, value) in keyedValues { setValue(value, forKey: key) }
    }

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
    private static let recordKey = "CKRecord"
    /// True: a record can be archived where classes are checked.
    open class var supportsSecureCoding: Bool { true }

    /// Writes the whole record, with its fields and what was set since it was fetched.
    open func encode(with coder: NSCoder) { coder.encode(value: record, for: Self.recordKey) }

    /// Writes what ties the record to its stored version, without any field.
    public func encodeSystemFields(with coder: NSCoder) {
        coder.encode(record.encodedSystemFields, for: Self.systemFieldsKey)
    }

    /// The record of an archive, whole or of system fields alone; `nil` where there is none.
    public required init?(coder: NSCoder) {
        if let record: Record = coder.value(for: Self.recordKey) {
            state = Mutex(record)
        } else if let bytes = coder.data(for: Self.systemFieldsKey), let record = try? Record(systemFields: bytes) {
            state = Mutex(record)
        } else {
            return nil
        }
        super.init()
    }

    /// Another record that says the same.
    open func copy(with zone: NSZone? = nil) -> Any { CKRecord(record) }

    /// The type, the names and the change tag: no value of a field.
    open override var description: String {
        let id = recordID
        let tag = recordChangeTag.map { ", recordChangeTag=\($0)" } ?? ""
        return "<CKRecord: recordType=\(recordType), recordID=\(id.recordName):(\(id.zoneID.names))\(tag)>"
    }
}

extension CKRecord: Sequence {
    /// The fields that have a value, in the order of their names.
    public func makeIterator() -> CKRecordKeyValueIterator { CKRecordKeyValueIterator(self) }
}

/// The fields of a record that have a value, with their values.
public struct CKRecordKeyValueIterator: IteratorProtocol {
    private var fields: [(CKRecord.FieldKey, any CKRecordValue)]

    /// The fields that a record has now.
    public init(_ record: CKRecord) {
        // A share has fields of its own, which it does not show.
        let (keys, record) = (record.allKeys(), record.record)
        fields = keys.sorted(by: >).compactMap { key in
            (record[key] as FieldValue).recordValue.map { (key, $0) }
        }
    }

    public mutating func next() -> (CKRecord.FieldKey, any CKRecordValue)? { fields.popLast() }
}

/// Fields by their names, each with a value.
public protocol CKRecordKeyValueSetting: AnyObject {
    /// The value of a field; `nil` when it is absent.
    func object(forKey key: CKRecord.FieldKey) -> (any CKRecordValue)?
    /// Sets the value of a field; `nil` removes it.
    func setObject(_ object: (any CKRecordValue)?, forKey key: CKRecord.FieldKey)
    /// The value of a field. Setting `nil` removes it.
    @_disfavoredOverload
    subscript(key: CKRecord.FieldKey) -> (any CKRecordValue)? { get set }
    /// The names of the fields that have a value.
    func allKeys() -> [CKRecord.FieldKey]
    /// The names of the fields set since the record was fetched or saved.
    func changedKeys() -> [CKRecord.FieldKey]
}

extension CKRecordKeyValueSetting {
    /// The value of a field as a type; `nil` when it is absent or of another type. Setting `nil` removes it.
    public subscript<Value: CKRecordValueProtocol>(key: CKRecord.FieldKey) -> Value? {
        get { object(forKey: key).flatMap { Value.read($0.recordFieldValue) } }
        set { setObject(newValue, forKey: key) }
    }

    /// A list of values of different types, which a field that is saved does not hold. Setting `nil` removes it.
    @_disfavoredOverload
    public subscript(key: CKRecord.FieldKey) -> [any CKRecordValue]? {
        get {
            guard case .list(let elements)? = object(forKey: key)?.recordFieldValue else { return nil }
            return elements.compactMap(\.recordValue)
        }
        set { setObject(newValue.map { NSArray(array: $0) }, forKey: key) }
    }
}
