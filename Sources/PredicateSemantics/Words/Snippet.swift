// A few words of a text around what a search found.

public import RecordModel
public import TextAnalysis

/// The stretch of a text that shows most of what a predicate looks for.
public struct Snippet: Hashable, Sendable {
    /// The field that holds the text.
    public let field: String
    /// The text's place in the field's list, from 0; nil where the field is a text itself.
    public let element: Int?
    /// The words of the stretch with what is between them.
    public let text: String
    /// The stretch in the field's text, in UTF-8 bytes.
    public let range: Range<Int>
    /// What is looked for in `text`, in UTF-8 bytes: ascending, none within another.
    public let highlights: [Range<Int>]
    /// Whether there are words before the stretch.
    public let isCutAtStart: Bool
    /// Whether there are words behind it.
    public let isCutAtEnd: Bool

    /// The text with marks around what is looked for, and dots where it is cut.
    public func marked(_ opening: String, _ closing: String, ellipsis: String = "…") -> String {
        var marked = isCutAtStart ? ellipsis : ""
        var rest = Substring(text)
        var offset = 0
        for highlight in highlights {
            let start = rest.utf8.index(rest.startIndex, offsetBy: highlight.lowerBound - offset)
            let end = rest.utf8.index(start, offsetBy: highlight.count)
            marked += rest[..<start] + opening + rest[start..<end] + closing
            rest = rest[end...]
            offset = highlight.upperBound
        }
        return marked + rest + (isCutAtEnd ? ellipsis : "")
    }
}

extension TextMatch {
    /// The stretch of at most so many words that holds most of the different things looked for, among such stretches
    /// the one with most occurrences, then the first; the matches are in its middle where there is room.
    ///
    /// - Parameter words: At least 1.
    /// - Complexity: O(words of the text), and O(n log n) in the occurrences.
    public func snippet(words count: Int = 24) -> Snippet {
        let count = min(max(1, count), max(1, words.count))
        let core = densest(within: count)
        // What room is left goes to both sides, and to the other side where the text ends.
        let room = max(0, count - core.count)
        let end = min(words.count, core.upperBound + room - min(room / 2, core.lowerBound))
        let start = max(0, min(core.lowerBound, end - count))
        let range = bytes(of: start..<end)
        let runs = occurrences.map { $0.words.clamped(to: start..<end) }.filter { !$0.isEmpty }
        let highlights = Self.ranges(of: runs, words).map {
            $0.lowerBound - range.lowerBound..<$0.upperBound - range.lowerBound
        }
        let lower = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
        return Snippet(
            field: field, element: element, text: String(text[lower..<text.utf8.index(lower, offsetBy: range.count)]),
            range: range, highlights: highlights, isCutAtStart: start > 0, isCutAtEnd: end < words.count)
    }

    /// The words from the first to the last occurrence of the best stretch, not more than so many.
    private func densest(within count: Int) -> Range<Int> {
        // An occurrence longer than the stretch is shown alone, and hides none of those that begin within it.
        let fitting = occurrences.filter { $0.words.count <= count }
        var best = occurrences[0].words.prefix(count)
        var bestScore = (0, 0)
        var found: [Int: Int] = [:]
        var added = fitting.sorted { $0.words.upperBound < $1.words.upperBound }[...]
        for (position, first) in fitting.enumerated() {
            let start = first.words.lowerBound
            while let next = added.first, next.words.upperBound <= start + count {
                found[next.search, default: 0] += 1
                added.removeFirst()
            }
            let score = (found.count, fitting.count - added.count - position)
            if score > bestScore {
                bestScore = score
                let inside = fitting[position...].lazy.map(\.words).prefix { $0.lowerBound < start + count }
                let end = inside.map(\.upperBound).filter { $0 <= start + count }.max() ?? start
                best = start..<end
            }
            found[first.search] = found[first.search].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
        return best
    }

    /// The bytes of a run of words, with the signs next to them: up to a blank, or the end of the text.
    private func bytes(of run: Range<Int>) -> Range<Int> {
        let utf8 = text.utf8.span
        func isBlank(_ offset: Int) -> Bool { utf8[offset] == 0x20 || utf8[offset] &- 0x09 < 5 }
        var start = 0
        if run.lowerBound > 0 {
            start = words[run.lowerBound].lowerBound
            let gap = words[run.lowerBound - 1].upperBound..<start
            if let blank = gap.last(where: isBlank) { start = blank + 1 }
        }
        var end = utf8.count
        if run.upperBound < words.count {
            end = words[run.upperBound - 1].upperBound
            let gap = end..<words[run.upperBound].lowerBound
            end = gap.first(where: isBlank) ?? end
        }
        return start..<end
    }
}

extension RecordPredicate {
    /// The stretches of a record's texts that show what the token comparisons of the predicate look for, one for each
    /// text that holds some of it: the text with most of the different things first, then with most occurrences.
    ///
    /// - Parameters:
    ///   - record: The record, matching or not.
    ///   - words: How many words a stretch has at most.
    ///   - analyzers: The analyzers of the record's fields, by name.
    /// - Throws: `RecordPredicateError` when the predicate is malformed.
    /// - Complexity: As `textMatches(in:analyzers:)`.
    public func snippets(
        in record: Record, words: Int = 24, analyzers: [String: TextAnalyzer] = [:]
    ) throws(RecordPredicateError) -> [Snippet] {
        let matches = try textMatches(in: record, analyzers: analyzers).enumerated().sorted { a, b in
            (-a.element.foundCount, -a.element.occurrences.count, a.offset)
                < (-b.element.foundCount, -b.element.occurrences.count, b.offset)
        }
        return matches.map { $0.element.snippet(words: words) }
    }
}
