// The locations of a column in a tree.

package import Geospatial
import RecordColumns
import RecordModel

/// A tree of the locations of a column.
package final class SpatialIndex: SegmentIndex {
    package static let kind = IndexKind(number: 3, name: "spatial", mark: .queryable)

    let tree: SpatialTree

    init(_ tree: SpatialTree) { self.tree = tree }

    static func build(_ key: IndexKey, of indexes: SegmentIndexes) -> SpatialIndex? {
        guard let column = indexes.column(of: key), case .location(let locations) = column.values else { return nil }
        return unsafe locations.latitudes.withElements { latitudes in
            unsafe locations.longitudes.withElements { longitudes in
                SpatialIndex(
                    SpatialTree(
                        rows: PresentPositions(column).positions, latitudes: unsafe latitudes.span,
                        longitudes: unsafe longitudes.span))
            }
        }
    }

    static func read(
        _: IndexKey, from reader: BlockReader, of indexes: SegmentIndexes
    ) throws(BlockError) -> SpatialIndex? {
        SpatialIndex(try SpatialTree(from: reader, rowCount: indexes.segment.count))
    }

    var blocks: WrittenBlocks { tree.blocks }
    var isOfText: Bool { false }
    var size: (entries: Int, distinct: Int?) { (tree.count, nil) }
    var byteCount: Int { tree.byteCount }
}

extension SegmentIndexes {
    /// The locations of a column; `nil` for columns of other types.
    ///
    /// - Complexity: O(n) the first time, then O(1).
    package func spatial(column: Int, building: Bool = true) -> SpatialTree? {
        index(SpatialIndex.self, column: column, building: building)?.tree
    }
}
