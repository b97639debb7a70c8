// Equality of values, and sets of values with fast membership.

import FoundationEssentials
import Geospatial
package import RecordModel
import TextAnalysis

/// The equality that `==`, IN and CONTAINS use.
struct ValueEquality: Sendable {
    let text: TextSettings

    /// Whether two values are equal: one family, same value; nil equals nil.
    ///
    /// - Complexity: O(n) in the elements of lists, sets and objects.
    func areEqual(_ a: FieldValue, _ b: FieldValue) -> Bool {
        switch (a, b) {
        case (.int64(let a), .int64(let b)): return a == b
        case (.string(let a), .string(let b)): return text.areEqual(a, b)
        case (.null, .null): return true
        case (.null, _), (_, .null): return false
        case (.date(let a), .date(let b)):
            return NumericOrder.compare(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate) == 0
        case (.reference(let a), .reference(let b)): return a.recordID == b.recordID
        case (.location(let a), .location(let b)): return a.isSamePosition(as: b)
        case (.data(let a), .data(let b)): return a == b
        case (.asset(let a), .asset(let b)): return a.path == b.path
        case (.list(let a), .list(let b)):
            return a.count == b.count && zip(a, b).allSatisfy { areEqual($0, $1) }
        case (.set(let a), .set(let b)):
            let left = MemberSet(a, text: text)
            let right = MemberSet(b, text: text)
            return a.allSatisfy(right.contains) && b.allSatisfy(left.contains)
        case (.object(let a), .object(let b)):
            return a.count == b.count && a.allSatisfy { key, value in b[key].map { areEqual(value, $0) } ?? false }
        default:
            guard let left = a.number, let right = b.number else { return false }
            return FieldValue.Number.compare(left, right) == 0
        }
    }
}

/// The distinct members of a list, with membership under the language's equality in constant time.
package struct MemberSet: Sendable {
    /// A value in a form whose hash and equality are those of the language.
    enum Key: Hashable, Sendable {
        case null
        case integer(Int64)
        /// The bits of a number that is no 64-bit integer; all NaNs are one.
        case double(UInt64)
        case string(String)
        /// Text that is compared by its bytes or by a locale: its bytes, or its key in the locale's order.
        case bytes([UInt8])
        /// The bits of its seconds, zero without a sign and all NaNs one.
        case date(UInt64)
        case data(Data)
        case location(Double, Double)
        indirect case reference(Record.ID)
        case asset(String)
        case list([Key])
        case set(Set<Key>)
        case object([String: Key])
    }

    /// The members, without repetitions, in order of first appearance.
    package private(set) var members: [FieldValue] = []
    private var positions: [Key: Int]
    private let text: TextSettings

    /// The distinct members of a list. Complexity: O(n) in the members and what they hold.
    init(_ elements: [FieldValue], text: TextSettings) {
        self.text = text
        positions = Dictionary(minimumCapacity: elements.count)
        members.reserveCapacity(elements.count)
        for element in elements { insert(element) }
    }

    /// No members yet; texts are equal as `==` without options has it.
    package init() { self.init([], text: TextSettings(options: [])) }

    /// Adds a member unless an equal one is there.
    package mutating func insert(_ value: FieldValue) {
        let key = key(value)
        guard positions[key] == nil else { return }
        positions[key] = members.count
        members.append(value)
    }

    /// Whether an equal member is there.
    func contains(_ value: FieldValue) -> Bool { position(of: value) != nil }

    /// The position of the equal one among the members.
    package func position(of value: FieldValue) -> Int? { positions[key(value)] }

    /// The same bits for numbers that are equal.
    private static func bits(of value: Double) -> UInt64 {
        if value.isNaN { return Double.nan.bitPattern }
        return value == 0 ? 0 : value.bitPattern
    }

    private func key(_ value: FieldValue) -> Key {
        switch value {
        case .null: return .null
        case .bool(let value): return .integer(value ? 1 : 0)
        case .int64(let value): return .integer(value)
        case .double(let value):
            if let integer = NumericOrder.integer(value) { return .integer(integer) }
            return .double(Self.bits(of: value))
        case .string(let value):
            if text.options.isDisjoint(with: [.normalized, .localeSensitive]) {
                return .string(TextFolding.fold(value, text.options))
            }
            return .bytes(TextComparison.sortKey(of: value, options: text.options, locale: text.locale))
        case .date(let value): return .date(Self.bits(of: value.timeIntervalSinceReferenceDate))
        case .data(let value): return .data(value)
        case .location(let value): return .location(value.latitude, value.longitude)
        case .reference(let value): return .reference(value.recordID)
        case .asset(let value): return .asset(value.path)
        case .list(let elements): return .list(elements.map(key))
        case .set(let elements): return .set(Set(elements.map(key)))
        case .object(let values): return .object(values.mapValues(key))
        }
    }
}
