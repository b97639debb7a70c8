// Chance without a seed, texts that are kept as they were parsed, and phrases of one word.

import Foundation
import RecordModel
import Testing
import TextAnalysis

@testable import PredicateSemantics

@Suite struct ContextTests {
    /// Each context has a sequence of its own, and goes on in it.
    @Test func withoutASeedContextsDrawOthers() {
        let contexts = (0..<6).map { _ in EvaluationContext(now: Date(), seed: nil) }
        let draws = (0..<2).flatMap { _ in contexts.map { $0.nextRandom() } }
        #expect(Set(draws).count == 12)
        let seeded = (0..<2).map { _ in EvaluationContext(now: Date(), seed: 7) }
        let first = seeded.map { $0.nextRandom() }
        #expect(first[0] == first[1] && first[0] != seeded[0].nextRandom())
    }

    /// The numbers that SplitMix64 is known to give for a seed.
    @Test func aSeedGivesItsSequence() {
        let context = EvaluationContext(now: Date(), seed: 1_234_567)
        let known: [UInt64] = [
            6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
        ]
        #expect(known.map { _ in context.nextRandom() } == known)
    }

    /// Texts of up to two kilobytes are parsed once, longer ones each time.
    @Test func textsAreKept() {
        func text(_ count: Int) -> String { "kept == '" + String(repeating: "x", count: count - 10) + "'" }
        for (count, isKept) in [(100, true), (2_048, true), (2_049, false), (5_000, false)] {
            let text = text(count)
            #expect(text.utf8.count == count)
            // Texts of other tests may have it forgotten in between.
            let isSame = (0..<20).contains { _ in PredicateText.parsing(text) === PredicateText.parsing(text) }
            #expect(isSame == isKept, "\(count)")
        }
    }

    /// A phrase has two words at least; each word is looked for once, but in a phrase each at its place.
    @Test func phrasesOfOneWordAreWords() {
        typealias Case = (
            terms: [String], mode: FieldConstraint.TokenMode, found: [String], as: FieldConstraint.TokenMode
        )
        let cases: [Case] = [
            (["a"], .phrase, ["a"], .all), ([], .phrase, [], .all), (["a", "b"], .phrase, ["a", "b"], .phrase),
            (["a", "a"], .phrase, ["a", "a"], .phrase), (["a", "b", "a"], .all, ["a", "b"], .all),
            (["b", "a", "b"], .any, ["b", "a"], .any),
        ]
        for (terms, mode, found, meant) in cases {
            let words = PlainWords(terms: terms, mode: mode, tokenizer: Tokenizer(options: []))
            #expect(words.terms == found && words.mode == meant, "\(terms) \(mode)")
        }
    }
}
