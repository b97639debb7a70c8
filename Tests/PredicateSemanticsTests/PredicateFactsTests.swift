// What a bound predicate says of itself: what may fail, what can never hold, which fields it uses.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct PredicateFactsTests {
    private static let schema = RecordSchema(
        recordType: "T",
        fields: [
            .init(name: "n", type: .int64), .init(name: "m", type: .double), .init(name: "s", type: .string),
            .init(name: "d", type: .date), .init(name: "p", type: .location), .init(name: "tags", type: .list(.string)),
            .init(name: "owner", type: .reference), .init(name: "friends", type: .list(.reference)),
            .init(name: "o", type: .object), .init(name: "mixed", type: .any),
        ])

    private static func bound(_ text: String) throws -> BoundPredicate {
        try Binder(schema: schema).bind(SyntaxTree(parsing: text))
    }

    @Test(arguments: [
        "n + 1 == 2", "n - m * 2 == 1", "n / 2 == 1", "n / -0.5 == 1", "abs(n) == 1", "sqrt(m) == 1", "-n == 1",
        "year(d) == 2024", "date(s) == d", "d + 1d > d", "owner.name == 'x'", "o.a.b == 3", "n < 3", "s >= 'a'",
        "n == mixed", "n BETWEEN {1, 2}", "s CONTAINS 'a'", "tags CONTAINS 'a'", "n IN {1, 'a'}", "s MATCHES 'a+'",
        "s LIKE 'a*'", "ANY tags == 'a'", "ANY tags BEGINSWITH 'a'", "s TOKENMATCHES 'a'", "tags TOKENMATCHES 'a'",
        "inBox(p, 1, 2, 3, 4) == TRUE", "distance(p, 1, 2) < 5", "distance(p, n, m) < 5", "mixed == 3", "n == nil",
        "ANY tokenize(s, 'cd') BEGINSWITH 'a'", "NOT (n == 1 OR s == 'a') AND TRUEPREDICATE", "location(n, m) == p",
    ])
    func neverFails(text: String) throws { #expect(try !Self.bound(text).root.canThrow) }

    @Test(arguments: [
        "n / m == 1", "n / 0 == 1", "mixed + 1 == 2", "n + mixed == 2", "n + n / m == 2", "(n & 1) == 1",
        "abs(mixed) == 1",
        "-mixed == 1", "-(n / m) == 1", "year(mixed) == 2024", "date(mixed) == d", "mixed + 1d > d", "tags[0] == 'a'",
        "tags.@count > 1", "n < mixed", "mixed < 'a'", "mixed BETWEEN {1, 2}", "n BETWEEN mixed", "mixed CONTAINS 'a'",
        "n IN mixed", "s MATCHES '(a)\\\\1'", "s MATCHES mixed", "mixed LIKE 'a*'", "ANY mixed == 'a'",
        "ANY friends.name BEGINSWITH 'a'", "s TOKENMATCHES mixed", "mixed TOKENMATCHES 'a'",
        "inBox(p, n, 2, 3, 4) == TRUE", "inBox(mixed, 1, 2, 3, 4) == TRUE", "distance(mixed, 1, 2) < 5",
        "distance(p, mixed, 1) < 5", "ANY tokenize(s, s) BEGINSWITH 'a'", "ANY tokenize(mixed, 'c') BEGINSWITH 'a'",
        "NOT (n == 1 OR n / m == 1)", "n == 1 AND (s == 'a' OR mixed > 1)", "date(mixed) + 1d > d",
        "location(n, mixed) == p", "SUBQUERY(friends, $f, $f == owner).@count > 1",
    ])
    func mayFail(text: String) throws { #expect(try Self.bound(text).root.canThrow) }

    /// Predicates whose sides are never equal, the comparison at fault, and what is told.
    static let clashes: [(text: String, part: String, message: String)] = [
        ("s == 3", "s == 3", "text is never equal to a number"),
        ("3 != s", "3 != s", "a number is never equal to text"),
        ("n IN {'a', 'b'}", "n IN {'a', 'b'}", "a number is never equal to text"),
        ("tags CONTAINS 3", "tags CONTAINS 3", "text is never equal to a number"),
        ("'a' IN friends", "'a' IN friends", "text is never equal to a reference"),
        ("ANY tags == 3", "ANY tags == 3", "text is never equal to a number"),
        ("tags == {1}", "tags == {1}", "a list is never"),
        ("n == 1 OR NOT s == d OR s == 3", "s == d", "text is never equal to a date"),
        ("p == owner", "p == owner", "a location"),
        // Nil beside the others is of no kind.
        ("s IN {nil, 5}", "s IN {nil, 5}", "text is never equal to a number"),
    ]

    @Test(arguments: clashes) func clash(text: String, part: String, message: String) throws {
        let clash = try #require(try Self.bound(text).kindClash)
        #expect(clash.message.hasPrefix(message))
        #expect(String(decoding: Array(text.utf8)[clash.span.range], as: UTF8.self) == part)
    }

    @Test(arguments: [
        "s == 'a'", "n == m", "n == TRUE", "s == nil", "mixed == 3", "o == mixed", "n IN {1, 'a'}", "n IN mixed",
        "s == owner.a",
        "tags CONTAINS 'a'", "tags == {'a'}", "d == '2024-01-31'", "s CONTAINS 'a'", "n < 3", "tags == {}",
        "ANY mixed == 3", "n IN {nil, 5}",
    ])
    func noClash(text: String) throws { #expect(try Self.bound(text).kindClash == nil) }

    /// The fields of a predicate in order, `<` those that need an order, `w` words, `>` those that are followed.
    static let uses: [(text: String, uses: String)] = [
        ("n == 1", "n"), ("n < m", "n< m<"), ("n BETWEEN {m, 3}", "n< m"), ("abs(n) < 3", "n"),
        ("s TOKENMATCHES 'a'", "sw"),
        ("self CONTAINS 'a'", "*w"), ("ANY allTokens BEGINSWITH 'a'", "*w"), ("owner == $r", "owner"),
        ("owner.name == s", "owner> s"), ("owner.name < n", "owner> n<"), ("o.a == 1", "o>"), ("s.length > 1", "s"),
        ("friends.@count > 1", "friends>"), ("tags.@count > 1", "tags"), ("tags[n] == s", "tags n s"),
        ("tags[owner.a] == s", "tags owner> s"),
        ("SUBQUERY(friends, $f, $f.a == n AND m < 3).@count > 0", "friends> n m<"),
        ("TERNARY(n < 1, s, owner.a) == 'x'", "n< s owner>"), ("NOT (n == 1 OR m > 2)", "n m<"),
    ]

    @Test(arguments: uses) func fields(text: String, uses expected: String) throws {
        let found = try Self.bound(text).uses.map { use in
            let purpose = use.purpose == .order ? "<" : use.purpose == .words ? "w" : ""
            return (use.name ?? "*") + purpose + (use.followsReferences ? ">" : "")
        }
        #expect(found.joined(separator: " ") == expected)
        #expect(try Self.bound(text).followsReferences == expected.contains(">"))
    }

    static let types: [(type: String, other: String, conforms: Bool)] = [
        ("public.jpeg", "public.jpeg", true), ("public.jpeg", "public.image", true),
        ("public.jpeg", "public.data", true),
        ("public.jpeg", "public.content", true), ("public.jpeg", "public.item", true),
        ("PUBLIC.Jpeg", "public.IMAGE", true),
        ("public.image", "public.jpeg", false), ("public.jpeg", "public.png", false), ("x.y", "X.Y", true),
        ("x.y", "public.data", false), ("com.adobe.pdf", "public.composite-content", true),
        ("com.apple.ical.ics", "public.calendar-event", true), ("com.apple.ical.ics", "public.text", true),
        ("public.swift-source", "public.text", true), ("public.folder", "public.item", true),
        ("", "public.item", false),
    ]

    @Test(arguments: types) func typeIdentifiers(type: String, other: String, conforms: Bool) {
        let object = FieldValue.object(["a": .string(type), "b": .string(other)])
        #expect(outcome("a UTI-CONFORMS-TO b", of: object) == (conforms ? "T" : "F"))
        #expect(outcome("a UTI-CONFORMS-TO %@", [.string(other)], of: object) == (conforms ? "T" : "F"))
        let isSame = type.lowercased() == other.lowercased()
        #expect(outcome("a UTI-EQUALS b", of: object) == (isSame ? "T" : "F"))
    }
}
