// The values that fields hold and predicates compare.

public import FoundationEssentials
public import Geospatial

/// A value of a field, an element of a list, or an argument of a predicate.
public enum FieldValue: Hashable, Sendable {
    /// No value: a missing field, JSON null.
    case null
    /// A truth value; compares as the number 1 or 0.
    case bool(Bool)
    case int64(Int64)
    case double(Double)
    case string(String)
    case date(Date)
    case data(Data)
    // In a box: a place is larger than other values, and would make all of them larger.
    indirect case location(Location)
    indirect case reference(RecordReference)
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
        case null, bool, int64, double, string, date, data, location, reference, asset, list, set, object
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
