// Texts with a token that cannot be read: the whole place, the message and the hint.

import PredicateSyntax
import Testing

@Suite("Places of lexical faults")
struct LexicalFaultPlaceTests {
    /// Strings, numbers, names, and signs of other languages.
    static let faults: [FaultPlace] = [
        ("a == 'x", 5..<7, "unterminated string literal", "close the literal with '"),
        (#"a == "it's"#, 5..<10, "unterminated string literal", #"a literal that begins with " must end with ""#),
        ("a == #'x", 5..<8, "unterminated string literal", "close the literal with '"),
        (#"a == #'x""#, 5..<9, "unterminated string literal", "a literal that begins with ' must end with '"),
        (#"a == 'x\xg0'"#, 7..<9, #"bad \x escape"#, #"\x takes two hexadecimal digits"#),
        (#"a == 'x\x4'"#, 7..<10, #"bad \x escape"#, #"\x takes two hexadecimal digits"#),
        (#"a == 'x\u12g4'"#, 7..<11, #"bad \u escape"#, #"\u takes four hexadecimal digits"#),
        (
            #"a == 'x\uD83Dy'"#, 7..<13, #"bad \u escape: half of a surrogate pair"#,
            #"beyond U+FFFF write two escapes, \uD83D\uDE00"#
        ),
        (
            #"a == 'x\uDC00\uDC00'"#, 7..<13, #"bad \u escape: half of a surrogate pair"#,
            #"beyond U+FFFF write two escapes, \uD83D\uDE00"#
        ),
        ("a == 1abc + 2", 5..<9, "malformed number", "separate a number from a word by a blank"),
        ("a == 1é", 5..<7, "malformed number", "separate a number from a word by a blank"),
        ("a == 0x", 5..<7, "malformed number", "separate a number from a word by a blank"),
        ("a == 0x1g", 5..<9, "malformed number", "separate a number from a word by a blank"),
        ("a == 1e+", 5..<7, "malformed number", "separate a number from a word by a blank"),
        ("a == 5dx", 5..<8, "malformed number", "separate a number from a word by a blank"),
        ("a == 1_0", 5..<8, "malformed number", "digits are written without underscores"),
        ("a == 1e999", 5..<10, "number out of range", "the greatest number is about 1.8e308"),
        ("t - 99999999999999d == t", 4..<19, "number out of range", "the greatest length of time is 3155695200000"),
        ("# == 1", 0..<1, "name expected after #", nil),
        (#"@"x" == a"#, 0..<1, "name expected after @", "text needs quotes, without @"),
        ("a == $1", 5..<6, "name expected after $", nil),
        ("a == $'x'", 5..<6, "name expected after $", nil),
        ("a == %y", 5..<6, "unknown format specifier", "arguments are %@ for a value, %K for a key,"),
        ("a % b == 1", 2..<3, "unknown format specifier", "a remainder is written modulus:by:(x, y)"),
        ("a == 1%", 6..<7, "unknown format specifier", "arguments are %@ for a value, %K for a key,"),
        ("a ? b", 2..<3, "illegal character '?'", "an argument is written %@ or $name"),
        ("a == 1;", 6..<7, "illegal character ';'", "a text holds one predicate"),
        ("`a` == 1", 0..<1, "illegal character '`'", "an unusual key is written #'key'"),
        (#"a == \x"#, 5..<6, #"illegal character '\'"#, "escapes are allowed only inside quoted strings"),
        ("a ≠ 1", 2..<3, "illegal character", "write !="),
        ("a ≥ 1", 2..<3, "illegal character", "write >="),
        ("a == 1 ∧ b == 1", 7..<8, "illegal character", "write AND"),
        ("a == 1 ∨ b == 1", 7..<8, "illegal character", "write OR"),
        ("a == 1 ¬ b", 7..<8, "illegal character", "write NOT"),
        ("a ∈ b", 2..<3, "illegal character", "write IN"),
        ("a == «x»", 5..<6, "illegal character", #"write straight quotes, ' or ""#),
        ("a == ‚x‘", 5..<6, "illegal character", #"write straight quotes, ' or ""#),
        ("a == „x“", 5..<6, "illegal character", #"write straight quotes, ' or ""#),
        ("a == 1 − 2", 7..<8, "illegal character", "write -"),
        ("a == 1 – 2", 7..<8, "illegal character", "write -"),
        ("a == 1 — 2", 7..<8, "illegal character", "write -"),
        ("a == 2 × 3", 7..<8, "illegal character", "write *"),
        ("a == 2 ⋅ 3", 7..<8, "illegal character", "write *"),
        ("a == 6 ÷ 3", 7..<8, "illegal character", "write /"),
        ("a == €", 5..<6, "illegal character", nil),
    ]

    @Test(arguments: faults.indices) func place(_ index: Int) throws { try check(Self.faults[index], .lexical) }
}
