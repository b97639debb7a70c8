// Values put into a template give what binding gives.

import FoundationEssentials
import Geospatial
import PredicateSyntax
import RecordModel
import Testing

@testable import PredicateSemantics

@Suite struct PredicateTemplateTests {
    private static let schema: RecordSchema = {
        var schema = RecordSchema(recordType: "Place")
        for (name, type) in [
            ("name", .string), ("population", .int64), ("rating", .double), ("date", .date), ("place", .location),
            ("tags", .list(.string)), ("owner", .reference),
        ] as [(String, FieldType)] {
            schema.define(FieldDefinition(name: name, type: type))
        }
        return schema
    }()

    private static let here = FieldValue.location(Location(latitude: 1, longitude: 2))

    /// Predicates with values, some of them of kinds that do not fit.
    private static let cases: [(text: String, variables: [String: FieldValue], isFilled: Bool)] = [
        ("name == $a", ["a": "x"], true), ("name == $a", ["a": 3], true), ("name BEGINSWITH[cd] $a", ["a": 3], true),
        ("name CONTAINS[c] $a", ["a": .null], true), ("$a IN tags", ["a": "x"], true),
        ("population > $a AND population < $b", ["a": 1, "b": 5], true),
        ("population BETWEEN {$a, $b}", ["a": 1, "b": 5], true), ("population BETWEEN {$a, 7}", ["a": "x"], true),
        ("population IN $a", ["a": [1, 2]], true), ("population IN {$a, 4, $b}", ["a": 1, "b": "x"], true),
        ("population + $a > rating * -$b", ["a": 1, "b": 2], true), ("population + $a > 2", ["a": "x"], true),
        ("$a == $b OR name == 'x'", ["a": 1, "b": 1], true), ("$a == $b AND name == 'x'", ["a": 1, "b": 1], true),
        ("NOT ($a == 1) OR name == $a", ["a": 1], true), ("NOT ($a == 2)", ["a": 1], true),
        ("distanceToLocation:fromLocation:(place, $a) < $b", ["a": here, "b": 5], true),
        ("distanceToLocation:fromLocation:(place, $a) < 5", ["a": 1], true),
        (
            "distanceToLocation:fromLocation:(place, $a) < 5",
            ["a": .location(Location(latitude: 99, longitude: 0))], true
        ),
        ("name MATCHES $a", ["a": "["], true), ("name MATCHES $a", ["a": "a+"], true),
        ("ANY tags == $a", ["a": "x"], true), ("ALL tags LIKE $a", ["a": "*x"], true),
        ("allTokens TOKENMATCHES[cdl] $a", ["a": "x y"], true), ("self CONTAINS $a", ["a": "x"], true),
        ("year($a) == 2026", ["a": "2026-01-01"], true), ("month(date) == day($a)", ["a": "2026-01-02"], true),
        ("month($a) == 1", ["a": "soon"], true), ("date > date($a)", ["a": "2026-01-02"], true),
        ("date < CAST($a, 'NSDate')", ["a": 5], true), ("date < CAST(5, $a)", ["a": "no type"], true),
        ("owner.name == $a", ["a": "x"], true), ("name == $a", [:], false), ("name == $a", ["b": "x"], false),
        ("population > $a.x", ["a": 1], false), ("tags[$a] == 'x'", ["a": 0], false),
        ("ANY tokenize($a, 'cd') IN allTokens", ["a": "x"], false),
        ("SUBQUERY(tags, $x, $x == $a).@count > 0", ["a": "x"], false),
        ("date < now() AND name == $a", ["a": "x"], false), ("name == 'x'", [:], false),
    ]

    @Test(arguments: cases.indices, [false, true])
    func fillingIsBinding(_ number: Int, hasSchema: Bool) throws {
        let (text, variables, isFilled) = Self.cases[number]
        let binder = Binder(schema: hasSchema ? Self.schema : nil)
        let tree = try SyntaxTree(parsing: text)
        let template = PredicateTemplate(try binder.bind(tree), binder: binder)
        let bound = Self.outcome { () throws(BindingError) in try binder.bind(tree, variables: variables) }
        let filled = Self.outcome { () throws(BindingError) in try template?.bound(variables) }
        #expect((filled != nil) == isFilled)
        guard let filled else { return }
        #expect(filled == bound)
    }

    /// What a predicate is, or why there is none.
    private static func outcome(_ make: () throws(BindingError) -> BoundPredicate?) -> [String]? {
        do throws(BindingError) {
            return try make().map { bound in
                ["\(bound)", "\(bound.fieldNames)", "\(bound.usesContext)", "\(bound.root.comparisonDetails)"]
            }
        } catch { return ["\(error.kind) \(error.span) \(error)"] }
    }
}

extension BoundNode {
    /// What printing does not show: kinds of operands, requirements, ways of deciding.
    fileprivate var comparisonDetails: [String] {
        switch self {
        case .constant: []
        case .not(let node): node.comparisonDetails
        case .and(let nodes), .or(let nodes): nodes.flatMap(\.comparisonDetails)
        case .comparison(let comparison):
            [
                "\(comparison.lhs.type) \(comparison.rhs.type) \(comparison.span) \(type(of: comparison.parts.test))",
                "\(comparison.parts.shortcut == nil) \(String(describing: comparison.constraint?.requirement))",
            ]
        }
    }
}
