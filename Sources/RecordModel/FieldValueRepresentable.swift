// Swift types that field values can be read as.

public import FoundationEssentials
public import Geospatial

/// A type that stands for field values in both directions.
public protocol FieldValueRepresentable: FieldValueConvertible {
    /// The value of a field as this type; `nil` for a value that it cannot hold exactly.
    init?(fieldValue: FieldValue)
}

extension FieldValue: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) { self = fieldValue }
}

extension FieldValueRepresentable where Self: BinaryInteger {
    /// The integer, where it fits; truth values are 1 and 0.
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .int64(let value):
            guard let value = Self(exactly: value) else { return nil }
            self = value
        case .double(let value):
            guard let value = Self(exactly: value) else { return nil }
            self = value
        case .bool(let value): self = value ? 1 : 0
        default: return nil
        }
    }
}

extension Int: FieldValueRepresentable {}
extension Int8: FieldValueRepresentable {}
extension Int16: FieldValueRepresentable {}
extension Int32: FieldValueRepresentable {}
extension Int64: FieldValueRepresentable {}
extension UInt: FieldValueRepresentable {}
extension UInt8: FieldValueRepresentable {}
extension UInt16: FieldValueRepresentable {}
extension UInt32: FieldValueRepresentable {}
extension UInt64: FieldValueRepresentable {}

extension Double: FieldValueRepresentable {
    /// The number; large whole numbers are rounded.
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .double(let value): self = value
        case .int64(let value): self = Double(value)
        default: return nil
        }
    }
}

extension Float: FieldValueRepresentable {
    /// The number, rounded.
    public init?(fieldValue: FieldValue) {
        guard let value = Double(fieldValue: fieldValue) else { return nil }
        self = Float(value)
    }
}

extension Bool: FieldValueRepresentable {
    /// The truth value; databases keep it as 1 or 0.
    public init?(fieldValue: FieldValue) {
        switch fieldValue {
        case .bool(let value): self = value
        case .int64(0): self = false
        case .int64(1): self = true
        default: return nil
        }
    }
}

extension String: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) {
        guard case .string(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Date: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) {
        guard case .date(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Data: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) {
        guard case .data(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Location: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) {
        guard case .location(let value) = fieldValue else { return nil }
        self = value
    }
}

extension RecordReference: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) {
        guard case .reference(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Record.ID: FieldValueRepresentable {
    /// The record that a reference leads to.
    public init?(fieldValue: FieldValue) {
        guard case .reference(let value) = fieldValue else { return nil }
        self = value.recordID
    }
}

extension Asset: FieldValueRepresentable {
    public init?(fieldValue: FieldValue) {
        guard case .asset(let value) = fieldValue else { return nil }
        self = value
    }
}

extension Array: FieldValueRepresentable where Element: FieldValueRepresentable {
    /// The elements, if all of them are of the type.
    public init?(fieldValue: FieldValue) {
        guard case .list(let elements) = fieldValue else { return nil }
        self.init()
        reserveCapacity(elements.count)
        for element in elements {
            guard let element = Element(fieldValue: element) else { return nil }
            append(element)
        }
    }
}
