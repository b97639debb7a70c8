// Words that are not ASCII as stored blocks.

import RecordColumns

extension NonASCIITerms {
    /// The words, to be stored.
    var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("words", words.blocks)
        tree.add("starts", starts)
        tree.add("rows", rows)
        tree.add("otherRows", otherRows)
        tree.add("specialRows", specialRows)
        return tree
    }

    /// Stored words of `rowCount` rows.
    /// - Throws: `BlockError`.
    convenience init(from reader: BlockReader, rowCount: Int) throws(BlockError) {
        func rows(_ name: String) throws(BlockError) -> ColumnBuffer<UInt32> {
            try reader.numbers(name, below: rowCount)
        }
        let words = try TextColumn(from: reader.structure("words"))
        let all = try rows("rows")
        self.init(
            words: words, starts: try reader.bounds("starts", count: words.count, end: all.count), rows: all,
            otherRows: unsafe try rows("otherRows").withElements { unsafe Array($0) },
            specialRows: unsafe try rows("specialRows").withElements { unsafe Array($0) })
    }
}
