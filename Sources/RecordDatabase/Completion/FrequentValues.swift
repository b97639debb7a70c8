// The values of a field that occur most, for completion: from an index where there is one, else from codes or a sample.

import Indexing
import OrdinalSets
import RecordColumns
import RecordModel
import RecordStore

/// Values of a field with the number of records that have them, most frequent first.
struct FrequentValues: Sendable {
    /// At most so many values are kept.
    static let capacity = 1_000
    /// At most so many rows of a segment are looked at where nothing else knows the values.
    private static let sampleSize = 10_000

    private(set) var entries: [ValueCount] = []
    /// Whether the counts are of all records.
    private(set) var isExact = true

    /// The most frequent values of a field over the segments that have it.
    /// - Complexity: O(distinct values) with an index, O(rows) for coded texts at a nanosecond each, else O(sample).
    init(of field: String, in segments: [SegmentIndexes]) {
        var counts: [FieldValue: Int] = [:]
        for indexes in segments {
            guard let position = indexes.segment.schema.position(of: field) else { continue }
            add(indexes.segment.columns[position], indexes.ordered(column: position, building: false), to: &counts)
        }
        entries = counts.map { ValueCount($0.key, $0.value) }
        entries.sort { $0.count != $1.count ? $0.count > $1.count : Self.precedes($0.value, $1.value) }
        entries.removeLast(max(0, entries.count - Self.capacity))
    }

    private static func precedes(_ a: FieldValue, _ b: FieldValue) -> Bool {
        if case .string(let a) = a, case .string(let b) = b { return a < b }
        return SortOrder.compare(a, b) < 0
    }

    private mutating func add(_ column: Column, _ index: OrderedIndex?, to counts: inout [FieldValue: Int]) {
        if case .dictionary(let dictionary) = column.values { return addCodes(of: dictionary, column, to: &counts) }
        if let index, index.isExact {
            let most = index.mostFrequent(Self.capacity)
            for (distinct, count) in most { counts[index.key(ofDistinct: distinct), default: 0] += count }
        } else {
            addSample(of: column, to: &counts)
        }
    }

    private func addCodes(of dictionary: DictionaryColumn, _ column: Column, to counts: inout [FieldValue: Int]) {
        var byCode = [Int](repeating: 0, count: dictionary.values.count)
        for row in 0..<column.count where column.isPresent(row) { byCode[Int(dictionary.codes[row])] += 1 }
        for (code, count) in byCode.enumerated() where count > 0 {
            counts[.string(dictionary.values.string(code)), default: 0] += count
        }
    }

    /// Rows at even distances; elements of lists count each.
    private mutating func addSample(of column: Column, to counts: inout [FieldValue: Int]) {
        let step = max(1, column.count / Self.sampleSize)
        if step > 1 { isExact = false }
        for row in stride(from: 0, to: column.count, by: step) where column.isPresent(row) {
            switch column.value(row) {
            case .list(let elements): for element in elements where !element.isNull { counts[element, default: 0] += 1 }
            case let value: counts[value, default: 0] += 1
            }
        }
    }
}

extension OrderedIndex {
    /// Whether the keys are the values themselves, not folded.
    fileprivate var isExact: Bool {
        switch family {
        case .number, .date: true
        case .text(let options): options.isEmpty
        case .reference: false
        }
    }

    /// The distinct values held by most rows, in no order. Complexity: O(distinct · log limit).
    fileprivate func mostFrequent(_ limit: Int) -> [(distinct: Int, count: Int)] {
        let runs = (0..<distinctCount).map { (distinct: $0, count: run(ofDistinct: $0..<$0 + 1).count) }
        if runs.count <= limit { return runs }
        return Array(runs.sorted { $0.count > $1.count }.prefix(limit))
    }
}

// MARK: Rare values

extension OrderedIndex {
    /// Texts that begin with the prefix, letter by letter; `nil` when the index is of something else.
    func texts(beginningWith prefix: String, limit: Int) -> [String]? {
        guard case .text(let options) = family, options.isEmpty else { return nil }
        return distinct(beginningWith: prefix).joined().prefix(limit).compactMap { distinct in
            if case .string(let text) = key(ofDistinct: distinct) { text } else { nil }
        }
    }
}

extension Column {
    /// Different texts that begin with the prefix, without regard to the case of ASCII letters; none for other columns.
    /// - Complexity: O(rows) at a few nanoseconds each.
    func texts(beginningWith prefix: String, limit: Int) -> [String] {
        guard case .text(let texts) = values else { return [] }
        let needle = prefix.utf8.map(Self.lowered)
        var found: [String] = []
        for row in 0..<count {
            let isMatch = unsafe texts.withBytes(row) { bytes in
                guard bytes.count >= needle.count else { return false }
                for index in needle.indices where unsafe Self.lowered(bytes[index]) != needle[index] { return false }
                return true
            }
            guard isMatch, isPresent(row) else { continue }
            let text = texts.string(row)
            if !found.contains(text) { found.append(text) }
            if found.count == limit { break }
        }
        return found
    }

    @inline(__always)
    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
