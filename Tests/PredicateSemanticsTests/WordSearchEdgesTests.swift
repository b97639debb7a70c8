// What searches for words look for: in fields with analyzers of their own, behind paths, and under NONE.

import PredicateSemantics
import RecordModel
import Testing
import TextAnalysis

@Suite struct WordSearchEdgesTests {
    /// A word that one of the searched fields leaves out need not be anywhere, whatever other fields do with it.
    @Test(arguments: [
        ("the state", true), ("of state", true), ("the affairs", true), ("state affairs", true), ("the of", false),
        ("the", false), ("the city", false), ("of city", false),
    ])
    func wordsThatOneFieldLeavesOut(words: String, isFound: Bool) throws {
        let record = Record(type: "T", id: Record.ID("r"), fields: ["body": "State of affairs", "title": "State"])
        let analyzers = ["body": TextAnalyzer(stopWords: ["the"]), "title": TextAnalyzer(stopWords: ["of"])]
        let predicate = try RecordPredicate(format: "allTokens TOKENMATCHES[c] '\(words)'")
        #expect(try predicate.evaluate(on: record, analyzers: analyzers) == isFound)
    }

    /// What is behind a path is not in the field that the path begins with, and NONE looks for nothing, but under NOT.
    @Test(arguments: [
        ("title TOKENMATCHES 'York'", ["title: York"]), ("title.part TOKENMATCHES 'York'", []),
        ("title.part TOKENMATCHES 'York' OR title TOKENMATCHES 'New'", ["title: New"]),
        ("ANY tags TOKENMATCHES 'city'", ["tags: city"]), ("NONE tags TOKENMATCHES 'city'", []),
        ("NOT (NONE tags TOKENMATCHES 'city')", ["tags: city"]), ("NOT (ANY tags TOKENMATCHES 'city')", []),
    ])
    func placesOfWords(text: String, found: [String]) throws {
        let record = Record(type: "T", id: Record.ID("r"), fields: ["title": "New York", "tags": ["a city"]])
        let matches = try RecordPredicate(format: text).textMatches(in: record)
        let words = matches.flatMap { match in match.stringRanges.map { "\(match.field): \(match.text[$0])" } }
        #expect(words == found)
    }

    /// Texts come in the order of their fields' names, however many there are.
    @Test func textsInTheOrderOfTheirFields() throws {
        let names = "abcdefghijkl".map(String.init)
        let fields = Dictionary(uniqueKeysWithValues: names.map { ($0, FieldValue.string("x y")) })
        let predicate = try RecordPredicate(format: "allTokens TOKENMATCHES 'x'")
        let record = Record(type: "T", id: Record.ID("r"), fields: fields)
        #expect(try predicate.textMatches(in: record).map(\.field) == names)
        #expect(try predicate.snippets(in: record).map(\.field) == names)
    }
}
