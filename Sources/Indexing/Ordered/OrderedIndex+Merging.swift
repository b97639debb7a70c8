// Indexes over texts and words of rows put together: cheaper than to fold, cut and sort the texts once more.

import Glibc
import OrdinalSets
import RecordColumns

extension OrderedIndex {
    /// The index of rows that come from several segments, made of the indexes there.
    ///
    /// - Parameters:
    ///   - sources: Indexes of one kind and folding.
    ///   - rowCount: Number of the new rows.
    /// - Returns: `nil` when the keys are not texts, or not all of one family: then the index is rebuilt.
    /// - Complexity: O(entries + distinct values · sources), and O(n log n) where rows of one value interleave.
    static func merging(_ sources: [Source], rowCount: Int) -> OrderedIndex? {
        guard let first = sources.first?.index else { return nil }
        var heads: [TextHead] = []
        for source in sources {
            guard source.index.family == first.family, source.index.isOverLists == first.isOverLists,
                case .text(let keys) = source.index.keys
            else { return nil }
            if source.index.distinctCount > 0 { heads.append(TextHead(source: source, keys: keys)) }
        }
        let total = sources.reduce(0) { $0 + $1.index.entryCount }
        guard total <= Int(UInt32.max) else { return nil }
        // Sources whose rows come first go first: then the rows of a value mostly ascend.
        heads.sort { $0.firstRow < $1.firstRow }
        let order = ColumnBuffer<UInt32>(capacity: total)
        let starts = ColumnBuffer<UInt32>()
        let texts = TextBuilder()
        let positions = ColumnBuffer<UInt32>()
        while let least = TextHead.least(of: heads) {
            let start = order.count
            let current = heads[least]
            let fits = unsafe current.withText { text in
                for head in heads.indices {
                    let isLevel = unsafe heads[head].equals(text)
                    if isLevel { heads[head].take(into: order) }
                }
                if order.count == start { return true }
                return unsafe texts.append(text)
            }
            guard fits else { return nil }
            if order.count == start { continue }
            Self.sortIfNeeded(order, from: start)
            starts.append(UInt32(truncatingIfNeeded: start))
            positions.append(UInt32(truncatingIfNeeded: positions.count))
        }
        starts.append(UInt32(truncatingIfNeeded: order.count))
        order.shrink()
        return OrderedIndex(
            family: first.family, order: order, starts: starts,
            keys: .text(TextKeys(texts: texts.finish(), positions: positions)), rowCount: rowCount,
            isOverLists: first.isOverLists)
    }

    private static func sortIfNeeded(_ order: ColumnBuffer<UInt32>, from start: Int) {
        let rows = unsafe order.withElements { unsafe Array($0[start...]) }
        if SortedOrdinals.isAscending(rows) { return }
        for (offset, row) in rows.sorted().enumerated() { order[start + offset] = row }
    }
}

/// The next distinct text of a source.
private struct TextHead {
    let source: OrderedIndex.Source
    let keys: TextKeys
    var distinct = 0

    init(source: OrderedIndex.Source, keys: TextKeys) {
        self.source = source
        self.keys = keys
    }

    var firstRow: UInt32 { source.rows.min() ?? .max }

    private var isAtEnd: Bool { distinct >= source.index.distinctCount }

    func withText<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        unsafe keys.texts.withBytes(keys.position(distinct, in: source.index), body)
    }

    func equals(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        if isAtEnd { return false }
        return unsafe keys.texts.equals(keys.position(distinct, in: source.index), text)
    }

    private func precedes(_ other: TextHead) -> Bool {
        unsafe withText { mine in
            unsafe other.withText { theirs in
                let shared = min(mine.count, theirs.count)
                guard shared > 0, let a = mine.baseAddress, let b = theirs.baseAddress else {
                    return mine.count < theirs.count
                }
                // SAFETY: both have at least `shared` bytes.
                let difference = unsafe memcmp(a, b, shared)
                return difference != 0 ? difference < 0 : mine.count < theirs.count
            }
        }
    }

    /// The head with the least text.
    static func least(of heads: [TextHead]) -> Int? {
        var least: Int?
        for head in heads.indices where !heads[head].isAtEnd {
            if let known = least, !heads[head].precedes(heads[known]) { continue }
            least = head
        }
        return least
    }

    /// Moves the new rows of the text to `order`, and on to the next text.
    mutating func take(into order: ColumnBuffer<UInt32>) {
        let run = source.index.run(ofDistinct: distinct..<distinct + 1)
        for position in run.range {
            let row = source.rows[Int(run.order[position])]
            if row != .max { order.append(row) }
        }
        distinct += 1
    }
}
