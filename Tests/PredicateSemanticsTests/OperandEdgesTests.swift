// Operands that are constant in part, paths that end early, and kinds of lists within lists.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct OperandEdgesTests {
    private static let object = FieldValue.object([
        "n": 1, "s": "bc", "items": [.object(["name": "milk"]), .object(["name": "tea"])],
        "p": .location(.init(latitude: 10, longitude: 20)),
    ])

    static let cases: [(text: String, outcome: String)] = [
        // A list that is known, and a place in it that is not.
        ("{10, 20}[n] == 20", "T"), ("{10, 20}[n - 1] == 10", "T"), ("{10, 20}[n] == nil", "F"),
        // A number has no members: keys behind a count lead nowhere.
        ("items.@count == 2", "T"), ("items.@count.name == nil", "T"), ("items.@count.name == 2", "F"),
        // Each element of a known list is looked into by itself.
        ("ANY {'abcd', 'x'} CONTAINS s", "T"), ("ANY {'bd', 'cb'} CONTAINS s", "F"), ("NONE {'bcd'} CONTAINS s", "F"),
        ("ALL {'abc', 'x'} CONTAINS s", "F"), ("ALL {'abc', 'bcd'} CONTAINS s", "T"),
        // What is behind a place is none.
        ("distance(p, 10, 20) < 5", "T"), ("distance(p.altitude, 10, 20) < 5", "F"),
    ]

    @Test(arguments: cases) func result(text: String, outcome expected: String) {
        #expect(outcome(text, of: Self.object) == expected)
    }

    /// Of a constant and a field that no constant fits, the field is at fault.
    @Test(arguments: [
        ("5 < location", "location"), ("'a' >= tags", "tags"), ("'a' BEGINSWITH tags", "tags"),
        ("'a' LIKE photo", "photo"), ("5 < name", "5"), ("'a' < population", "'a'"),
    ])
    func fault(text: String, part: String) throws {
        let error = #expect(throws: BindingError.self) {
            try Binder(schema: BinderTests.schema).bind(SyntaxTree(parsing: text))
        }
        #expect(error?.kind == .typeMismatch)
        #expect(error.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) } == part)
    }

    /// A known text in the place of a date must be one, whatever the fields are.
    @Test(arguments: ["'x' + 1d == t", "t == 'x' - 2w", "year('x') == 2024", "day('x') == n"])
    func textsThatAreNoDates(text: String) throws {
        let error = #expect(throws: BindingError.self) { try Binder().bind(SyntaxTree(parsing: text)) }
        #expect(error?.kind == .invalidArgument && error?.message == "'x' is no date")
        #expect(error?.hint == "a date is written '2026-01-31' or '2026-01-31T12:00:00Z'")
        #expect(error.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) } == "'x'")
    }

    @Test func keysBehindACount() throws {
        let error = #expect(throws: BindingError.self) {
            try Binder(schema: BinderTests.schema).bind(SyntaxTree(parsing: "tags.@count.x == 1"))
        }
        #expect(error?.message == "a number has no key x" && error?.hint == nil)
    }

    /// The greatest of lists within lists is one of their elements; of lists as elements no kind is told.
    @Test(
        arguments: [
            ("matrix.@max.self", .number), ("matrix.@min.self", .number), ("matrix[0]", .list(.number)),
            ("{{1}, {2}}", .list(.any)), ("{1, 2}", .list(.number)),
        ] as [(String, OperandType)])
    func kind(text: String, kind: OperandType) throws {
        let schema = RecordSchema(recordType: "T", fields: [.init(name: "matrix", type: .list(.list(.int64)))])
        let root = try Binder(schema: schema).bind(SyntaxTree(parsing: "\(text) == $v")).root
        guard case .comparison(let comparison) = root else {
            Issue.record("\(root)")
            return
        }
        #expect(comparison.lhs.type == kind)
    }

    /// Values nested too deep are left to the binder, which tells so.
    @Test func templatesTakeNoDeepValues() throws {
        let binder = Binder(settings: .init(maximumDepth: 3))
        let tree = try SyntaxTree(parsing: "a == $v")
        let template = try #require(PredicateTemplate(try binder.bind(tree), binder: binder))
        for (value, isTaken) in [([[[1]]], true), ([[[[1]]]], false), (.set([[[1]]]), true)] as [(FieldValue, Bool)] {
            let bound = try template.bound(["v": value])
            #expect((bound != nil) == isTaken, "\(value)")
        }
        let error = #expect(throws: BindingError.self) { try binder.bind(tree, variables: ["v": [[[[1]]]]]) }
        #expect(error?.kind == .limit)
    }
}
