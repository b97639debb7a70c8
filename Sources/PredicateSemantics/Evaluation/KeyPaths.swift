// Steps from a value to another: keys, positions, collection operators.

import Geospatial
import PredicateSyntax
import RecordModel

/// The meaning of path steps.
enum KeyPaths {
    /// The member of a value by key.
    ///
    /// An object's member, or its keys and its values (`@allKeys`, `@allValues`, in the order of the keys); of a list
    /// or set the list of its elements' members; through a reference the field of the record it names. `length` of text
    /// counts UTF-16 units. Nil has nil members, and so has everything else.
    ///
    /// - Complexity: O(n) in the elements of a list.
    static func member(of value: FieldValue, key: String, source: (any RecordSource)?) -> FieldValue {
        switch value {
        case .object(let members):
            if let member = members[key] { return member }
            switch key {
            case "@allKeys": return .list(members.keys.sorted().map { .string($0) })
            case "@allValues": return .list(members.keys.sorted().map { members[$0] ?? .null })
            default: return .null
            }
        case .list(let elements), .set(let elements):
            return .list(elements.map { member(of: $0, key: key, source: source) })
        case .string(let text): return key == "length" ? .int64(Int64(text.utf16.count)) : .null
        case .data(let bytes): return key == "length" ? .int64(Int64(bytes.count)) : .null
        case .location(let location):
            switch key {
            case "latitude": return .double(location.latitude)
            case "longitude": return .double(location.longitude)
            default: return .null
            }
        case .reference(let reference):
            switch key {
            case "recordID": return value
            case "recordName": return .string(reference.recordID.recordName)
            default: return source?.resolve(reference)?.value(named: key) ?? .null
            }
        case .null, .bool, .int64, .double, .date, .asset: return .null
        }
    }

    /// The element of a list at a position, or the member of an object by name.
    ///
    /// - Throws: `ValueFault` outside the list, or for a value that has no such elements; operand 0 is the value,
    ///   operand 1 the index.
    static func element(of value: FieldValue, at index: FieldValue) throws(ValueFault) -> FieldValue {
        switch value {
        case .null: return .null
        case .list(let elements):
            guard let position = index.number?.asInteger else {
                if index.isNull { return .null }
                throw ValueFault(.typeMismatch, "a list is indexed by a whole number, not \(index.phrase)", operand: 1)
            }
            guard position >= 0, position < Int64(elements.count) else {
                throw ValueFault(
                    .indexOutOfRange, "the index is outside the list of \(elements.count)",
                    hint: "[FIRST] and [LAST] of an empty list are nil", operand: 1)
            }
            return elements[Int(position)]
        case .object(let members):
            guard case .string(let key) = index else {
                if index.isNull { return .null }
                throw ValueFault(.typeMismatch, "an object is indexed by a key, not \(index.phrase)", operand: 1)
            }
            return members[key] ?? .null
        default:
            throw ValueFault(.typeMismatch, "\(value.phrase) cannot be indexed", operand: 0)
        }
    }

    /// The first or last element of a list, any element of a set; nil when empty.
    ///
    /// - Throws: `ValueFault` for a value that is no collection.
    static func end(of value: FieldValue, first: Bool) throws(ValueFault) -> FieldValue {
        switch value {
        case .null: return .null
        case .list(let elements), .set(let elements): return (first ? elements.first : elements.last) ?? .null
        default:
            throw ValueFault(
                .typeMismatch, "[\(first ? "FIRST" : "LAST")] needs a list, not \(value.phrase)", operand: 0)
        }
    }

    /// The number of elements of a list or set, of members of an object; nil of nil.
    ///
    /// - Throws: `ValueFault` for a value that is no collection.
    static func size(of value: FieldValue, _ name: String) throws(ValueFault) -> FieldValue {
        switch value {
        case .null: return .null
        case .list(let elements): return .int64(Int64(elements.count))
        case .set(let elements):
            return .int64(Int64(MemberSet(elements, text: TextSettings(options: [])).members.count))
        case .object(let members): return .int64(Int64(members.count))
        case .string:
            throw ValueFault(.typeMismatch, "\(name) needs a list, not text", hint: "write .length", operand: 0)
        default: throw ValueFault(.typeMismatch, "\(name) needs a list, not \(value.phrase)", operand: 0)
        }
    }

    /// What a collection operator makes of a collection; nil of nil.
    ///
    /// - Throws: `ValueFault` for a value that is no collection, or elements that the operator cannot take.
    static func apply(_ operation: CollectionOperator, to value: FieldValue) throws(ValueFault) -> FieldValue {
        let name = "@\(operation.rawValue)"
        if operation == .count { return try size(of: value, name) }
        if value.isNull { return .null }
        guard let elements = value.elements else {
            throw ValueFault(.typeMismatch, "\(name) needs a list, not \(value.phrase)", operand: 0)
        }
        switch operation {
        case .count, .sum: return try Aggregates.sum(flattened(elements), name)
        case .avg: return try Aggregates.average(flattened(elements), name)
        case .min: return try Aggregates.extreme(flattened(elements), sign: -1, name)
        case .max: return try Aggregates.extreme(flattened(elements), sign: 1, name)
        case .unionOfObjects: return .list(elements.filter { !$0.isNull })
        case .distinctUnionOfObjects: return .list(distinct(elements.filter { !$0.isNull }))
        case .unionOfArrays: return .list(try joined(elements, name))
        case .distinctUnionOfArrays: return .list(distinct(try joined(elements, name)))
        case .unionOfSets, .distinctUnionOfSets: return .set(distinct(try joined(elements, name)))
        }
    }

    /// The elements with nested lists opened.
    static func flattened(_ elements: [FieldValue]) -> [FieldValue] {
        guard elements.contains(where: \.isCollection) else { return elements }
        return elements.flatMap { element -> [FieldValue] in
            switch element {
            case .list(let nested), .set(let nested): flattened(nested)
            default: [element]
            }
        }
    }

    /// The distinct elements, in order of first appearance.
    static func distinct(_ elements: [FieldValue]) -> [FieldValue] {
        MemberSet(elements, text: TextSettings(options: [])).members
    }

    /// The elements of the lists that are the elements.
    private static func joined(_ elements: [FieldValue], _ name: String) throws(ValueFault) -> [FieldValue] {
        var result: [FieldValue] = []
        for element in elements where !element.isNull {
            guard element.isCollection, let nested = element.elements else {
                throw ValueFault(.typeMismatch, "\(name) needs a list of lists", operand: 0)
            }
            result += nested.filter { !$0.isNull }
        }
        return result
    }
}
