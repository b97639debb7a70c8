// Suggestions for the common slips.
import PredicateSyntax
import Testing

@Suite("Hints")
struct HintTests {
    private static let long = String(repeating: "a == 1 AND ", count: 30)

    /// Text, and a part of the hint that it must give.
    static let slips: [(text: String, hint: String)] = [
        ("name NOT IN {'a'}", "NOT (x IN"),
        ("name NOT LIKE 'a'", "NOT (x LIKE"),
        ("name not contains 'a'", "NOT (x CONTAINS"),
        ("colour IN ('red', 'green')", "{…}"), ("age BETWEEN (1, 2)", "{…}"),
        ("name IS NULL", "== nil"),
        ("name is not null", "!= nil"),
        ("name IS 'x'", "write =="), ("name LIKE *x*", "quotes"), ("name ~ 'x'", "MATCHES"),
        ("age BETWEEN 1 AND 5", "BETWEEN {lower, upper}"),
        ("age BETWEEN %@ AND %@", "BETWEEN {lower, upper}"),
        ("age between 1 and 5 and b == 2", "BETWEEN {lower, upper}"),
        ("name CONTAIN 'x'", "CONTAINS"),
        ("name BEGINWITH 'x'", "BEGINSWITH"),
        ("name ENDWITH[c] 'x'", "ENDSWITH"),
        ("name MATCH 'x'", "MATCHES"),
        ("name LIEK 'x'", "LIKE"),
        ("name STARTSWITH 'x'", "BEGINSWITH"),
        ("name EQUALS 'x'", "write =="),
        ("size > 3", "#size"),
        ("first == 'a'", "#first"),
        ("a == 1 AND in == 3", "#in"),
        ("a == SIZE", "#size"),
        ("ANYKEY == 1", "#anykey"),
        ("SUBQUERY == 1", "#subquery"),
        ("any == 1", "#any"), ("a == 1e400", "1.8e308"), ("t + 31556952000001s == t", "31556952000000s"),
        ("my key == 1", "#'key with blanks'"),
        ("Installed Size > 100000", "#'key with blanks'"),
        ("", "TRUEPREDICATE"), (" * ", "TRUEPREDICATE"),
        ("select * from towns", "follows WHERE"), ("SELECT name FROM towns WHERE size = 1", "follows WHERE"),
        ("where name = 'a'", "follows WHERE"),
        ("name == 'a' OR 'b'", "IN {…}"), ("age == 1 AND 2", "IN {…}"),
        ("age > 100,000", "without commas"), ("age IN 1, 2", "braces"),
        ("age BETWEEN 1..5", "BETWEEN {lower, upper}"),
        ("name DOESNOTCONTAIN 'x'", "NOT (x CONTAINS"),
        ("name == @\"x\"", "without @"),
        ("n % 2 == 1", "modulus:by:"),
        ("(%@)", "a value, not a predicate"),
        ("age === 3", "equality is written =="),
        ("age ! = 3", "!= without a blank"),
        ("age = > 3", ">= without a blank"),
        ("age < = 3", "<= without a blank"),
        ("age < > 3", "<> or !="),
        ("name == \"Ann'", "must end with \""),
        ("name == 'Ann", "close the literal with '"),
        ("name == 'it's'", "\\'"),
        ("name == \u{2018}Ann\u{2019}", "straight quotes"),
        ("name == \u{201C}Ann\u{201D}", "straight quotes"),
        ("age \u{2264} 3", "<="),
        ("a == 1 // note", "no comments"),
        ("a == 1 /* note */", "no comments"),
        ("a == 1 XOR b == 2", "no XOR"),
        ("active", "== TRUE"),
        ("active AND age > 3", "== TRUE"),
        ("NOT active", "== TRUE"),
        ("true", "TRUEPREDICATE"),
        ("flags & 4", "(flags & 4) != 0"),
        ("a == 1 & b == 2", "&& or AND"),
        ("a == 1 | b == 2", "|| or OR"),
        ("(age == 3", "column 1"),
        ("a == 1 AND (age == 3", "column 12"),
        ("tags[0 == 'a'", "column 5"),
        ("a IN {1, 2", "column 6"),
        ("a == 1\nAND (b == 2", "line 2, column 5"),
        // Brackets that are closed again are not meant.
        ("(a == 1 AND (b == 2)", "( was opened at column 1"), ("a IN {1, (2)", "{ was opened at column 6"),
        ("((a == 1) AND (b IN {1, 2})", "( was opened at column 1"), ("(a.b[1] == 2", "( was opened at column 1"),
        ("(a IN {1, 2} AND (b IN (1, 2))", "{…}"),
        ("sum(1 == 2", "cannot be an operand"), ("a == (1", "( was opened at column 6"),
        // A beginning of four letters is enough.
        ("x CONT 'a'", "mean CONTAINS?"), ("x BEGI 'a'", "mean BEGINSWITH?"), ("x ENDS 'a'", "mean ENDSWITH?"),
        // However much is before it.
        (long + "(b == 2", "( was opened at column 331"), (long + "b IN (1, 2)", "{…}"),
        (long + "ANY ALL b == 1", "one quantifier"), ("(" + long + "b IN (1, 2))", "{…}"),
        ("(" + long + "b == 2", "( was opened at column 1"),
        ("age == 3)", "no parenthesis is open"),
        ("a == [1, 2]", "{1, 2}"),
        ("a == .5", "0.5"),
        ("a IN {1, }", "no comma"),
        ("a..b == 1", "one dot"),
        ("a.'b c' == 1", "#'key'"),
        ("1 < a < 3", "do not chain"),
        ("(a == 1) == 2", "cannot be compared"),
        ("a == (b == 1)", "cannot be an operand"),
        ("x == 'a' 'b'", "not joined"),
        ("a == 1 b == 2", "AND or OR"),
        ("a == 1 adn b == 2", "AND"),
        ("a == 1 NOT b == 2", "AND NOT"),
        ("a == 1 ORDER BY b", "order and limits"),
        ("a == 1 LIMIT 5", "order and limits"),
        ("ANY ALL tags == 'a'", "one quantifier"),
        ("a := 1", "assigned"),
        ("name ==[x] 'a'", "c (case)"),
        ("name == ?", "%@"),
        ("name == %y", "%K"),
        ("a == 1abc", "blank"),
        ("a == 1_000", "underscores"),
        ("SUBQUERY(items, x, x.p > 1).@count > 0", "$x"),
        ("lenght(name) > 3", "length"),
        ("ABS(x) > 3", "abs"), ("modulus(x, 2) == 0", "modulus:by:"),
        ("modulo:by:(x, 2) == 0", "modulus:by:"),
        ("distanceToLocation:from:(x, %@) < 5", "distanceToLocation:fromLocation:"),
        ("FUNCTION(x, 'evil:', 1) == 1", "closed table"),
        ("FUNCTION(x, y) == 1", "uppercaseString"),
        ("FETCH(a, b, NO) == 1", "#fetch"),
        // The words of other languages.
        ("a EQ 3", "write =="), ("a NE 3", "write !="), ("a LT 3", "write <"), ("a LTE 3", "write <="),
        ("a GT 3", "write >"), ("a ge 3", "write >="), ("a HAS 'x'", "write CONTAINS"),
        ("a HASPREFIX 'x'", "write BEGINSWITH"), ("a HASSUFFIX 'x'", "write ENDSWITH"),
        ("a ILIKE 'x'", "write LIKE[c]"), ("a REGEXP 'x'", "write MATCHES"), ("a glob 'x'", "write LIKE"),
        ("a == 1 SORT BY b", "order and limits"), ("a == 1 having b", "order and limits"),
        ("DELETE FROM x", "follows WHERE"), ("update towns set", "follows WHERE"),
        // One sign too many, too few, or in another place.
        ("a == 1 AND AND b == 2", "one connective"), ("a == 1 OR || b == 2", "one connective"),
        ("sum(1, ) == 1", "no comma"), ("a > = 3", ">= without a blank"), ("a = < 3", "<= without a blank"),
        ("name LIKE **x", "quotes"), ("name CONTAINS *x*", "quotes"), ("name == *", "quotes"),
        ("a == ANY b", "precedes the left side"), ("ALL == 1", "#all"), ("'x' 'y' == a", "an operator such as"),
        ("a == 1 OR FALSE", "FALSEPREDICATE"), ("flags | 4", "(flags & 4) != 0"),
        ("NOT (flags & 4)", "(flags & 4) != 0"),
        ("a BETWEEN[c] {1, 2}", "leave the brackets out"), ("a ==[p] 'x'", "TOKENMATCHES[cdp]"),
        ("a ==['c'] 'x'", "{1, 2}"), ("a[1 == 2", "[ was opened at column 2"), ("a == b == c", "do not chain"),
        ("a == in.x", "#in"), ("LAST.x == 1", "#last"), ("CASEINSENSITIVE == 1", "#caseinsensitive"),
    ]

    @Test("A slip is answered by what was meant", arguments: slips.indices)
    func slip(_ index: Int) {
        let (text, expected) = Self.slips[index]
        let error = syntaxError(text)
        #expect(error?.hint?.contains(expected) == true, "\(text): \(String(describing: error))")
    }

    @Test("Functions: wrong numbers of arguments")
    func arity() {
        for text in ["sqrt(1, 2) == 1", "sqrt() == 1", "modulus:by:(1) == 1", "now(1) == 1", "sum() == 1"] {
            #expect(syntaxError(text)?.kind == .semantic, "\(text)")
            #expect(
                syntaxError(text)?.span.range
                    == 0..<text.utf8.distance(from: text.startIndex, to: text.firstIndex(of: "(")!))
        }
    }
}
