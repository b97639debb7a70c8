// Trigrams as stored blocks.

import RecordColumns

extension TrigramIndex {
    /// The index, to be stored.
    var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("blocks", rowBlocks.map(\.stored))
        return tree
    }

    /// A stored index of `rowCount` rows.
    /// - Throws: `BlockError`.
    convenience init(from reader: BlockReader, rowCount: Int) throws(BlockError) {
        let readers = try reader.structures("blocks")
        let expected = (rowCount + TrigramBlock.rowCount - 1) / TrigramBlock.rowCount
        guard readers.count == expected else {
            throw reader.failure("blocks", "expected \(expected) blocks, found \(readers.count)")
        }
        var blocks: [TrigramBlock] = []
        for (number, reader) in readers.enumerated() {
            let rows = min(TrigramBlock.rowCount, rowCount - number * TrigramBlock.rowCount)
            blocks.append(try TrigramBlock(from: reader, rowCount: rows))
        }
        self.init(rowCount: rowCount, rowBlocks: blocks)
    }
}

extension TrigramBlock {
    fileprivate var stored: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("codes", codes)
        tree.add("starts", starts)
        tree.add("counts", counts)
        tree.add("rows", rows)
        tree.add("words", words)
        return tree
    }

    fileprivate init(from reader: BlockReader, rowCount: Int) throws(BlockError) {
        let codes: ColumnBuffer<UInt32> = try reader.numbers("codes", below: Trigram.codeCount)
        let starts: ColumnBuffer<Int32> = try reader.buffer("starts", count: codes.count)
        let counts: ColumnBuffer<UInt32> = try reader.buffer("counts", count: codes.count)
        let rows = try reader.shortNumbers("rows", below: rowCount)
        let words: ColumnBuffer<UInt64> = try reader.buffer("words")
        let wordCount = (rowCount + 63) / 64
        // The bits behind the last row of each bitmap.
        let behind: UInt64 = rowCount & 63 == 0 ? 0 : ~0 << UInt64(rowCount & 63)
        for position in 0..<codes.count {
            let start = Int(starts[position])
            let isWithin =
                start >= 0
                ? start + Int(counts[position]) <= rows.count
                : -start * wordCount <= words.count && words[-start * wordCount - 1] & behind == 0
            guard isWithin, counts[position] <= rowCount else {
                throw reader.failure("starts", "the rows of a stretch lie outside")
            }
        }
        self.init(codes: codes, starts: starts, counts: counts, rows: rows, words: words, wordCount: wordCount)
    }
}
