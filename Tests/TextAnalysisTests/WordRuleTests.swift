// Rules of words one by one: what is folded, left out or stemmed first, and how analyzers are written.

import Foundation
import Testing

@testable import TextAnalysis

@Suite("Rules of words")
struct WordRuleTests {
    /// `n` takes words as they are, whatever other letter stands beside it; `l` changes nothing.
    static let foldings: [(text: String, options: TextOptions, terms: [String])] = [
        ("ABC Éa", [.normalized, .caseInsensitive], ["ABC", "Éa"]), ("ABC Éa", .caseInsensitive, ["abc", "éa"]),
        ("ABC Éa", .diacriticInsensitive, ["ABC", "Ea"]),
        ("ABC Éa", [.localeSensitive, .caseInsensitive], ["abc", "éa"]),
        ("ABC", [.normalized, .caseInsensitive, .diacriticInsensitive], ["ABC"]), ("ABC", .localeSensitive, ["ABC"]),
    ]

    @Test(arguments: foldings) func folding(text: String, options: TextOptions, terms: [String]) {
        #expect(Tokenizer(options: options).terms(of: text) == terms)
    }

    /// Stop words are compared before words are reduced to stems, synonyms behind that.
    static let analyses: [(analyzer: TextAnalyzer, words: [String], terms: [String])] = [
        (TextAnalyzer(language: .english, stopWords: ["runs"]), ["runs", "run", "running"], ["", "run", "run"]),
        (TextAnalyzer(language: .english, stopWords: ["run"]), ["runs", "run"], ["run", ""]),
        (TextAnalyzer(stopWords: ["a"], synonyms: [["a", "b"]]), ["a", "b"], ["", "a"]),
        (
            TextAnalyzer(language: .english, synonyms: [["dogs", "hounds"]]), ["hound", "dog", "cats"],
            ["dog", "dog", "cat"]
        ),
        (TextAnalyzer(synonyms: [["dogs", "hounds"]]), ["hound", "hounds"], ["hound", "dogs"]),
        (TextAnalyzer(), ["Running", ""], ["Running", ""]),
    ]

    @Test(arguments: analyses.indices) func analysis(_ index: Int) {
        let (analyzer, words, terms) = Self.analyses[index]
        #expect(WordAnalysis(analyzer).terms(of: words, []) == terms)
    }

    /// Analyzers as JSON, keys and stop words in order; what is empty is left out.
    static let texts: [(analyzer: TextAnalyzer, text: String)] = [
        (TextAnalyzer(), "{}"), (TextAnalyzer(language: .german), #"{"language":"german"}"#),
        (TextAnalyzer(stopWords: ["b", "a", "c"]), #"{"stopWords":["a","b","c"]}"#),
        (TextAnalyzer(synonyms: [["b", "a"], ["c"]]), #"{"synonyms":[["b","a"],["c"]]}"#),
        (
            TextAnalyzer(language: .english, stopWords: ["the"], synonyms: [["b"]]),
            #"{"language":"english","stopWords":["the"],"synonyms":[["b"]]}"#
        ),
    ]

    @Test(arguments: texts.indices) func text(_ index: Int) throws {
        let (analyzer, text) = Self.texts[index]
        #expect(WordAnalysis(analyzer).text == text)
        #expect(WordAnalysis(text: Array(text.utf8))?.analyzer == analyzer)
        #expect(try JSONDecoder().decode(TextAnalyzer.self, from: Data(text.utf8)) == analyzer)
        for other in Self.texts where other.text != text {
            #expect(WordAnalysis(other.analyzer) != WordAnalysis(analyzer), "\(other.text)")
        }
    }

    @Test("A language tells analyses apart, and has a version of its stems")
    func versions() {
        #expect(WordAnalysis(TextAnalyzer(stopWords: ["a"])).stemsVersion == 0)
        let english = WordAnalysis(TextAnalyzer(language: .english, stopWords: ["a"]))
        #expect(english.stemsVersion == TextLanguage.english.stemsVersion)
        #expect(TextAnalyzer.englishStopWords.count == 33)
        #expect(TextAnalyzer(stopWords: TextAnalyzer.englishStopWords).notWords.isEmpty)
    }

    /// Letters far apart cost no more than ten places, long candidates no more than a hundred.
    @Test("Distances and lengths count up to a limit")
    func limitsOfScores() throws {
        func score(_ typed: String, _ candidate: String) throws -> Int {
            try #require(FuzzyMatch(typed, in: candidate)).score
        }
        func gap(_ count: Int) throws -> Int {
            let (inside, behind) = (String(repeating: "x", count: count), String(repeating: "x", count: 40 - count))
            return try score("bc", "xb" + inside + "c" + behind)
        }
        #expect(try gap(0) > gap(1) && gap(1) > gap(2) && gap(8) > gap(9))
        #expect(try gap(9) == gap(10) && gap(9) == gap(30))
        let tail = { String(repeating: "y", count: $0) }
        #expect(try score("bc", "xbc" + tail(97)) == score("bc", "xbc" + tail(300)))
        #expect(try score("bc", "xbc" + tail(92)) > score("bc", "xbc" + tail(97)))
        // The begin of the text counts for more than that of another word.
        #expect(try score("bd", "bcd") > score("bd", " bcd"))
    }
}
