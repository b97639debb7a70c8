// Operators of built predicates with the constant or another field on either side, and what parts of them keep.

import PredicateSemantics
import QueryFrontEnds
import RecordModel
import Testing

private let three = 3
private let half = 2.5
private let tags: [String] = ["a", "b"]

@Suite struct BuilderOperatorTests {
    private typealias Built = RecordPredicate.Of<Place>

    private static let constantsInFront: [(built: Built, text: String)] = [
        (Place.where { three == $0.population }, "3 == population"),
        (Place.where { three != $0.population }, "3 != population"),
        (Place.where { three < $0.population }, "3 < population"),
        (Place.where { three <= $0.population }, "3 <= population"),
        (Place.where { three > $0.population }, "3 > population"),
        (Place.where { three >= $0.population }, "3 >= population"),
    ]

    private static let fields: [(built: Built, text: String)] = [
        (Place.where { $0.rank == $0.population }, "rank == population"),
        (Place.where { $0.rank != $0.population }, "rank != population"),
        (Place.where { $0.rank < $0.population }, "rank < population"),
        (Place.where { $0.rank <= $0.population }, "rank <= population"),
        (Place.where { $0.rank >= $0.population }, "rank >= population"),
    ]

    private static let arithmetic: [(built: Built, text: String)] = [
        (Place.where { three + $0.population > three }, "3 + population > 3"),
        (Place.where { three - $0.population > three }, "3 - population > 3"),
        (Place.where { three * $0.population > three }, "3 * population > 3"),
        (Place.where { three / $0.population > three }, "3 / population > 3"),
        (Place.where { three % $0.population > three }, "modulus:by:(3, population) > 3"),
        (Place.where { $0.area - half > three }, "area - 2.5 > 3"),
        (Place.where { $0.area / half > three }, "area / 2.5 > 3"),
        (Place.where { $0.area * $0.population > three }, "area * population > 3"),
        (Place.where { $0.area / $0.population > three }, "area / population > 3"),
        (Place.where { $0.population % $0.rank > three }, "modulus:by:(population, rank) > 3"),
    ]

    private static let lists: [(built: Built, text: String)] = [
        (Place.where { $0.scores[1] == three }, "scores[1] == 3"),
        (Place.where { $0.scores[0] == three }, "scores[0] == 3"),
        (Place.where { $0.scores.contains($0.population) }, "scores CONTAINS population"),
        (Place.where { tags.contains($0.name) }, "name IN {'a', 'b'}"),
    ]

    private static let parts: [(built: Built, text: String)] = [
        (Place.where { $0.recordName == "a" }, "recordName == 'a'"),
        (Place.where { $0.creationDate == nil }, "creationDate == nil"),
        (Place.where { $0.modificationDate == nil }, "modificationDate == nil"),
        (Place.where { $0.creatorUserRecordID == nil }, "creatorUserRecordID == nil"),
        (Place.where { $0.lastModifiedUserRecordID == nil }, "lastModifiedUserRecordID == nil"),
    ]

    @Test("Both sides stay where they are", arguments: [constantsInFront, fields, arithmetic, lists, parts].indices)
    func sides(group: Int) throws {
        for (built, text) in [Self.constantsInFront, Self.fields, Self.arithmetic, Self.lists, Self.parts][group] {
            #expect(built.description == (try RecordPredicate(format: text).description))
        }
    }

    @Test("The elements of a list within a list have a name of their own")
    func listsWithinLists() throws {
        let rising = Place.where { place in
            place.scores.contains { first in place.scores.contains { second in second > first } }
        }
        let text = "SUBQUERY(scores, $item, SUBQUERY(scores, $item2, $item2 > $item).@count > 0).@count > 0"
        #expect(rising.description == (try RecordPredicate(format: text).description))
        for (scores, holds) in [
            ([3, 4], true), ([4, 3], true), ([3, 3], false), ([3], false), ([], false),
        ] as [([Int], Bool)] {
            var place = Place.sample("x")
            place.scores = scores
            #expect(try rising.untyped.evaluate(on: Record(place)) == holds, "\(scores)")
        }
    }

    @Test("The fields that a part names by properties are named by the whole")
    func fieldsOfParts() {
        let part = Place.where { $0.nickname == "x" }
        let whole = Place.where { $0.isPort && part }
        #expect(part.untyped.declaredFields == ["nickname"])
        #expect(whole.untyped.declaredFields == ["isPort", "nickname"])
    }
}
