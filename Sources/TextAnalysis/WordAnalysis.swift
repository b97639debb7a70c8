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
        if let table = tables.withLock({ $0[options.folding] }) { return table }
        // Whoever else searches meanwhile does not wait; of two tables the first is kept.
        let table = WordTable(analyzer, options.folding)
        return tables.withLock { tables in
            if let known = tables[options.folding] { return known }
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
        var groups = StemGroups()
        for words in analyzer.synonyms {
            var first: [UInt8]?
            for word in words {
                var stem = Array(TextFolding.fold(word, options).utf8)
                stemmer?.stem(&stem)
                groups.join(stem, first ?? stem)
                first = first ?? stem
            }
        }
        stemmer.map(Stemmer.giveBack)
        representatives = groups.representatives
    }
}

/// Groups of stems, of which those that share a stem are one: a forest with the least stem of a group at its root.
private struct StemGroups {
    private var parents: [[UInt8]: [UInt8]] = [:]

    /// Of each stem the one that is taken for all of its group.
    var representatives: [[UInt8]: [UInt8]] {
        var groups = self
        return parents.mapValues { groups.root(of: $0) }
    }

    /// Makes the groups of two stems one.
    mutating func join(_ a: [UInt8], _ b: [UInt8]) {
        let (a, b) = (root(of: a), root(of: b))
        let (least, other) = b.lexicographicallyPrecedes(a) ? (b, a) : (a, b)
        parents[other] = least
        parents[least] = least
    }

    /// The stem at the root, which the stems on the way then name themselves.
    private mutating func root(of stem: [UInt8]) -> [UInt8] {
        var way: [[UInt8]] = []
        var root = stem
        while let parent = parents[root], parent != root {
            way.append(root)
            root = parent
        }
        for step in way { parents[step] = root }
        return root
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
