// Analyzers: what becomes of words, and how phrases with gaps are found.
import Foundation
import Testing

@testable import TextAnalysis

@Suite struct AnalyzerTests {
    static let folding: TextOptions = [.caseInsensitive, .diacriticInsensitive]

    @Test func stems() {
        let cases: [(language: TextLanguage, options: TextOptions, text: String, terms: [String])] = [
            (.english, Self.folding, "Running runs ran", ["run", "run", "ran"]),
            (.english, Self.folding, "organization's ponies", ["organ", "poni"]),
            (.english, [], "RUNNING running", ["RUNNING", "run"]),
            (.german, .caseInsensitive, "Häuser Haus häuslich", ["haus", "haus", "hauslich"]),
            (.german, Self.folding, "Häuser Hauser", ["haus", "haus"]),
            (.russian, .caseInsensitive, "книги книга книгу", ["книг", "книг", "книг"]),
            (.french, Self.folding, "continuellement 東京", ["continuel", "東京"]),
        ]
        for (language, options, text, terms) in cases {
            let analysis = WordAnalysis(TextAnalyzer(language: language))
            #expect(Tokenizer(options: options, analysis: analysis).terms(of: text) == terms, "\(text)")
        }
    }

    /// A word of more than 1,024 bytes is none that a language knows.
    @Test func stemsOfLongWords() {
        let analysis = WordAnalysis(TextAnalyzer(language: .english))
        for count in [1, 100, 1_017, 1_018, 3_000] {
            let word = String(repeating: "b", count: count) + "running"
            let stem = String(repeating: "b", count: count) + (count + 7 > 1_024 ? "running" : "run")
            #expect(analysis.terms(of: [word, "dogs"], []) == [stem, "dog"], "\(count)")
        }
    }

    @Test func everyLanguageIsThere() {
        var versions: Set<UInt64> = []
        for language in TextLanguage.allCases { versions.insert(language.stemsVersion) }
        #expect(!versions.contains(0))
        #expect(versions.count == TextLanguage.allCases.count)
    }

    @Test func stopWordsLeaveGapsAndSynonymsAreOne() {
        let analyzer = TextAnalyzer(
            language: .english, stopWords: ["The", "über"],
            synonyms: [["Cars", "automobile"], ["vehicle", "automobiles"], ["dog", "hound"]])
        let tokenizer = Tokenizer(options: Self.folding, analysis: WordAnalysis(analyzer))
        let tokens = tokenizer.tokens(of: "the CAR uber Vehicles, a Hounds")
        #expect(tokens.map(\.text) == ["", tokens[1].text, "", tokens[1].text, "a", "dog"])
        #expect(tokens.map(\.position) == [0, 1, 2, 3, 4, 5])
        #expect(tokens[1].text == "automobil")
        #expect(Tokenizer(options: []).terms(of: "the Cars") == ["the", "Cars"])
    }

    /// Groups that share a word are one, in whatever order they are given and however they hang together.
    @Test(arguments: [
        [["b", "c"], ["d", "e"], ["c", "e"]], [["c", "e"], ["e", "d"], ["b", "c"]], [["e", "d", "c", "b"]],
        [["d", "b"], ["e", "d"], ["c", "e"], ["b", "b"]], [["b"], ["c", "b"], ["d"], ["e", "d"], ["d", "c"], ["x"]],
    ])
    func groupsThatShareAWordAreOne(synonyms: [[String]]) {
        let analysis = WordAnalysis(TextAnalyzer(synonyms: synonyms))
        #expect(analysis.terms(of: ["b", "c", "d", "e", "f", "x"], []) == ["b", "b", "b", "b", "f", "x"])
    }

    /// Stop words and synonyms are folded by the letters of the comparison, each comparison for itself.
    @Test func foldingsHaveTablesOfTheirOwn() {
        let analysis = WordAnalysis(TextAnalyzer(stopWords: ["Été"], synonyms: [["Büro", "Amt"]]))
        let words = ["Été", "été", "ete", "Büro", "büro", "buro", "Amt", "amt"]
        let cases: [(options: TextOptions, terms: [String])] = [
            ([], ["", "été", "ete", "Amt", "büro", "buro", "Amt", "amt"]),
            (.caseInsensitive, ["", "", "ete", "amt", "amt", "buro", "amt", "amt"]),
            (.diacriticInsensitive, ["", "ete", "ete", "Amt", "buro", "buro", "Amt", "amt"]),
            (Self.folding, ["", "", "", "amt", "amt", "amt", "amt", "amt"]),
        ]
        for (options, terms) in cases + cases.reversed() {
            let folded = words.map { TextFolding.fold($0, options) }
            #expect(analysis.terms(of: folded, options) == terms, "\(options)")
        }
    }

    @Test func whatIsNoSingleWord() {
        let analyzer = TextAnalyzer(stopWords: ["the", "of the", ""], synonyms: [["car", "motor car"], ["!"]])
        #expect(analyzer.notWords == ["", "of the", "motor car", "!"])
        // A sign beside a word is no part of it.
        let signs = TextAnalyzer(stopWords: ["the", "the."], synonyms: [["-car", "car"]])
        #expect(signs.notWords == ["the.", "-car"])
    }

    @Test func equalAnalyzersHaveEqualTexts() throws {
        let one = TextAnalyzer(language: .danish, stopWords: ["og", "i", "at", "det", "en"], synonyms: [["a", "b"]])
        let other = TextAnalyzer(language: .danish, stopWords: ["en", "det", "at", "i", "og"], synonyms: [["a", "b"]])
        #expect(WordAnalysis(one).text == WordAnalysis(other).text)
        #expect(WordAnalysis(one) == WordAnalysis(other))
        #expect(WordAnalysis(text: Array(WordAnalysis(one).text.utf8))?.analyzer == one)
        #expect(WordAnalysis(text: Array("{\"language\":\"klingon\"}".utf8)) == nil)
        #expect(WordAnalysis(TextAnalyzer()).text == "{}")
    }

    @Test func phrasesWithGaps() {
        // Words of one letter; "." in the phrase stands for any.
        let cases: [(phrase: String, text: String, ends: [Int])] = [
            ("a.b", "axb", [2]), ("a.b", "ab", []), ("a.b", "aab", [2]), ("a.b", "axbyb", [2]),
            ("a.a", "aaaa", [2, 3]), ("a..b", "axxbaxb", [3]), ("a.bc", "aabbcc", [4]), ("a.bc", "aabc", [3]),
        ]
        for (phrase, text, ends) in cases {
            let words = phrase.map { $0 == "." ? "" : String($0) }
            var matcher = WordMatcher(.phrase(words), options: [])
            matcher.beginText()
            let found = text.enumerated().filter { matcher.advance(String($0.element).utf8.span) > 0 }.map(\.offset)
            #expect(found == ends, "\(phrase) in \(text)")
        }
        #expect(WordPattern(phrase: ["", "a", "", "b", ""]) == .phrase(["a", "", "b"]))
        #expect(WordPattern(phrase: ["", "a", ""]) == .word("a"))
        #expect(WordPattern(phrase: ["", ""]) == nil)
    }

    /// A pattern has stems for its words, places for those that are left out, and no stem for a beginning.
    @Test func patternsAreAnalyzed() {
        let analysis = WordAnalysis(TextAnalyzer(language: .english, stopWords: ["the"]))
        let cases: [(pattern: WordPattern, analyzed: WordPattern?)] = [
            (.word("running"), .word("run")), (.word("the"), nil), (.phrase(["the", "dogs"]), .word("dog")),
            (.phrase(["running", "the", "dogs"]), .phrase(["run", "", "dog"])), (.phrase(["the", "the"]), nil),
            (.prefix("runn"), nil),
        ]
        for (pattern, analyzed) in cases {
            #expect(analysis.pattern(pattern, Self.folding) == analyzed, "\(pattern)")
        }
    }

    /// One analyzer serves all foldings, each by itself.
    @Test func stopWordsAreFoldedByEachOptions() {
        let analysis = WordAnalysis(TextAnalyzer(stopWords: ["Über"], synonyms: [["Haus", "Gebäude"]]))
        let words = ["Über", "über", "uber", "haus", "gebaude", "gebäude"]
        let cases: [(options: TextOptions, terms: [String])] = [
            (Self.folding, ["Über", "über", "", "gebaude", "gebaude", "gebäude"]),
            (.caseInsensitive, ["Über", "", "uber", "gebäude", "gebaude", "gebäude"]),
            ([], ["", "über", "uber", "haus", "gebaude", "gebäude"]),
            (Self.folding, ["Über", "über", "", "gebaude", "gebaude", "gebäude"]),
        ]
        for (options, terms) in cases { #expect(analysis.terms(of: words, options) == terms, "\(options)") }
    }

    /// Who takes words as they are leaves the stop words of all others in composed normal form.
    @Test func wordsThatAreTakenAsTheyAreChangeNoStopWords() {
        let analysis = WordAnalysis(TextAnalyzer(stopWords: ["cafe\u{301}"], synonyms: [["re\u{301}", "a"]]))
        #expect(analysis.terms(of: ["x"], .normalized) == ["x"])
        #expect(analysis.terms(of: ["caf\u{E9}", "r\u{E9}", "x"], []) == ["", "a", "x"])
    }

    @Test func fieldsHaveTheirAnalyzers() throws {
        let (english, stops) = (TextAnalyzer(language: .english), TextAnalyzer(stopWords: ["the"]))
        let one = try #require(FieldAnalyzers(["a": english]))
        let two = try #require(FieldAnalyzers(["a": english, "b": stops]))
        #expect(FieldAnalyzers([:]) == nil)
        #expect(one.soleField == "a" && two.soleField == nil)
        #expect(one.only("a") === one && two.only("a") == one && two.only("c") == nil)
        #expect(two.only("b")?.byField == ["b": stops] && two.byField == ["a": english, "b": stops])
        #expect(one != two && two["b"]?.analyzer == stops && two["c"] == nil)
        #expect(two.terms(of: ["the", "dogs"], Self.folding) == ["a": ["the", "dog"], "b": ["", "dogs"]])
    }
}
