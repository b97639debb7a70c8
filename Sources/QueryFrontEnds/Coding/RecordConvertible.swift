// Swift types that are kept as records.

public import RecordModel

/// A type whose properties have names as fields or as members of a nested object.
///
/// Conform structs that are parts of records, so that the key-path builder can step into them. Everything has a
/// default: `struct Address: FieldNamed { var city: String }`.
public protocol FieldNamed: Codable, Sendable {
    /// The field of each key path, for properties whose field cannot be found out.
    ///
    /// Names are found by decoding samples of the type and looking where a property's value goes when it is encoded,
    /// so renamed coding keys and own `encode(to:)` are followed. A type that cannot be decoded from samples (it has a
    /// property of an enumeration that is not `CaseIterable`, or it checks what it decodes) goes by the names that
    /// Swift keeps of its stored properties. Where both fail, a predicate says so when it is used; then name the
    /// fields here: `static var fields: [PartialKeyPath<Self>: String] { [\.name: "name"] }`.
    static var fields: [PartialKeyPath<Self>: String] { get }
}

extension FieldNamed {
    public static var fields: [PartialKeyPath<Self>: String] { [:] }
}

/// A type whose values are kept as records: its coding keys are the fields.
///
///     struct City: RecordConvertible {
///         var recordID: Record.ID?
///         var name: String
///         var population: Int
///         var location: Location
///     }
///
///     let record = try Record(city)
///     let city = try record.value(as: City.self)
///
/// | Swift | field value |
/// |---|---|
/// | `Bool`, integers, `Double`, `Float`, `String` | truth value, integer, fraction, text |
/// | `Date`, `Data`, `Location`, `RecordReference`, `Asset`, `FieldValue` | itself |
/// | `RecordReference.To<Other>`, `Record.ID` | a reference |
/// | `UUID`, `URL` | text |
/// | enumerations with raw values | the raw value |
/// | arrays, sets | a list |
/// | other `Codable` types, dictionaries | an object, reached by key paths; CloudKit has none |
/// | `nil` | no value |
///
/// When a value is saved, its Swift type decides the types of new fields: a `Double` of 2 makes a field of fractions,
/// an empty `[String]` a list of texts, a `nil` of type `Int?` a field of integers.
///
/// Coding keys that are named as the parts of a record are not fields: `recordID` (a `Record.ID`, optional or not) or
/// `recordName` (a `String` or `UUID`) is the identifier, `parent` (a `RecordReference` or `Record.ID`) the record
/// above in a hierarchy; `recordType`, `creationDate`, `modificationDate`, `creatorUserRecordID` and
/// `lastModifiedUserRecordID` are read from the record, and only the database writes them. A property of another name
/// is one of them by its coding key: `case id = "recordName"`.
///
/// A type that has a property of type `RecordMetadata`, or a `recordChangeTag` (a `String?`), keeps the change tag of
/// its record: what is saved must still be what was read. `RecordMetadata` is an identifier too.
public protocol RecordConvertible: FieldNamed {
    /// The type of the records; by default the type's own name.
    static var recordType: String { get }
}

extension RecordConvertible {
    public static var recordType: String { "\(Self.self)" }
}

extension Record {
    /// The record of a value: the stored one with its changes where the value knows its change tag, else a new one.
    ///
    /// - Parameters:
    ///   - value: What the record holds.
    ///   - id: Its identifier; without one the value's own (`recordID`, `recordName` or metadata), else a new one at
    ///     random.
    /// - Throws: `RecordCodingError` with the coding path of what no field can hold.
    /// - Complexity: O(n) in the nested values.
    public init<Value: RecordConvertible>(_ value: Value, id: Record.ID? = nil) throws(RecordCodingError) {
        self = try EncodedRecord(value).record(id)
    }

    /// Sets the fields to those of a value: for a record that was fetched, so that saving it finds conflicts.
    ///
    /// Fields of properties that are nil are removed; fields that the value's type has no property for stay.
    ///
    /// - Throws: `RecordCodingError` when the record is of another type or another identifier than the value's own, or
    ///   with the coding path of what no field can hold.
    public mutating func update<Value: RecordConvertible>(with value: Value) throws(RecordCodingError) {
        try checkType(Value.self)
        let encoded = try EncodedRecord(value)
        if let other = encoded.id, other != id {
            throw RecordCodingError(
                .conflict, recordType: type, path: [], message: "the value has the identifier of another record")
        }
        // What is equal may be another value: texts in another form, a zero with a sign.
        for (field, value) in encoded.fields where !self[field].asStored.isIdentical(to: value.asStored) {
            self[field] = value
        }
        declaredTypes = encoded.types
        if case .some(let parent) = encoded.parent, parent != self.parent?.recordID { setParent(parent) }
    }

    private func checkType<Value: RecordConvertible>(_: Value.Type) throws(RecordCodingError) {
        guard type == Value.recordType else {
            throw RecordCodingError(
                .recordType, recordType: type, path: [], message: "the record is not of type \(Value.recordType)")
        }
    }

    /// The value that the record holds.
    ///
    /// - Throws: `RecordCodingError` when the record is of another type, or a field is missing or of a kind that the
    ///   value's type does not take.
    /// - Complexity: O(n) in the nested values.
    public func value<Value: RecordConvertible>(as _: Value.Type = Value.self) throws(RecordCodingError) -> Value {
        try checkType(Value.self)
        do {
            return try Value(from: FieldDecoder(.object(fields), of: self))
        } catch {
            throw RecordCodingError(error, recordType: type)
        }
    }
}

extension RecordReference {
    /// A reference whose target's Swift type is known, so that the key-path builder can step through it:
    /// `var owner: RecordReference.To<Person>` and `$0.owner.name == "Ann"`.
    public struct To<Target: RecordConvertible>: Hashable, Sendable, Codable {
        /// The reference without the type of its target.
        public var reference: RecordReference

        /// A typed view of a reference; whether its record is of the type is not checked.
        public init(_ reference: RecordReference) { self.reference = reference }

        /// A reference to the record of that identifier.
        public init(_ recordID: Record.ID, action: Action = .none) {
            self.init(RecordReference(recordID: recordID, action: action))
        }

        /// The record pointed at.
        public var recordID: Record.ID { reference.recordID }

        public init(from decoder: any Decoder) throws { self.init(try RecordReference(from: decoder)) }
        public func encode(to encoder: any Encoder) throws { try reference.encode(to: encoder) }
    }
}

extension RecordReference.To: FieldValueRepresentable {
    public var fieldValue: FieldValue { .reference(reference) }

    /// The reference, without its record type.
    public init?(fieldValue: FieldValue) {
        guard let reference = RecordReference(fieldValue: fieldValue) else { return nil }
        self.init(reference)
    }
}

extension FieldValue {
    /// The value as a database keeps it: truth values are numbers there.
    fileprivate var asStored: FieldValue {
        switch self {
        case .bool(let value): .int64(value ? 1 : 0)
        case .list(let elements): .list(elements.map(\.asStored))
        default: self
        }
    }
}
