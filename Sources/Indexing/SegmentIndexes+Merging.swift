// The indexes of a segment that was put together from others.

import RecordColumns
import RecordModel

extension SegmentIndexes {
    /// A segment whose rows, or some of them, went into this one.
    package struct Part {
        let indexes: SegmentIndexes
        let rows: [UInt32]

        /// - Parameter rows: The new row of each row; `UInt32.max` for one that is left out.
        package init(_ indexes: SegmentIndexes, rows: [UInt32]) {
            self.indexes = indexes
            self.rows = rows
        }
    }

    /// Builds the indexes that others of the same record type have, from those of the parts where all parts have them.
    package func build(like others: [SegmentIndexes], from parts: [Part]) {
        for other in others {
            for key in other.ordered.keys {
                guard let column = column(of: other, key.column) else { continue }
                let key = IndexKey(column: column, options: key.textOptions)
                if let merged = merged(key, \.ordered, parts) { _ = ordered.value(key, building: true) { merged } }
                _ = column < 0 ? orderedNames() : ordered(column: column, options: key.textOptions)
            }
            for key in other.tokens.keys {
                guard let column = column(of: other, key.column) else { continue }
                let key = IndexKey(column: column, options: key.textOptions)
                if let merged = merged(key, \.tokens, parts) { _ = tokens.value(key, building: true) { merged } }
                _ = tokens(column: column < 0 ? nil : column, options: key.textOptions)
            }
            for key in other.positions.keys {
                guard let column = column(of: other, key.column) else { continue }
                _ = wordPositions(column: column < 0 ? nil : column, options: key.textOptions)
            }
            for key in other.spatial.keys {
                if let column = column(of: other, key.column) { _ = spatial(column: column) }
            }
            for key in other.trigrams.keys {
                if let column = column(of: other, key.column) { _ = trigrams(column: column) }
            }
            for key in other.foreign.keys {
                if let column = column(of: other, key.column) { _ = foreignWords(column: column) }
            }
        }
    }

    /// The index of a kind, merged; `nil` when it is there, when a part lacks it, or when it cannot be merged.
    private func merged(
        _ key: IndexKey, _ cache: KeyPath<SegmentIndexes, IndexCache<OrderedIndex>>, _ parts: [Part]
    ) -> OrderedIndex? {
        guard self[keyPath: cache].value(key, building: false, { nil }) == nil else { return nil }
        var sources: [OrderedIndex.Source] = []
        for part in parts {
            var partKey = key
            if key.column >= 0 {
                // A part without values of the field has nothing to give.
                guard let column = part.indexes.column(of: self, key.column) else { continue }
                if case .missing = part.indexes.segment.columns[column].values { continue }
                partKey = IndexKey(column: column, options: key.textOptions)
            }
            guard let index = part.indexes[keyPath: cache].value(partKey, building: false, { nil }) else { return nil }
            sources.append(OrderedIndex.Source(index: index, rows: part.rows))
        }
        return OrderedIndex.merging(sources, rowCount: segment.count)
    }

    /// The column of the field that has a column in another segment; what belongs to no column does so in every one.
    private func column(of other: SegmentIndexes, _ column: Int) -> Int? {
        column < 0 ? column : segment.schema.position(of: other.segment.schema.fields[column].name)
    }
}
