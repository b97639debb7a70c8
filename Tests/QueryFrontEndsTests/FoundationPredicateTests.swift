// What `#Predicate` can say and the predicate language cannot is refused by name.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct FoundationPredicateTests {
    static let rejected: [(Predicate<Place>, expression: String)] = [
        (#Predicate { $0.name.count > 3 }, "String.count"),
        (#Predicate { $0.shout == "X" }, "\\Place"),
        (
            Predicate { PredicateExpressions.TypeCheck<PredicateExpressions.Variable<Place>, Int>($0) },
            "PredicateExpressions.TypeCheck"
        ),
        (#Predicate { $0.scores[0..<1].count == 2 }, "PredicateExpressions.CollectionRangeSubscript"),
        (#Predicate { $0.scores.contains([1, 2]) }, "PredicateExpressions.CollectionContainsCollection"),
        (#Predicate { $0.name.contains(/x/) }, "PredicateExpressions.StringContainsRegex"),
    ]

    @Test(arguments: rejected.indices)
    func whatHasNoCounterpart(_ index: Int) throws {
        let row = Self.rejected[index]
        let error = #expect(throws: UntranslatableExpression.self) { try RecordPredicate(row.0) }
        #expect(error?.expression.contains(row.expression) == true, "\(error as Any)")
        #expect(error?.message.isEmpty == false)
    }

    @Test func emptyTextsAreInEveryText() throws {
        let empty = ""
        #expect(try RecordPredicate(#Predicate<Place> { $0.name.contains(empty) }).description == "TRUEPREDICATE")
        #expect(try RecordPredicate(#Predicate<Place> { $0.name.starts(with: "") }).description == "TRUEPREDICATE")
    }

    @Test func capturedValues() throws {
        let (day, statuses, spot) = (Date(timeIntervalSinceReferenceDate: 7), [Status.open], Optional(kyiv))
        let half = 3...
        let least = 2
        let cases: [(Predicate<Place>, String)] = [
            (#Predicate { $0.founded < day }, "founded < CAST(7.0, \"NSDate\")"),
            (#Predicate { statuses.contains($0.status) }, "status IN {\"open\"}"),
            (#Predicate { $0.spot == spot }, "spot == %@"),
            (#Predicate { half.contains($0.population) }, "population >= 3"),
            (#Predicate { (least...9).contains($0.population) }, "population BETWEEN {2, 9}"),
            (#Predicate { $0.recordID == nil }, "recordID == nil"),
        ]
        for (predicate, text) in cases { #expect(try RecordPredicate(predicate).description == text) }
    }
}
