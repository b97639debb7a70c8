// Which types of fields the properties of Swift types make.

import RecordModel
import Synchronization

/// The types of fields by Swift types.
enum FieldTypes {
    /// What was found out of each type that is kept as records.
    private static let known = Mutex<[ObjectIdentifier: [String: FieldType]]>([:])

    /// The types of the fields of a value whose parts were encoded; fields whose type depends on the value are left
    /// out.
    ///
    /// - Complexity: O(1) when values with the same fields were encoded before.
    static func of<Root: RecordConvertible>(_: Root.Type, _ nodes: [String: EncodedNode]) -> [String: FieldType] {
        let key = ObjectIdentifier(Root.self)
        let found = known.withLock { $0[key] }
        // A type with coding of its own may leave out keys in one value that others have.
        if let found, nodes.keys.allSatisfy({ found[$0] != nil || nodes[$0]?.type == nil }) { return found }
        // Outside of the lock: decoding samples runs code of the type's author.
        var types = found ?? [:]
        for (name, node) in nodes { if let type = node.type { types[name] = of(type) ?? .any } }
        let all = types
        known.withLock { $0[key] = all }
        return all
    }

    /// The type of the field that values of a Swift type make; `nil` where it depends on the value, or is not known.
    private static func of(_ type: any Any.Type) -> FieldType? {
        if type == FieldValue.self { return nil }
        if let optional = type as? any OptionalType.Type { return of(optional.wrapped) }
        if let list = type as? any ListType.Type { return of(list.element).map { .list($0) } }
        return (type as? any (Decodable & Encodable).Type).flatMap { sampled($0) }
    }

    /// The type of what a value encodes that was decoded out of nothing. A type that cannot be decoded so, such as an
    /// enumeration that does not list its cases, tells by what it tried to decode.
    private static func sampled<Value: Decodable & Encodable>(_ type: Value.Type) -> FieldType? {
        let source = SampleSource(sample: 0)
        guard let value = try? SampleDecoder(source).decode(type) else { return source.outermostType }
        return (try? FieldEncoder.value(of: value)).flatMap(FieldType.init)
    }
}

/// A type whose values may be missing.
private protocol OptionalType {
    static var wrapped: any Any.Type { get }
}

extension Optional: OptionalType {
    static var wrapped: any Any.Type { Wrapped.self }
}

/// A type that is kept as a list.
private protocol ListType {
    static var element: any Any.Type { get }
}

extension Array: ListType {
    static var element: any Any.Type { Element.self }
}

extension Set: ListType {
    static var element: any Any.Type { Element.self }
}

extension FieldType {
    /// The type of a value that is no list.
    fileprivate init?(_ value: FieldValue) {
        switch value {
        case .bool: self = .bool
        case .int64: self = .int64
        case .double: self = .double
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .location: self = .location
        case .reference: self = .reference
        case .asset: self = .asset
        case .object: self = .object
        case .null, .list, .set: return nil
        }
    }
}
