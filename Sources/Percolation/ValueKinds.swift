// Kinds of values, as extracted terms assume them: where a record keeps to them, a comparison cannot fail.

import FoundationEssentials
import RecordModel

/// A set of kinds that the value of a field may be of; of a list also the kinds of its elements.
struct ValueKinds: OptionSet, Hashable, Sendable {
    let rawValue: UInt32

    static let null = ValueKinds(rawValue: 1 << 0)
    /// A number that a Double holds exactly.
    static let number = ValueKinds(rawValue: 1 << 1)
    /// NaN, or an integer beyond 2^53: they have their place in the order of numbers, but not in that of Doubles.
    static let oddNumber = ValueKinds(rawValue: 1 << 2)
    static let string = ValueKinds(rawValue: 1 << 3)
    static let date = ValueKinds(rawValue: 1 << 4)
    /// A date whose seconds are NaN.
    static let oddDate = ValueKinds(rawValue: 1 << 5)
    static let location = ValueKinds(rawValue: 1 << 6)
    /// Data, references, assets.
    static let other = ValueKinds(rawValue: 1 << 7)
    static let object = ValueKinds(rawValue: 1 << 8)
    /// A list or a set.
    static let list = ValueKinds(rawValue: 1 << 9)

    /// What no operator minds.
    static let all = ValueKinds(rawValue: .max)
    static let anyNumber: ValueKinds = [.number, .oddNumber]
    static let anyDate: ValueKinds = [.date, .oddDate]

    private static let elementShift: UInt32 = 16

    /// Lists whose elements are of the kinds.
    static func list(of elements: ValueKinds) -> ValueKinds {
        ValueKinds(rawValue: ValueKinds.list.rawValue | elements.rawValue << elementShift)
    }

    /// Elements that are no lists themselves, which quantifiers would open.
    static let flat: ValueKinds = ValueKinds(rawValue: 0xFFFF).subtracting(.list)
    /// Elements of any kind.
    static let anyElements = ValueKinds(rawValue: 0xFFFF)
}

extension ValueKinds {
    /// The kind of a value. Complexity: O(n) in the elements of a list.
    init(of value: FieldValue) {
        switch value {
        case .null: self = .null
        case .bool: self = .number
        case .int64(let value): self = value.magnitude <= 1 << 53 ? .number : .oddNumber
        case .double(let value): self = value.isNaN ? .oddNumber : .number
        case .string: self = .string
        case .date(let value): self = value.timeIntervalSinceReferenceDate.isNaN ? .oddDate : .date
        case .location: self = .location
        case .data, .reference, .asset: self = .other
        case .object: self = .object
        case .list(let elements), .set(let elements):
            var kinds: UInt32 = 0
            for element in elements { kinds |= ValueKinds(of: element).rawValue & 0xFFFF }
            self = .list(of: ValueKinds(rawValue: kinds))
        }
    }
}

/// What is taken for granted about one field.
struct KindAssumption: Hashable, Sendable {
    /// The field's number in its index.
    var field: Int
    /// Kinds that the field's value may be of.
    var kinds: ValueKinds
}
