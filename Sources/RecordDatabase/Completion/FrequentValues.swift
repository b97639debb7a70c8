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

    /// The most frequent values of a field over the records of segments that have it.
    /// - Complexity: O(distinct values) with an index, or O(entries) where records were deleted; O(rows) for coded
    ///   texts at a nanosecond each, else O(sample).
    init(of field: String, in segments: [StoredSegment]) {
        var counts: [FieldValue: Int] = [:]
        // Indexes of which only a part was counted, with that part.
        var parts: [(stored: StoredSegment, index: OrderedIndex, counted: Set<Int>)] = []
        for stored in segments {
            guard let position = stored.segment.schema.position(of: field) else { continue }
            let column = stored.segment.columns[position]
            if case .dictionary(let dictionary) = column.values {
                Self.addCodes(of: dictionary, column, in: stored, to: &counts)
            } else if let index = stored.indexes.ordered(column: position, building: false), index.isExact {
                let most = index.mostFrequent(Self.capacity, in: stored)
                for (distinct, count) in most { counts[index.key(ofDistinct: distinct), default: 0] += count }
                if most.count == Self.capacity { parts.append((stored, index, Set(most.map(\.distinct)))) }
            } else {
                addSample(of: column, in: stored, to: &counts)
            }
        }
        entries = Self.most(of: counts.map { ValueCount($0.key, $0.value) })
        if segments.count == 1 { return }
        // What is frequent in one segment and rare in another counts in both.
        for (stored, index, counted) in parts {
            for place in entries.indices {
                guard let distinct = index.distinct(equalTo: entries[place].value), !counted.contains(distinct) else {
                    continue
                }
                entries[place].count += index.count(ofDistinct: distinct, in: stored)
            }
        }
        entries = Self.most(of: entries)
    }

    private static func most(of counts: [ValueCount]) -> [ValueCount] {
        let sorted = counts.sorted { $0.count != $1.count ? $0.count > $1.count : precedes($0.value, $1.value) }
        return Array(sorted.prefix(capacity))
    }

    private static func precedes(_ a: FieldValue, _ b: FieldValue) -> Bool {
        if case .string(let a) = a, case .string(let b) = b { return a < b }
        return SortOrder.compare(a, b) < 0
    }

    private static func addCodes(
        of dictionary: DictionaryColumn, _ column: Column, in stored: StoredSegment, to counts: inout [FieldValue: Int]
    ) {
        var byCode = [Int](repeating: 0, count: dictionary.values.count)
        for row in 0..<column.count where column.isPresent(row) && stored.isLive(row) {
            byCode[Int(dictionary.codes[row])] += 1
        }
        for (code, count) in byCode.enumerated() where count > 0 {
            counts[.string(dictionary.values.string(code)), default: 0] += count
        }
    }

    /// Rows at even distances; elements of lists count each.
    private mutating func addSample(of column: Column, in stored: StoredSegment, to counts: inout [FieldValue: Int]) {
        let step = max(1, column.count / Self.sampleSize)
        if step > 1 { isExact = false }
        for row in stride(from: 0, to: column.count, by: step) where column.isPresent(row) && stored.isLive(row) {
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

    /// How many rows that are not deleted have a distinct value.
    fileprivate func count(ofDistinct distinct: Int, in stored: StoredSegment) -> Int {
        let run = run(ofDistinct: distinct..<distinct + 1)
        guard stored.deleted != nil else { return run.count }
        return unsafe run.withRows { rows in unsafe rows.count { stored.isLive(Int($0)) } }
    }

    /// The distinct values that most records have, in no order.
    /// - Complexity: O(distinct · log distinct), and O(entries) where rows were deleted.
    fileprivate func mostFrequent(_ limit: Int, in stored: StoredSegment) -> [(distinct: Int, count: Int)] {
        let runs = (0..<distinctCount).lazy.map { (distinct: $0, count: self.count(ofDistinct: $0, in: stored)) }
            .filter { $0.count > 0 }
        let all = Array(runs)
        return all.count <= limit ? all : Array(all.sorted { $0.count > $1.count }.prefix(limit))
    }
}

// MARK: Rare values

extension OrderedIndex {
    /// Texts of records that begin with the prefix, letter by letter; `nil` when the index is of something else.
    func texts(beginningWith prefix: String, limit: Int, in stored: StoredSegment) -> [String]? {
        guard case .text(let options) = family, options.isEmpty else { return nil }
        let found = distinct(beginningWith: prefix).joined().lazy.filter { self.count(ofDistinct: $0, in: stored) > 0 }
        return found.prefix(limit).compactMap { distinct in
            if case .string(let text) = key(ofDistinct: distinct) { text } else { nil }
        }
    }
}

extension Column {
    /// Different texts of records that begin with the prefix, without regard to the case of ASCII letters; none for
    /// other columns.
    /// - Complexity: O(rows) at a few nanoseconds each.
    func texts(beginningWith prefix: String, limit: Int, in stored: StoredSegment) -> [String] {
        guard case .text(let texts) = values else { return [] }
        let needle = prefix.utf8.map(Self.lowered)
        var found: [String] = []
        for row in 0..<count {
            let isMatch = unsafe texts.withBytes(row) { bytes in
                guard bytes.count >= needle.count else { return false }
                for index in needle.indices where unsafe Self.lowered(bytes[index]) != needle[index] { return false }
                return true
            }
            guard isMatch, isPresent(row), stored.isLive(row) else { continue }
            let text = texts.string(row)
            if !found.contains(text) { found.append(text) }
            if found.count == limit { break }
        }
        return found
    }

    @inline(__always)
    private static func lowered(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
