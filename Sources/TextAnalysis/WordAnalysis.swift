// An analyzer at work on the words that a tokenizer cuts.
import FoundationEssentials
import Synchronization

/// An analyzer with what it needs for its work, shared by all that search the same field.
package final class WordAnalysis: Hashable, Sendable {
    package let analyzer: TextAnalyzer
    /// The analyzer as JSON, the same for equal ones: how stored indexes name it.
    package let text: String
    private let hash: Int
    /// By folding.
    private let tables = Mutex<[TextOptions: WordTable]>([:])

    package init(_ analyzer: TextAnalyzer) {
        self.analyzer = analyzer
        hash = analyzer.hashValue
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        text = (try? encoder.encode(analyzer)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// An analysis by the text of its analyzer; `nil` where that is none.
    package convenience init?(text: [UInt8]) {
        guard let analyzer = try? JSONDecoder().decode(TextAnalyzer.self, from: Data(text)) else { return nil }
        self.init(analyzer)
    }

    /// A number that changes with the stems, as far as a few words tell.
    package var stemsVersion: UInt64 { analyzer.language?.stemsVersion ?? 0 }

    package static func == (a: WordAnalysis, b: WordAnalysis) -> Bool {
        a === b || a.hash == b.hash && a.analyzer == b.analyzer
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    /// What to do with words under a folding. Complexity: O(stop words and synonyms) the first time, then O(1).
    func table(_ options: TextOptions) -> WordTable {
        tables.withLock { tables in
            if let table = tables[options.folding] { return table }
            let table = WordTable(analyzer, options.folding)
            tables[options.folding] = table
            return table
        }
    }

    /// A pattern of words as the analysis has them; `nil` when it leaves all of them out, and for the beginning of a
    /// word, which has no stem.
    ///
    /// - Parameter options: How the pattern's words are folded.
    package func pattern(_ pattern: WordPattern, _ options: TextOptions) -> WordPattern? {
        switch pattern {
        case .word(let word):
            let term = terms(of: [word], options)[0]
            return term.isEmpty ? nil : .word(term)
        case .phrase(let words): return WordPattern(phrase: terms(of: words, options))
        case .prefix: return nil
        }
    }

    /// What folded words become, in order; the empty text for one that is left out.
    /// - Complexity: O(n).
    package func terms(of words: [String], _ options: TextOptions) -> [String] {
        var walk = WordWalk(table(options))
        return words.map { word in
            walk.analyze(word.utf8.span)
            return String(decoding: walk.word, as: UTF8.self)
        }
    }
}

extension WordPattern {
    /// A phrase of words, of which empty ones stand for any word, or the only word; `nil` without a word.
    package init?(phrase words: [String]) {
        guard let first = words.firstIndex(where: { !$0.isEmpty }),
            let last = words.lastIndex(where: { !$0.isEmpty })
        else { return nil }
        self = first == last ? .word(words[first]) : .phrase(Array(words[first...last]))
    }
}

/// Stop words and synonyms under a folding.
final class WordTable: Sendable {
    let language: TextLanguage?
    let stopWords: Set<[UInt8]>
    /// Of each stem of a synonym the one that is taken for all of its group.
    let representatives: [[UInt8]: [UInt8]]

    init(_ analyzer: TextAnalyzer, _ options: TextOptions) {
        language = analyzer.language
        stopWords = Set(analyzer.stopWords.map { Array(TextFolding.fold($0, options).utf8) })
        let stemmer = language.flatMap(Stemmer.borrow)
        var groups: [Set<[UInt8]>] = []
        for words in analyzer.synonyms {
            var group: Set<[UInt8]> = []
            for word in words {
                var stem = Array(TextFolding.fold(word, options).utf8)
                stemmer?.stem(&stem)
                group.insert(stem)
            }
            let related = groups.filter { !$0.isDisjoint(with: group) }
            groups.removeAll { !$0.isDisjoint(with: group) }
            groups.append(related.reduce(group) { $0.union($1) })
        }
        stemmer.map(Stemmer.giveBack)
        var representatives: [[UInt8]: [UInt8]] = [:]
        for group in groups {
            guard let first = group.min(by: { $0.lexicographicallyPrecedes($1) }) else { continue }
            for stem in group { representatives[stem] = first }
        }
        self.representatives = representatives
    }
}

/// One walk over folded words, with a stemmer of its own.
struct WordWalk: ~Copyable {
    private let table: WordTable
    private let stemmer: Stemmer?
    /// What became of the last word; empty where it is left out.
    private(set) var word: [UInt8] = []

    init(_ table: WordTable) {
        self.table = table
        stemmer = table.language.flatMap(Stemmer.borrow)
    }

    deinit { if let stemmer { Stemmer.giveBack(stemmer) } }

    /// Takes a word in. Complexity: O(n).
    mutating func analyze(_ folded: Span<UInt8>) {
        word.removeAll(keepingCapacity: true)
        for index in folded.indices { word.append(folded[index]) }
        if table.stopWords.contains(word) {
            word.removeAll(keepingCapacity: true)
            return
        }
        stemmer?.stem(&word)
        if let representative = table.representatives[word] { word = representative }
    }
}
