// Words of records: TOKENMATCHES, SELF CONTAINS, allTokens, tokenize.

import Foundation
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import TextAnalysis

@Suite struct TokenTests {
    static let record = Record(
        type: "Note", id: .init("hidden"),
        fields: [
            "title": "The Crème brûlée of New York", "tags": ["Dessert", "Straße 7"], "count": 12,
            "author": .reference(.init("secret")), "date": .date(.init(timeIntervalSince1970: 0)),
            "inner": .object(["text": "nested"]),
        ])

    static let cases: [(String, Bool)] = [
        ("allTokens TOKENMATCHES[cdl] 'creme'", true), ("allTokens TOKENMATCHES[cdl] 'york brulee STRASSE'", true),
        ("allTokens TOKENMATCHES[cdl] 'york boston'", false), ("allTokens TOKENMATCHES[cdl] ''", false),
        ("allTokens TOKENMATCHES[cdl] '!?'", false), ("allTokens TOKENMATCHES[cd] 'dess'", false),
        ("allTokens TOKENMATCHES 'creme'", false), ("allTokens TOKENMATCHES 'Crème'", true),
        ("allTokens TOKENMATCHES[c] 'crème'", true), ("allTokens TOKENMATCHES[d] 'Creme'", true),
        ("allTokens TOKENMATCHES[d] 'creme'", false), ("allTokens TOKENMATCHES[cdl] 'hidden'", false),
        ("allTokens TOKENMATCHES[cdl] 'secret'", false), ("allTokens TOKENMATCHES[cdl] 'nested'", false),
        ("allTokens TOKENMATCHES[cdl] '12'", false), ("allTokens TOKENMATCHES[cdl] '7'", true),
        ("title TOKENMATCHES[cdl] 'new york'", true), ("title TOKENMATCHES[cdl] 'dessert'", false),
        ("tags TOKENMATCHES[cdl] 'dessert 7'", true), ("missing TOKENMATCHES[cdl] 'a'", false),
        ("NOT (missing TOKENMATCHES[cdl] 'a')", true), ("SELF TOKENMATCHES[cdl] 'york dessert'", true),
        ("self CONTAINS 'york'", true), ("self CONTAINS 'YORK boston'", true), ("self CONTAINS 'boston'", false),
        ("self CONTAINS 'brulee'", true), ("self CONTAINS ''", false), ("'york' IN SELF", true),
        ("SELF CONTAINS 12", true), ("SELF CONTAINS 13", false), ("self CONTAINS nil", false),
        ("ANY tokenize('boston york', 'cdl') IN allTokens", true),
        ("ALL tokenize('New York', 'cdl') IN allTokens", true),
        ("ALL tokenize('boston york', 'cdl') IN allTokens", false),
        ("NONE tokenize('boston', 'Cdl') IN allTokens", true),
        ("tokenize('a', 'cdl') == {'a'}", true), ("tokenize(title, 'cd').@count == 6", true),
        ("ANY allTokens BEGINSWITH[cd] 'des'", true), ("ANY allTokens BEGINSWITH[cd] 'zes'", false),
        ("ANY allTokens BEGINSWITH 'des'", false), ("ANY allTokens BEGINSWITH 'Des'", true),
        ("ANY tokenize(title, 'cd') BEGINSWITH 'bru'", true), ("'york' IN[c] allTokens", true),
        ("'york' IN allTokens", false),
        ("allTokens CONTAINS[cd] 'creme'", true), ("ANY allTokens == 'York'", true), ("allTokens.@count == 9", true),
    ]

    @Test func records() throws {
        for (text, expected) in Self.cases {
            let predicate = try RecordPredicate(format: text)
            #expect(try predicate.evaluate(on: Self.record) == expected, "\(text)")
            // An object is read as a record.
            #expect(try predicate.evaluate(onValue: .object(Self.record.fields)) == expected, "\(text) on an object")
        }
    }

    /// What is sought may be known only at evaluation, on whichever side it stands.
    @Test func wordsThatAreVariables() throws {
        let cases: [(text: String, words: FieldValue, expected: Bool)] = [
            ("$w IN SELF", "york", true), ("$w IN SELF", "boston York", true), ("$w IN SELF", "boston", false),
            ("SELF CONTAINS $w", "york", true), ("SELF CONTAINS $w", "boston", false), ("$w IN SELF", 12, true),
            ("$w IN SELF", 13, false), ("SELF CONTAINS $w", 12, true), ("$w IN SELF", nil, false),
            ("SELF TOKENMATCHES[cd] $w", "york new", true), ("SELF TOKENMATCHES[cd] $w", "york boston", false),
            ("SELF TOKENMATCHES[cdp] $w", "new york", true), ("SELF TOKENMATCHES[cdp] $w", "york new", false),
            ("allTokens TOKENMATCHES[cd] $w", "dessert york", true), ("allTokens TOKENMATCHES[cd] $w", nil, false),
            ("title TOKENMATCHES[cd] $w", "creme york", true), ("title TOKENMATCHES[cd] $w", "dessert", false),
        ]
        for (text, words, expected) in cases {
            let tree = try SyntaxTree(parsing: text)
            let context = EvaluationContext(now: .distantPast, variables: ["w": words])
            #expect(try Binder().bind(tree).evaluate(on: Self.record, context: context) == expected, "\(text) \(words)")
            let early = try Binder().bind(tree, variables: ["w": words])
            #expect(try early.evaluate(on: Self.record) == expected, "\(text) \(words) bound")
        }
    }

    /// Words that a field leaves out are not found in it, by themselves or beside others.
    @Test(arguments: [
        ("self CONTAINS 'of'", false), ("'the' IN self", false), ("self CONTAINS 'of houses'", false),
        ("self CONTAINS 'of states'", true), ("self CONTAINS 'house'", true), ("self CONTAINS 'of arts cat'", true),
        ("allTokens TOKENMATCHES[cd] 'the of'", false), ("allTokens TOKENMATCHES[cd] 'the state'", true),
        ("allTokens TOKENMATCHES[cdp] 'the of'", false), ("body TOKENMATCHES[cdp] 'state of the art'", true),
        ("body TOKENMATCHES[cdp] 'state the of art'", true), ("body TOKENMATCHES[cdp] 'state the art'", false),
        ("body TOKENMATCHES[cd] 'of'", false), ("plain TOKENMATCHES[cd] 'of'", false),
    ])
    func wordsThatAreLeftOut(text: String, isFound: Bool) throws {
        let record = Record(
            type: "Note", id: .init("n"), fields: ["body": "The State of the Art", "plain": ["house", "a cat"]])
        let analyzers = ["body": TextAnalyzer(language: .english, stopWords: ["the", "of"])]
        let predicate = try RecordPredicate(format: text)
        #expect(try predicate.evaluate(on: record, analyzers: analyzers) == isFound)
    }

    @Test func plainValues() {
        let cases: [(String, FieldValue, String)] = [
            ("SELF CONTAINS 'ell'", "hello", "T"), ("SELF CONTAINS 'hello'", ["hello"], "T"),
            ("SELF CONTAINS 'ell'", ["hello"], "F"), ("SELF TOKENMATCHES[c] 'world HELLO'", "hello world", "T"),
            ("allTokens TOKENMATCHES[c] 'HELLO'", ["hello", "world"], "T"),
            ("SELF CONTAINS 'a'", 5, "evaluation error"),
        ]
        for (text, value, expected) in cases { #expect(outcome(text, of: value) == expected, "\(text)") }
    }

    @Test func aSchemaFieldNamedAllTokensIsAField() throws {
        let schema = RecordSchema(recordType: "T", fields: [.init(name: "allTokens", type: .int64)])
        let bound = try Binder(schema: schema).bind(try RecordPredicate(format: "allTokens == 3"))
        #expect(try bound.evaluate(on: Record(type: "T", id: .init("r"), fields: ["allTokens": 3])))
    }
}
