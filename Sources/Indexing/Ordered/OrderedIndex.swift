// The rows of a segment in the order of one field's values: equality, ranges, prefixes, sorting, statistics.
//
// One structure instead of a hash index, a tree and a sort order: the rows of a value are a stretch of the order, so
// they need no posting list of their own. Rejected: a B+ tree per segment (segments never change, so nothing is won
// for a third more memory and a cache miss per level), and a bitmap per value (only values held by many rows gain).

import FoundationEssentials
package import OrdinalSets
package import RecordColumns
package import RecordModel
import Synchronization
package import TextAnalysis

/// An index over the values of a column, or over the elements of a list column.
///
/// Immutable; may be read from any thread.
package final class OrderedIndex: Sendable {
    /// What the keys are: only values of the same family are found.
    package enum Family: Hashable, Sendable {
        /// Whole and fractional numbers and truth values.
        case number
        /// Seconds since 2001.
        case date
        /// Texts, folded by the options.
        case text(TextOptions)
        /// Names of referenced records, all of one zone.
        case reference(RecordZone.ID)

        /// Whether the index orders values of this kind.
        package func includes(_ value: FieldValue) -> Bool {
            switch (self, value) {
            case (.number, .int64), (.number, .double), (.number, .bool): true
            case (.date, .date), (.text, .string), (.reference, .reference): true
            default: false
            }
        }
    }

    package let family: Family
    /// The rows that have a value, by value, and those of one value ascending.
    package let order: ColumnBuffer<UInt32>
    /// Where each distinct value starts in `order`, and at the end the length of `order`; `nil` when each value
    /// has a single row.
    let starts: ColumnBuffer<UInt32>?
    let keys: OrderedKeys
    /// Number of rows of the segment, with or without a value.
    package let rowCount: Int
    /// Whether rows appear once for each distinct element of a list.
    package let isOverLists: Bool
    let textPositions = TextPositions()
    private let bitmaps = Mutex<[Int: Bitmap]>([:])

    init(
        family: Family, order: ColumnBuffer<UInt32>, starts: ColumnBuffer<UInt32>?, keys: OrderedKeys, rowCount: Int,
        isOverLists: Bool
    ) {
        self.family = family
        self.order = order
        self.starts = starts
        self.keys = keys
        self.rowCount = rowCount
        self.isOverLists = isOverLists
    }

    /// Number of entries: rows that have a value; for lists, pairs of a row and a distinct element.
    package var entryCount: Int { order.count }

    /// Number of distinct values.
    package var distinctCount: Int { starts.map { $0.count - 1 } ?? order.count }

    /// Room taken, in bytes.
    package var byteCount: Int { order.byteCount + (starts?.byteCount ?? 0) + keys.byteCount }

    /// The entries of the distinct values of a range of numbers `0 ..< distinctCount`.
    package func run(ofDistinct values: Range<Int>) -> PostingSlice {
        let isOne = values.count <= 1
        return PostingSlice(
            order: order, range: positions(ofDistinct: values), isAscending: isOne, mayRepeat: isOverLists && !isOne)
    }

    /// The positions in `order` of the entries of such a range.
    package func positions(ofDistinct values: Range<Int>) -> Range<Int> {
        starts.map { Int($0[values.lowerBound])..<Int($0[values.upperBound]) } ?? values
    }

    /// The distinct values that have their entries at positions in `order`. Complexity: O(log distinct).
    package func distinct(atPositions positions: Range<Int>) -> Range<Int> {
        guard let first = positions.first, let last = positions.last else { return 0..<0 }
        return distinct(atEntry: first)..<distinct(atEntry: last) + 1
    }

    /// The rows at positions in `order`.
    package func rows(at positions: Range<Int>) -> [UInt32] {
        unsafe order.withElements { unsafe Array($0[positions]) }
    }

    /// The rows of one distinct value as a bitmap, built on first use: worth it for values of many rows.
    package func bitmap(ofDistinct value: Int) -> Bitmap {
        bitmaps.withLock { known in
            if let bitmap = known[value] { return bitmap }
            let bitmap = unsafe run(ofDistinct: value..<value + 1).withRows { rows in
                unsafe Bitmap(ordinals: Array(rows), count: rowCount)
            }
            known[value] = bitmap
            return bitmap
        }
    }

    /// The number of the distinct value equal to `value`, or `nil`. Texts are folded here.
    /// - Complexity: O(1) for texts, O(log distinct) for numbers.
    package func distinct(equalTo value: FieldValue) -> Int? {
        switch (keys, family, value) {
        case (.text(let texts), .text(let options), .string(let text)):
            let folded = Array(TextFolding.fold(text, options).utf8)
            return texts.find(folded, in: self, using: textPositions)
        case (.text(let texts), .reference(let zoneID), .reference(let reference)):
            guard reference.recordID.zoneID == zoneID else { return nil }
            return texts.find(Array(reference.recordID.recordName.utf8), in: self, using: textPositions)
        default:
            let position = lowerBound(value, orEqual: true)
            guard let position, position < distinctCount, compareKey(position, value) == 0 else { return nil }
            return position
        }
    }

    /// The number of the distinct text with exactly these folded bytes, or `nil`. Complexity: O(bytes).
    package func distinct(ofFolded bytes: [UInt8]) -> Int? {
        guard case .text(let texts) = keys else { return nil }
        return texts.find(bytes, in: self, using: textPositions)
    }

    /// The distinct values within bounds; nothing when a bound is of another family.
    /// - Complexity: O(log distinct).
    package func distinct(from lower: KeyBound?, to upper: KeyBound?) -> Range<Int> {
        var start = 0
        var end = distinctCount
        if let lower {
            guard let position = lowerBound(lower.value, orEqual: lower.isInclusive) else { return 0..<0 }
            start = position
        }
        if let upper {
            guard let position = lowerBound(upper.value, orEqual: !upper.isInclusive) else { return 0..<0 }
            end = position
        }
        return start..<max(start, end)
    }

    /// The distinct texts that begin with `prefix` (folded here), as stretches of them; nothing for an empty prefix
    /// and for numbers. There are several where texts in between have a mark that belongs to the prefix's last letter.
    /// - Complexity: O(log distinct), and O(texts found) where marks are about.
    package func distinct(beginningWith prefix: String) -> [Range<Int>] {
        guard case .text(let texts) = keys, case .text(let options) = family, !prefix.isEmpty else { return [] }
        let stretch = distinct(withBytes: TextFolding.fold(prefix, options))
        guard !stretch.isEmpty else { return [] }
        guard texts.mayJoin, !options.contains(.normalized) else { return [stretch] }
        let needle = PreparedNeedle(prefix, options: options)
        var stretches: [Range<Int>] = []
        for distinct in stretch where texts.isPrefix(needle, of: distinct, in: self) {
            if let last = stretches.last, last.upperBound == distinct {
                stretches[stretches.count - 1] = last.lowerBound..<distinct + 1
            } else {
                stretches.append(distinct..<distinct + 1)
            }
        }
        return stretches
    }

    /// The distinct texts whose folded form begins with the bytes of a folded prefix, characters aside.
    /// - Complexity: O(log distinct).
    package func distinct(withBytes prefix: String) -> Range<Int> {
        guard case .text(let texts) = keys else { return 0..<0 }
        let bytes = Array(prefix.utf8)
        let start = partition { texts.compare($0, bytes, in: self) < 0 }
        return start..<max(start, partition { texts.comparePrefix($0, bytes, in: self) <= 0 })
    }

    /// The distinct texts whose folded form holds the bytes, as stretches of them, and the rows of those that hold them
    /// only before what may belong to their last character, as a mark does. Complexity: O(bytes of texts).
    package func distinct(holding bytes: [UInt8]) -> (sure: [Range<Int>], unsure: [UInt32]) {
        guard case .text(let texts) = keys else { return ([], []) }
        var (stretches, unsure): ([Range<Int>], [UInt32]) = ([], [])
        for distinct in 0..<distinctCount where texts.holds(bytes, distinct, in: self) {
            if !texts.holdsCharacters(bytes, distinct, in: self) {
                unsure += rows(at: positions(ofDistinct: distinct..<distinct + 1))
            } else if let last = stretches.last, last.upperBound == distinct {
                stretches[stretches.count - 1] = last.lowerBound..<distinct + 1
            } else {
                stretches.append(distinct..<distinct + 1)
            }
        }
        return (stretches, unsure)
    }

    /// The key of a distinct value.
    package func key(ofDistinct value: Int) -> FieldValue { keys.value(value, of: self) }

    /// The first distinct value that is not below `value` (above it, when not `orEqual`); `nil` for other families.
    private func lowerBound(_ value: FieldValue, orEqual: Bool) -> Int? {
        switch (keys, family, value) {
        case (.text(let texts), .text(let options), .string(let text)):
            let folded = Array(TextFolding.fold(text, options).utf8)
            return partition { texts.compare($0, folded, in: self) < (orEqual ? 0 : 1) }
        case (.int, .number, _), (.double, .number, _):
            guard value.number != nil else { return nil }
            return partition { compareKey($0, value) < (orEqual ? 0 : 1) }
        case (.double, .date, .date):
            return partition { compareKey($0, value) < (orEqual ? 0 : 1) }
        default: return nil
        }
    }

    /// −1, 0 or 1 as the key of a distinct value is below, equal to or above a value of the index's family.
    private func compareKey(_ distinct: Int, _ value: FieldValue) -> Int {
        switch (keys, value) {
        case (.double(let numbers), .date(let date)):
            return NumericOrder.compare(numbers[distinct], date.timeIntervalSinceReferenceDate)
        case (.int(let numbers), _):
            guard let number = value.number else { return 1 }
            return FieldValue.Number.compare(.integer(numbers[distinct]), number)
        case (.double(let numbers), _):
            guard let number = value.number else { return 1 }
            return FieldValue.Number.compare(.double(numbers[distinct]), number)
        default: return 1
        }
    }

    /// The first distinct value for which `isBefore` is false; it must be true for a head of them only.
    func partition(_ isBefore: (Int) -> Bool) -> Int {
        var low = 0
        var high = distinctCount
        while low < high {
            let middle = low + (high - low) / 2
            if isBefore(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
