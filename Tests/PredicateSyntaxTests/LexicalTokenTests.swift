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
        // A key behind a dot is no function, whatever follows it; nor are words that call nothing.
        ("a.sum(1)", "k.kbnb"), ("a:b == 1", "k.kcn"),
        ("modulus:by:(a, 2)", "f.f.bk.nb"),
        ("function(a) == fetch", "wbkbck"), ("cast.x > ternary", "k.kck"),
        // A word between sets is none where no value stands before it.
        ("UNION a", "kk"), ("(union) > 1", "bkbcn"), ("a.union.b > 1", "k.k.kcn"), ("{1} MINUS b", "bnbak"),
        ("a == intersect", "kck"), ("x[LAST] UNION b", "kbwbak"),
    ]

    @Test func kinds() {
        for (text, kinds) in Self.cases {
            let tokens = LexicalToken.tokens(of: text)
            #expect(String(tokens.compactMap { Self.letters[$0.kind] }) == kinds, "\(text)")
        }
    }

    @Test func namesOfKeysAndWords() {
        let tokens = LexicalToken.tokens(of: "#'a b' == #and AND size != '#x' OR a.first UTI-EQUALS $v")
        #expect(
            tokens.map(\.name) == ["a b", nil, "and", "AND", "size", nil, nil, "OR", "a", nil, "first", nil, nil])
    }

    /// What a token is to somebody who writes on: the end of a value (V), a connective (C), a predicate (P), a negation
    /// (N), a dot (D), an opening (<) or a closing (>) bracket.
    private static let roles: [(text: String, roles: String)] = [
        ("a", "V"), ("#'a'", "V"), ("1", "V"), ("'x'", "V"), ("$v", "V"), ("%@", "V"), ("nil", "V"), ("SELF", "V"),
        ("TRUE", "V"), ("FIRST", "V"), ("LAST", "V"), ("SIZE", "V"), ("TRUEPREDICATE", "VP"), ("FALSEPREDICATE", "VP"),
        (")", "V>("), ("]", "V>["), ("}", "V>{"), ("(", "<("), ("[", "<["), ("{", "<{"), (",", ""), (".", "D"),
        ("+", ""), ("==", ""), ("AND", "C"), ("&&", "C"), ("or", "C"), ("NOT", "N"), ("!", "N"), ("ANY", ""),
        ("SUBQUERY", ""), ("BETWEEN", ""), ("'x", ""),
    ]

    @Test func rolesOfTokens() throws {
        for (text, roles) in Self.roles {
            let token = try #require(LexicalToken.tokens(of: text).first)
            var found = token.endsValue ? "V" : ""
            if token.isConnective { found += "C" }
            if token.isPredicate { found += "P" }
            if token.isNegation { found += "N" }
            if token.isDot { found += "D" }
            if let opening = token.opening { found += "<\(opening)" }
            if let closing = token.closing { found += ">\(closing)" }
            #expect(found == roles, "\(text)")
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
