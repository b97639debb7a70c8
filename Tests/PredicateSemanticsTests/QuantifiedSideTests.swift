// Quantified comparisons of two fields within SUBQUERY: their elements are compared alike, however often it is.

import PredicateSemantics
import RecordModel
import Testing

@Suite struct QuantifiedSideTests {
    private static let object = FieldValue.object([
        "many": .list((0..<40).map { .int64($0) }), "texts": ["xay", "zz"], "part": "a", "pairs": ["ab", "ba"],
    ])

    /// Comparisons, and whether they hold: for each of the forty elements or for none.
    static let cases: [(comparison: String, holds: Bool)] = [
        // A text that holds the part is enough, without one that is it.
        ("ANY texts CONTAINS part", true), ("NONE texts CONTAINS part", false), ("ALL texts CONTAINS part", false),
        ("ALL pairs CONTAINS part", true), ("NONE pairs CONTAINS part", false), ("ANY texts == part", false),
        ("ANY texts CONTAINS[c] part", true), ("ANY pairs BEGINSWITH part", true), ("ALL pairs BEGINSWITH part", false),
    ]

    @Test(arguments: cases.indices) func elementsAreCompared(_ number: Int) {
        let (comparison, holds) = Self.cases[number]
        let text = "SUBQUERY(many, $x, \(comparison)).@count == \(holds ? 40 : 0)"
        #expect(outcome(text, of: Self.object) == "T", "\(comparison)")
    }
}
