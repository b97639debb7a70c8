// In which rows a word, a phrase or a beginning of words occurs, and how often.

package import RecordColumns
package import TextAnalysis

/// The rows of a segment that hold a pattern, with the number of its occurrences in each.
package struct WordPostings: Sendable {
    private enum Source: Sendable {
        /// Entries of an index: those of one word.
        case entries(PostingSlice, WordPositions)
        /// Rows, ascending.
        case rows([UInt32], counts: [UInt32])
    }

    private let source: Source

    private init(_ source: Source) { self.source = source }

    /// The hits of a pattern by the positions of words, which are folded as the index's.
    /// - Complexity: O(log words) for a word, O(rows with all words) for a phrase, O(rows) for a beginning.
    init(_ pattern: WordPattern?, in positions: WordPositions) {
        let index = positions.index
        switch pattern {
        case nil: self.init(.rows([], counts: []))
        case .word(let word):
            let distinct = index.distinct(ofFolded: Array(word.utf8))
            self.init(
                distinct.map { .entries(index.run(ofDistinct: $0..<$0 + 1), positions) } ?? .rows([], counts: []))
        case .phrase(let words):
            let distinct = words.map { index.distinct(ofFolded: Array($0.utf8)) }
            let runs = distinct.compactMap { $0.map { index.run(ofDistinct: $0..<$0 + 1) } }
            guard runs.count == words.count(where: { !$0.isEmpty }), let fewest = runs.min(by: { $0.count < $1.count })
            else {
                self.init(.rows([], counts: []))
                return
            }
            var cursor = PhraseCursor(distinct, of: positions)
            self.init(rows: unsafe fewest.withRows { unsafe Array($0) }) { cursor.count(in: $0) }
        case .prefix(let text):
            var counts = [Int](repeating: 0, count: index.rowCount)
            for stretch in index.distinct(beginningWith: text) {
                for entry in index.run(ofDistinct: stretch).range {
                    counts[Int(index.order[entry])] += positions.count(ofEntry: entry)
                }
            }
            self.init(rows: (0..<UInt32(truncatingIfNeeded: index.rowCount)).map { $0 }) { counts[Int($0)] }
        }
    }

    /// The hits among rows, which ascend.
    init(rows: [UInt32], count: (UInt32) -> Int) {
        var (found, counts): ([UInt32], [UInt32]) = ([], [])
        for row in rows {
            let count = count(row)
            if count == 0 { continue }
            found.append(row)
            counts.append(UInt32(truncatingIfNeeded: count))
        }
        self.init(.rows(found, counts: counts))
    }

    /// Number of rows, those aside that `isExcluded` names. Complexity: O(1) without `isExcluded`, else O(rows).
    package func rowCount(without isExcluded: ((UInt32) -> Bool)?) -> Int {
        switch source {
        case .entries(let run, _):
            guard let isExcluded else { return run.count }
            return unsafe run.withRows { rows in unsafe rows.count { !isExcluded($0) } }
        case .rows(let rows, _):
            guard let isExcluded else { return rows.count }
            return rows.count { !isExcluded($0) }
        }
    }

    /// Reads counts of rows that mostly ascend.
    package struct Cursor {
        private let hits: WordPostings
        private var entries: EntryCursor?
        private var position = 0

        package init(_ hits: WordPostings) {
            self.hits = hits
            if case .entries(let run, _) = hits.source { entries = EntryCursor(run) }
        }

        /// Occurrences in a row. Complexity: O(log of the distance from the row before), O(log rows) backwards.
        package mutating func count(in row: UInt32) -> Int {
            switch hits.source {
            case .entries(_, let positions): return entries?.entry(of: row).map(positions.count(ofEntry:)) ?? 0
            case .rows(let rows, let counts):
                if position > 0, rows[position - 1] >= row { position = 0 }
                var (low, high) = (position, rows.count)
                if position < rows.count, rows[position] >= row { high = position }
                while low < high {
                    let middle = low + (high - low) / 2
                    if rows[middle] < row { low = middle + 1 } else { high = middle }
                }
                position = low
                return low < rows.count && rows[low] == row ? Int(counts[low]) : 0
            }
        }
    }
}

/// What is known of the words of texts of a segment: their number in each row, and where patterns occur.
package struct WordCounts: Sendable {
    /// Words of each row.
    package let rowLengths: ColumnBuffer<UInt32>
    /// Sum of `rowLengths`.
    package let wordCount: Int
    /// Number of rows that have a word.
    package let rowsWithWords: Int
    /// Where each pattern occurs.
    package let hits: [WordPostings]

    fileprivate init(_ patterns: [WordPattern?], in positions: WordPositions) {
        rowLengths = positions.rowLengths
        wordCount = positions.wordCount
        rowsWithWords = positions.rowsWithWords
        hits = patterns.map { WordPostings($0, in: positions) }
    }

    /// Counts in the texts themselves.
    fileprivate init(_ patterns: [WordPattern?], in columns: [Column], rowCount: Int, _ tokenizer: Tokenizer) {
        var matchers = patterns.map { pattern in pattern.map { WordMatcher($0, options: tokenizer.options) } }
        var found = patterns.map { _ in [(row: UInt32, count: Int)]() }
        let lengths = ColumnBuffer<UInt32>(capacity: rowCount)
        var (wordCount, rowsWithWords) = (0, 0)
        for row in 0..<rowCount {
            var length = 0
            var counts = [Int](repeating: 0, count: patterns.count)
            for column in columns {
                unsafe column.forEachText(row) { text in
                    for index in matchers.indices { matchers[index]?.beginText() }
                    tokenizer.forEachToken(in: unsafe text.span) { word, _, _ in
                        length += word.isEmpty ? 0 : 1
                        for index in matchers.indices where matchers[index]?.advance(word) ?? 0 > 0 {
                            counts[index] += 1
                        }
                        return true
                    }
                }
            }
            for (index, count) in counts.enumerated() where count > 0 {
                found[index].append((UInt32(truncatingIfNeeded: row), count))
            }
            lengths.append(UInt32(truncatingIfNeeded: length))
            wordCount += length
            rowsWithWords += length > 0 ? 1 : 0
        }
        rowLengths = lengths
        (self.wordCount, self.rowsWithWords) = (wordCount, rowsWithWords)
        hits = found.map { rows in
            var next = 0
            return WordPostings(rows: rows.map(\.row)) { _ in
                next += 1
                return rows[next - 1].count
            }
        }
    }

    /// What is known of the texts of several columns together. Each has been searched for as many patterns.
    /// - Returns: `nil` of no columns.
    /// - Complexity: O(rows · patterns · columns).
    package init?(sumOf parts: [WordCounts]) {
        guard let first = parts.first else { return nil }
        if parts.count == 1 {
            self = first
            return
        }
        let lengths = ColumnBuffer<UInt32>(capacity: first.rowLengths.count)
        for row in 0..<first.rowLengths.count { lengths.append(parts.reduce(0) { $0 + $1.rowLengths[row] }) }
        rowLengths = lengths
        wordCount = parts.reduce(0) { $0 + $1.wordCount }
        rowsWithWords = (0..<lengths.count).count { lengths[$0] > 0 }
        let rows = (0..<UInt32(truncatingIfNeeded: lengths.count)).map { $0 }
        hits = first.hits.indices.map { pattern in
            var cursors = parts.map { WordPostings.Cursor($0.hits[pattern]) }
            return WordPostings(rows: rows) { row in
                cursors.indices.reduce(0) { $0 + cursors[$1].count(in: row) }
            }
        }
    }
}

extension SegmentIndexes {
    /// Where patterns occur in a column of texts or lists of texts, or in all such columns for `nil`: by the positions
    /// of words where these are there or may be built, else by reading the texts.
    ///
    /// Positions do not tell a word that was left out from the end of a text: phrases with any word in them are looked
    /// for in the texts where a row may have several.
    ///
    /// - Parameters:
    ///   - patterns: What is looked for; `nil` for what occurs nowhere.
    ///   - analysis: What analyzes the words of a column.
    /// - Complexity: That of the hits, or O(bytes).
    package func wordCounts(
        of patterns: [WordPattern?], column: Int?, options: TextOptions, analysis: WordAnalysis? = nil, building: Bool
    ) -> WordCounts {
        let mayHoldSeveral = column.map { !segment.columns[$0].holdsOneText } ?? true
        let isReading = mayHoldSeveral && patterns.contains { $0?.hasAnyWord ?? false }
        if !isReading,
            let positions = wordPositions(column: column, options: options, analysis: analysis, building: building)
        {
            return WordCounts(patterns, in: positions)
        }
        return WordCounts(
            patterns, in: textColumns(column), rowCount: segment.count,
            Tokenizer(options: options, analysis: analysis))
    }
}

extension WordPattern {
    /// Whether it is a phrase with a place for any word.
    fileprivate var hasAnyWord: Bool { if case .phrase(let words) = self { words.contains("") } else { false } }
}

extension Column {
    /// Whether a row has one text at most.
    fileprivate var holdsOneText: Bool {
        switch values {
        case .text, .dictionary: true
        default: false
        }
    }
}
