// Every published case, and the small fixtures of the language's description.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct FixtureTests {
    /// Cases that contradict the language's rules, with the rule.
    static let contradictions = [
        "ev1887": "BETWEEN swaps bounds in the wrong order, wherever they come from"
    ]

    @Test func publishedCases() throws {
        let cases = try Fixture.load("evaluations.ndjson")
        #expect(cases.count == 427)
        for fixture in cases {
            let isContradiction = Self.contradictions[fixture.id] != nil
            var matches: [Int]?
            do {
                let predicate = try RecordPredicate(format: fixture.predicate, arguments: fixture.arguments)
                    .substituting(fixture.variables)
                let values = fixture.values ?? [fixture.value]
                matches = try values.indices.filter { try predicate.evaluate(onValue: values[$0]) }
            } catch {
                if fixture.matches != nil { Issue.record("\(fixture.id) \(fixture.predicate): \(error)") }
                continue
            }
            #expect((matches == fixture.matches) != isContradiction, "\(fixture.id): \(fixture.predicate)")
        }
    }

    /// Objects A `{n: 5, s: 'Hélène', t: ['x','y'], e: [], b: true}`, B `{n: 5.0, s: 'helene', t: [], b: 1}`, C `{}`.
    static let objects: [FieldValue] = [
        .object(["n": 5, "s": "Hélène", "t": ["x", "y"], "e": [], "b": true]),
        .object(["n": 5.0, "s": "helene", "t": [], "b": 1]),
        .object([:]),
    ]

    /// Predicates and for which of A, B, C they hold.
    static let smallFixtures: [(String, String)] = [
        ("n == 5", "AB"), ("n != 5", "C"), ("NOT (n > 9)", "ABC"), ("n <= nil", "C"), ("z == nil", "ABC"),
        ("b == TRUE", "AB"), ("s == 'helene'", "B"), ("s ==[c] 'HELENE'", "B"), ("s ==[cd] 'HELENE'", "AB"),
        ("s LIKE[d] 'H*e'", "A"), ("s LIKE 'h?lene'", "B"), ("s CONTAINS ''", ""), ("s MATCHES 'hel'", ""),
        ("s MATCHES 'hel.*'", "B"), ("ANY t == 'x'", "A"), ("ALL t == 'x'", "BC"), ("NONE t == 'x'", "BC"),
        ("'y' IN t", "A"), ("NOT ('y' IN t)", "BC"), ("t.@count == 0", "B"), ("n BETWEEN {5, 1}", "AB"),
        ("n / 2 == 2", "A"), ("n == '5'", ""), ("SUBQUERY(t, $i, $i BEGINSWITH 'y').@count == 1", "A"),
    ]

    @Test func smallFixtures() throws {
        for (text, expected) in Self.smallFixtures {
            let predicate = try RecordPredicate(format: text)
            let holds = try zip("ABC", Self.objects).filter { try predicate.evaluate(onValue: $0.1) }
            #expect(String(holds.map(\.0)) == expected, "\(text)")
            let records = Self.objects.map { object in
                guard case .object(let fields) = object else { return Record(type: "T", id: .init("r")) }
                return Record(type: "T", id: .init("r"), fields: fields)
            }
            let matching = try zip("ABC", records).filter { try predicate.evaluate(on: $0.1) }
            #expect(String(matching.map(\.0)) == expected, "\(text) on records")
        }
    }
}
