// Hints beside those of other slips: where one would mislead, there is another or none.

import PredicateSyntax
import Testing

@Suite("Hints that mislead nobody")
struct HintSilenceTests {
    /// A text, and how its hint begins; nil where nothing is known.
    static let hints: [(text: String, hint: String?)] = [
        ("where == 1 == 2", "comparisons do not chain: write a < b AND b < c"),
        ("a any == 1", "a key with blanks is written #'key with blanks'"),
        ("a any b", nil),
        ("a BETWEEN {1, 2} AND b", "a key alone is no predicate: write key == TRUE"),
        ("a BETWEEN 1 OR b == 1 AND c", "a key alone is no predicate: write key == TRUE"),
        ("'x'", nil),
        ("1", nil),
        ("nil", nil),
        ("$v", nil),
        ("a == 1 AND nil", nil),
        ("flags & 4 == 4 AND b", "a key alone is no predicate: write key == TRUE"),
        ("flags & 4 == 4 AND b == 1 == 2", "comparisons do not chain: write a < b AND b < c"),
        ("a | 1 == 1 AND b", "a key alone is no predicate: write key == TRUE"),
        ("a == 1, 2", "digits are written without commas"),
        ("a BETWEEN 1, 2", "a list is written in braces: {1, 2}"),
        ("a == b, c", nil),
        ("a == 'x' y", "join predicates by AND or OR"),
        ("a = = 3", nil),
        ("a == AND", nil),
        ("NOT any x", "a key alone is no predicate: write key == TRUE"),
        ("a == .b", nil),
        ("a == (1, 2)", "( was opened at column 6"),
        ("a IN (b, c)", "a list is written in braces: {…}"),
        ("a EQUAL 3", "write =="),
        ("a LE 3", "write <="),
        ("a GTE 3", "write >="),
        ("a INCLUDES 3", "write CONTAINS"),
        ("a STARTS 'x'", "write BEGINSWITH"),
        ("a REGEX 'x'", "write MATCHES"),
        ("a RLIKE 'x'", "write MATCHES"),
        ("a == 1 SORTED b", "order and limits are no part of a predicate"),
        ("a == 1 GROUP BY b", "order and limits are no part of a predicate"),
        ("a == 1 DISTINCT", "order and limits are no part of a predicate"),
        ("a == 1 OFFSET 5", "order and limits are no part of a predicate"),
        ("a == 1 WHERE b == 2", "order and limits are no part of a predicate"),
        ("a == 1 asc", "order and limits are no part of a predicate"),
        ("a == 1 DESC", "order and limits are no part of a predicate"),
        ("a == 1 ANDD b == 1", "did you mean AND?"),
        ("a == 1 whatever", "join predicates by AND or OR"),
        ("a == 1 ANY b == 1", "join predicates by AND or OR"),
        ("a == 1 (b == 1)", "join predicates by AND or OR"),
        ("a == 1 'x'", "join predicates by AND or OR"),
        ("a == 1 b", "join predicates by AND or OR"),
        ("a IS b", "write =="),
        ("a IS NOT b", "write != nil"),
        ("a == ANYKEY", "ANYKEY is not part of the language; a key of"),
        ("FIRST == 1", "FIRST is a reserved word: a key of this name"),
        ("a.b. == 1", nil),
        ("a == 'x'y", #"a quote inside a literal is written \' or \""#),
        ("a == 1 / / 2", "there are no comments"),
        ("a == 1 / * 2", "there are no comments"),
        ("select == 1 == 2", "comparisons do not chain: write a < b AND b < c"),
        ("select == 1 b", "join predicates by AND or OR"),
        ("select * from 'towns'", "a predicate is what follows WHERE in SQL"),
        ("'' OR a", nil),
        ("(a) == 1 == 2", "comparisons do not chain: write a < b AND b < c"),
        ("a & 1 == 1 == 2", "predicates are joined by && or AND"),
        ("a == {1, 2", "{ was opened at column 6"),
        ("a == NONE", "a quantifier precedes the left side"),
        ("NONE ANY a == 1", "one quantifier is enough"),
        ("a LIKE *", "text needs quotes: '*x*'"),
        ("a BEGINSWITH *", nil),
        ("a == +1", nil),
        ("a NOT == 1", "write != without a blank"),
        ("a <> = 1", nil),
        ("{1} AND a == 1", nil),
        ("FALSE", "the constant predicate is FALSEPREDICATE"),
        ("a == 1 b c == 2", "join predicates by AND or OR"),
        ("a == @x.", nil),
    ]

    @Test(arguments: hints.indices) func hint(_ index: Int) throws {
        let (text, hint) = Self.hints[index]
        let error = try #require(syntaxError(text))
        guard let hint else {
            #expect(error.hint == nil, "\(text)")
            return
        }
        #expect(error.hint?.hasPrefix(hint) == true, "\(text): \(error.hint ?? "no hint")")
    }
}
