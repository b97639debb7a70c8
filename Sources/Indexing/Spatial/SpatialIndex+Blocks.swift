// Trees of locations as stored blocks.

import Geospatial
import RecordColumns

extension SpatialTree {
    /// The tree, to be stored.
    var blocks: WrittenBlocks {
        let parts = parts
        var tree = WrittenBlocks()
        tree.add("rows", parts.ordinals)
        tree.add("x", parts.x)
        tree.add("y", parts.y)
        tree.add("z", parts.z)
        tree.add(
            "levels",
            parts.levels.map { boxes in
                var level = WrittenBlocks()
                level.add("boxes", boxes)
                return level
            })
        return tree
    }

    /// A stored tree of rows below `rowCount`; its coordinates are copied.
    /// - Throws: `BlockError`.
    init(from reader: BlockReader, rowCount: Int) throws(BlockError) {
        var parts = Parts()
        let rows: ColumnBuffer<UInt32> = try reader.numbers("rows", below: rowCount)
        parts.ordinals = unsafe rows.withElements { unsafe Array($0) }
        parts.x = try reader.array("x")
        parts.y = try reader.array("y")
        parts.z = try reader.array("z")
        for level in try reader.structures("levels") { parts.levels.append(try level.array("boxes")) }
        guard let tree = SpatialTree(parts) else { throw reader.failure("levels", "the sizes belong to no tree") }
        self = tree
    }
}
