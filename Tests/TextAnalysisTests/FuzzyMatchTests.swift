// Candidates for what was typed: letters that begin words count for more.

import Testing
import TextAnalysis

@Suite struct FuzzyMatchTests {
    /// What was typed, and candidates of the same length with the letters in the same places: whether they begin a word
    /// tells them apart. The last ones lack a letter.
    static let cases: [(typed: String, begins: [String], doesNot: [String], lacks: [String])] = [
        (
            "bc", ["a bc", "a_bc", "a.bc", "a-bc", "a~bc", "a[bc"], ["aabc", "azbc", "a1bc", "a0bc", "a9bc", "aZbc"],
            ["a cb"]
        ),
        // A capital begins a word behind a small letter, and behind no other.
        ("bc", ["aBc", "zBc"], ["abc", "ABc", "ZBc", "9Bc"], ["aBd", "b"]),
        // What is not ASCII is a letter.
        ("bc", ["x bc", "x_bc"], ["жbc", "xxbc"], ["ж語"]),
        ("b", [" b", "_b", "aB"], ["ab", "Ab", "7b"], ["a"]),
    ]

    @Test(arguments: cases.indices) func wordsBegin(_ number: Int) throws {
        let (typed, begins, doesNot, lacks) = Self.cases[number]
        let (better, worse) = (
            begins.map { FuzzyMatch(typed, in: $0)?.score }, doesNot.map { FuzzyMatch(typed, in: $0)?.score }
        )
        let (one, other) = (try #require(better.first ?? nil), try #require(worse.first ?? nil))
        #expect(one > other)
        #expect(better.allSatisfy { $0 == one }, "\(zip(begins, better).map { "\($0)" })")
        #expect(worse.allSatisfy { $0 == other }, "\(zip(doesNot, worse).map { "\($0)" })")
        for candidate in lacks { #expect(FuzzyMatch(typed, in: candidate) == nil, "\(candidate)") }
    }
}
