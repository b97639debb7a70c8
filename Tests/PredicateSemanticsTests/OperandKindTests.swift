// Kinds that the binder gives operands under a schema, and operands that it refuses with what it tells of them.

import PredicateSyntax
import RecordModel
import Testing

@testable import PredicateSemantics

@Suite struct OperandKindTests {
    private static let schema = RecordSchema(
        recordType: "T",
        fields: [
            .init(name: "n", type: .int64), .init(name: "s", type: .string), .init(name: "d", type: .date),
            .init(name: "tags", type: .list(.string)), .init(name: "grades", type: .list(.int64)),
            .init(name: "place", type: .location), .init(name: "owner", type: .reference),
            .init(name: "friends", type: .list(.reference)), .init(name: "photo", type: .data),
            .init(name: "o", type: .object), .init(name: "mixed", type: .any),
        ])

    static let kinds: [(text: String, kind: OperandType)] = [
        ("n + 1", .number), ("-n", .number), ("n ** 2", .number), ("d + 1d", .date), ("1d + d", .date),
        ("(tags UNION {'a'})", .set(.string)), ("(tags MINUS {1})", .set(.any)),
        ("SUBQUERY(tags, $x, $x == 'a')", .list(.string)), ("SUBQUERY(mixed, $x, $x == 'a')", .list(.any)),
        ("TERNARY(n == 1, s, 'x')", .string), ("TERNARY(n == 1, s, n)", .any), ("TERNARY(n == 1, n, s)", .any),
        ("CAST(n, 'NSString')", .string), ("CAST(s, 'NSNumber')", .number), ("CAST(s, 'NSDecimalNumber')", .number),
        ("CAST(n, 'NSDate')", .date), ("CAST(n, s)", .any), ("now()", .date), ("date(s)", .date),
        ("location(n, n)", .location), ("uppercase(s)", .string), ("lowercase(s)", .string), ("length(s)", .number),
        ("tokenize(s, 'c')", .list(.string)), ("mode(grades)", .list(.any)), ("distinct(grades)", .list(.any)),
        ("min(grades)", .any), ("max(grades)", .any), ("sum(grades)", .number), ("noindex(s)", .string),
        ("distance(place, 1, 2)", .number), ("inBox(place, 1, 2, 3, 4)", .number), ("year(d)", .number),
        ("tags[0]", .string), ("tags[FIRST]", .string), ("grades[LAST]", .number), ("tags[SIZE]", .number),
        ("tags.@count", .number), ("grades.@max.self", .number), ("tags.@min.self", .string),
        ("grades.@sum.self", .number), ("tags.@unionOfObjects.self", .list(.string)),
        ("friends.@distinctUnionOfObjects.recordName", .list(.string)), ("mixed.@unionOfSets.self", .set(.any)),
        ("mixed.@unionOfArrays.self", .list(.any)), ("friends.recordName", .list(.string)),
        ("friends.recordID", .list(.reference)), ("owner.recordID", .reference), ("owner.recordName", .string),
        ("owner.x", .any), ("o.k", .any), ("mixed.k", .any), ("place.latitude", .number),
        ("place.longitude", .number), ("photo.length", .number), ("s.length", .number), ("tags.length", .list(.number)),
        ("{n, 1}", .list(.number)), ("{n, 's'}", .list(.any)), ("{'s', n}", .list(.any)), ("{s, 's'}", .list(.string)),
    ]

    @Test(arguments: kinds) func kind(text: String, kind: OperandType) throws {
        let root = try Binder(schema: Self.schema).bind(SyntaxTree(parsing: "\(text) == $v")).root
        guard case .comparison(let comparison) = root else {
            Issue.record("\(root)")
            return
        }
        #expect(comparison.lhs.type == kind)
    }

    private static let moved =
        "a date is moved by a length of time, as in now() - 7d (s m h d w); CAST(date, 'NSNumber') is its seconds "
        + "since 2001"
    private static let place = "write location(47.45, 8.56); or write %@, and give the place as its argument"

    /// Predicates, the kind of error, the part at fault and what is told to be written instead.
    static let misfits: [(text: String, kind: BindingError.Kind, part: String, hint: String?)] = [
        ("d + 1 == d", .typeMismatch, "d", moved), ("1 + d == d", .typeMismatch, "d", moved),
        ("n - s == 1", .typeMismatch, "s", nil), ("s * n == 1", .typeMismatch, "s", nil),
        ("s + 1d == d", .typeMismatch, "s", "date(text) reads a text as a date"),
        ("n - 1d == d", .typeMismatch, "n", nil), ("~s == 1", .typeMismatch, "s", nil),
        ("(n << s) == 1", .typeMismatch, "s", nil), ("modulus:by:(n, s) == 1", .typeMismatch, "s", nil),
        ("(tags UNION n) == nil", .typeMismatch, "n", nil), ("(n MINUS tags) == nil", .typeMismatch, "n", nil),
        ("(tags INTERSECT s) == nil", .typeMismatch, "s", "the length of text is .length"),
        ("SUBQUERY(n, $x, $x == 1) == nil", .typeMismatch, "n", nil),
        ("distance(s, 1, 2) < 5", .typeMismatch, "s", nil),
        ("distanceToLocation:fromLocation:(place, 5) < 5", .typeMismatch, "5", place),
        ("inBox(s, 1, 2, 3, 4) == TRUE", .typeMismatch, "s", nil),
        ("inBox(place, n, 2, 3, s) == TRUE", .typeMismatch, "s", nil),
        ("inPolygon(place, 5) == TRUE", .typeMismatch, "5", "an area is text, or an object with type and coordinates"),
        (
            "inBox(place, 1, 2, 95, 4) == TRUE", .invalidArgument, "95",
            "latitude is −90 … 90 degrees, longitude −180 … 180"
        ),
        ("location(n, s) == place", .typeMismatch, "s", nil), ("lowercase(n) == 'a'", .typeMismatch, "n", nil),
        ("s.@count == 1", .typeMismatch, "@count", "write .length"), ("n.@count == 1", .typeMismatch, "@count", nil),
        ("s[0] == 'a'", .typeMismatch, "[0]", "write .length"), ("n[0] == 1", .typeMismatch, "[0]", nil),
        ("tags.foo == nil", .typeMismatch, "foo", "write .length"), ("place.foo == 1", .typeMismatch, "foo", nil),
        ("tokenize(s, 5) == nil", .invalidArgument, "5", "write 'cdl'"),
    ]

    @Test(arguments: misfits)
    func misfit(text: String, kind: BindingError.Kind, part: String, hint: String?) throws {
        let error = #expect(throws: BindingError.self) {
            try Binder(schema: Self.schema).bind(SyntaxTree(parsing: text))
        }
        #expect(error?.kind == kind && error?.hint == hint, "\(String(describing: error))")
        #expect(error.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) } == part)
    }
}
