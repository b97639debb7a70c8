// The indexes of one segment, each built when it is first wanted.

package import RecordColumns
import Synchronization
package import TextAnalysis

/// The indexes of a segment by field and kind.
///
/// An index is built on first use, once, and kept: a sealed segment never changes. May be used from any thread.
package final class SegmentIndexes: Sendable {
    package let segment: Segment
    private let ordered = Mutex<[OrderedKey: OrderedIndex?]>([:])

    private struct OrderedKey: Hashable {
        var column: Int
        var options: UInt8
    }

    package init(_ segment: Segment) { self.segment = segment }

    /// The order of a column's values; `nil` for columns without one.
    ///
    /// - Parameters:
    ///   - column: Position in `segment.columns`.
    ///   - options: How texts are folded; the locale's order is not kept.
    /// - Complexity: O(n log n) the first time, then O(1).
    package func ordered(column: Int, options: TextOptions = []) -> OrderedIndex? {
        guard !options.contains(.localeSensitive) else { return nil }
        let values = segment.columns[column]
        let key = OrderedKey(
            column: column, options: values.holdsText ? UInt8(truncatingIfNeeded: options.rawValue) : 0)
        return ordered.withLock { known in
            if let index = known[key] { return index }
            let index = OrderedIndex.build(over: values, options: options)
            known[key] = .some(index)
            return index
        }
    }

    /// The order of a column's values if it is there already: for estimates that are not worth an index.
    package func orderedIfBuilt(column: Int, options: TextOptions = []) -> OrderedIndex? {
        let key = OrderedKey(
            column: column, options: segment.columns[column].holdsText ? UInt8(truncatingIfNeeded: options.rawValue) : 0
        )
        return ordered.withLock { $0[key] ?? nil }
    }

    /// Room taken by the indexes built so far, in bytes.
    package var byteCount: Int {
        ordered.withLock { $0.values.reduce(0) { $0 + ($1?.byteCount ?? 0) } }
    }
}

extension Column {
    /// Whether values, or elements of lists, are texts.
    var holdsText: Bool {
        switch values {
        case .text, .dictionary: true
        case .list(let lists): lists.elements.holdsText
        default: false
        }
    }
}
