// What tells queries apart that cursors belong to.

import PredicateSemantics
import RecordModel

/// Tells one query (record type, zone, predicate with its arguments, sort keys) from others: a hash that is the same in
/// every process.
///
/// It is worked out when somebody compares it or keeps it: most results are read to the end, or never gone on with.
struct QueryFingerprint: Hashable, Sendable, Codable {
    private enum Source: Sendable {
        case known(UInt64)
        case query(QueryPredicate, words: [String], keys: [SortKey])
    }

    private let source: Source

    init(_ predicate: QueryPredicate, ofType type: String?, zoneID: RecordZone.ID?, sortedBy keys: [SortKey]) {
        let words = [type ?? "", zoneID?.zoneName ?? "", zoneID?.ownerName ?? ""]
        source = .query(predicate, words: words, keys: keys)
    }

    /// The hash, by FNV-1a. Complexity: O(size of the predicate), unless it was read from a cursor.
    var value: UInt64 {
        switch source {
        case .known(let value): return value
        case .query(let predicate, let words, let keys):
            let query = (words + ["\(predicate.bound)"]).joined(separator: " ")
            var hash: UInt64 = 0xCBF2_9CE4_8422_2325
            func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
            for part in [query] + keys.map({ "\($0.criterion) \($0.isAscending)" }) {
                part.utf8.forEach(add)
                add(0)
            }
            return hash
        }
    }

    /// The same, worked out for good.
    var known: QueryFingerprint { QueryFingerprint(.known(value)) }

    private init(_ source: Source) { self.source = source }

    static func == (a: Self, b: Self) -> Bool { a.value == b.value }

    func hash(into hasher: inout Hasher) { hasher.combine(value) }

    init(from decoder: any Decoder) throws {
        source = .known(try decoder.singleValueContainer().decode(UInt64.self))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
