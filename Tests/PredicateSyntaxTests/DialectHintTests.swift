// What is told to be written instead of what CloudKit's dialect refuses.

import PredicateSyntax
import Testing

@Suite("Hints of CloudKit's dialect")
struct DialectHintTests {
    private static let places = "distanceToLocation:fromLocation:(loc, %@)"
    private static let search = "text can be searched by BEGINSWITH and by tokens: self CONTAINS 'word'"
    private static let date = "compute the date first and pass it as an argument: %@"
    private static let moments = "compare with the first and the last moment: field >= %@ AND field < %@"

    private static func refusal(_ text: String) throws -> SyntaxError? {
        let tree = try SyntaxTree(parsing: text)
        return #expect(throws: SyntaxError.self, "\(text)") {
            try tree.validate(for: .cloudKit, stringFields: ["name"], dateFields: ["born"])
        }
    }

    /// Predicates over a text `name`, a date `born` and other fields, and the hint; nil where nothing helps.
    static let hints: [(text: String, hint: String?)] = [
        ("a == 1 OR b == 2", "run one query for each alternative and merge the results"),
        ("a == nil", "store a value that stands for a missing one"),
        ("nil != a", "store a value that stands for a missing one"),
        ("born > '2024-01-31'", "pass the date as an argument: born == %@"),
        ("a ==[c] 'x'", "only TOKENMATCHES takes options"),
        ("self TOKENMATCHES[cdp] 'x y'", "leave out the option p: then all words must be there, in any order"),
        ("a LIKE 'x'", search), ("name CONTAINS 'x'", search), ("'x' IN name", search),
        ("\(places) > 5", "use < with a radius"), ("a > 7d", date), ("t > now() - 7d", date),
        ("year(t) == 2024", moments), ("month(t) == 1", moments), ("day(t) == 1", moments),
        (
            "distance(loc, 1, 2) < 5",
            "write distanceToLocation:fromLocation:(field, %@), with the place as argument"
        ),
        ("location(1, 2) == loc", "pass the place as an argument: %@"),
        ("date('2024-01-31') == t", "pass the date as an argument: %@"),
        ("length(a) == 1", "the functions are distanceToLocation:fromLocation:, tokenize:using: and now"),
        ("a.b == 1", "fetch the other record's ID first and compare the reference with it"),
        ("_a == 1", "a key is a letter, then letters, digits, _"),
        ("NOT (a == 1 AND b == 2)", nil), ("-a == 1", nil), ("SELF == 1", nil), ("$v == 1", nil), ("a == b", nil),
        ("ALL a IN {1}", nil),
    ]

    @Test(arguments: hints) func hint(text: String, hint: String?) throws {
        let error = try #require(try Self.refusal(text))
        #expect(error.kind == .dialect && error.hint == hint, "\(error)")
    }

    /// That a record has none of some words is no question that CloudKit answers.
    @Test func quantifiersOfWords() throws {
        let error = try #require(try Self.refusal("NONE tokenize('a b', 'cd') IN allTokens"))
        #expect(error.message == "NONE qualifier not supported" && error.span.range == 0..<4)
        for quantifier in ["ANY", "ALL"] {
            let tree = try SyntaxTree(parsing: "\(quantifier) tokenize('a b', 'cd') IN allTokens")
            #expect(throws: Never.self) { try tree.validate(for: .cloudKit) }
        }
    }
}
