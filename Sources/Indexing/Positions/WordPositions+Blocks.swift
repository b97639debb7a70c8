// Positions of words as stored blocks.

import RecordColumns

extension WordPositions {
    /// The positions, to be stored without their index.
    var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        let large = largeCounts.sorted { $0.key < $1.key }
        tree.add("counts", counts)
        tree.add("largeEntries", large.map(\.key))
        tree.add("largeCounts", large.map(\.value))
        tree.add("blockStarts", blockStarts)
        tree.add("rowLengths", rowLengths)
        switch positions {
        case .bytes(let positions): tree.add("bytes", positions)
        case .halves(let positions): tree.add("halves", positions)
        case .words(let positions): tree.add("words", positions)
        }
        return tree
    }

    /// Stored positions of the words of an index.
    /// - Throws: `BlockError`.
    convenience init(from reader: BlockReader, index: OrderedIndex) throws(BlockError) {
        let entries: [Int] = try reader.array("largeEntries")
        let totals: [Int] = try reader.array("largeCounts", count: entries.count)
        let (positions, positionCount) = try Positions.read(from: reader)
        var large: [Int: Int] = [:]
        for (entry, total) in zip(entries, totals) {
            guard entry >= 0, entry < index.entryCount, total > Int(UInt8.max), total <= positionCount,
                large.updateValue(total, forKey: entry) == nil
            else { throw reader.failure("largeCounts", "the count of an entry is out of range") }
        }
        let counts: ColumnBuffer<UInt8> = try reader.buffer("counts", count: index.entryCount)
        let blockStarts: ColumnBuffer<UInt32> = try reader.buffer(
            "blockStarts", count: (index.entryCount + (1 << Self.blockShift) - 1) >> Self.blockShift)
        guard Self.sum(counts, large, blockStarts) == positionCount else {
            throw reader.failure("counts", "the counts do not add up to the \(positionCount) positions")
        }
        self.init(
            index: index, counts: counts, largeCounts: large, positions: positions,
            rowLengths: try reader.buffer("rowLengths", count: index.rowCount), blockStarts: blockStarts)
    }

    /// The number of positions by the counts; `nil` when a block of entries starts elsewhere than it says.
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

extension WordPositions.Positions {
    /// Sums of a position and the words of a phrase stay below the greatest number.
    private static let limit = Int(UInt32.max / 2)

    fileprivate static func read(from reader: BlockReader) throws(BlockError) -> (positions: Self, count: Int) {
        if reader.has("bytes") {
            let positions: ColumnBuffer<UInt8> = try reader.buffer("bytes")
            return (.bytes(positions), positions.count)
        }
        if reader.has("halves") {
            let positions: ColumnBuffer<UInt16> = try reader.buffer("halves")
            return (.halves(positions), positions.count)
        }
        let positions: ColumnBuffer<UInt32> = try reader.numbers("words", below: limit)
        return (.words(positions), positions.count)
    }
}
