// What is known about an operand's kind before any record is seen.

package import RecordModel

/// The kind of value an operand gives, as far as the schema and the constants tell.
package indirect enum OperandType: Hashable, Sendable {
    /// Not known before evaluation.
    case any
    /// Always nil.
    case null
    /// Integers, fractions, truth values.
    case number
    case string
    case date
    case data
    case location
    case reference
    case asset
    case object
    case list(OperandType)
    case set(OperandType)
}

extension OperandType {
    /// The kind of a field's values.
    package init(_ type: FieldType) {
        switch type {
        case .int64, .double, .number, .bool: self = .number
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .location: self = .location
        case .reference: self = .reference
        case .asset: self = .asset
        case .object: self = .object
        case .list(let element): self = .list(element.map(OperandType.init) ?? .any)
        case .any: self = .any
        }
    }

    /// The kind of a value. Complexity: O(n) in the elements of a list.
    package init(of value: FieldValue) {
        switch value {
        case .null: self = .null
        case .bool, .int64, .double: self = .number
        case .string: self = .string
        case .date: self = .date
        case .data: self = .data
        case .location: self = .location
        case .reference: self = .reference
        case .asset: self = .asset
        case .object: self = .object
        case .list(let elements): self = .list(Self.common(elements))
        case .set(let elements): self = .set(Self.common(elements))
        }
    }

    /// The one kind of all elements, nil elements aside; `.any` when there are several or none.
    private static func common(_ elements: [FieldValue]) -> OperandType {
        var result: OperandType?
        for element in elements where !element.isNull {
            let type: OperandType = element.isCollection ? .any : OperandType(of: element)
            if type == .any || result.map({ $0 != type }) == true { return .any }
            result = type
        }
        return result ?? .any
    }

    /// Whether values may be of this kind and still fit a place for `other`: unknown and nil fit everywhere.
    package func fits(_ other: OperandType) -> Bool {
        switch (self, other) {
        case (.any, _), (.null, _), (_, .any), (_, .null): true
        default: self == other
        }
    }

    /// Whether `<` means something between values of this kind.
    package var isOrderable: Bool {
        switch self {
        case .any, .null, .number, .string, .date: true
        default: false
        }
    }

    /// The kind of the elements, for lists and sets; `.any` where the kind may be a list; nil where it is none.
    package var element: OperandType? {
        switch self {
        case .list(let element), .set(let element): element
        case .any, .null, .object: .any
        default: nil
        }
    }

    /// The kind in the words of messages: "a number".
    package var phrase: String {
        switch self {
        case .any: "a value"
        case .null: "nil"
        case .number: "a number"
        case .string: "text"
        case .date: "a date"
        case .data: "binary data"
        case .location: "a location"
        case .reference: "a reference"
        case .asset: "an asset"
        case .object: "an object"
        case .list: "a list"
        case .set: "a set"
        }
    }
}

extension FieldValue {
    /// Whether the value is a list or a set.
    var isCollection: Bool {
        switch self {
        case .list, .set: true
        default: false
        }
    }

    /// The kind of the value in the words of messages, without looking at elements: "a list".
    var phrase: String {
        switch self {
        case .list: "a list"
        case .set: "a set"
        default: OperandType(of: self).phrase
        }
    }

    /// The elements of a list or set, the values of an object; nil for everything else.
    var elements: [FieldValue]? {
        switch self {
        case .list(let elements), .set(let elements): elements
        case .object(let members): Array(members.values)
        default: nil
        }
    }
}
