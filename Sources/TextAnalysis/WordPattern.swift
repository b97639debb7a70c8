// What is looked for among the words of texts: a word, a phrase, the beginning of a word.

/// A word, words side by side, or the beginning of a word.
package enum WordPattern: Hashable, Sendable {
    /// A folded word.
    case word(String)
    /// Folded words, two or more, that appear side by side and in order within one text. An empty one, neither the
    /// first nor the last, stands for any word.
    case phrase([String])
    /// A text, not folded, that a word begins with.
    case prefix(String)
}

/// Finds the occurrences of a pattern while the words of texts pass by.
package struct WordMatcher: Sendable {
    private enum Sought {
        case word([UInt8])
        /// Words, and after each number of matched ones how many of them match again when the next word does not: the
        /// failure function of Knuth, Morris and Pratt.
        case phrase([[UInt8]], fallbacks: [Int])
        /// Words of which empty ones stand for any: the numbers of words by which it may have begun are all kept.
        case phraseWithGaps([[UInt8]])
        case prefix(PreparedNeedle)
    }

    private let sought: Sought
    /// How many words of the phrase the last words of the text match.
    private var matched = 0
    /// The same of every beginning of a phrase with gaps that the last words match, ascending.
    private var begun: [Int] = []

    /// A matcher for words that are folded by the options.
    /// - Complexity: O(bytes of the pattern).
    package init(_ pattern: WordPattern, options: TextOptions) {
        switch pattern {
        case .word(let word): sought = .word(Array(word.utf8))
        case .phrase(let words) where words.contains(""): sought = .phraseWithGaps(words.map { Array($0.utf8) })
        case .phrase(let words):
            sought = .phrase(words.map { Array($0.utf8) }, fallbacks: Self.fallbacks(words))
        case .prefix(let text): sought = .prefix(PreparedNeedle(text, options: options))
        }
    }

    /// Forgets the words so far: no phrase reaches from one text into another.
    package mutating func beginText() {
        matched = 0
        if !begun.isEmpty { begun.removeAll(keepingCapacity: true) }
    }

    /// Takes the next word in.
    ///
    /// - Returns: the number of words, this one the last, that make an occurrence; 0 when none ends here.
    /// - Complexity: O(bytes of the word), amortised; times the length of a phrase with gaps.
    package mutating func advance(_ word: Span<UInt8>) -> Int {
        switch sought {
        case .word(let sought): return word.equals(sought) ? 1 : 0
        case .prefix(let needle): return needle.isPrefix(ofFolded: word) ? 1 : 0
        case .phrase(let words, let fallbacks):
            while matched > 0, !word.equals(words[matched]) { matched = fallbacks[matched] }
            if word.equals(words[matched]) { matched += 1 }
            guard matched == words.count else { return 0 }
            matched = fallbacks[matched]
            return words.count
        case .phraseWithGaps(let words): return advance(word, words)
        }
    }

    private mutating func advance(_ word: Span<UInt8>, _ words: [[UInt8]]) -> Int {
        // A place without a word never begins a phrase, and no word of one is empty but a gap.
        begun.insert(0, at: 0)
        begun = begun.compactMap { words[$0].isEmpty || word.equals(words[$0]) ? $0 + 1 : nil }
        guard begun.last == words.count else { return 0 }
        begun.removeLast()
        return words.count
    }

    private static func fallbacks(_ words: [String]) -> [Int] {
        var fallbacks = [Int](repeating: 0, count: words.count + 1)
        var length = 0
        for index in words.indices.dropFirst() {
            while length > 0, words[index] != words[length] { length = fallbacks[length] }
            if words[index] == words[length] { length += 1 }
            fallbacks[index + 1] = length
        }
        return fallbacks
    }
}

extension Span<UInt8> {
    /// Whether these are the bytes of a word.
    package func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        for index in other.indices where self[index] != other[index] { return false }
        return true
    }
}
