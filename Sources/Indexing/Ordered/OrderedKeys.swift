// The distinct values of an ordered index.

import FoundationEssentials
import Glibc
package import RecordColumns
package import RecordModel
import Synchronization
package import TextAnalysis

/// The distinct values of an ordered index, ascending.
package enum OrderedKeys: Sendable {
    /// Whole numbers; truth values as 0 and 1.
    case int(ColumnBuffer<Int64>)
    /// Numbers that are all exact as doubles, or seconds.
    case double(ColumnBuffer<Double>)
    /// Texts, held by a text column.
    case text(TextKeys)

    var byteCount: Int {
        switch self {
        case .int(let numbers): numbers.byteCount
        case .double(let numbers): numbers.byteCount
        case .text(let texts): texts.positions?.byteCount ?? 0
        }
    }

    func value(_ distinct: Int, of index: OrderedIndex) -> FieldValue {
        switch self {
        case .int(let numbers): .int64(numbers[distinct])
        case .double(let numbers):
            if case .date = index.family {
                .date(Date(timeIntervalSinceReferenceDate: numbers[distinct]))
            } else {
                .double(numbers[distinct])
            }
        case .text(let texts): .string(texts.texts.string(texts.position(distinct, in: index)))
        }
    }
}

/// The distinct texts of an ordered index: positions in a text column.
package struct TextKeys: Sendable {
    let texts: TextColumn
    /// The position in `texts` of each distinct value; `nil` when it is the value's first row itself.
    let positions: ColumnBuffer<UInt32>?
    /// Whether some text has a scalar that may join the one before it: only then can a prefix cut a character.
    let mayJoin: Bool

    init(texts: TextColumn, positions: ColumnBuffer<UInt32>?) {
        self.texts = texts
        self.positions = positions
        // No scalar below U+0300 joins another; those from there on start with bytes from 0xCC on.
        mayJoin = unsafe !texts.bytes.isASCII && texts.bytes.withElements { unsafe $0.contains { $0 >= 0xCC } }
    }

    init(texts: TextColumn, positions: ColumnBuffer<UInt32>?, mayJoin: Bool) {
        self.texts = texts
        self.positions = positions
        self.mayJoin = mayJoin
    }

    /// Whether the distinct text begins with the needle, which it does by bytes, at the end of a character.
    func isPrefix(_ needle: PreparedNeedle, of distinct: Int, in index: OrderedIndex) -> Bool {
        unsafe texts.withBytes(position(distinct, in: index)) { unsafe needle.isPrefix(ofFolded: $0.span) }
    }

    /// Whether the distinct text holds the bytes.
    func holds(_ bytes: [UInt8], _ distinct: Int, in index: OrderedIndex) -> Bool {
        unsafe texts.withBytes(position(distinct, in: index)) { unsafe $0.span.holds(bytes.span) }
    }

    /// Whether the distinct text, which holds the bytes of letters and digits, holds them somewhere where their last
    /// character surely ends: at the end of the text, or before ASCII or a letter of Latin script.
    func holdsCharacters(_ bytes: [UInt8], _ distinct: Int, in index: OrderedIndex) -> Bool {
        unsafe texts.withBytes(position(distinct, in: index)) { text in
            let count = bytes.count
            for start in 0...max(0, text.count - count) where start + count <= text.count {
                let end = start + count
                guard unsafe text[start..<end].elementsEqual(bytes) else { continue }
                // U+00C0 to U+027F begin with these.
                if unsafe end == text.count || text[end] < 0x80 || 0xC3...0xC9 ~= text[end] { return true }
            }
            return false
        }
    }

    func position(_ distinct: Int, in index: OrderedIndex) -> Int {
        if let positions { return Int(positions[distinct]) }
        return Int(index.order[index.starts.map { Int($0[distinct]) } ?? distinct])
    }

    /// −1, 0 or 1 as the distinct text is below, equal to or above `other`, by bytes.
    func compare(_ distinct: Int, _ other: [UInt8], in index: OrderedIndex) -> Int {
        unsafe texts.withBytes(position(distinct, in: index)) { text in
            let shared = min(text.count, other.count)
            let difference = unsafe Self.compareBytes(text, other, shared)
            return difference != 0 ? difference : (text.count - other.count).signum()
        }
    }

    /// As `compare`, but 0 for every text that begins with `prefix`.
    func comparePrefix(_ distinct: Int, _ prefix: [UInt8], in index: OrderedIndex) -> Int {
        unsafe texts.withBytes(position(distinct, in: index)) { text in
            let shared = min(text.count, prefix.count)
            let difference = unsafe Self.compareBytes(text, prefix, shared)
            return difference != 0 ? difference : (shared < prefix.count ? -1 : 0)
        }
    }

    /// The distinct value with exactly these bytes.
    ///
    /// - Parameter hash: Their `ByteHash.hash`, where it is known.
    func find(_ bytes: [UInt8], hash: UInt32? = nil, in index: OrderedIndex, using hashes: TextPositions) -> Int? {
        let table = table(of: index, using: hashes)
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            let hash = unsafe hash.map { unsafe table.hash(bytes, known: $0) } ?? table.hash(bytes)
            return table.find(hash) { unsafe texts.equals(position($0, in: index), bytes) }
        }
    }

    /// The distinct values by their texts, built on first use.
    func table(of index: OrderedIndex, using hashes: TextPositions) -> ByteIndex {
        hashes.table {
            let table = ByteIndex(capacity: index.distinctCount)
            for distinct in 0..<index.distinctCount {
                unsafe texts.withBytes(position(distinct, in: index)) {
                    unsafe table.insert(ByteHash.hash($0), distinct)
                }
            }
            return table
        }
    }

    private static func compareBytes(_ a: UnsafeBufferPointer<UInt8>, _ b: [UInt8], _ count: Int) -> Int {
        unsafe b.withUnsafeBufferPointer { b in
            guard count > 0, let first = a.baseAddress, let second = b.baseAddress else { return 0 }
            // SAFETY: both have at least `count` bytes.
            return Int(unsafe memcmp(first, second, count)).signum()
        }
    }
}

/// Positions of texts among the distinct values, by hash; built on first use.
final class TextPositions: Sendable {
    private let known = OnceCell<ByteIndex>()
    private let building = Mutex<Void>(())

    /// Takes a table that was built before.
    func keep(_ table: ByteIndex) { _ = known.storeIfNil(table) }

    func table(_ build: () -> ByteIndex) -> ByteIndex {
        known.load() ?? building.withLock { _ in known.load() ?? known.storeIfNil(build()) }
    }
}

/// A value that is looked up in indexes of many segments: its text is folded and hashed once.
package struct EqualityKey: Sendable {
    package let value: FieldValue
    package let options: TextOptions
    fileprivate let bytes: [UInt8]
    fileprivate let hash: UInt32

    package init(_ value: FieldValue, _ options: TextOptions) {
        (self.value, self.options) = (value, options)
        if case .string(let text) = value { bytes = Array(TextFolding.fold(text, options).utf8) } else { bytes = [] }
        hash = unsafe bytes.withUnsafeBufferPointer { unsafe ByteHash.hash($0) }
    }
}

extension OrderedIndex {
    /// The number of the distinct value equal to that of a key, or `nil`.
    /// - Complexity: As that of `distinct(equalTo:)`.
    package func distinct(equalTo key: EqualityKey) -> Int? {
        guard case .text(let texts) = keys, case .text(key.options) = family, case .string = key.value else {
            return distinct(equalTo: key.value)
        }
        return texts.find(key.bytes, hash: key.hash, in: self, using: textPositions)
    }
}
