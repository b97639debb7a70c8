// The indexes of a segment as stored blocks: written as they were built, read when they are first asked for.
//
// Indexes can be built anew from the columns at any time, so one that cannot be read is no reason to refuse a segment:
// it counts as not built, and what was wrong with it is kept for those who ask.

import Geospatial
package import RecordColumns
import Synchronization

extension SegmentIndexes {
    /// What an entry of the stored list is.
    private enum Kind {
        static let ordered = 0
        static let tokens = 1
        static let positions = 2
        static let spatial = 3
        static let trigrams = 4
        static let foreign = 5
    }

    /// The indexes built so far, to be stored. Complexity: O(distinct texts) at most.
    package var blocks: WrittenBlocks {
        var entries: [WrittenBlocks] = []
        func add<Index>(
            _ cache: IndexCache<Index>, _ kind: Int, isOfText: (Index) -> Bool, _ blocks: (Index) -> WrittenBlocks
        ) {
            for (key, index) in cache.built.sorted(by: { $0.0 < $1.0 }) {
                var entry = WrittenBlocks()
                entry.add("kind", kind)
                entry.add("column", key.column)
                entry.add("options", Int(key.options))
                entry.add("isOfText", isOfText(index) ? 1 : 0)
                entry.add("index", blocks(index))
                entries.append(entry)
            }
        }
        add(ordered, Kind.ordered, isOfText: \.isOfText, \.blocks)
        add(tokens, Kind.tokens, isOfText: { _ in true }, \.blocks)
        add(positions, Kind.positions, isOfText: { _ in true }, \.blocks)
        add(spatial, Kind.spatial, isOfText: { _ in false }, \.blocks)
        add(trigrams, Kind.trigrams, isOfText: { _ in true }, \.stored)
        add(foreign, Kind.foreign, isOfText: { _ in true }, \.blocks)
        var tree = WrittenBlocks()
        tree.add("list", entries)
        return tree
    }

    /// The stored indexes of a segment, each read when it is first asked for.
    ///
    /// - Parameter readsText: Whether indexes of text are read: their order is that of the Unicode tables that they
    ///   were made with.
    ///   `outdatedCount` says how many are left out.
    /// - Throws: `BlockError` when the list of indexes is none.
    package static func read(
        _ segment: Segment, from reader: BlockReader, readsText: Bool
    ) throws(BlockError) -> SegmentIndexes {
        let indexes = SegmentIndexes(segment)
        for entry in try reader.structures("list") {
            let kind = try entry.number("kind")
            let column = try entry.number("column", -1...max(-1, segment.columns.count - 1))
            let key = IndexKey(column: column, options: UInt8(try entry.number("options", 0...Int(UInt8.max))))
            // The order of names and the words of all fields have no column; no other index is without.
            guard column >= 0 || [Kind.ordered, Kind.tokens, Kind.positions].contains(kind) else {
                throw entry.failure("column", "an index of this kind needs a column")
            }
            if try entry.flag("isOfText"), !readsText {
                indexes.outdated.note(kind, key)
            } else {
                try indexes.store(kind, key, try entry.structure("index"))
            }
        }
        return indexes
    }

    /// Number of stored indexes of text that were made with other Unicode tables than those of this process. Each is
    /// built anew when it is asked for, or by `buildOutdated`.
    package var outdatedCount: Int { outdated.count }

    /// Builds the outdated indexes anew.
    ///
    /// - Parameter progress: Called after each.
    /// - Complexity: That of building them.
    package func buildOutdated(_ progress: () -> Void = {}) {
        while let (kind, key) = outdated.takeFirst() {
            let column = key.column < 0 ? nil : key.column
            switch (kind, column) {
            case (Kind.ordered, nil): _ = orderedNames()
            case (Kind.ordered, let column?): _ = ordered(column: column, options: key.textOptions)
            case (Kind.tokens, _): _ = tokens(column: column, options: key.textOptions)
            case (Kind.positions, _): _ = wordPositions(column: column, options: key.textOptions)
            case (Kind.trigrams, let column?): _ = trigrams(column: column)
            case (Kind.foreign, let column?): _ = foreignWords(column: column)
            default: break
            }
            progress()
        }
    }

    /// Notes that an index can be read.
    private func store(_ kind: Int, _ key: IndexKey, _ reader: BlockReader) throws(BlockError) {
        let (rowCount, damage) = (segment.count, damage)
        func stored<Index>(
            _ read: @escaping @Sendable () throws(BlockError) -> Index?
        ) -> @Sendable () -> Index? {
            {
                do throws(BlockError) { return try read() } catch {
                    damage.note(error)
                    return nil
                }
            }
        }
        switch kind {
        case Kind.ordered:
            let column = key.column < 0 ? nil : segment.columns[key.column]
            ordered.store(
                key,
                stored { () throws(BlockError) in
                    try OrderedIndex(from: reader, rowCount: rowCount, of: column)
                })
        case Kind.tokens:
            tokens.store(
                key, stored { () throws(BlockError) in try OrderedIndex(from: reader, rowCount: rowCount) })
        case Kind.positions:
            let tokens = tokens
            positions.store(
                key,
                stored { () throws(BlockError) in
                    guard let index = tokens.value(key, building: false, { nil }) else { return nil }
                    return try WordPositions(from: reader, index: index)
                })
        case Kind.spatial:
            spatial.store(
                key, stored { () throws(BlockError) in try SpatialTree(from: reader, rowCount: rowCount) })
        case Kind.trigrams:
            trigrams.store(
                key, stored { () throws(BlockError) in try TrigramIndex(from: reader, rowCount: rowCount) })
        case Kind.foreign:
            foreign.store(
                key, stored { () throws(BlockError) in try NonASCIITerms(from: reader, rowCount: rowCount) })
        default: throw reader.failure("kind", "there are no indexes of kind \(kind)")
        }
    }

    /// Reads every stored index that was not asked for yet. Complexity: O(bytes).
    package func readAll() {
        _ = (ordered.built, tokens.built, positions.built)
        _ = (spatial.built, trigrams.built, foreign.built)
    }
}

/// What was wrong with stored indexes that could not be read.
final class IndexDamage: Sendable {
    private let errors = Mutex<[BlockError]>([])

    func note(_ error: BlockError) { errors.withLock { $0.append(error) } }

    var all: [BlockError] { errors.withLock { $0 } }
}

/// Stored indexes that were left out, to be built anew.
final class OutdatedIndexes: Sendable {
    private let keys = Mutex<[(kind: Int, key: IndexKey)]>([])

    func note(_ kind: Int, _ key: IndexKey) { keys.withLock { $0.append((kind, key)) } }

    /// One of them, which is no longer counted.
    func takeFirst() -> (kind: Int, key: IndexKey)? { keys.withLock { $0.isEmpty ? nil : $0.removeFirst() } }

    var count: Int { keys.withLock { $0.count } }
}
