// Segments as stored blocks.

package import RecordModel

extension Segment {
    /// The segment, to be stored, with the index of its names. Complexity: O(count) at most.
    /// - Throws: `BinaryError` of kind `tooDeep`.
    package func blocks() throws(BinaryError) -> WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("count", count)
        try tree.add("schema", schema)
        try tree.add("zone", zoneID)
        tree.add("names", names.blocks)
        tree.add("nameIndex", knownNames.blocks)
        var stored: [WrittenBlocks] = []
        for column in columns { stored.append(try column.blocks()) }
        tree.add("columns", stored)
        return tree
    }

    /// A stored segment.
    /// - Throws: `BlockError`.
    package convenience init(from reader: BlockReader) throws(BlockError) {
        let count = try reader.number("count", 0...Int(UInt32.max) - 1)
        let schema: RecordSchema = try reader.value("schema")
        let stored = try reader.structures("columns")
        guard stored.count == schema.fields.count else {
            throw reader.failure("columns", "expected \(schema.fields.count) columns, found \(stored.count)")
        }
        var columns: [Column] = []
        for column in stored { columns.append(try Column(from: column, count: count)) }
        self.init(
            schema: schema, zoneID: try reader.value("zone"), columns: columns,
            names: try TextColumn(from: reader.structure("names"), count: count),
            nameIndex: try ByteIndex(from: reader.structure("nameIndex"), below: count))
    }
}
