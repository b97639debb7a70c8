// Texts sorted by their UTF-8 bytes, which is the order of their scalars.

import RecordColumns

/// Sorting of texts, eight bytes at a time.
///
/// A comparison sort spends its time on the bytes that texts share; here each run of texts that agree so far is
/// sorted by its next eight bytes as one number.
enum TextSorting {
    /// The given positions of a text column, sorted by text, equal texts by position.
    /// - Returns: the sorted positions, and where each distinct text starts among them.
    static func sort(_ positions: [UInt32], of texts: TextColumn) -> (order: [UInt32], starts: [UInt32]) {
        var order = positions
        var starts: [UInt32] = []
        var pending: [(range: Range<Int>, depth: Int)] = []
        if !order.isEmpty { pending.append((0..<order.count, 0)) }
        var buffer: [KeyedRow] = []
        // A stack instead of recursion: texts can share any number of bytes.
        while let (range, depth) = pending.popLast() {
            if range.count == 1 {
                starts.append(UInt32(truncatingIfNeeded: range.lowerBound))
                continue
            }
            buffer.removeAll(keepingCapacity: true)
            for index in range { buffer.append(keyed(order[index], at: depth, of: texts)) }
            RowSorting.sort(&buffer)
            for (offset, row) in buffer.enumerated() { order[range.lowerBound + offset] = row.row }
            // Runs are pushed last first, so that starts come out ascending.
            var end = buffer.count
            while end > 0 {
                var start = end - 1
                while start > 0, buffer[start - 1].key == buffer[start].key, buffer[start - 1].tie == buffer[start].tie
                {
                    start -= 1
                }
                let run = range.lowerBound + start..<range.lowerBound + end
                // Texts that ended within these bytes and agree in them are equal: nothing is left to sort.
                let isEqual = buffer[start].tie <= 8
                pending.append((isEqual ? run.lowerBound..<run.lowerBound + 1 : run, depth + 8))
                end = start
            }
        }
        return (order, starts)
    }

    /// The eight bytes from `depth` on, as one number that sorts as they do; the tie is how many there are, 9 for more.
    private static func keyed(_ position: UInt32, at depth: Int, of texts: TextColumn) -> KeyedRow {
        unsafe texts.withBytes(Int(position)) { text in
            let left = max(0, text.count - depth)
            var key: UInt64 = 0
            if left >= 8 {
                // SAFETY: eight bytes from `depth` on lie within the text.
                key = unsafe UnsafeRawBufferPointer(text).loadUnaligned(fromByteOffset: depth, as: UInt64.self)
                    .bigEndian
            } else {
                for offset in 0..<8 {
                    let byte = offset < left ? unsafe text[depth + offset] : 0
                    key = key << 8 | UInt64(byte)
                }
            }
            return KeyedRow(key: key, row: position, tie: UInt32(min(left, 9)))
        }
    }
}
