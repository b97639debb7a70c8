// Tokens of any text, by what they are to a reader.

import PredicateSyntax
import Testing

struct LexicalTokenTests {
    /// A letter for each kind, in the order of the text.
    private static let letters: [LexicalToken.Kind: Character] = [
        .keyword: "w", .comparison: "c", .option: "o", .arithmetic: "a", .key: "k", .function: "f", .constant: "t",
        .string: "s", .number: "n", .variable: "v", .placeholder: "p", .bracket: "b", .punctuation: ".", .invalid: "!",
    ]

    private static let cases: [(text: String, kinds: String)] = [
        ("a == 1", "kcn"), ("NOT a CONTAINS[cd] 'x' AND b", "wkcbobswk"), ("ANY tags == nil", "wkct"),
        ("a.and.@count > 3", "k.k.kcn"),
        ("distanceToLocation:fromLocation:(a, $b) < 5", "f.f.bk.vbcn"), ("sum(a)", "fbkb"), ("cast == 1", "kcn"),
        ("CAST(a, 'x')", "wbk.sb"), ("union UNION b", "kak"), ("a[FIRST] + %K ** %@", "kbwbapap"),
        ("#'a b' == #and", "kck"),
        ("TRUEPREDICATE OR SELF IN {1}", "twtcbnb"), ("a == 'x", "kc!"), ("a == ?", "kc!"), ("é < 'ü'", "kcs"),
        ("", ""), ("  ", ""),
        ("a ==[x] 1", "kcbobn"), ("a[x] == 1", "kbkbcn"), ("1.2.3", "n.n"),
    ]

    @Test func kinds() {
        for (text, kinds) in Self.cases {
            let tokens = LexicalToken.tokens(of: text)
            #expect(String(tokens.compactMap { Self.letters[$0.kind] }) == kinds, "\(text)")
        }
    }

    /// However a text is cut, its tokens ascend and leave out nothing but blanks.
    @Test func tokensCoverTheText() throws {
        let texts =
            try fixture("valid.json", of: ValidCase.self).map(\.predicate)
            + fixture("invalid.json", of: InvalidCase.self).map(\.predicate)
        for text in texts {
            let bytes = Array(text.utf8)
            for end in stride(from: 0, through: bytes.count, by: 3) {
                let part = String(decoding: bytes[..<end], as: UTF8.self)
                var rest = Array(part.utf8)
                var place = 0
                for token in LexicalToken.tokens(of: part) {
                    #expect(token.range.lowerBound >= place && !token.range.isEmpty, "\(part)")
                    place = token.range.upperBound
                    for byte in token.range { rest[byte] = 0x20 }
                }
                let left = String(decoding: rest, as: UTF8.self)
                let isBlank = left.allSatisfy { $0.isWhitespace }
                #expect(isBlank, "\(part): \(left)")
            }
        }
    }
}
