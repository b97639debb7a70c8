// The order of texts by the rules of a language.

import RecordDatabase
import TextAnalysis

/// Orders records by keys, some of them by the collation of a locale.
struct CollatedOrder {
    private let keys: [SortKey]
    /// The locales of keys, by the key.
    private let locales: [SortKey: String]

    init(_ keys: [SortKey], _ locales: [SortKey: String]) { (self.keys, self.locales) = (keys, locales) }

    /// What a record is ordered by under one key: a text by its collation key, all else by its value.
    private struct Place {
        var value: FieldValue
        var collationKey: [UInt8]?
    }

    /// Orders records; those that are level stay as they are.
    func sorted(_ ordinals: [Int], _ values: ResultValues) -> [Int] {
        let places = ordinals.map { ordinal in
            keys.map { key -> Place in
                let value = values.value(of: key.criterion, at: ordinal)
                guard let locale = locales[key], case .string(let text) = value else {
                    return Place(value: SortOrder.prepared(value))
                }
                let bytes = TextComparison.sortKey(of: text, options: .localeSensitive, locale: locale)
                return Place(value: value, collationKey: bytes)
            }
        }
        let order = ordinals.indices.sorted { a, b in
            for (index, key) in keys.enumerated() {
                let result = Self.compare(places[a][index], places[b][index])
                if result != 0 { return (result < 0) == key.isAscending }
            }
            return a < b
        }
        return order.map { ordinals[$0] }
    }

    private static func compare(_ a: Place, _ b: Place) -> Int {
        guard let first = a.collationKey, let second = b.collationKey else {
            return SortOrder.compare(prepared: a.value, b.value)
        }
        if first == second { return 0 }
        return first.lexicographicallyPrecedes(second) ? -1 : 1
    }
}

extension FieldSelector {
    /// Reads a sort key that may name a locale, `name:locale=de`, before or behind its direction.
    /// - Throws: `CommandError` of status `usage`.
    static func collatedKey(_ text: String) throws(CommandError) -> (key: SortKey, locale: String?) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let index = parts.lastIndex(where: { $0.hasPrefix("locale=") }), index > 0 else {
            return (try sortKey(text), nil)
        }
        let locale = String(parts.remove(at: index).dropFirst(7))
        guard !locale.isEmpty, locale.allSatisfy({ $0.isLetter || $0.isNumber || "-_@=;".contains($0) }) else {
            throw CommandError(.usage, "'\(text)' names no locale", hint: "for example: name:locale=sv, name:locale=de")
        }
        return (try sortKey(parts.joined(separator: ":")), locale)
    }
}
