// What fields hold, under CloudKit's names.

public import Foundation
public import RecordDatabase

/// Any value that a field can hold.
public typealias CKRecordValue = CKRecordValueProtocol

/// What CloudKit calls `CKRecordValue` in casts that its compiler's hints write: `as __CKRecordObjCValue`.
// swift-format-ignore: NoLeadingUnderscores
public typealias __CKRecordObjCValue = CKRecordValueProtocol

/// A type whose values fields can hold.
public protocol CKRecordValueProtocol {
    /// The value in the terms of `RecordDatabase`.
    var recordFieldValue: FieldValue { get }
    /// The value of a field; `nil` for one that the type cannot hold exactly.
    static func read(_ value: FieldValue) -> Self?
}

extension CKRecordValueProtocol where Self: FieldValueRepresentable {
    public var recordFieldValue: FieldValue { fieldValue }
    public static func read(_ value: FieldValue) -> Self? { Self(fieldValue: value) }
}

extension String: CKRecordValueProtocol {}
extension Int: CKRecordValueProtocol {}
extension Int8: CKRecordValueProtocol {}
extension Int16: CKRecordValueProtocol {}
extension Int32: CKRecordValueProtocol {}
extension Int64: CKRecordValueProtocol {}
extension UInt: CKRecordValueProtocol {}
extension UInt8: CKRecordValueProtocol {}
extension UInt16: CKRecordValueProtocol {}
extension UInt32: CKRecordValueProtocol {}
extension UInt64: CKRecordValueProtocol {}
extension Double: CKRecordValueProtocol {}
extension Float: CKRecordValueProtocol {}
extension Bool: CKRecordValueProtocol {}
extension Date: CKRecordValueProtocol {}
extension Data: CKRecordValueProtocol {}

extension Array: CKRecordValueProtocol where Element: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue { .list(map(\.recordFieldValue)) }

    public static func read(_ value: FieldValue) -> [Element]? {
        guard case .list(let elements) = value else { return nil }
        var values: [Element] = []
        for element in elements {
            guard let value = Element.read(element) else { return nil }
            values.append(value)
        }
        return values
    }
}

extension NSNumber: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue {
        switch typeCode {
        case "d", "f": .double(doubleValue)
        // Of truth values alone: numbers of 8 bits have another one.
        case "c": .bool(boolValue)
        // May be larger than numbers with a sign.
        case "Q": uint64Value.fieldValue
        default: .int64(int64Value)
        }
    }

    /// A letter for the type that the number was made of.
    private var typeCode: String {
        // SAFETY: the type of a number is a text of the runtime that ends with 0 and is never freed.
        unsafe String(cString: objCType)
    }

    public static func read(_ value: FieldValue) -> Self? {
        switch value {
        case .int64(let value): NSNumber(value: value) as? Self
        case .double(let value): NSNumber(value: value) as? Self
        case .bool(let value): NSNumber(value: value) as? Self
        default: nil
        }
    }
}

extension NSString: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue { .string(description) }
    public static func read(_ value: FieldValue) -> Self? {
        String.read(value).flatMap { NSString(string: $0) as? Self }
    }
}

extension NSDate: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue {
        .date(Date(timeIntervalSinceReferenceDate: timeIntervalSinceReferenceDate))
    }
    public static func read(_ value: FieldValue) -> Self? {
        Date.read(value).flatMap {
            NSDate(timeIntervalSinceReferenceDate: $0.timeIntervalSinceReferenceDate) as? Self
        }
    }
}

extension NSData: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue { .data(Data(referencing: self)) }
    public static func read(_ value: FieldValue) -> Self? { Data.read(value).flatMap { NSData(data: $0) as? Self } }
}

extension NSArray: CKRecordValueProtocol {
    /// A list; an element that no field can hold makes the value one that fails when the record is saved.
    public var recordFieldValue: FieldValue { FieldValue(compat: map { $0 }) ?? .set([]) }
    public static func read(_ value: FieldValue) -> Self? {
        guard case .list(let elements) = value else { return nil }
        return NSArray(array: elements.compactMap(\.recordValue)) as? Self
    }
}

extension CLLocation: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue { .location(location) }
    public static func read(_ value: FieldValue) -> CLLocation? { Location(fieldValue: value).map { CLLocation($0) } }
}

extension CKReference: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue { .reference(reference) }
    public static func read(_ value: FieldValue) -> CKRecord.Reference? {
        RecordReference(fieldValue: value).map { CKRecord.Reference($0) }
    }
}

extension CKAsset: CKRecordValueProtocol {
    public var recordFieldValue: FieldValue { .asset(asset) }
    public static func read(_ value: FieldValue) -> CKAsset? { Asset(fieldValue: value).map { CKAsset($0) } }
}

extension FieldValue {
    /// The value as CloudKit gives it: numbers as `NSNumber`, lists as arrays of one type, objects as
    /// dictionaries.
    var recordValue: (any CKRecordValue)? {
        switch self {
        case .string(let value): value
        case .bool, .int64, .double: NSNumber.read(self)
        case .date(let value): value
        case .data(let value): value
        case .location: CLLocation.read(self)
        case .reference: CKRecord.Reference.read(self)
        case .asset: CKAsset.read(self)
        case .list(let elements): elements.first.map { list(like: $0) } ?? [String]()
        case .object: [String: any CKRecordValue].read(self)
        case .null, .set: nil
        }
    }

    /// A list as an array of the type of its elements, which are of one kind.
    private func list(like element: FieldValue) -> (any CKRecordValue)? {
        switch element {
        case .string: [String].read(self)
        case .bool, .int64, .double: [NSNumber].read(self)
        case .date: [Date].read(self)
        case .data: [Data].read(self)
        case .location: [CLLocation].read(self)
        case .reference: [CKRecord.Reference].read(self)
        case .asset: [CKAsset].read(self)
        case .object: [[String: any CKRecordValue]].read(self)
        case .null, .set, .list: nil
        }
    }
}
