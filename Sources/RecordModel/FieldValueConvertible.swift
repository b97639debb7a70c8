// Swift types that stand for field values.

public import FoundationEssentials
public import Geospatial

/// A type whose values can be stored in a field or bound to a predicate.
public protocol FieldValueConvertible {
    /// The value as a field value.
    var fieldValue: FieldValue { get }
}

extension FieldValue: FieldValueConvertible {
    public var fieldValue: FieldValue { self }
}

extension FieldValueConvertible where Self: BinaryInteger {
    /// The integer, or the nearest floating-point number where it does not fit 64 bits.
    public var fieldValue: FieldValue { Int64(exactly: self).map { .int64($0) } ?? .double(Double(self)) }
}

extension Int: FieldValueConvertible {}
extension Int8: FieldValueConvertible {}
extension Int16: FieldValueConvertible {}
extension Int32: FieldValueConvertible {}
extension Int64: FieldValueConvertible {}
extension UInt: FieldValueConvertible {}
extension UInt8: FieldValueConvertible {}
extension UInt16: FieldValueConvertible {}
extension UInt32: FieldValueConvertible {}
extension UInt64: FieldValueConvertible {}

extension Double: FieldValueConvertible {
    public var fieldValue: FieldValue { .double(self) }
}

extension Float: FieldValueConvertible {
    public var fieldValue: FieldValue { .double(Double(self)) }
}

extension Bool: FieldValueConvertible {
    public var fieldValue: FieldValue { .bool(self) }
}

extension String: FieldValueConvertible {
    public var fieldValue: FieldValue { .string(self) }
}

extension Substring: FieldValueConvertible {
    public var fieldValue: FieldValue { .string(String(self)) }
}

extension Date: FieldValueConvertible {
    public var fieldValue: FieldValue { .date(self) }
}

extension Data: FieldValueConvertible {
    public var fieldValue: FieldValue { .data(self) }
}

extension Location: FieldValueConvertible {
    public var fieldValue: FieldValue { .location(self) }
}

extension GeoArea: FieldValueConvertible {
    /// The area's GeoJSON, as `inPolygon:geoJSON:` takes it.
    public var fieldValue: FieldValue { .string(geoJSON) }
}

extension RecordReference: FieldValueConvertible {
    public var fieldValue: FieldValue { .reference(self) }
}

extension Asset: FieldValueConvertible {
    public var fieldValue: FieldValue { .asset(self) }
}

extension Record.ID: FieldValueConvertible {
    /// A reference to the record of this identifier.
    public var fieldValue: FieldValue { .reference(RecordReference(recordID: self)) }
}

extension Record: FieldValueConvertible {
    /// A reference to the record: in a predicate a record means its identifier.
    public var fieldValue: FieldValue { id.fieldValue }
}

extension Optional: FieldValueConvertible where Wrapped: FieldValueConvertible {
    /// The wrapped value, or `.null`.
    // A key path of a generic type would be made with each call.
    public var fieldValue: FieldValue { map { $0.fieldValue } ?? .null }
}

extension Array: FieldValueConvertible where Element: FieldValueConvertible {
    public var fieldValue: FieldValue { .list(map { $0.fieldValue }) }
}

extension Set: FieldValueConvertible where Element: FieldValueConvertible {
    public var fieldValue: FieldValue { .set(map { $0.fieldValue }) }
}

extension Dictionary: FieldValueConvertible where Key == String, Value: FieldValueConvertible {
    /// An object of the members.
    public var fieldValue: FieldValue { .object(mapValues(\.fieldValue)) }
}
