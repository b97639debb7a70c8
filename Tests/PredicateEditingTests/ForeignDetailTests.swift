// Details of other languages' queries: bars of patterns, blanks and units within texts, members of lists.

import RecordDatabase
import Testing

@testable import PredicateEditing

@Suite struct ForeignDetailTests {
    /// A pattern that may match anywhere does so with each of its alternatives.
    @Test(arguments: [
        (#"{title: /cat|dog/}"#, "title MATCHES '.*cat.*|.*dog.*'"), (#"{title: /^a|b$/}"#, "title MATCHES 'a.*|.*b'"),
        (#"{title: /^(a|b)c/}"#, "title MATCHES '(a|b)c.*'"), (#"{title: /[a|b]c$/}"#, "title MATCHES '.*[a|b]c'"),
        (#"{title: /[(|)]x|y/i}"#, "title MATCHES[c] '.*[(|)]x.*|.*y.*'"),
        (#"{title: /5\$/}"#, #"title MATCHES '.*5\\$.*'"#), (#"{title: /5\$|6/}"#, #"title MATCHES '.*5\\$.*|.*6.*'"#),
        (#"{title: /a.c/}"#, "title MATCHES '.*a.c.*'"), (#"{title: /cat/}"#, "title CONTAINS 'cat'"),
    ])
    func alternatives(_ text: String, _ expected: String) throws {
        #expect(MongoGuess.query(of: text)?.predicateText == expected)
    }

    /// Texts stay as they are written, brackets with blanks too.
    @Test(arguments: [
        ("DELETE FROM m WHERE title = 'x ( y )'", "title == 'x ( y )'"),
        (
            "SELECT * FROM m WHERE ( a = 1 OR ( b = '( )' ) ) AND NOT ( c = 2 )",
            "(a == 1 OR (b == '( )')) AND NOT (c == 2)"
        ),
    ])
    func blanksWithinTexts(_ text: String, _ expected: String) throws {
        #expect(SQLGuess.query(of: text)?.predicateText == expected)
    }

    /// Members of the elements of a list, whatever their names and values hold.
    @Test(arguments: [
        (
            #"{items: {$elemMatch: {name: "Max. 5", "tax.rate": {$gt: 3}}}}"#,
            "SUBQUERY(items, $x, $x.name == 'Max. 5' AND $x.tax.rate > 3).@count > 0"
        ),
        (
            #"{items: {$elemMatch: {a: 1, $or: [{b: 2}, {c: "x.y"}]}}}"#,
            "SUBQUERY(items, $x, $x.a == 1 AND ($x.b == 2 OR $x.c == 'x.y')).@count > 0"
        ),
        (
            "{items: {$elemMatch: {a: {$not: {$gt: 3}}, b: {$not: /x/}}}}",
            "SUBQUERY(items, $x, NOT ($x.a > 3) AND NOT ($x.b CONTAINS 'x')).@count > 0"
        ),
    ])
    func membersOfElements(_ text: String, _ expected: String) throws {
        #expect(MongoGuess.query(of: text)?.predicateText == expected)
    }

    /// Lengths are metres, also fractions and what no whole number holds; texts are no lengths.
    @Test(arguments: [
        ("a < 10km", "a < 10000"), ("a < 1.5 km", "a < 1500"), ("a < 8,5 km", "a < 8500"), ("a < 2 mi", "a < 3218.7"),
        ("a < 0.5 miles", "a < 804.7"), ("title is '10 km run'", "title == '10 km run'"),
        ("title is \"8 mi\" and a < 3 km", "title == '8 mi' AND a < 3000"),
    ])
    func lengths(_ text: String, _ expected: String) throws {
        #expect(PlainGuess.query(of: text)?.predicateText == expected)
    }

    /// Longer ways than anybody has are left as they are, whatever number holds them.
    @Test(arguments: ["a < 9999999999999999 km", "a < 99999999999999999999999 km", "a < 1000000000000 km"])
    func lengthsBeyondAll(_ text: String) {
        #expect(PlainGuess.query(of: text)?.predicateText.contains("km") != false)
    }
}
