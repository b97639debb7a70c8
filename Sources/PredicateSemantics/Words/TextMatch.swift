// Where the words that a predicate looks for occur in the texts of a record.

public import RecordModel
public import TextAnalysis

/// A text of a record with the places of what the token comparisons of a predicate look for.
public struct TextMatch: Hashable, Sendable {
    /// The field that holds the text.
    public let field: String
    /// The text's place in the field's list, from 0; nil where the field is a text itself.
    public let element: Int?
    /// The whole text in which words were found.
    public let text: String
    /// The places of words and phrases in `text`, in UTF-8 bytes: ascending, none within another.
    public let ranges: [Range<Int>]
    /// The places of all words of the text, in UTF-8 bytes.
    let words: [Range<Int>]
    /// What was found, in order of its first word.
    let occurrences: [Occurrence]

    /// Words of the text that are what is looked for.
    struct Occurrence: Hashable, Sendable {
        /// Index of the search.
        var search: Int
        /// Positions of the words.
        var words: Range<Int>
    }

    /// How the words of a text are read for some of the searches.
    private struct Reading: Hashable {
        let options: TextOptions
        let analysis: WordAnalysis?

        init(_ search: WordSearch, _ field: String) {
            options = search.options
            analysis = search.analyzers?[field]
        }
    }

    init?(field: String, element: Int?, text: String, searches: [(index: Int, search: WordSearch)]) {
        var words: [Range<Int>] = []
        var occurrences: [Occurrence] = []
        // Neither folding nor analysis moves the boundary of a word.
        for reading in Set(searches.map { Reading($0.search, field) }) {
            var matchers = searches.filter { Reading($0.search, field) == reading }.compactMap { index, search in
                search.pattern(in: field).map { (index, WordMatcher($0, options: reading.options)) }
            }
            words = []
            let tokenizer = Tokenizer(options: reading.options, analysis: reading.analysis)
            tokenizer.forEachToken(in: text.utf8.span) { word, range, position in
                words.append(range)
                for index in matchers.indices {
                    let length = matchers[index].1.advance(word)
                    if length == 0 { continue }
                    occurrences.append(
                        Occurrence(search: matchers[index].0, words: position + 1 - length..<position + 1))
                }
                return true
            }
        }
        if occurrences.isEmpty { return nil }
        occurrences.sort { ($0.words.lowerBound, $0.words.upperBound) < ($1.words.lowerBound, $1.words.upperBound) }
        self.field = field
        self.element = element
        self.text = text
        self.words = words
        self.occurrences = occurrences
        ranges = Self.ranges(of: occurrences.map(\.words), words)
    }

    /// The places of runs of words that come in order; runs that share a word are one.
    static func ranges(of runs: [Range<Int>], _ words: [Range<Int>]) -> [Range<Int>] {
        var joined: [Range<Int>] = []
        for run in runs {
            if let last = joined.last, run.lowerBound < last.upperBound {
                joined[joined.count - 1] = last.lowerBound..<max(last.upperBound, run.upperBound)
            } else {
                joined.append(run)
            }
        }
        return joined.map { words[$0.lowerBound].lowerBound..<words[$0.upperBound - 1].upperBound }
    }

    /// `ranges` as indices of `text`.
    public var stringRanges: [Range<String.Index>] {
        ranges.map { range in
            let start = text.utf8.index(text.startIndex, offsetBy: range.lowerBound)
            return start..<text.utf8.index(start, offsetBy: range.count)
        }
    }

    /// How many of the searches found something.
    var foundCount: Int { Set(occurrences.map(\.search)).count }
}

extension RecordPredicate {
    /// Where a record contains the words, phrases and prefixes that the token comparisons of the predicate look for,
    /// whether or not the record matches.
    ///
    /// Comparisons under NOT, of paths into other records and inside SUBQUERY look for nothing here.
    ///
    /// - Parameters:
    ///   - record: The record, matching or not.
    ///   - analyzers: The analyzers of its fields, by name: those of the record set or the schema.
    /// - Returns: The texts in which something was found, in order of field name and place in the list.
    /// - Throws: `RecordPredicateError` when the predicate is malformed.
    /// - Complexity: O(n) in the length of the texts, times the number of searches.
    public func textMatches(
        in record: Record, analyzers: [String: TextAnalyzer] = [:]
    ) throws(RecordPredicateError) -> [TextMatch] {
        let searches = try bound(FieldAnalyzers(analyzers)).wordSearches
        if searches.isEmpty { return [] }
        var matches: [TextMatch] = []
        for field in record.fields.keys.sorted() {
            let wanted = searches.enumerated().filter { $1.field == nil || $1.field?.name == field }
                .map { (index: $0, search: $1) }
            if wanted.isEmpty { continue }
            switch record.fields[field] {
            case .string(let text):
                if let match = TextMatch(field: field, element: nil, text: text, searches: wanted) {
                    matches.append(match)
                }
            case .list(let elements), .set(let elements):
                for (place, element) in elements.enumerated() {
                    guard case .string(let text) = element,
                        let match = TextMatch(field: field, element: place, text: text, searches: wanted)
                    else { continue }
                    matches.append(match)
                }
            default: break
            }
        }
        return matches
    }
}
