// The words of a text column that are not ASCII, each with its rows.
//
// Folding changes ASCII text byte by byte, so a folded search of it can run over the column's own bytes at the speed of
// memory. Only around other characters folding depends on more than a byte. The words that hold such characters are
// few and often repeated; they are kept once, with their rows, and folded once for each set of options. Rejected: a
// folded copy of the column (it doubles the memory of the largest columns), and folding rows that are not ASCII at
// query time (a third of the rows of many a text in Latin script).

internal import CKernels
package import RecordColumns
import Synchronization
package import TextAnalysis

/// The words of a text column that are not ASCII. Immutable; may be used from any thread.
///
/// A word is the longest run of ASCII letters, ASCII digits and characters beyond ASCII.
package final class NonASCIITerms: Sendable {
    /// Rows where a text may be found, in no order, some of them repeated.
    package struct Findings: Sendable {
        /// Rows that hold it.
        package var sure: [UInt32] = []
        /// Rows that may hold it.
        package var unsure: [UInt32] = []

        /// Nothing found yet.
        package init() {}
    }

    let words: TextColumn
    /// Where the rows of each word start in `rows`, and where those of the last one end.
    let starts: ColumnBuffer<UInt32>
    let rows: ColumnBuffer<UInt32>
    /// Rows whose text is not cut into words: much of it is not ASCII, or a word of it depends on its surroundings.
    let otherRows: [UInt32]
    /// Those rows, and rows with words that are not all of Latin, Greek or Cyrillic letters: where a word of a
    /// tokenizer may end within what counts as a word here, ascending.
    package let specialRows: [UInt32]
    private let folded = Mutex<[Int: FoldedWords]>([:])

    init(
        words: TextColumn, starts: ColumnBuffer<UInt32>, rows: ColumnBuffer<UInt32>, otherRows: [UInt32],
        specialRows: [UInt32]
    ) {
        self.words = words
        self.starts = starts
        self.rows = rows
        self.otherRows = otherRows
        self.specialRows = specialRows
    }

    /// Room taken, in bytes.
    package var byteCount: Int {
        words.byteCount + starts.byteCount + rows.byteCount + otherRows.count * 4 + specialRows.count * 4
            + folded.withLock { $0.values.reduce(0) { $0 + $1.texts.byteCount } }
    }

    /// The rows where a match takes in other than ASCII characters. Rows where it is all ASCII may be among them.
    ///
    /// - Parameters:
    ///   - text: What the folded text must hold. Not empty.
    ///   - needle: The same as a needle of CONTAINS; rows are sure only with it.
    ///   - options: How texts are folded; without `n`.
    /// - Complexity: O(words), and O(bytes of words) the first time for these options.
    package func find(_ text: [UInt8], needle: PreparedNeedle?, options: TextOptions) -> Findings {
        var findings = Findings()
        findings.unsure = otherRows
        guard words.count > 0 else { return findings }
        let folded = foldedWords(options)
        let parts = text.split(omittingEmptySubsequences: false) { !Self.isWordByte($0) }.map(Array.init)
        for word in 0..<words.count {
            let result: Bool? = unsafe folded.texts.withBytes(word) { bytes in
                let bytes = unsafe bytes.span
                if folded.isOdd[word] { return false }
                if parts.count > 1 { return Self.meets(parts, bytes.extracting(droppingLast: 1)) ? false : nil }
                if let needle, !folded.reachesBehind[word] {
                    return needle.firstMatch(inFolded: bytes, from: 0) != nil ? true : nil
                }
                return bytes.holds(text.span) ? false : nil
            }
            guard let isSure = result else { continue }
            let rows = unsafe rows.withElements { unsafe Array($0[Int(starts[word])..<Int(starts[word + 1])]) }
            if isSure { findings.sure += rows } else { findings.unsure += rows }
        }
        return findings
    }

    /// Whether a folded word may be one of the words of a text, its first and last of which may be cut.
    private static func meets(_ parts: [[UInt8]], _ word: Span<UInt8>) -> Bool {
        let last = parts.count - 1
        for (index, part) in parts.enumerated() where !part.isEmpty && part.count <= word.count {
            let piece =
                index == 0
                ? word.extracting(last: part.count)
                : index == last || part.count == word.count ? word.extracting(first: part.count) : Span()
            if piece.count == part.count, piece.indices.allSatisfy({ piece[$0] == part[$0] }) { return true }
        }
        return false
    }

    private func foldedWords(_ options: TextOptions) -> FoldedWords {
        folded.withLock { known in
            let key = options.intersection([.caseInsensitive, .diacriticInsensitive]).rawValue
            if let words = known[key] { return words }
            let words = FoldedWords(words, options)
            known[key] = words
            return words
        }
    }

    /// Whether a byte begins a scalar from U+0300 on, Greek and the Cyrillic letters up to U+047F apart.
    fileprivate static func isSpecialByte(_ byte: UInt8) -> Bool { byte >= 0xCC && !(0xCE...0xD1).contains(byte) }

    static func isWordByte(_ byte: UInt8) -> Bool {
        byte >= 0x80 || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10
    }
}

/// The words folded, each with a space behind it.
private struct FoldedWords: Sendable {
    let texts: TextColumn
    /// Whether folding made a separator of a character, so that the word is none.
    let isOdd: [Bool]
    /// Whether the last character may take in what follows it, whatever that is.
    let reachesBehind: [Bool]

    init(_ words: TextColumn, _ options: TextOptions) {
        let builder = TextBuilder()
        var folded = FoldedText()
        var isOdd: [Bool] = []
        var reachesBehind: [Bool] = []
        for word in 0..<words.count {
            folded.removeAll()
            unsafe words.withBytes(word) { bytes in
                let bytes = unsafe bytes.span
                reachesBehind.append(TextFolding.mayReachBehind(TextFolding.ends(of: bytes).last))
                TextFolding.fold(bytes, options, into: &folded)
            }
            let isWhole = folded.withBytes { bytes in bytes.indices.allSatisfy { NonASCIITerms.isWordByte(bytes[$0]) } }
            folded.withBytes { bytes in
                let text = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } + [UInt8(ascii: " ")]
                _ = unsafe text.withUnsafeBufferPointer { unsafe builder.append($0) }
            }
            isOdd.append(!isWhole)
        }
        texts = builder.finish()
        self.isOdd = isOdd
        self.reachesBehind = reachesBehind
    }
}

extension NonASCIITerms {
    /// Finds the words of a column. Complexity: O(bytes), most of it at the speed of memory.
    package static func build(over texts: TextColumn) -> NonASCIITerms {
        let collector = ForeignWordCollector(texts)
        collector.collect()
        return collector.finish()
    }
}

/// Words on their way into the list.
private final class ForeignWordCollector {
    private let texts: TextColumn
    private let numbers = ByteIndex(capacity: 1024)
    private let words = TextBuilder()
    /// The last row, plus one, that each word was seen in.
    private var lastRows: [UInt32] = []
    /// Pairs of a row and a word in it, and the end of each row's words.
    private var entries: [(row: UInt32, word: UInt32)] = []
    private var otherRows: [UInt32] = []

    /// Longer words are no words of a script with spaces.
    private static let longestWord = 64
    /// More different words than this are not worth a search of their own.
    private static let wordLimit = 1 << 20

    init(_ texts: TextColumn) { self.texts = texts }

    func collect() {
        unsafe texts.bytes.withElements { bytes in
            guard let base = bytes.baseAddress else { return }
            var place = 0
            var row = 0
            while true {
                // SAFETY: the kernel reads from `place` up to the end of the buffer.
                place = unsafe kernels_first_non_ascii(base, place, bytes.count)
                guard place < bytes.count else { return }
                while texts.range(row).upperBound <= place { row += 1 }
                let range = texts.range(row)
                let first = entries.count
                if unsafe !addWords(bytes, range, from: place, row: UInt32(truncatingIfNeeded: row)) {
                    entries.removeLast(entries.count - first)
                    otherRows.append(UInt32(truncatingIfNeeded: row))
                }
                place = range.upperBound
            }
        }
    }

    /// Adds the words of a row; false when the row is better looked at as a whole.
    private func addWords(
        _ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>, from place: Int, row: UInt32
    ) -> Bool {
        var place = place
        var left = range.count / 4 + ForeignWordCollector.longestWord
        while place < range.upperBound {
            if unsafe bytes[place] < 0x80 {
                place += 1
                continue
            }
            var start = place
            while start > range.lowerBound, unsafe NonASCIITerms.isWordByte(bytes[start - 1]) { start -= 1 }
            while place < range.upperBound, unsafe NonASCIITerms.isWordByte(bytes[place]) { place += 1 }
            left -= place - start
            guard left >= 0, place - start <= ForeignWordCollector.longestWord,
                unsafe add(UnsafeBufferPointer(rebasing: bytes[start..<place]), row: row)
            else { return false }
        }
        return true
    }

    private func add(_ word: UnsafeBufferPointer<UInt8>, row: UInt32) -> Bool {
        let hash = unsafe ByteHash.hash(word)
        let known = words.column
        if let number = numbers.find(hash, where: { unsafe known.equals($0, word) }) {
            if lastRows[number] != row &+ 1 { entries.append((row, UInt32(truncatingIfNeeded: number))) }
            lastRows[number] = row &+ 1
            return true
        }
        guard words.count < ForeignWordCollector.wordLimit,
            unsafe TextFolding.isSeparate(TextFolding.ends(of: word.span).first), unsafe words.append(word)
        else { return false }
        numbers.insert(hash, lastRows.count)
        entries.append((row, UInt32(truncatingIfNeeded: lastRows.count)))
        lastRows.append(row &+ 1)
        return true
    }

    /// Sorts the rows by word.
    func finish() -> NonASCIITerms {
        var ends = [UInt32](repeating: 0, count: lastRows.count + 1)
        for entry in entries { ends[Int(entry.word) + 1] += 1 }
        for word in ends.indices.dropFirst() { ends[word] += ends[word - 1] }
        let starts = ColumnBuffer(ends)
        let rows = ColumnBuffer<UInt32>(capacity: entries.count)
        rows.append(repeating: 0, count: entries.count)
        for entry in entries {
            rows[Int(ends[Int(entry.word)])] = entry.row
            ends[Int(entry.word)] += 1
        }
        let texts = words.finish()
        let isSpecial = (0..<texts.count).map { word in
            unsafe texts.withBytes(word) { unsafe $0.contains(where: NonASCIITerms.isSpecialByte) }
        }
        let special = Set(entries.lazy.filter { isSpecial[Int($0.word)] }.map(\.row)).union(otherRows)
        return NonASCIITerms(
            words: texts, starts: starts, rows: rows, otherRows: otherRows, specialRows: special.sorted())
    }
}
