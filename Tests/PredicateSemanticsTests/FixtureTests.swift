// Every published case, and the small fixtures of the language's specification.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct FixtureTests {
    @Test func publishedCases() throws {
        let cases = try Fixture.load("evaluations.ndjson")
        #expect(cases.count == 427)
        for fixture in cases {
            var matches: [Int]?
            do {
                let predicate = try RecordPredicate(format: fixture.predicate, arguments: fixture.arguments)
                    .substituting(fixture.variables)
                matches = try (fixture.values ?? [fixture.value]).indices.filter {
                    try predicate.evaluate(onValue: (fixture.values ?? [fixture.value])[$0])
                }
            } catch {
                if fixture.matches != nil { Issue.record("\(fixture.id) \(fixture.predicate): \(error)") }
                continue
            }
            #expect(matches == fixture.matches, "\(fixture.id): \(fixture.predicate)")
        }
    }
}
