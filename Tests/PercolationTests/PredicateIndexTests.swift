// The index as its owners see it: types, identifiers, failures, changes, and random campaigns.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import RecordModel
import Testing

@testable import Campaigns
@testable import Percolation

@Suite struct PredicateIndexTests {
    private func bound(_ text: String, _ arguments: FieldValue...) throws -> BoundPredicate {
        try Binder().bind(RecordPredicate(format: text, arguments: arguments))
    }

    /// Random predicates, random records, strange values, removals and changes, against the evaluator.
    @Test(arguments: [(1, 240, 12), (2, 240, 12), (3, 60, 40), (4, 1, 40), (5, 600, 4)] as [(UInt64, Int, Int)])
    func indexAgreesWithTheEvaluator(seed: UInt64, predicates: Int, records: Int) {
        var campaign = PercolationCampaign(seed: seed)
        campaign.run(predicates: predicates, records: records)
        for difference in campaign.differences.prefix(5) { Issue.record("\(difference)") }
        #expect(campaign.comparisons > 30)
        if predicates > 100 { #expect(campaign.matches > 100 && campaign.failures > 10) }
    }

    @Test func typesAreApart() throws {
        var index = PredicateIndex()
        index.insert(try bound("a == 1"), id: 1, type: "A")
        index.insert(try bound("a == 1"), id: 2, type: "B")
        index.insert(try bound("a == 1"), id: 3, type: nil)
        #expect(Set(index.matches(Fixtures.record(["a": 1], type: "A")).ids) == [1, 3])
        #expect(Set(index.matches(Fixtures.record(["a": 1], type: "B")).ids) == [2, 3])
        #expect(index.matches(Fixtures.record(["a": 1], type: "C")).ids == [3])
        #expect(index.matches(Fixtures.record(["a": 2], type: "A")).ids.isEmpty)
    }

    @Test func identifiersNameOnePredicate() throws {
        var index = PredicateIndex()
        index.insert(try bound("a == 1"), id: 1, type: "Thing")
        index.insert(try bound("a == 2"), id: 1, type: "Thing")
        #expect(index.count == 1)
        #expect(index.matches(Fixtures.record(["a": 1])).ids.isEmpty)
        #expect(index.matches(Fixtures.record(["a": 2])).ids == [1])
        let removals = [index.remove(1), index.remove(1)]
        #expect(removals == [true, false])
        #expect(index.matches(Fixtures.record(["a": 2])).ids.isEmpty)
    }

    /// A copy keeps what it held.
    @Test func copiesAreApart() throws {
        var index = PredicateIndex()
        for id in 0..<100 { index.insert(try bound("a >= \(id) AND b == 'x'"), id: id, type: "Thing") }
        let copy = index
        for id in 0..<50 { index.remove(id) }
        let record = Fixtures.record(["a": 60, "b": "x"])
        #expect(Set(copy.matches(record).ids) == Set(0...60))
        #expect(Set(index.matches(record).ids) == Set(50...60))
    }

    /// Predicate, record, and the kind of the failure; nil where it does not fail though a part of it would.
    @Test(
        arguments: [
            ("a > 3", ["a": "text"], .typeMismatch), ("b == 1 AND a > 3", ["a": "text", "b": 1], .typeMismatch),
            ("b == 1 AND a > 3", ["a": "text", "b": 2], nil),
            ("a > 3 AND b == 1", ["a": "text", "b": 2], .typeMismatch),
            ("b == 1 OR a > 3", ["a": "text", "b": 1], nil), ("b == 1 OR a > 3", ["a": "text", "b": 2], .typeMismatch),
            ("ANY a == 1", ["a": 1], .typeMismatch), ("ANY a == 1", ["a": [[1]]], nil),
            ("a BEGINSWITH 'x'", ["a": ["x"]], .typeMismatch), ("a[3] == 1", ["a": [1]], .indexOutOfRange),
            ("b == 1 AND a[3] == 1", ["a": [1], "b": 1], .indexOutOfRange), ("b == 1 AND a[3] == 1", ["a": [1]], nil),
            ("b == 1 AND a[3] == 1 AND c == 1", ["a": [1], "b": 1, "c": 2], .indexOutOfRange),
            ("b == $x", ["b": 1], .unboundVariable), ("c == 1 AND b == $x", ["b": 1], nil),
            ("(b == 1 AND a[3] == 1) OR (c == 1 AND a[4] == 1)", ["a": [1], "c": 1], .indexOutOfRange),
            ("(a[3] == 1 AND b == 1) OR c == 1", ["a": [1], "b": 2], .indexOutOfRange),
            ("(a[3] == 1 AND b == 1) OR c == 1", ["a": [1, 2, 3, 4], "b": 1], nil),
            ("a / 0 == 1 AND b == 1", ["a": 1, "b": 2], .divisionByZero),
            ("b == 1 AND a / 0 == 1", ["a": 1, "b": 2], nil),
            ("distanceToLocation:fromLocation:(a, b) < 3", ["a": 1, "b": 2], .typeMismatch),
        ] as [(String, [String: FieldValue], EvaluationError.Kind?)])
    func failuresAreReportedWithTheirPredicate(
        _ text: String, _ fields: [String: FieldValue], _ kind: EvaluationError.Kind?
    ) throws {
        let predicate = try bound(text)
        var index = PredicateIndex()
        index.insert(predicate, id: 5, type: "Thing")
        index.insert(try bound("TRUEPREDICATE"), id: 6, type: "Thing")
        let record = Fixtures.record(fields)
        let matches = index.matches(record)
        if let kind {
            #expect(matches.ids == [6])
            #expect(matches.failures.map(\.id) == [5])
            #expect(matches.failures.first?.error.kind == kind)
        } else {
            let holds = try predicate.evaluate(on: record)
            #expect(Set(matches.ids) == (holds ? [5, 6] : [6]))
            #expect(matches.failures.isEmpty)
        }
    }

    /// One context for all: variables that come late, a clock that stands still.
    @Test func contextIsPassedOn() throws {
        var index = PredicateIndex()
        index.insert(try bound("a == $x"), id: 1, type: "Thing")
        index.insert(try bound("date < now()"), id: 2, type: "Thing")
        let context = EvaluationContext(now: Date(timeIntervalSinceReferenceDate: 5), variables: ["x": 3])
        let date = FieldValue.date(Date(timeIntervalSinceReferenceDate: 6))
        #expect(index.matches(Fixtures.record(["a": 3, "date": date]), context: context).ids == [1])
        #expect(index.matches(Fixtures.record(["date": date])).ids == [2])
    }

    @Test func pathsFollowReferences() throws {
        var index = PredicateIndex()
        index.insert(try bound("owner.name == 'Ann'"), id: 1, type: "Thing")
        let record = Fixtures.record(["owner": .reference(RecordReference("ann"))])
        let resolver: @Sendable (RecordReference) -> Record? = { _ in Fixtures.record(["name": "Ann"]) }
        #expect(index.matches(record).ids.isEmpty)
        #expect(index.matches(record, resolver: resolver).ids == [1])
    }

    /// Old and new fields, and the predicates that enter, stay and leave.
    @Test(
        arguments: [
            (["a": 1], ["a": 2], [2], [9], [1]), (["a": 1], ["a": 1], [], [1, 9], []), (nil, ["a": 1], [1, 9], [], []),
            (["a": 2], nil, [], [], [2, 9]), (["a": 1, "b": "red fox"], ["a": 2, "b": "red fox"], [2], [3, 9], [1]),
            (["a": 1, "b": "red"], ["a": 1, "b": "red fox"], [3], [1, 9], []), (nil, nil, [], [], []),
        ] as [([String: FieldValue]?, [String: FieldValue]?, Set<Int>, Set<Int>, Set<Int>)])
    func changesMovePredicates(
        _ old: [String: FieldValue]?, _ new: [String: FieldValue]?, entered: Set<Int>, stayed: Set<Int>, left: Set<Int>
    ) throws {
        var index = PredicateIndex()
        for (id, text) in [1: "a == 1", 2: "a == 2", 3: "allTokens TOKENMATCHES 'red fox'", 9: "a > 0"] {
            index.insert(try bound(text), id: id, type: "Thing")
        }
        let transition = index.transition(
            from: old.map { Fixtures.record($0) }, to: new.map { Fixtures.record($0) })
        #expect(Set(transition.entered) == entered)
        #expect(Set(transition.stayed) == stayed)
        #expect(Set(transition.left) == left)
    }

    /// A text that is written in another way is another one to what compares texts as they were written.
    @Test func otherWaysToWriteATextAreChanges() throws {
        var index = PredicateIndex()
        index.insert(try bound("a ==[n] 'caf\u{E9}'"), id: 1, type: "Thing")
        index.insert(try bound("a == 'caf\u{E9}'"), id: 2, type: "Thing")
        index.insert(try bound("ANY b ==[n] 'caf\u{E9}'"), id: 3, type: "Thing")
        let composed = Fixtures.record(["a": "caf\u{E9}", "b": ["x", "caf\u{E9}"]])
        let decomposed = Fixtures.record(["a": "cafe\u{301}", "b": ["x", "cafe\u{301}"]])
        let away = index.transition(from: composed, to: decomposed)
        #expect(Set(away.left) == [1, 3] && away.stayed == [2] && away.entered.isEmpty)
        let back = index.transition(from: decomposed, to: composed)
        #expect(Set(back.entered) == [1, 3] && back.stayed == [2] && back.left.isEmpty)
    }

    /// A list that got elements at its end, or lost them there, is another one.
    @Test(arguments: [(["x"], ["x", "y"]), ([], ["y"])] as [([FieldValue], [FieldValue])])
    func listsThatGrewAreChanges(_ short: [FieldValue], _ long: [FieldValue]) throws {
        var index = PredicateIndex()
        index.insert(try bound("ANY a == 'y'"), id: 1, type: "Thing")
        index.insert(try bound("allTokens TOKENMATCHES 'y'"), id: 2, type: "Thing")
        let records = [short, long].map { Fixtures.record(["a": .list($0)]) }
        let grown = index.transition(from: records[0], to: records[1])
        #expect(Set(grown.entered) == [1, 2] && grown.stayed.isEmpty && grown.left.isEmpty)
        let shrunk = index.transition(from: records[1], to: records[0])
        #expect(Set(shrunk.left) == [1, 2] && shrunk.stayed.isEmpty && shrunk.entered.isEmpty)
    }

    /// A number that no double holds is left to the evaluator, which tells of each predicate once.
    @Test func numbersOfAnUnusualKindMatchOnce() throws {
        var index = PredicateIndex()
        index.insert(try bound("b == 1 AND NOT (a > 1e300)"), id: 1, type: "Thing")
        index.insert(try bound("b == 1 AND a > 3"), id: 2, type: "Thing")
        index.insert(try bound("b == 1"), id: 3, type: "Thing")
        index.insert(try bound("b == 2 AND NOT (a > 1e300)"), id: 4, type: "Thing")
        for number in [FieldValue.int64((1 << 53) + 1), .int64(.max), 7] {
            #expect(index.matches(Fixtures.record(["a": number, "b": 1])).ids.sorted() == [1, 2, 3])
        }
    }

    /// A distance from what is no place has no meaning, wherever the circle is that places are looked up in.
    @Test func distancesAreFromPlaces() throws {
        let center = FieldValue.location(Location(latitude: 1, longitude: 2))
        var index = PredicateIndex()
        index.insert(
            try bound("distanceToLocation:fromLocation:(a, %@) < 5000", center), id: 1, type: "Thing")
        for value in ["here", 1, center] as [FieldValue] {
            let matches = index.matches(Fixtures.record(["a": value]))
            #expect(matches.ids == (value == center ? [1] : []), "\(value)")
            #expect(matches.failures.map(\.error.kind) == (value == center ? [] : [.typeMismatch]), "\(value)")
        }
    }

    /// Bytes are no text, be they those of one.
    @Test func bytesAreNoText() throws {
        let bytes = FieldValue.data(Data("abc".utf8))
        var index = PredicateIndex()
        index.insert(try bound("ANY a == %@", bytes), id: 1, type: "Thing")
        index.insert(try bound("b == %@", bytes), id: 2, type: "Thing")
        #expect(index.matches(Fixtures.record(["a": ["abc"], "b": "abc"])).ids.isEmpty)
        #expect(index.matches(Fixtures.record(["a": ["x", bytes], "b": bytes])).ids.sorted() == [1, 2])
    }

    /// A reference to a record of the same name in a zone of another owner leads elsewhere.
    @Test func referencesNameTheOwnerOfTheirZone() throws {
        func reference(_ owner: String) -> FieldValue {
            .reference(RecordReference(recordID: Record.ID("x", zoneID: RecordZone.ID("z", ownerName: owner))))
        }
        var index = PredicateIndex()
        index.insert(try bound("a == %@", reference("_o")), id: 1, type: "Thing")
        index.insert(try bound("a == %@", reference("_p")), id: 2, type: "Thing")
        #expect(index.matches(Fixtures.record(["a": reference("_o")])).ids == [1])
        #expect(index.matches(Fixtures.record(["a": reference("_p")])).ids == [2])
        #expect(index.matches(Fixtures.record(["a": reference("_q")])).ids.isEmpty)
    }

    @Test func failuresOfChangesSayWhen() throws {
        var index = PredicateIndex()
        index.insert(try bound("a > 0"), id: 1, type: "Thing")
        let (number, text) = (Fixtures.record(["a": 1]), Fixtures.record(["a": "x"]))
        let spoilt = index.transition(from: number, to: text)
        #expect(spoilt.left == [1] && spoilt.failuresAfter.map(\.id) == [1] && spoilt.failuresBefore.isEmpty)
        let mended = index.transition(from: text, to: number)
        #expect(mended.entered == [1] && mended.failuresBefore.map(\.id) == [1] && mended.failuresAfter.isEmpty)
    }
}
