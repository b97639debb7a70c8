// The rows of 65,536 by the three-byte stretches of their folded texts.

import RecordColumns
import TextAnalysis

/// The lists of one block of rows. Rows are counted from its first.
struct TrigramBlock: Sendable {
    /// Rows of a block: as many as two bytes can number.
    static let rowCount = 1 << 16

    /// The codes that occur, ascending.
    let codes: ColumnBuffer<UInt32>
    /// Where the rows of each code are: at that place of `rows`; or, for −1 − n, in the n-th bitmap of `words`.
    let starts: ColumnBuffer<Int32>
    let counts: ColumnBuffer<UInt32>
    let rows: ColumnBuffer<UInt16>
    let words: ColumnBuffer<UInt64>
    /// Words of a bitmap.
    let wordCount: Int

    var byteCount: Int { rows.byteCount + words.byteCount + 12 * codes.count }

    var entryCount: Int { (0..<counts.count).reduce(0) { $0 + Int(counts[$1]) } }

    // MARK: Queries

    /// The rows that match the query, ascending.
    func rows(_ query: TrigramQuery) -> [UInt16] {
        switch query {
        case .codes(let codes): return rows(holding: codes)
        case .all(let queries):
            let sorted = queries.sorted { mostRows($0) < mostRows($1) }
            guard let first = sorted.first else { return [] }
            var found = rows(first)
            for query in sorted.dropFirst() where !found.isEmpty {
                if case .codes(let codes) = query {
                    found = keep(found, holding: codes)
                } else {
                    let others = Set(rows(query))
                    found.removeAll { !others.contains($0) }
                }
            }
            return found
        case .any(let queries): return Set(queries.flatMap { rows($0) }).sorted()
        }
    }

    /// The most rows that can be found.
    private func mostRows(_ query: TrigramQuery) -> Int {
        switch query {
        case .codes(let codes): codes.map { position(of: $0).map { Int(counts[$0]) } ?? 0 }.min() ?? 0
        case .all(let queries): queries.map { mostRows($0) }.min() ?? 0
        case .any(let queries): queries.reduce(0) { $0 + mostRows($1) }
        }
    }

    private func position(of code: UInt32) -> Int? {
        var (low, high) = (0, codes.count)
        while low < high {
            let middle = (low + high) / 2
            if codes[middle] < code { low = middle + 1 } else { high = middle }
        }
        return low < codes.count && codes[low] == code ? low : nil
    }

    /// The lists of some codes, the shortest first; `nil` when one does not occur.
    private func positions(_ codes: [UInt32]) -> [Int]? {
        var positions: [Int] = []
        for code in codes {
            guard let position = position(of: code) else { return nil }
            positions.append(position)
        }
        return positions.sorted { counts[$0] < counts[$1] }
    }

    private func rows(holding codes: [UInt32]) -> [UInt16] {
        guard let positions = positions(codes), let first = positions.first else { return [] }
        var found = list(first)
        for position in positions.dropFirst() where !found.isEmpty { keep(&found, in: position) }
        return found
    }

    private func keep(_ found: [UInt16], holding codes: [UInt32]) -> [UInt16] {
        guard let positions = positions(codes) else { return [] }
        var found = found
        for position in positions where !found.isEmpty { keep(&found, in: position) }
        return found
    }

    private func list(_ position: Int) -> [UInt16] {
        let start = Int(starts[position])
        if start >= 0 { return (start..<start + Int(counts[position])).map { rows[$0] } }
        var list: [UInt16] = []
        list.reserveCapacity(Int(counts[position]))
        let first = bitmapStart(start)
        for word in 0..<wordCount {
            var bits = words[first + word]
            while bits != 0 {
                list.append(UInt16(truncatingIfNeeded: word * 64 + bits.trailingZeroBitCount))
                bits &= bits - 1
            }
        }
        return list
    }

    private func bitmapStart(_ start: Int) -> Int { (-1 - start) * wordCount }

    /// The position between two others of the first row that is not below another, sought in steps that double.
    private func place(of row: UInt16, from start: Int, to end: Int) -> Int {
        var low = start
        var step = 1
        while low + step < end, rows[low + step] < row {
            low += step
            step *= 2
        }
        var high = min(end, low + step + 1)
        while low < high {
            let middle = (low + high) / 2
            if rows[middle] < row { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Keeps the rows of an ascending list that another holds too.
    private func keep(_ found: inout [UInt16], in position: Int) {
        let start = Int(starts[position])
        var kept = 0
        if start < 0 {
            let first = bitmapStart(start)
            for row in found where words[first + Int(row) >> 6] >> UInt64(row & 63) & 1 == 1 {
                found[kept] = row
                kept += 1
            }
        } else {
            let end = start + Int(counts[position])
            var low = start
            for row in found {
                low = place(of: row, from: low, to: end)
                if low == end { break }
                if rows[low] == row {
                    found[kept] = row
                    kept += 1
                }
            }
        }
        found.removeLast(found.count - kept)
    }
}

/// Builds blocks one after another, with the same memory.
struct TrigramBlockBuilder {
    /// The last row, plus one, that had each code, and how many rows had it.
    private var stamps = [UInt32](repeating: 0, count: Trigram.codeCount)
    private var counts = [UInt32](repeating: 0, count: Trigram.codeCount)
    /// The codes of each row, row after row.
    private let entries = ColumnBuffer<UInt32>()
    private var ends: [Int] = []

    /// The block of some rows of a column.
    mutating func block(of texts: TextColumn, rows: Range<Int>) -> TrigramBlock {
        collect(texts, rows)
        let block = laidOut(rowCount: rows.count)
        for position in 0..<block.codes.count { counts[Int(block.codes[position])] = 0 }
        for index in stamps.indices { stamps[index] = 0 }
        entries.truncate(to: 0)
        ends.removeAll(keepingCapacity: true)
        return block
    }

    private mutating func collect(_ texts: TextColumn, _ rows: Range<Int>) {
        var folded = FoldedText()
        for row in rows {
            let stamp = UInt32(truncatingIfNeeded: row - rows.lowerBound + 1)
            unsafe texts.withBytes(row) { bytes in
                folded.removeAll()
                TextFolding.fold(unsafe Span(_unsafeElements: bytes), RequiredText.folding, into: &folded)
            }
            folded.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { unsafe add($0, stamp) } }
            ends.append(entries.count)
        }
    }

    private mutating func add(_ bytes: UnsafeBufferPointer<UInt8>, _ stamp: UInt32) {
        guard bytes.count >= 3 else { return }
        unsafe Trigram.classes.withUnsafeBufferPointer { classes in
            unsafe stamps.withUnsafeMutableBufferPointer { stamps in
                unsafe counts.withUnsafeMutableBufferPointer { counts in
                    // SAFETY: there is a class for each byte, and a stamp and a count for each code.
                    var code = unsafe UInt32(classes[Int(bytes[0])]) << 6 | UInt32(classes[Int(bytes[1])])
                    for offset in 2..<bytes.count {
                        code = unsafe (code << 6 | UInt32(classes[Int(bytes[offset])])) & 0x3FFFF
                        if unsafe stamps[Int(code)] == stamp { continue }
                        unsafe stamps[Int(code)] = stamp
                        unsafe counts[Int(code)] &+= 1
                        entries.append(code)
                    }
                }
            }
        }
    }

    private mutating func laidOut(rowCount: Int) -> TrigramBlock {
        let wordCount = (rowCount + 63) / 64
        // A bitmap where it is the shorter form.
        let longest = wordCount * 4
        var codes: [UInt32] = []
        var starts: [Int32] = []
        var listed = 0
        var bitmaps = 0
        for code in counts.indices where counts[code] > 0 {
            codes.append(UInt32(truncatingIfNeeded: code))
            if Int(counts[code]) > longest {
                starts.append(Int32(truncatingIfNeeded: -1 - bitmaps))
                bitmaps += 1
            } else {
                starts.append(Int32(truncatingIfNeeded: listed))
                listed += Int(counts[code])
            }
        }
        let rows = ColumnBuffer<UInt16>(capacity: listed)
        rows.append(repeating: 0, count: listed)
        let words = ColumnBuffer<UInt64>(capacity: bitmaps * wordCount)
        words.append(repeating: 0, count: bitmaps * wordCount)
        let finalCounts = codes.map { counts[Int($0)] }
        // The stamps are done with: they hold the place of the next row of each list.
        for (position, code) in codes.enumerated() {
            stamps[Int(code)] = UInt32(bitPattern: starts[position])
        }
        place(in: rows, words, wordCount)
        return TrigramBlock(
            codes: ColumnBuffer(codes), starts: ColumnBuffer(starts), counts: ColumnBuffer(finalCounts), rows: rows,
            words: words, wordCount: wordCount)
    }

    private mutating func place(in rows: ColumnBuffer<UInt16>, _ words: ColumnBuffer<UInt64>, _ wordCount: Int) {
        var position = 0
        unsafe stamps.withUnsafeMutableBufferPointer { places in
            for (row, end) in ends.enumerated() {
                while position < end {
                    let code = Int(entries[position])
                    position += 1
                    // SAFETY: codes are below their number.
                    let place = unsafe Int32(bitPattern: places[code])
                    if place < 0 {
                        words[Int(-1 - place) * wordCount + row >> 6] |= 1 << UInt64(row & 63)
                    } else {
                        rows[Int(place)] = UInt16(truncatingIfNeeded: row)
                        unsafe places[code] = UInt32(bitPattern: place + 1)
                    }
                }
            }
        }
    }
}
