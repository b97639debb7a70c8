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
        for (other, key) in others.flatMap({ other in other.cache.keys.map { (other, $0) } }) {
            guard let key = self.key(key, from: other) else { continue }
            if let type = indexType(key.kind) as? any MergeableIndex.Type, cache.known(key) == nil,
                let merged = merged(type, key, parts)
            {
                _ = cache.value(key, building: true, build: { merged })
            }
            _ = index(key, building: true)
        }
    }

    /// The index merged; `nil` when a part lacks it, or when it cannot be merged.
    private func merged<Index: MergeableIndex>(_: Index.Type, _ key: IndexKey, _ parts: [Part]) -> Index? {
        var sources: [Index.Source] = []
        for part in parts {
            // A part without values of the field has nothing to give.
            guard let partKey = part.indexes.key(key, from: self) else { continue }
            if let column = partKey.column, case .missing = part.indexes.segment.columns[column].values { continue }
            guard let index = part.indexes.index(partKey, building: false) as? Index else { return nil }
            sources.append(IndexSource(index: index, rows: part.rows))
        }
        return Index.merging(sources, rowCount: segment.count)
    }

    /// The index of the same kind, field and folding as one of another segment; `nil` where there is no such column.
    private func key(_ key: IndexKey, from other: SegmentIndexes) -> IndexKey? {
        guard let field = other.field(of: key) else { return key }
        guard let column = segment.schema.position(of: field) else { return nil }
        var key = key
        key.column = column
        return key
    }
}
