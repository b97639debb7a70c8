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

    /// Of the place `sample`: population 1, area 2.5, scores 3 and 4, no rank.
    static let truths: [(Predicate<Place>, holds: Bool)] = [
        (#Predicate { $0.extra["k", default: 3] == 8 }, true), (#Predicate { $0.extra["z", default: 3] == 3 }, true),
        (#Predicate { $0.extra["z"] == nil }, true), (#Predicate { $0.extra["k"] == nil }, false),
        (#Predicate { $0.scores.max() == 4 }, true), (#Predicate { $0.scores.min() == 4 }, false),
        (#Predicate { $0.scores.first == 3 }, true), (#Predicate { $0.scores.last == 3 }, false),
        (#Predicate { ($0.rank ?? 7) == 7 }, true), (#Predicate { $0.rank == 7 }, false),
        (#Predicate { $0.population % 2 == 1 }, true), (#Predicate { $0.population - 3 == 2 }, false),
        (#Predicate { 3 - $0.population == 2 }, true), (#Predicate { $0.area / 2.0 == 1.25 }, true),
        (#Predicate { -$0.population == -1 }, true), (#Predicate { ($0.population > 5 ? 3.0 : $0.area) == 2.5 }, true),
        (#Predicate { $0.scores.allSatisfy { $0 > 3 } }, false), (#Predicate { $0.tags.contains("c") }, false),
    ]

    @Test("Translations hold where the originals do", arguments: truths.indices)
    func sameTruth(_ index: Int) throws {
        let (predicate, holds) = Self.truths[index]
        let place = Place.sample("x")
        #expect(try predicate.evaluate(place) == holds)
        #expect(try RecordPredicate(predicate).evaluate(on: Record(place)) == holds)
    }

    @Test func capturedValues() throws {
        let (day, statuses, spot) = (Date(timeIntervalSinceReferenceDate: 7), [Status.open], Optional(kyiv))
        let (half, below, through) = (3..., ..<5, ...5)
        let least = 2
        let cases: [(Predicate<Place>, String)] = [
            (#Predicate { $0.founded < day }, "founded < CAST(7.0, \"NSDate\")"),
            (#Predicate { statuses.contains($0.status) }, "status IN {\"open\"}"),
            (#Predicate { $0.spot == spot }, "spot == %@"),
            (#Predicate { half.contains($0.population) }, "population >= 3"),
            (#Predicate { (least...9).contains($0.population) }, "population BETWEEN {2, 9}"),
            (#Predicate { (least..<9).contains($0.population) }, "population >= 2 AND population < 9"),
            (#Predicate { below.contains($0.population) }, "population < 5"),
            (#Predicate { through.contains($0.population) }, "population <= 5"),
            (#Predicate { $0.recordID == nil }, "recordID == nil"),
        ]
        for (predicate, text) in cases { #expect(try RecordPredicate(predicate).description == text) }
    }
}
