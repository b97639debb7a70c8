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

    private static func score(_ typed: String, in candidate: String) throws -> Int {
        try #require(FuzzyMatch(typed, in: candidate)).score
    }

    /// Letters that fold to fewer bytes come before the ones that were typed.
    @Test func wordsBeginBehindLettersThatFoldShorter() throws {
        #expect(try Self.score("bc", in: "É bc") > Self.score("bc", in: "Éxbc"))
        #expect(try Self.score("bc", in: "ÉÉ_bc") > Self.score("bc", in: "ÉÉxbc"))
    }

    /// Letters next to each other at the begin of a word count, though the first of them occurs before.
    @Test func theBestPlaceCounts() throws {
        #expect(try Self.score("bc", in: "xbxc bc") == Self.score("bc", in: "xzxc bc"))
        #expect(try Self.score("bc", in: "x bc bxc") == Self.score("bc", in: "x bc zxc"))
    }

    /// Letters that stand together fit better than one at the begin of a word that is apart.
    @Test func lettersTogetherFitBest() throws {
        #expect(try Self.score("ab", in: "xab") > Self.score("ab", in: "xa_b"))
    }

    @Test func beginnings() throws {
        let cases = [
            ("em", "Émile", true), ("ÉM", "emile", true), ("em", "mile", false), ("", "e", true), ("ee", "e", false),
        ]
        for (typed, text, begins) in cases { #expect(FuzzyMatch.begins(text, with: typed) == begins, "\(typed)") }
        for count in [2, 499, 500, 501, 2_000] {
            let match = try #require(FuzzyMatch("ab", in: "ab" + String(repeating: "c", count: count - 2)))
            #expect(match.isPrefix, "\(count)")
            let other = try #require(FuzzyMatch("b", in: "ab" + String(repeating: "c", count: count - 2)))
            #expect(!other.isPrefix && other.score < match.score, "\(count)")
        }
        #expect(try Self.score("ab", in: "abc") > Self.score("ab", in: "abcd"))
        let nothing = try #require(FuzzyMatch("", in: "ab"))
        #expect(nothing.score == 0 && !nothing.isPrefix)
    }

    /// Candidates, what was typed, those that are put first, and the order that comes of it.
    static let rankings: [(candidates: [String], typed: String, first: Set<String>, expected: [String])] = [
        (["b", "a", "c"], "", ["c"], ["b", "a", "c"]),
        // What begins as typed, the shortest first; then nothing else is asked for.
        (["anam", "name", "xn", "nam"], "na", [], ["nam", "name"]),
        (["anam", "name", "xn", "nam"], "na", ["name"], ["name", "nam"]),
        (["name", "nam", "nave"], "na", ["name", "nam"], ["name", "nam", "nave"]),
        // Of equals the one that was given first.
        (["yam", "xam"], "am", [], ["yam", "xam"]), (["xam", "yam"], "am", [], ["xam", "yam"]),
        (["xam", "zzamm", "yam"], "am", [], ["xam", "yam", "zzamm"]),
        (["xam", "zzamm", "yam"], "am", ["zzamm"], ["zzamm", "xam", "yam"]),
        (["ma", "b"], "am", [], []),
    ]

    @Test(arguments: rankings.indices) func ranking(_ number: Int) {
        let (candidates, typed, first, expected) = Self.rankings[number]
        #expect(FuzzyMatch.ranked(candidates, typed: typed, isFirst: { first.contains($0) }, by: { $0 }) == expected)
    }
}
