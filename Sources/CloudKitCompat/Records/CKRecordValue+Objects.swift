// Objects in fields, which CloudKit has none of, as dictionaries.

public import Foundation
public import RecordDatabase

extension Dictionary: CKRecordValueProtocol where Key == String, Value == any CKRecordValue {
    /// An object with the members.
    public var recordFieldValue: FieldValue { .object(mapValues(\.recordFieldValue)) }

    /// The members of an object, as fields give values: objects within as dictionaries, truth values as `Bool`s, lists
    /// of one type as arrays, and others as `NSArray`, with `NSNull` for missing elements.
    public static func read(_ value: FieldValue) -> [String: any CKRecordValue]? {
        guard case .object(let members) = value else { return nil }
        return members.compactMapValues(\.memberValue)
    }
}

extension NSDictionary: CKRecordValueProtocol {
    /// An object; a key that is no text, or a value that no field can hold, makes it one that fails when the record is
    /// saved.
    public var recordFieldValue: FieldValue {
        var members: [String: FieldValue] = [:]
        for (key, value) in self {
            guard let name = key as? String, let member = FieldValue(compat: value) else { return .set([]) }
            members[name] = member
        }
        return .object(members)
    }

    public static func read(_ value: FieldValue) -> Self? {
        [String: any CKRecordValue].read(value).flatMap { NSDictionary(dictionary: $0) as? Self }
    }
}

extension FieldValue {
    /// A member of an object, or an element of a list within one, as CloudKit gives values. Truth values are `Bool`s:
    /// fields have none, but objects do.
    fileprivate var memberValue: (any CKRecordValue)? {
        switch self {
        case .bool(let value): return value
        case .list(let elements) where elements.contains(.bool(true)) || elements.contains(.bool(false)):
            if let values = [Bool].read(self) { return values }
        default: break
        }
        if let value = recordValue { return value }
        guard case .list(let elements) = self else { return nil }
        let values = elements.map { element -> Any in
            if let value = element.memberValue { value } else { NSNull() }
        }
        return NSArray(array: values)
    }
}
