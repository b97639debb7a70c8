// What fields the records of a type have, and of what type.

/// The type of a field.
public indirect enum FieldType: Hashable, Sendable, Codable {
    /// Whole numbers of 64 bits.
    case int64
    /// Numbers with a fraction, of 64 bits.
    case double
    /// Whole and fractional numbers mixed (files may; a database field is one of the two).
    case number
    /// Truth values.
    case bool
    /// Texts.
    case string
    /// Moments.
    case date
    /// Bytes.
    case data
    /// Places on the Earth.
    case location
    /// Links to records.
    case reference
    /// Files that belong to records.
    case asset
    /// A list whose elements are of one type; `nil` when only empty lists were seen.
    case list(FieldType?)
    /// Nested named values.
    case object
    /// Values of several types (nested lists, lists with nulls).
    case any
}

/// One field of a record type.
public struct FieldDefinition: Hashable, Sendable, Codable {
    /// The name, as predicates write it.
    public var name: String
    /// What its values are.
    public var type: FieldType

    /// A field of a name and a type; neither is checked here.
    public init(name: String, type: FieldType) {
        self.name = name
        self.type = type
    }
}

/// The fields of one record type, in order of definition.
public struct RecordSchema: Hashable, Sendable, Codable {
    /// The record type's name.
    public var recordType: String
    /// The fields in order of definition, each name once.
    public private(set) var fields: [FieldDefinition]
    private var positions: [String: Int]

    /// A schema of the given fields; of two with one name the later wins.
    public init(recordType: String, fields: [FieldDefinition] = []) {
        self.recordType = recordType
        self.fields = []
        positions = [:]
        for field in fields { define(field) }
    }

    /// Adds a field, or replaces the one of that name. Complexity: O(1).
    public mutating func define(_ field: FieldDefinition) {
        if let position = positions[field.name] {
            fields[position] = field
        } else {
            positions[field.name] = fields.count
            fields.append(field)
        }
    }

    /// Up to so many fields comparing the names costs less than a hash.
    private static var comparedNames: Int { 16 }

    /// The position of a field in `fields`. Complexity: O(1).
    public func position(of name: String) -> Int? {
        if fields.count > Self.comparedNames { return positions[name] }
        let (fields, length) = (fields.span, name.utf8.count)
        for position in fields.indices where fields[position].name.utf8.count == length {
            if fields[position].name == name { return position }
        }
        // Names that are equal to Swift may differ in length.
        return positions[name]
    }

    /// The type of a field, or `nil` when the schema has none of that name. Complexity: O(1).
    public func type(of name: String) -> FieldType? { position(of: name).map { fields[$0].type } }
}
