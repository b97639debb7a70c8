// How the words of a field become what searches for words compare.

/// What the words of a field are reduced to before searches for words compare them: stems of a language, without stop
/// words, and synonyms as one word.
///
///     TextAnalyzer(language: .english, stopWords: TextAnalyzer.englishStopWords, synonyms: [["car", "automobile"]])
///
/// The words of texts and those that are looked for are treated alike, each in this order: the letters of the
/// comparison fold it; a stop word is left out, and keeps its place in phrases, where it stands for any word; the rest
/// is reduced to its stem; a stem that a synonym has too becomes the one of its group. Stemmers know words in lower
/// case, so comparisons need the letter `c`. With `d` they see words without marks, so that words which differ in marks
/// alone have one stem.
public struct TextAnalyzer: Hashable, Sendable, Codable {
    /// The language of the stems; `nil` leaves words as they are.
    public var language: TextLanguage?
    /// Words that are not searched. A search for these alone finds nothing.
    public var stopWords: Set<String>
    /// Groups of words that are taken for the same. Groups that share a stem are one group.
    public var synonyms: [[String]]

    private enum CodingKeys: String, CodingKey { case language, stopWords, synonyms }

    /// An analyzer; each stop word and synonym is one word, others have no effect.
    public init(language: TextLanguage? = nil, stopWords: Set<String> = [], synonyms: [[String]] = []) {
        self.language = language
        self.stopWords = stopWords
        self.synonyms = synonyms
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            language: try container.decodeIfPresent(TextLanguage.self, forKey: .language),
            stopWords: try container.decodeIfPresent(Set<String>.self, forKey: .stopWords) ?? [],
            synonyms: try container.decodeIfPresent([[String]].self, forKey: .synonyms) ?? [])
    }

    /// Writes the stop words in order, so that equal analyzers have equal texts.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(language, forKey: .language)
        if !stopWords.isEmpty { try container.encode(stopWords.sorted(), forKey: .stopWords) }
        if !synonyms.isEmpty { try container.encode(synonyms, forKey: .synonyms) }
    }

    /// The 33 English words that CloudKit leaves out of queries.
    public static let englishStopWords: Set<String> = [
        "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no", "not",
        "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was",
        "will", "with",
    ]
}

extension TextAnalyzer {
    /// Stop words and synonyms that are no words, in order: of several words, or of none.
    /// - Complexity: O(n).
    package var notWords: [String] {
        let tokenizer = Tokenizer(options: [])
        return (stopWords.sorted() + synonyms.joined()).filter { text in
            tokenizer.tokens(of: text).map(\.range) != [0..<text.utf8.count]
        }
    }
}
