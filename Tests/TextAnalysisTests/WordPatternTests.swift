// Words side by side, found while the words of a text pass by, against looking at every place of the text.

import Testing

@testable import TextAnalysis

@Suite struct WordPatternTests {
    /// Every list of so many words of `a` and `b`.
    private static func texts(_ count: Int) -> [[String]] {
        (0..<1 << count).map { bits in (0..<count).map { bits >> $0 & 1 == 0 ? "a" : "b" } }
    }

    /// The places behind which a phrase ends; an empty word of it stands for any.
    private static func ends(_ phrase: [String], in text: [String]) -> [Int] {
        text.indices.filter { last in
            last + 1 >= phrase.count
                && zip(phrase, text[(last + 1 - phrase.count)...last]).allSatisfy { $0.isEmpty || $0 == $1 }
        }
    }

    private static func found(_ phrase: [String], in text: [String]) -> [Int] {
        var matcher = WordMatcher(.phrase(phrase), options: [])
        // What another text ended with begins nothing in this one.
        for word in phrase.dropLast() { _ = matcher.advance(Array(word.utf8).span) }
        matcher.beginText()
        return text.indices.filter { place in
            let count = matcher.advance(Array(text[place].utf8).span)
            #expect(count == 0 || count == phrase.count)
            return count > 0
        }
    }

    /// All phrases of two to four words, those that overlap themselves among them.
    @Test func phrasesAreFoundAtEveryPlace() {
        let texts = (0...7).flatMap(Self.texts)
        let gaps = [["a", "", "a"], ["a", "", "b"], ["a", "a", "", "a"], ["a", "", "", "b"], ["b", "", "a", "b"]]
        for phrase in (2...4).flatMap(Self.texts) + gaps {
            for text in texts where Self.found(phrase, in: text) != Self.ends(phrase, in: text) {
                Issue.record("\(phrase) in \(text)")
            }
        }
    }
}
