// The indexes of one field, segment by segment: found once for a snapshot, which never changes.

package import Indexing
import RecordColumns
import RecordModel
import Synchronization
package import TextAnalysis

/// The order of a field's values in each segment of a snapshot, as far as it is built.
package final class ValueIndexes: Sendable {
    private enum Entry {
        /// No record of the segment has the field.
        case noField
        case index(OrderedIndex)
        /// Only the records tell.
        case none
    }

    private let entries: [Entry]
    /// Whether nothing can be built that is not there yet.
    fileprivate let isComplete: Bool

    fileprivate init(_ field: String, _ options: TextOptions, in snapshot: Snapshot) {
        var isComplete = true
        entries = snapshot.segments.map { stored in
            guard let column = stored.segment.schema.position(of: field) else { return .noField }
            if let index = stored.indexes.ordered(column: column, options: options, building: false) {
                return index.isOverLists ? .none : .index(index)
            }
            if snapshot.isIndexed(stored) { isComplete = false }
            return .none
        }
        // A name that no record has is not worth remembering.
        self.isComplete = isComplete && entries.contains { if case .noField = $0 { false } else { true } }
    }

    /// What an index knows of a value.
    package enum Knowledge {
        /// No row of the segment has it.
        case lacking
        /// The rows that have it, deleted ones among them.
        case rows(PostingSlice)
        /// Only the records tell.
        case unknown
    }

    /// What is known of a value in a segment. Complexity: that of one look-up in the index.
    package func knowledge(of key: EqualityKey, in segment: Int) -> Knowledge {
        switch entries[segment] {
        case .noField: return .lacking
        case .index(let index) where index.family.includes(key.value):
            guard let distinct = index.distinct(equalTo: key) else { return .lacking }
            return .rows(index.run(ofDistinct: distinct..<distinct + 1))
        case .index, .none: return .unknown
        }
    }

    /// Those of a snapshot's fields that were used.
    final class Cache: Sendable {
        private struct Key: Hashable {
            let field: String
            let options: TextOptions
        }

        private let known = Mutex<[Key: ValueIndexes]>([:])

        func indexes(of field: String, _ options: TextOptions, in snapshot: Snapshot) -> ValueIndexes {
            let key = Key(field: field, options: options)
            if let indexes = known.withLock({ $0[key] }) { return indexes }
            let indexes = ValueIndexes(field, options, in: snapshot)
            if indexes.isComplete { known.withLock { $0[key] = indexes } }
            return indexes
        }
    }
}

extension Snapshot {
    /// The indexes of a field's values, as far as they are built.
    /// - Complexity: O(segments) the first time after the last of them was built, then O(1).
    package func valueIndexes(of field: String, _ options: TextOptions) -> ValueIndexes {
        knownIndexes.indexes(of: field, options, in: self)
    }
}
