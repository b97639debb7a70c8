// Constraints of comparisons whose sides are lists, computed values or words, and of those that have none.

import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct ConstraintShapeTests {
    private typealias Requirement = FieldConstraint.Requirement

    private static let schema = RecordSchema(
        recordType: "T",
        fields: [
            .init(name: "n", type: .int64), .init(name: "m", type: .int64), .init(name: "s", type: .string),
            .init(name: "d", type: .date), .init(name: "tags", type: .list(.string)),
            .init(name: "place", type: .location), .init(name: "owner", type: .reference),
            .init(name: "o", type: .object),
        ])

    private static func constraint(_ text: String) throws -> FieldConstraint? {
        let root = try Binder(schema: schema).bind(SyntaxTree(parsing: text)).root
        guard case .comparison(let comparison) = root else { throw NoComparison(text: text) }
        return comparison.constraint
    }

    private struct NoComparison: Error { let text: String }

    /// Predicates of which only this is sure: that the field has a value.
    static let presences: [(text: String, field: String)] = [
        ("-n > 3", "n"), ("CAST(n, 'NSString') == '5'", "n"), ("1 + n > 5", "n"), ("n + m > 5", "n"),
        ("3 < m * 2", "m"), ("length(s) > 2", "s"), ("modulus:by:(7, n) == 1", "n"),
        ("d + 1d > '2024-01-01'", "d"), ("tags[0] > 'a'", "tags"), ("o.k[0] == 1", "o"), ("(n | 1) == 3", "n"),
        ("year(d) == 2024", "d"), ("5 == abs(n)", "n"), ("abs(n) BETWEEN {1, 2}", "n"), ("abs(n) IN {1, 2}", "n"),
        // Texts of a list that contain the value of a field: the field need not be one of them.
        ("ANY {'a', 'b'} CONTAINS s", "s"), ("owner.name CONTAINS 'a'", "owner"), ("o.k CONTAINS 'a'", "o"),
    ]

    @Test(arguments: presences) func onlyThatThereIsAValue(text: String, field: String) throws {
        let constraint = try #require(try Self.constraint(text))
        #expect(constraint.requirement == .presence(true))
        #expect(!constraint.isExact && !constraint.isNegated)
        #expect(constraint.subject.field?.name == field && constraint.subject.keys.isEmpty)
        #expect(!constraint.subject.isElementwise)
    }

    @Test(arguments: [
        // An element unlike a value is not the absence of an element like it.
        "ANY allTokens != 'x'", "NONE allTokens != 'x'", "ANY {1, 2} != n", "NONE {1, 2} != n", "ALL {1, 2} == n",
        "ALL allTokens == 'x'", "ALL allTokens BEGINSWITH 'x'", "ALL tags CONTAINS 'a'", "ALL tags IN {'a'}",
        "ALL tags BEGINSWITH 'a'", "ALL tags > 'a'", "tags CONTAINS nil", "abs(n) != 3", "n + 1 != 3", "n > m",
        "ANY allTokens > 'x'", "ALL allTokens IN {'x', 'y'}", "allTokens IN {'x', 'y'}", "ANY allTokens IN {'x', 1}",
        // The words are folded more than the texts that they are compared with.
        "ANY allTokens IN tokenize('X y', 'c')",
    ])
    func none(text: String) throws {
        let constraint = try Self.constraint(text)
        #expect(constraint == nil)
    }

    @Test func negatedListsOfTexts() throws {
        let cases: [(text: String, requirement: Requirement, isNegated: Bool)] = [
            ("NONE tags CONTAINS 'a'", .substring("a", []), true),
            ("ANY tags CONTAINS[c] 'a'", .substring("a", .caseInsensitive), false),
            ("NONE tags ENDSWITH 'a'", .suffix("a", []), true), ("ANY tags ENDSWITH 'a'", .suffix("a", []), false),
            ("NONE tags LIKE 'a*'", .pattern(.like("a*"), []), true),
            ("NONE tags == 'a'", .equal("a", []), true),
            ("ANY tags ==[d] 'a'", .equal("a", .diacriticInsensitive), false),
        ]
        for (text, requirement, isNegated) in cases {
            let constraint = try #require(try Self.constraint(text), "\(text)")
            #expect(constraint.requirement == requirement && constraint.isNegated == isNegated, "\(text)")
            #expect(constraint.isExact && constraint.subject.isElementwise, "\(text)")
            #expect(constraint.subject.field?.name == "tags", "\(text)")
        }
    }
}
