// Which Swift types a predicate compares with each other.

public import FoundationEssentials
public import Geospatial
public import RecordModel

/// Kinds of values that are compared with each other: Swift types of one family may be on either side of an
/// operator.
public protocol OperandFamily {}
/// A family whose values have an order.
public protocol OrderedFamily: OperandFamily {}

/// Integers and fractions of every size.
public enum NumberFamily: OrderedFamily {}
/// Texts, UUIDs and URLs.
public enum TextFamily: OrderedFamily {}
/// Moments.
public enum DateFamily: OrderedFamily {}
/// Lengths on the ground: what a distance is compared with.
public enum DistanceFamily: OrderedFamily {}
/// Truth values, which have no order.
public enum TruthFamily: OperandFamily {}
/// Places, which have no order.
public enum LocationFamily: OperandFamily {}
/// References and what they lead to.
public enum ReferenceFamily: OperandFamily {}
/// Bytes, which have no order.
public enum DataFamily: OperandFamily {}
/// Files of records, which have no order.
public enum AssetFamily: OperandFamily {}
/// Lists whose elements are of a family.
public enum ListFamily<Element: OperandFamily>: OperandFamily {}

/// A Swift type whose values a predicate compares.
public protocol FieldOperand: FieldValueConvertible {
    /// The kind of values that these are compared with.
    associatedtype Family: OperandFamily
}

/// The result of arithmetic: a whole number or a fraction, as the operands are. Without values in Swift.
public enum Number: FieldOperand {
    public typealias Family = NumberFamily
    public var fieldValue: FieldValue { switch self {} }
}

extension Int: FieldOperand { public typealias Family = NumberFamily }
extension Int8: FieldOperand { public typealias Family = NumberFamily }
extension Int16: FieldOperand { public typealias Family = NumberFamily }
extension Int32: FieldOperand { public typealias Family = NumberFamily }
extension Int64: FieldOperand { public typealias Family = NumberFamily }
extension UInt: FieldOperand { public typealias Family = NumberFamily }
extension UInt8: FieldOperand { public typealias Family = NumberFamily }
extension UInt16: FieldOperand { public typealias Family = NumberFamily }
extension UInt32: FieldOperand { public typealias Family = NumberFamily }
extension UInt64: FieldOperand { public typealias Family = NumberFamily }
extension Double: FieldOperand { public typealias Family = NumberFamily }
extension Float: FieldOperand { public typealias Family = NumberFamily }
extension Bool: FieldOperand { public typealias Family = TruthFamily }
extension String: FieldOperand { public typealias Family = TextFamily }
extension Substring: FieldOperand { public typealias Family = TextFamily }
extension UUID: FieldOperand { public typealias Family = TextFamily }
extension URL: FieldOperand { public typealias Family = TextFamily }
extension Date: FieldOperand { public typealias Family = DateFamily }
extension Data: FieldOperand { public typealias Family = DataFamily }
extension Location: FieldOperand { public typealias Family = LocationFamily }
extension RecordReference: FieldOperand { public typealias Family = ReferenceFamily }
extension RecordReference.To: FieldOperand { public typealias Family = ReferenceFamily }
extension Record.ID: FieldOperand { public typealias Family = ReferenceFamily }
extension Record: FieldOperand { public typealias Family = ReferenceFamily }
extension Asset: FieldOperand { public typealias Family = AssetFamily }

extension Distance: FieldOperand {
    public typealias Family = DistanceFamily
    /// Metres.
    public var fieldValue: FieldValue { .double(meters) }
}

extension Optional: FieldOperand where Wrapped: FieldOperand {
    public typealias Family = Wrapped.Family
}

extension Array: FieldOperand where Element: FieldOperand {
    public typealias Family = ListFamily<Element.Family>
}

/// A Swift type that is kept as a list.
public protocol ListOperand {
    /// The Swift type of the elements.
    associatedtype Element
}

extension Array: ListOperand {}
extension Set: ListOperand {}
extension Optional: ListOperand where Wrapped: ListOperand {
    /// The elements of the list, where there is one.
    public typealias Element = Wrapped.Element
}
