// The order of any two field values, for sorting.

import FoundationEssentials
import Geospatial
import Glibc
package import RecordModel
import TextAnalysis

/// A total preorder of field values: missing, numbers and truth values, dates, text, and then the kinds that predicates
/// do not order, each among its own.
package enum SortOrder {
    /// −1, 0 or 1 as `a` comes before, level with or behind `b`.
    ///
    /// Numbers compare by exact value, text by Unicode scalar of the normalised string, places from south to north and
    /// west to east, references by name, data by bytes, lists element by element; nested objects are all level.
    /// - Complexity: O(length) for text, data and lists.
    package static func compare(_ a: FieldValue, _ b: FieldValue) -> Int {
        compare(prepared: prepared(a), prepared(b))
    }

    /// The value with its text normalised, so that comparing it often costs no more normalisation.
    package static func prepared(_ value: FieldValue) -> FieldValue {
        switch value {
        case .string(let text): .string(TextFolding.fold(text, []))
        case .list(let elements), .set(let elements): .list(elements.map(prepared))
        default: value
        }
    }

    /// Compares values that went through `prepared`.
    package static func compare(prepared a: FieldValue, _ b: FieldValue) -> Int {
        let ranks = (rank(a), rank(b))
        if ranks.0 != ranks.1 { return ranks.0 < ranks.1 ? -1 : 1 }
        switch (a, b) {
        case (.string(let a), .string(let b)): return textwise(a, b)
        case (.date(let a), .date(let b)):
            // By the number that a date is: dates that predicates tell apart are not level in an order.
            return NumericOrder.compare(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.location(let a), .location(let b)):
            let latitude = NumericOrder.compare(a.latitude, b.latitude)
            return latitude != 0 ? latitude : NumericOrder.compare(a.longitude, b.longitude)
        case (.reference(let a), .reference(let b)):
            return textwise(a.recordID.recordName, b.recordID.recordName)
        case (.asset(let a), .asset(let b)): return textwise(a.path, b.path)
        case (.data(let a), .data(let b)): return bytewise(a, b)
        case (.list(let a), .list(let b)):
            for (a, b) in zip(a, b) {
                let order = compare(prepared: a, b)
                if order != 0 { return order }
            }
            return NumericOrder.compare(Int64(a.count), Int64(b.count))
        default:
            guard let a = a.number, let b = b.number else { return 0 }
            return FieldValue.Number.compare(a, b)
        }
    }

    private static func rank(_ value: FieldValue) -> Int {
        switch value {
        case .null: 0
        case .bool, .int64, .double: 1
        case .date: 2
        case .string: 3
        case .location: 4
        case .reference: 5
        case .asset: 6
        case .data: 7
        case .list, .set: 8
        case .object: 9
        }
    }

    /// UTF-8 orders as its scalars do.
    private static func textwise(_ a: String, _ b: String) -> Int {
        let order = unsafe a.utf8.withContiguousStorageIfAvailable { a in
            unsafe b.utf8.withContiguousStorageIfAvailable { b -> Int in
                let length = min(a.count, b.count)
                guard length > 0, let start = a.baseAddress, let other = b.baseAddress else {
                    return (a.count - b.count).signum()
                }
                // SAFETY: both have `length` bytes.
                let order = Int(unsafe memcmp(start, other, length))
                return (order == 0 ? a.count - b.count : order).signum()
            }
        }
        return (order ?? nil) ?? bytewise(a.utf8, b.utf8)
    }

    private static func bytewise(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
        var rest = b.makeIterator()
        for byte in a {
            guard let other = rest.next() else { return 1 }
            if byte != other { return byte < other ? -1 : 1 }
        }
        return rest.next() == nil ? 0 : -1
    }
}
