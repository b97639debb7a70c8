// The values that fields hold and predicates compare.

public import FoundationEssentials
public import Geospatial

/// A value of a field, an element of a list, or an argument of a predicate.
public enum FieldValue: Hashable, Sendable {
    /// No value: a missing field, JSON null.
    case null
    /// A truth value; compares as the number 1 or 0.
    case bool(Bool)
    /// A whole number of 64 bits.
    case int64(Int64)
    /// A number with a fraction, of 64 bits; not a number and the infinities too.
    case double(Double)
    /// A text.
    case string(String)
    /// A moment, with the resolution of `Date`.
    case date(Date)
    /// Bytes.
    case data(Data)
    // In a box: a place is larger than other values, and would make all of them larger.
    /// A place on the Earth.
    indirect case location(Location)
    /// A link to a record.
    indirect case reference(RecordReference)
    /// A file that belongs to a record.
    indirect case asset(Asset)
    /// An ordered list.
    case list([FieldValue])
    /// A list without order and repetition: from set expressions and set arguments, never stored in a field.
    case set([FieldValue])
    /// Named values inside a value, reached by key paths; order of keys has no meaning.
    case object([String: FieldValue])
}

extension FieldValue {
    /// Whether this is `.null`.
    @inlinable
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The kind of value, for schemas and messages.
    public var kind: Kind {
        switch self {
        case .null: .null
        case .bool: .bool
        case .int64: .int64
        case .double: .double
        case .string: .string
        case .date: .date
        case .data: .data
        case .location: .location
        case .reference: .reference
        case .asset: .asset
        case .list: .list
        case .set: .set
        case .object: .object
        }
    }

    /// Kinds of values.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// No value.
        case null
        /// A truth value.
        case bool
        /// A whole number of 64 bits.
        case int64
        /// A number with a fraction, of 64 bits.
        case double
        /// A text.
        case string
        /// A moment.
        case date
        /// Bytes.
        case data
        /// A place on the Earth.
        case location
        /// A link to a record.
        case reference
        /// A file that belongs to a record.
        case asset
        /// An ordered list.
        case list
        /// A list without order and repetition.
        case set
        /// Named values inside a value.
        case object
    }
}

extension FieldValue {
    /// Whether texts are the same byte by byte, numbers bit by bit, assets were made as one, and everything else is
    /// equal: not a number is identical to itself, and a text to none that is written in another form.
    package func isIdentical(to other: FieldValue) -> Bool {
        switch (self, other) {
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
        case (.asset(let a), .asset(let b)): a.isSame(as: b)
        case (.list(let a), .list(let b)), (.set(let a), .set(let b)):
            a.count == b.count && zip(a, b).allSatisfy { $0.isIdentical(to: $1) }
        case (.object(let a), .object(let b)):
            a.count == b.count && a.allSatisfy { b[$0.key]?.isIdentical(to: $0.value) == true }
        default: self == other
        }
    }
}

extension FieldValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral
{
    public init(nilLiteral: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .int64(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: FieldValue...) { self = .list(elements) }
}
