// The order of a column's values as a kind of index.

import RecordColumns
import RecordModel
package import TextAnalysis

extension OrderedIndex: MergeableIndex {
    package static let kind = IndexKind(number: 0, name: "ordered", mark: .queryable, coversAllFields: true)

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> OrderedIndex? {
        build(over: indexes.column(of: key) ?? indexes.names, options: key.options)
    }

    static func read(
        _ key: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> OrderedIndex? {
        try OrderedIndex(from: reader, rowCount: indexes.segment.count, of: indexes.column(of: key))
    }

    var isOfText: Bool { if case .text = family { true } else { false } }

    var size: (entries: Int, distinct: Int?) { (entryCount, distinctCount) }

    /// Whether both have the same values with the same rows. Complexity: O(entries).
    func isSame(as other: OrderedIndex) -> Bool {
        guard family == other.family, isOverLists == other.isOverLists, distinctCount == other.distinctCount,
            entryCount == other.entryCount, rowCount == other.rowCount
        else { return false }
        return findsItsTexts
            && (0..<distinctCount).allSatisfy { distinct in
                let runs = [self, other].map { $0.run(ofDistinct: distinct..<distinct + 1) }
                guard runs[0].range == runs[1].range,
                    Self.areSame(key(ofDistinct: distinct), other.key(ofDistinct: distinct))
                else { return false }
                return unsafe runs[0].withRows { mine in
                    unsafe runs[1].withRows { theirs in unsafe mine.elementsEqual(theirs) }
                }
            }
    }

    /// Whether keys are the same: texts byte by byte, and a number that is none like itself.
    private static func areSame(_ a: FieldValue, _ b: FieldValue) -> Bool {
        if case .string(let a) = a, case .string(let b) = b { return a.utf8.elementsEqual(b.utf8) }
        return a == b || "\(a)" == "\(b)"
    }

    /// Whether every distinct text is found by its bytes, and what is known about the texts is true of them.
    private var findsItsTexts: Bool {
        guard case .text(let texts) = keys else { return true }
        guard TextKeys(texts: texts.texts, positions: texts.positions).mayJoin == texts.mayJoin else { return false }
        return (0..<distinctCount).allSatisfy { distinct in
            texts.find(texts.texts.byteArray(texts.position(distinct, in: self)), in: self, using: textPositions)
                == distinct
        }
    }
}

extension SegmentIndexes {
    fileprivate var names: Column { Column(values: .text(segment.names), presence: nil, count: segment.count) }

    /// The order of a column's values; `nil` for columns without one.
    ///
    /// - Parameters:
    ///   - column: Position in `segment.columns`.
    ///   - options: How texts are folded; the locale's order is not kept.
    ///   - building: Whether an index that is missing is built; else `nil`.
    /// - Complexity: O(n log n) the first time, then O(1).
    package func ordered(column: Int, options: TextOptions = [], building: Bool = true) -> OrderedIndex? {
        guard !options.contains(.localeSensitive) else { return nil }
        let options = options.isEmpty || segment.columns[column].holdsText ? options : []
        return index(OrderedIndex.self, column: column, options: options, building: building)
    }

    /// The order of the records' names, which no column holds.
    ///
    /// - Complexity: O(n log n) the first time, then O(1).
    package func orderedNames() -> OrderedIndex? { index(OrderedIndex.self, column: nil, building: true) }
}
