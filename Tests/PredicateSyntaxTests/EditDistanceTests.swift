// What a word was meant for.

import PredicateSyntax
import Testing

@Suite("Edit distance")
struct EditDistanceTests {
    static let words: [(word: String, candidates: [String], closest: String?)] = [
        // A beginning of four letters or more means the word, however long that is.
        ("popu", ["area", "population"], "population"), ("pop", ["area", "population"], nil),
        ("POPU", ["population"], "population"), ("name", ["names", "nameplate"], "names"),
        // A letter more, less, other, or two that changed places; of equals the first.
        ("lenght", ["length"], "length"), ("ab", ["ba"], nil), ("abc", ["acb"], "acb"), ("abc", ["abd", "abe"], "abd"),
        ("abc", ["ab"], "ab"), ("ab", ["abc"], "abc"), ("abc", ["xbc"], "xbc"), ("abc", ["xyc"], nil),
        ("nmae", ["game", "name"], "name"), ("Name", ["nAme"], "nAme"),
        // A third of the letters at most, three of them at most.
        ("abcdef", ["abcdxy"], "abcdxy"), ("abcdef", ["abcxyz"], nil), ("abcdefghi", ["abcdefxyz"], "abcdefxyz"),
        ("abcdefghijklmno", ["abcdefghijkwxyz"], nil), ("abcdefghi", ["abcdefghijklm"], "abcdefghijklm"),
        ("bcdefghijklm", ["abcdefghijklm"], "abcdefghijklm"), ("efghijklm", ["abcdefghijklm"], nil),
        ("", ["abc"], nil), ("abc", [], nil), ("a", ["b"], nil), ("grosse", ["grösse"], "grösse"),
    ]

    @Test(arguments: words) func closest(word: String, candidates: [String], closest: String?) {
        #expect(EditDistance.closest(to: word, in: candidates) == closest)
    }

    @Test func longWordsMeanNothing() {
        let long = String(repeating: "a", count: 64)
        #expect(EditDistance.closest(to: long, in: [long + "b"]) == long + "b")
        #expect(EditDistance.closest(to: long + "a", in: [long + "ab"]) == nil)
    }
}
