// The other indexes over texts as stored blocks: places of words, stretches of three bytes, words that are not ASCII.

import RecordColumns

extension WordPositions {
    /// The places, to be stored without their index.
    var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        let large = largeCounts.sorted { $0.key < $1.key }
        tree.add("counts", counts)
        tree.add("largeEntries", large.map(\.key))
        tree.add("largeCounts", large.map(\.value))
        tree.add("blockStarts", blockStarts)
        tree.add("rowLengths", rowLengths)
        switch places {
        case .bytes(let places): tree.add("bytes", places)
        case .halves(let places): tree.add("halves", places)
        case .words(let places): tree.add("words", places)
        }
        return tree
    }

    /// Stored places of the words of an index.
    /// - Throws: `BlockError`.
    convenience init(from reader: BlockReader, index: OrderedIndex) throws(BlockError) {
        let entries: [Int] = try reader.array("largeEntries")
        let totals: [Int] = try reader.array("largeCounts", count: entries.count)
        let (places, placeCount) = try Places.read(from: reader)
        var large: [Int: Int] = [:]
        for (entry, total) in zip(entries, totals) {
            guard entry >= 0, entry < index.entryCount, total > Int(UInt8.max), total <= placeCount,
                large.updateValue(total, forKey: entry) == nil
            else { throw reader.failure("largeCounts", "the count of an entry is out of range") }
        }
        let counts: ColumnBuffer<UInt8> = try reader.buffer("counts", count: index.entryCount)
        let blockStarts: ColumnBuffer<UInt32> = try reader.buffer(
            "blockStarts", count: (index.entryCount + (1 << Self.blockShift) - 1) >> Self.blockShift)
        guard Self.sum(counts, large, blockStarts) == placeCount else {
            throw reader.failure("counts", "the counts do not add up to the \(placeCount) places")
        }
        self.init(
            index: index, counts: counts, largeCounts: large, places: places,
            rowLengths: try reader.buffer("rowLengths", count: index.rowCount), blockStarts: blockStarts)
    }

    /// The number of places by the counts; `nil` when a block of entries starts elsewhere than it says.
    private static func sum(
        _ counts: ColumnBuffer<UInt8>, _ large: [Int: Int], _ blockStarts: ColumnBuffer<UInt32>
    ) -> Int? {
        var extra: [Int: Int] = [:]
        for (entry, total) in large {
            guard counts[entry] == .max else { return nil }
            extra[entry >> blockShift, default: 0] += total - Int(UInt8.max)
        }
        return unsafe counts.withElements { counts in
            var sum = 0
            for block in 0..<blockStarts.count {
                guard blockStarts[block] == sum else { return nil }
                let first = block << blockShift
                var inBlock = 0
                // SAFETY: a block of entries begins below their number, and the last one is cut off.
                for entry in first..<min(first + 1 << blockShift, counts.count) {
                    inBlock &+= unsafe Int(counts[entry])
                }
                sum += inBlock + (extra.isEmpty ? 0 : extra[block] ?? 0)
            }
            return sum
        }
    }
}

extension WordPositions.Places {
    /// Sums of a place and the words of a phrase stay below the greatest number.
    private static let limit = Int(UInt32.max / 2)

    fileprivate static func read(from reader: BlockReader) throws(BlockError) -> (places: Self, count: Int) {
        if reader.has("bytes") {
            let places: ColumnBuffer<UInt8> = try reader.buffer("bytes")
            return (.bytes(places), places.count)
        }
        if reader.has("halves") {
            let places: ColumnBuffer<UInt16> = try reader.buffer("halves")
            return (.halves(places), places.count)
        }
        let places: ColumnBuffer<UInt32> = try reader.numbers("words", below: limit)
        return (.words(places), places.count)
    }
}

extension TrigramIndex {
    /// The index, to be stored.
    var stored: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("blocks", blocks.map(\.stored))
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
        self.init(rowCount: rowCount, blocks: blocks)
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
