// Searches for phrases at the ends of texts, for very many words, and for what analyzers make of words; negations.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import TextAnalysis

@Suite struct WordBoundaryTests {
    private static let words = (0..<20).map { "w\($0)" }.joined(separator: " ")
    private static let others = (0..<18).map { "x\($0)" }.joined(separator: " ")

    private static let record = Record(
        type: "Note", id: .init("n"),
        fields: ["a": "go go stop one two", "l": ["three four", "five Six"], "m": .string(words)])

    static let cases: [(text: String, isFound: Bool)] = [
        // A phrase lies within one text, and as often as its words.
        ("allTokens TOKENMATCHES[p] 'two three'", false), ("allTokens TOKENMATCHES[p] 'four five'", false),
        ("allTokens TOKENMATCHES[p] 'three four'", true), ("l TOKENMATCHES[p] 'four five'", false),
        ("l TOKENMATCHES[p] 'five Six'", true), ("l TOKENMATCHES 'four five'", true),
        ("a TOKENMATCHES[p] 'go go'", true), ("a TOKENMATCHES[p] 'go go stop'", true),
        ("a TOKENMATCHES[p] 'go stop go'", false), ("a TOKENMATCHES[p] 'go go go'", false),
        ("a TOKENMATCHES 'stop go go go'", true), ("a TOKENMATCHES[p] 'go'", true), ("a TOKENMATCHES[p] ''", false),
        // The letter n leaves letters as they are.
        ("SELF CONTAINS[n] 'ONE'", false), ("SELF CONTAINS[n] 'one'", true), ("SELF CONTAINS 'ONE'", true),
        ("SELF CONTAINS 'six'", true), ("SELF CONTAINS[n] 'six'", false),
        // Of very many words any, or all.
        ("SELF CONTAINS '\(others)'", false), ("SELF CONTAINS '\(others) stop'", true),
        ("allTokens TOKENMATCHES '\(words)'", true), ("allTokens TOKENMATCHES '\(words) x'", false),
        ("m TOKENMATCHES '\(words)'", true), ("m TOKENMATCHES '\(words) w0 w1'", true),
        ("m TOKENMATCHES '\(words) two'", false), ("allTokens TOKENMATCHES '\(words) two Six'", true),
        ("allTokens TOKENMATCHES '\(words) six'", false), ("allTokens TOKENMATCHES[c] '\(words) SIX'", true),
    ]

    @Test(arguments: cases) func finds(text: String, isFound: Bool) throws {
        #expect(try RecordPredicate(format: text).evaluate(on: Self.record) == isFound)
    }

    /// Each field is looked through for what its own analyzer makes of the words.
    @Test func placesOfAnalyzedWords() throws {
        let record = Record(
            type: "Note", id: .init("n"), fields: ["body": "The house of art", "plain": "the houses and house"])
        let analyzers = ["body": TextAnalyzer(language: .english, stopWords: ["the", "of"])]
        let cases: [(text: String, found: [String])] = [
            ("allTokens TOKENMATCHES[cd] 'houses'", ["body: house", "plain: houses"]),
            ("allTokens TOKENMATCHES[cd] 'the'", ["plain: the"]), ("body TOKENMATCHES[cd] 'houses'", ["body: house"]),
            ("plain TOKENMATCHES[cd] 'art'", []), ("body TOKENMATCHES[cd] 'of'", []),
        ]
        for (text, found) in cases {
            let matches = try RecordPredicate(format: text).textMatches(in: record, analyzers: analyzers)
            let words = matches.map { match in
                "\(match.field): " + match.stringRanges.map { String(match.text[$0]) }.joined(separator: "|")
            }
            #expect(words == found, "\(text)")
        }
    }

    /// A word that is said again is looked for once, but in a phrase.
    @Test(arguments: [("", ["house", "of"]), ("p", ["house", "of", "house"])])
    func repeatedWords(_ option: String, _ words: [String]) throws {
        let analyzers = FieldAnalyzers(["body": TextAnalyzer(language: .english, stopWords: ["the", "of"])])
        let tree = try SyntaxTree(parsing: "allTokens TOKENMATCHES[cd\(option)] 'House of house'")
        let root = try Binder(settings: Binder.Settings(analyzers: analyzers)).bind(tree).root
        guard case .comparison(let comparison) = root,
            case .analyzed(let search)? = comparison.constraint?.requirement
        else {
            Issue.record("\(root)")
            return
        }
        #expect(search.words == words)
    }

    /// Comparisons, and those that hold exactly where they do not; `nil` where the language has none.
    @Test(arguments: [
        ("n == 1", "n != 1"), ("n != 1", "n == 1"), ("n < 1", nil), ("n BETWEEN {1, 2}", nil), ("n IN {1, 2}", nil),
        ("ANY n == 1", "NONE n == 1"), ("NONE n < 1", "ANY n < 1"), ("ALL n == 1", "ANY n != 1"),
        ("ALL n != 1", "ANY n == 1"), ("ALL n < 1", nil), ("ANY n BEGINSWITH[c] \"a\"", "NONE n BEGINSWITH[c] \"a\""),
    ])
    func negation(text: String, expected: String?) throws {
        let bound = try Binder().bind(SyntaxTree(parsing: text))
        guard case .comparison(let comparison) = bound.root else {
            Issue.record("\(bound)")
            return
        }
        #expect(comparison.negation.map { bound.replacingRoot(.comparison($0)).description } == expected)
    }
}
