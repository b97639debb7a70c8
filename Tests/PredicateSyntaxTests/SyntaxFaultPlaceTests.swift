// Texts that are no predicates: the whole place, the message and the hint.

import PredicateSyntax
import Testing

@Suite("Places of syntax faults")
struct SyntaxFaultPlaceTests {
    /// Tokens that cannot go on a predicate.
    static let faults: [FaultPlace] = [
        (#"a == "x" ^^ 2"#, 10..<11, "expression expected", nil),
        ("nosuch:by:(1) == 1", 0..<10, "unknown function", "only functions of the closed table can be called"),
        ("xyzzyplugh(1) == 1", 0..<10, "unknown function", "only functions of the closed table can be called"),
        ("modulus: by(a, 2) == 0", 0..<11, "unknown function", "did you mean modulus:by:?"),
        ("a == b:c", 8..<8, "expected '('", nil),
        ("CAST(a) == 1", 6..<7, "expected ','", nil),
        ("CAST a == 1", 5..<6, "comparison operator expected", nil),
        ("TERNARY(a == 1, 2) == 1", 17..<18, "expected ','", nil),
        (
            "SUBQUERY(a, x, TRUEPREDICATE) == 1", 12..<13, "iterator variable expected",
            "write SUBQUERY(collection, $x, predicate on $x)"
        ),
        ("SUBQUERY(a $x, TRUEPREDICATE) == 1", 11..<13, "expected ','", nil),
        ("SUBQUERY(a, $x TRUEPREDICATE) == 1", 15..<28, "expected ','", nil),
        (
            "FUNCTION(a, 'evil') == 1", 12..<18, "unknown function in FUNCTION",
            "only functions of the closed table can be called"
        ),
        (
            "FUNCTION(a, b) == 1", 12..<13, "FUNCTION needs a selector in quotes as its second argument",
            "for example FUNCTION(name, 'uppercaseString')"
        ),
        (
            "FUNCTION() == 1", 0..<10, "FUNCTION needs a selector in quotes as its second argument",
            "for example FUNCTION(name, 'uppercaseString')"
        ),
        ("FETCH(a) == 1", 0..<5, "FETCH is not part of the language", "it runs a stored fetch request of another fr"),
        ("a ==[cdx] 1", 7..<8, "option letters expected", "the letters are c (case), d (diacritics), n"),
        ("a ==[c 1", 7..<8, "expected ']'", "[ was opened at column 5"),
        ("a ==[] 1", 5..<6, "option letters expected", "the letters are c (case), d (diacritics), n"),
        ("a ==[", 5..<5, "option letters expected", "the letters are c (case), d (diacritics), n"),
        ("a ==[cp] 1", 6..<7, "only TOKENMATCHES takes the option p", "p searches for a phrase: x TOKENMATCHES[cdp]"),
        ("a BETWEEN[c] {1, 2}", 9..<10, "operator takes no options", "leave the brackets out"),
        ("a.1 == 1", 2..<3, "key expected after .", nil),
        ("a. == 1", 3..<5, "key expected after .", nil),
        ("a.", 2..<2, "key expected after .", nil),
        ("a[1 == 1", 4..<6, "expected ']'", "[ was opened at column 2"),
        ("a[] == 1", 2..<3, "expression expected", nil),
        ("{1, 2 == a", 6..<8, "expected '}'", "{ was opened at column 1"),
        ("sum(1 == a", 6..<8, "expected ')'", "a predicate cannot be an operand"),
        ("(a == 1", 7..<7, "expected ')'", "( was opened at column 1"),
        ("(a + 1", 6..<6, "comparison operator expected", nil),
        ("a == 1)", 6..<7, "unexpected token", "no parenthesis is open here"),
        ("a == 1 2", 7..<8, "unexpected token", "join predicates by AND or OR"),
        ("a == 1 == 2", 7..<9, "unexpected token", "comparisons do not chain: write a < b AND b < c"),
        ("a", 1..<1, "comparison operator expected", "a key alone is no predicate: write key == TRUE"),
        ("a AND b == 1", 2..<5, "comparison operator expected", "a key alone is no predicate: write key == TRUE"),
        ("a NOT b", 2..<5, "comparison operator expected", nil),
        ("ANY == 1", 4..<6, "expression expected", "ANY is a reserved word: a key of this name i"),
        ("NOT", 3..<3, "expression expected", nil),
        ("a == ", 5..<5, "expression expected", nil),
        ("(", 1..<1, "expression expected", nil),
        ("()", 1..<2, "expression expected", nil),
        ("a == (b == 1)", 8..<10, "expected ')'", "a predicate cannot be an operand"),
        ("TRUEPREDICATE a", 14..<15, "unexpected token", "join predicates by AND or OR"),
        ("a == 1 AND", 10..<10, "expression expected", nil),
        ("a == 1 OR OR b == 1", 10..<12, "expression expected", "one connective is enough"),
    ]

    /// Well formed, without a meaning.
    static let misuses: [FaultPlace] = [
        ("a BETWEEN {1, 2, 3}", 10..<19, "BETWEEN needs exactly two bounds", nil),
        ("a BETWEEN {}", 10..<12, "BETWEEN needs exactly two bounds", nil),
        ("1 BETWEEN {1}", 10..<13, "BETWEEN needs exactly two bounds", nil),
        ("sqrt(1, 2) == 1", 0..<4, "the function takes 1 argument, 2 given", nil),
        ("a == now(1)", 5..<8, "the function takes 0 arguments, 1 given", nil),
        ("sum() == 1", 0..<3, "the function takes a list or several values, 0 given", nil),
        (
            "distance(a, b) < 1", 0..<8, "the function takes 3 arguments, 2 given",
            "of a field and a place it is distanceToLocat"
        ),
        ("distance(a) < 1", 0..<8, "the function takes 3 arguments, 1 given", nil),
        ("random(1) == a", 0..<6, "the function takes 0 arguments, 1 given", nil),
        ("inBox(a, 1) == TRUE", 0..<5, "the function takes 5 arguments, 2 given", nil),
        ("modulus:by:(1) == 1", 0..<11, "the function takes 2 arguments, 1 given", nil),
    ]

    @Test(arguments: faults.indices) func place(_ index: Int) throws { try check(Self.faults[index], .syntax) }

    @Test(arguments: misuses.indices) func misuse(_ index: Int) throws { try check(Self.misuses[index], .semantic) }
}
