// What comparisons report to a planner.

import Geospatial
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing
import TextAnalysis

@Suite struct ConstraintTests {
    private static let center = Location(latitude: 1, longitude: 2)
    private typealias Requirement = FieldConstraint.Requirement

    private static func bound(_ value: FieldValue, _ isInclusive: Bool) -> FieldConstraint.Bound {
        FieldConstraint.Bound(value, isInclusive: isInclusive)
    }

    /// Predicates, the subject (`f` the field, `f[]` its elements, `f.k` a path, `*` all tokens, `!` negated, `~` a
    /// superset), and the requirement.
    private static let cases: [(String, String, Requirement)] = [
        ("n == 5", "n", .equal(5, [])), ("5 == n", "n", .equal(5, [])), ("n != 5", "!n", .equal(5, [])),
        ("n == nil", "n", .presence(false)), ("n != nil", "!n", .presence(false)), ("n <= nil", "n", .presence(false)),
        ("s ==[cd] 'x'", "s", .equal("x", [.caseInsensitive, .diacriticInsensitive])),
        ("n < 5", "n", .range(lower: nil, upper: bound(5, false), [])),
        ("n >= 5", "n", .range(lower: bound(5, true), upper: nil, [])),
        ("5 < n", "n", .range(lower: bound(5, false), upper: nil, [])),
        ("n BETWEEN {9, 2}", "n", .range(lower: bound(2, true), upper: bound(9, true), [])),
        ("n IN {1, nil, 2}", "n", .membership([1, 2], [])), ("n IN %@", "n", .membership(["a"], [])),
        ("{1, 2} CONTAINS n", "n", .membership([1, 2], [])), ("ANY {1, 2} == n", "n", .membership([1, 2], [])),
        ("NONE {1, 2} == n", "!n", .membership([1, 2], [])), ("tags CONTAINS 'a'", "tags[]", .equal("a", [])),
        ("'a' IN tags", "tags[]", .equal("a", [])), ("ANY tags == 'a'", "tags[]", .equal("a", [])),
        ("NONE tags == 'a'", "!tags[]", .equal("a", [])),
        ("ANY tags IN {'a', 'b'}", "tags[]", .membership(["a", "b"], [])),
        ("ANY tags BEGINSWITH 'a'", "tags[]", .prefix("a", [])),
        ("ANY tags CONTAINS 'a'", "tags[]", .substring("a", [])),
        ("ANY grades > 5", "grades[]", .range(lower: bound(5, false), upper: nil, [])),
        ("s BEGINSWITH[c] 'a'", "s", .prefix("a", .caseInsensitive)), ("s ENDSWITH 'a'", "s", .suffix("a", [])),
        ("s CONTAINS 'a'", "s", .substring("a", [])), ("'a' IN s", "s", .substring("a", [])),
        ("s LIKE 'a*'", "s", .pattern(.like("a*"), [])),
        ("s MATCHES 'a.*'", "s", .pattern(.regularExpression("a.*"), [])),
        ("s TOKENMATCHES[cdl] 'B a'", "s", .tokens(["b", "a"], .all, [.caseInsensitive, .diacriticInsensitive])),
        ("allTokens TOKENMATCHES[c] 'A b'", "*", .tokens(["a", "b"], .all, .caseInsensitive)),
        ("ALL tokenize('A b', 'c') IN allTokens", "*", .tokens(["a", "b"], .all, .caseInsensitive)),
        ("ANY tokenize('A b', 'c') IN allTokens", "*", .tokens(["a", "b"], .any, .caseInsensitive)),
        ("ANY allTokens BEGINSWITH[c] 'Ab'", "*", .tokenPrefix("Ab", .caseInsensitive)),
        ("self CONTAINS 'A b'", "*", .tokens(["a", "b"], .any, [.caseInsensitive, .diacriticInsensitive])),
        ("distanceToLocation:fromLocation:(place, $c) < 500", "place", .distance(center, .below(500))),
        ("500 >= distanceToLocation:fromLocation:($c, place)", "place", .distance(center, .atMost(500))),
        ("distanceToLocation:fromLocation:(place, $c) > 500", "place", .distance(center, .above(500))),
        (
            "distanceToLocation:fromLocation:(place, $c) BETWEEN {900, 500}", "place",
            .distance(center, .between(500, 900))
        ),
        ("500 < distanceToLocation:fromLocation:($c, place)", "place", .distance(center, .above(500))),
        ("500 <= distanceToLocation:fromLocation:(place, $c)", "place", .distance(center, .atLeast(500))),
        ("500 > distanceToLocation:fromLocation:(place, $c)", "place", .distance(center, .below(500))),
        ("distanceToLocation:fromLocation:(place, $c) >= 500", "place", .distance(center, .atLeast(500))),
        ("distanceToLocation:fromLocation:($c, place) <= 500", "place", .distance(center, .atMost(500))),
        ("nil == n", "n", .presence(false)), ("nil != n", "!n", .presence(false)), ("n >= nil", "n", .presence(false)),
        ("3 >= n", "n", .range(lower: nil, upper: bound(3, true), [])),
        ("3 > n", "n", .range(lower: nil, upper: bound(3, false), [])),
        ("3 <= n", "n", .range(lower: bound(3, true), upper: nil, [])),
        ("ANY grades BETWEEN {9, 2}", "grades[]", .range(lower: bound(2, true), upper: bound(9, true), [])),
        ("NONE grades BETWEEN {2, 9}", "!grades[]", .range(lower: bound(2, true), upper: bound(9, true), [])),
        ("NONE grades > 5", "!grades[]", .range(lower: bound(5, false), upper: nil, [])),
        ("NONE tags IN {'a', 'b'}", "!tags[]", .membership(["a", "b"], [])),
        ("NONE tags BEGINSWITH[d] 'a'", "!tags[]", .prefix("a", .diacriticInsensitive)),
        ("owner.boss.name < 3", "owner.boss.name", .range(lower: nil, upper: bound(3, false), [])),
        ("ANY allTokens == 'A'", "*", .tokens(["A"], .any, [])),
        ("NONE allTokens ==[c] 'A'", "!*", .tokens(["a"], .any, .caseInsensitive)),
        ("ANY allTokens IN {'A', 'b'}", "*", .tokens(["A", "b"], .any, [])),
        ("NONE allTokens IN[c] {'A', 'b'}", "!*", .tokens(["a", "b"], .any, .caseInsensitive)),
        ("NONE allTokens BEGINSWITH[c] 'Ab'", "!*", .tokenPrefix("Ab", .caseInsensitive)),
        ("NONE tokenize('A b', 'c') IN allTokens", "!*", .tokens(["a", "b"], .any, .caseInsensitive)),
        (
            "ANY tokenize(s, 'cd') BEGINSWITH 'ab'", "s",
            .tokenPrefix("ab", [.caseInsensitive, .diacriticInsensitive])
        ),
        ("NONE tokenize(s, 'c') BEGINSWITH 'ab'", "!s", .tokenPrefix("ab", .caseInsensitive)),
        // The words are folded, the beginning is not: none has a capital.
        ("ANY tokenize(s, 'c') BEGINSWITH 'Ab'", "~s", .presence(true)),
        // The words are folded less than the comparison folds, or not at all: some have other letters.
        ("ANY tokenize(s, '') BEGINSWITH[c] 'ab'", "~s", .presence(true)),
        ("ANY tokenize(s, 'c') BEGINSWITH[d] 'ab'", "~s", .presence(true)),
        ("ANY tokenize(s, 'c') BEGINSWITH[n] 'ab'", "~s", .presence(true)),
        ("ANY tokenize(s, 'n') BEGINSWITH 'ab'", "~s", .presence(true)),
        (
            "ANY tokenize(s, 'cd') BEGINSWITH[c] 'ab'", "s",
            .tokenPrefix("ab", [.caseInsensitive, .diacriticInsensitive])
        ),
        // The pattern and the text do not change places.
        ("'abc' BEGINSWITH s", "~s", .presence(true)), ("'abc' ENDSWITH s", "~s", .presence(true)),
        ("'a*' LIKE s", "~s", .presence(true)), ("'a+' MATCHES s", "~s", .presence(true)),
        ("'x.y' UTI-EQUALS s", "s", .equal("x.y", .caseInsensitive)),
        // No circle has a radius that is no number.
        ("distance(place, 1, 2) < 0.0 / 0.0", "~place", .presence(true)),
        ("distance(place, 1, 2) BETWEEN {0, 0.0 / 0.0}", "~place", .presence(true)),
        ("s UTI-EQUALS 'x.y'", "s", .equal("x.y", .caseInsensitive)),
        ("owner.name == 'x'", "owner.name", .equal("x", [])), ("abs(n) < 5", "~n", .presence(true)),
        ("n + 1 > 5", "~n", .presence(true)), ("tags[0] == 'a'", "~tags", .presence(true)),
        ("tags.@count > 2", "~tags", .presence(true)),
    ]

    @Test func cases() throws {
        let schema = RecordSchema(
            recordType: "T",
            fields: [
                .init(name: "n", type: .int64), .init(name: "s", type: .string),
                .init(name: "tags", type: .list(.string)),
                .init(name: "grades", type: .list(.int64)), .init(name: "place", type: .location),
                .init(name: "owner", type: .reference),
            ])
        let box = try GeoArea(south: 1, west: 2, north: 3, east: 4)
        let polygon = try GeoArea(geoJSON: box.geoJSON)
        let areas: [(String, String, Requirement)] = [
            ("inBox(place, 1, 2, 3, 4) == TRUE", "place", .area(box)),
            ("1 == inBox(place, 1, 2, 3, 4)", "place", .area(box)),
            ("inBox(place, 1, 2, 3, 4) != TRUE", "!place", .area(box)),
            ("inPolygon(place, '\(box.geoJSON)') == TRUE", "place", .area(polygon)),
            ("inBox(place, 1, 2, 3, 4) == FALSE", "~place", .presence(true)),
            ("TRUE != inBox(place, 1, 2, 3, 4)", "!place", .area(box)),
            ("FALSE == inBox(place, 1, 2, 3, 4)", "~place", .presence(true)),
            ("inBox(place, 1, 2, 3, 4) == 2", "~place", .presence(true)),
            ("inBox(place, n, 2, 3, 4) == TRUE", "~place", .presence(true)),
        ]
        for (text, subject, requirement) in Self.cases + areas {
            let tree = try SyntaxTree(parsing: text)
            let arguments = tree.placeholders.map { _ in FieldValue.list(["a"]) }
            let root = try Binder(schema: schema).bind(
                tree, arguments: arguments, variables: ["c": .location(Self.center)]
            ).root
            guard case .comparison(let comparison) = root, let constraint = comparison.constraint else {
                Issue.record("\(text) has no constraint")
                continue
            }
            let keys = constraint.subject.keys.map { "." + $0 }.joined()
            let name = (constraint.subject.field?.name ?? "*") + keys + (constraint.subject.isElementwise ? "[]" : "")
            #expect((constraint.isNegated ? "!" : "") + (constraint.isExact ? "" : "~") + name == subject, "\(text)")
            #expect(constraint.requirement == requirement, "\(text)")
        }
    }

    @Test func noConstraint() throws {
        for text in [
            "ANY tags != 'a'", "NONE tags != 'a'", "ALL tags == 'a'", "n == m", "n < nil", "TERNARY(n == 1, 2, 3) == x",
            "n IN m", "distanceToLocation:fromLocation:(place, p) < n", "inBox(place, n, 2, 3, 4) == m",
            "ANY tags == nil", "n == now()", "NONE abs(n) == 3",
            // What is missing is no more and no less than nothing.
            "ANY {1, nil} <= n", "ANY {nil, 7} >= n",
            // Others may have what one of the values lacks.
            "max(n, m) > 3", "sum(n, 1) == 1", "count({n, m}) == 2",
            // Lists are looked into, and nil is not among values.
            "ANY {{1}, 2} == n", "NONE {{1}, 2} == n", "ANY {1, nil} == n",
            // Records without the value meet it; the text may be meant as a date.
            "n != '2024-01-31'",
        ] {
            let root = try Binder().bind(try SyntaxTree(parsing: text)).root
            if case .comparison(let comparison) = root {
                #expect(comparison.constraint == nil, "\(text)")
            } else {
                Issue.record("\(text) is no comparison: \(root)")
            }
        }
    }

    /// Beside values of unknown kinds a text may be meant as a date: only that there is a value is sure.
    @Test(arguments: ["n == '2024-01-31'", "n >= '2024-01-31'"]) func textsThatMayBeDates(text: String) throws {
        try Self.expectPresence(of: text)
    }

    /// Nor has what is not known to be a text words that an index could be asked for: it may be an error.
    @Test(arguments: ["ANY tokenize(n, 'cd') BEGINSWITH 'ab'", "NONE tokenize(n, 'c') BEGINSWITH 'ab'"])
    func wordsOfWhatMayBeNoText(text: String) throws {
        let root = try Binder().bind(try SyntaxTree(parsing: text)).root
        guard case .comparison(let comparison) = root else {
            Issue.record("\(root)")
            return
        }
        if case .tokenPrefix = comparison.constraint?.requirement { Issue.record("\(text) asks for words") }
        let known = RecordSchema(recordType: "T", fields: [.init(name: "n", type: .string)])
        guard case .comparison(let ofText) = try Binder(schema: known).bind(try SyntaxTree(parsing: text)).root,
            case .tokenPrefix = ofText.constraint?.requirement
        else {
            Issue.record("\(text) does not ask for the words of a text")
            return
        }
    }

    private static func expectPresence(of text: String) throws {
        let root = try Binder().bind(try SyntaxTree(parsing: text)).root
        guard case .comparison(let comparison) = root else {
            Issue.record("\(root)")
            return
        }
        let constraint = try #require(comparison.constraint)
        #expect(constraint.requirement == .presence(true) && !constraint.isExact && !constraint.isNegated)
    }
}
