// What is told to write instead of a pattern that costs too much.

import Testing

@testable import TextAnalysis

@Suite struct PatternHintTests {
    @Test func everyLimitHasARemedy() {
        let nested = "avoid nested repetitions such as (a+)+, or use possessive ones such as a++"
        let cases: [(kind: PatternError.Kind, hint: String)] = [
            (.timeLimit, nested), (.stackLimit, nested), (.patternLimit, "use IN or several comparisons joined by OR"),
            (.classLimit, "join classes into one: [\\p{L}\\d], and repeat it with a count: [\\w]{8}"),
        ]
        for (kind, hint) in cases {
            #expect(PatternError(kind: kind, icuName: "", offset: nil).hint == hint, "\(kind)")
        }
    }
}
