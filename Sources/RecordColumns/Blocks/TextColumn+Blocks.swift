// Columns of texts as stored blocks, and what finds texts.

import RecordModel

extension TextColumn {
    /// The texts, to be stored.
    package var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("bytes", bytes)
        tree.add("offsets", offsets)
        return tree
    }

    /// Stored texts, `count` of them where that is known.
    /// - Throws: `BlockError`.
    package init(from reader: BlockReader, count: Int? = nil) throws(BlockError) {
        let bytes: ColumnBuffer<UInt8> = try reader.buffer("bytes")
        self.init(bytes: bytes, offsets: try reader.bounds("offsets", count: count, end: bytes.count))
    }

    /// The values of a list in their binary forms, one after another.
    /// - Throws: `BinaryError` of kind `tooDeep`, or `outOfRange` for values of more than 4 GiB.
    init(binary values: [some BinaryCodable]) throws(BinaryError) {
        let builder = TextBuilder()
        var writer = BinaryWriter()
        for value in values {
            writer.removeAll()
            try value.write(to: &writer)
            let isAdded = unsafe writer.bytes.withUnsafeBufferPointer { unsafe builder.append($0) }
            if !isAdded { throw BinaryError(.outOfRange, offset: 0) }
        }
        self = builder.finish()
    }

    /// The values whose binary forms the texts are.
    /// - Throws: `BinaryError`.
    func values<Value: BinaryCodable>(of: Value.Type = Value.self) throws(BinaryError) -> [Value] {
        var values: [Value] = []
        values.reserveCapacity(count)
        for row in 0..<count { values.append(try Value(binary: byteArray(row))) }
        return values
    }
}

extension RunLengthMap {
    /// The map, to be stored.
    package var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("starts", starts)
        tree.add("values", values)
        return tree
    }

    /// A stored map of `count` positions.
    /// - Throws: `BlockError`.
    package convenience init(from reader: BlockReader, count: Int) throws(BlockError) {
        let starts: ColumnBuffer<Int> = try reader.buffer("starts")
        let values: ColumnBuffer<Int> = try reader.buffer("values", count: starts.count)
        guard count > 0 ? starts.count > 0 && starts[0] == 0 : starts.count == 0 else {
            throw reader.failure("starts", "the first run does not start at 0")
        }
        // Far from where sums overflow.
        let limit = Int.max / 4
        for run in 0..<starts.count {
            let end = run + 1 < starts.count ? starts[run + 1] : count
            guard starts[run] < end, end <= count, values[run] >= 0, values[run] < limit else {
                throw reader.failure("starts", "run \(run) is out of order")
            }
        }
        self.init(starts: starts, values: values, count: count)
    }
}

extension ByteIndex {
    /// The index, to be stored.
    package var blocks: WrittenBlocks {
        var tree = WrittenBlocks()
        tree.add("count", count)
        tree.add("key0", bits: keys.first)
        tree.add("key1", bits: keys.second)
        tree.add("slots", slots)
        return tree
    }

    /// A stored index of numbers below a limit.
    /// - Throws: `BlockError`.
    package convenience init(from reader: BlockReader, below limit: Int) throws(BlockError) {
        let keys = ByteHash.Keys(first: try reader.bits("key0"), second: try reader.bits("key1"))
        let slots: ColumnBuffer<UInt64> = try reader.buffer("slots")
        let count = try reader.number("count", 0...slots.count / 2)
        guard slots.count > 0, slots.count & (slots.count - 1) == 0 else {
            throw reader.failure("slots", "\(slots.count) slots are no power of two")
        }
        var (used, numbered) = (0, 0)
        var greatest: UInt32 = 0
        unsafe slots.withElements { slots in
            for slot in 0..<slots.count {
                // SAFETY: the position is below the number of slots.
                let entry = unsafe slots[slot]
                let number = UInt32(truncatingIfNeeded: entry)
                used &+= entry == 0 ? 0 : 1
                numbered &+= number == 0 ? 0 : 1
                greatest = max(greatest, number)
            }
        }
        // Half of the slots are empty, so that a search ends. An entry holds its number plus one.
        guard used == count, numbered == count, Int(greatest) <= limit else {
            throw reader.failure("slots", "expected \(count) numbers below \(limit)")
        }
        self.init(slots: slots, count: count, keys: keys)
    }
}
