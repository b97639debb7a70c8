// Changes of records between types, and what an index counts while predicates come and go.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct ComingAndGoingTests {
    private func index(_ predicates: [(id: Int, text: String, type: String?)]) throws -> PredicateIndex {
        var index = PredicateIndex()
        for (id, text, type) in predicates {
            index.insert(try Binder().bind(RecordPredicate(format: text, arguments: [])), id: id, type: type)
        }
        return index
    }

    /// A record that becomes one of another type leaves the predicates of the first; those of all types stay.
    @Test func recordsChangeTheirType() throws {
        let index = try index([
            (1, "a == 1", "A"), (2, "a == 1", "B"), (3, "a == 1", nil), (4, "a == 2", "A"), (5, "a == 2", "B"),
            (6, "a > 0", "A"), (7, "a > 0", "B"), (8, "a == 2", nil),
        ])
        let cases: [(old: (String, FieldValue)?, new: (String, FieldValue)?, lists: [[Int]])] = [
            (("A", 1), ("B", 1), [[2, 7], [3], [1, 6], [], []]),
            (("A", 1), ("B", 2), [[5, 7, 8], [], [1, 3, 6], [], []]),
            (("A", 1), ("A", 2), [[4, 8], [6], [1, 3], [], []]), (("C", 1), ("C", 2), [[8], [], [3], [], []]),
            (("A", "x"), ("B", 1), [[2, 3, 7], [], [], [6], []]),
            (("A", 1), ("B", "x"), [[], [], [1, 3, 6], [], [7]]),
            (("A", "x"), nil, [[], [], [], [6], []]), (nil, ("B", "x"), [[], [], [], [], [7]]),
            (("A", "x"), ("A", "y"), [[], [], [], [6], [6]]), (nil, ("C", 1), [[3], [], [], [], []]),
        ]
        for (number, (old, new, lists)) in cases.enumerated() {
            let transition = index.transition(
                from: old.map { Fixtures.record(["a": $0.1], type: $0.0) },
                to: new.map { Fixtures.record(["a": $0.1], type: $0.0) })
            let found = [
                transition.entered, transition.stayed, transition.left, transition.failuresBefore.map(\.id),
                transition.failuresAfter.map(\.id),
            ]
            #expect(found.map { $0.sorted() } == lists, "\(number)")
        }
    }

    /// Variables, the clock and the records behind references are those given, also where a record comes or goes.
    @Test func changesAreSeenInTheGivenContext() throws {
        let index = try index([
            (1, "a == $x", "Thing"), (2, "date < now()", "Thing"), (3, "owner.name == 'Ann'", "Thing"),
        ])
        let context = EvaluationContext(now: Date(timeIntervalSinceReferenceDate: 5), variables: ["x": 3])
        let resolver: @Sendable (RecordReference) -> Record? = { _ in Fixtures.record(["name": "Ann"]) }
        let early = FieldValue.date(Date(timeIntervalSinceReferenceDate: 4))
        let late = FieldValue.date(Date(timeIntervalSinceReferenceDate: 6))
        let one = Fixtures.record(["a": 3, "date": early, "owner": .reference(RecordReference("ann"))])
        let other = Fixtures.record(["a": 4, "date": late])
        for (old, new, lists) in [
            (one, other, [[], [], [1, 2, 3]]), (other, one, [[1, 2, 3], [], []]), (one, one, [[], [1, 2, 3], []]),
            (nil, one, [[1, 2, 3], [], []]), (one, nil, [[], [], [1, 2, 3]]),
        ] as [(Record?, Record?, [[Int]])] {
            let transition = index.transition(from: old, to: new, context: context, resolver: resolver)
            #expect([transition.entered, transition.stayed, transition.left].map { $0.sorted() } == lists)
            #expect(transition.failuresBefore.isEmpty && transition.failuresAfter.isEmpty)
        }
        // Without a resolver paths lead nowhere, on both sides of a change.
        #expect(index.transition(from: other, to: one, context: context).entered.sorted() == [1, 2])
        #expect(index.transition(from: one, to: other, context: context).left.sorted() == [1, 2])
    }

    /// What predicates need of records is counted up as they come and down as they go; slots are used again.
    @Test func countsFallAsPredicatesLeave() throws {
        let texts: [(text: String, context: Int, repeats: Int, values: Int)] = [
            ("date < now()", 1, 0, 0), ("a > 3", 0, 0, 1), ("ANY a == 1 OR ANY a == 2", 0, 1, 0),
            ("a == 1", 0, 0, 0), ("a > 3 OR c == 2", 0, 1, 1), ("TRUEPREDICATE", 0, 0, 0),
        ]
        for (text, context, repeats, values) in texts {
            var index = try index([(1, text, "Thing"), (2, text, "Thing")])
            func counts() -> [Int] {
                let type = index.types[0]
                let readers = type.fields.reduce(0) { $0 + $1.valueReaders }
                return [type.contextReaders, type.repeaters, readers, type.count]
            }
            #expect(counts() == [2 * context, 2 * repeats, 2 * values, 2], "\(text)")
            index.remove(1)
            #expect(counts() == [context, repeats, values, 1], "\(text)")
            index.insert(try Binder().bind(RecordPredicate(format: text, arguments: [])), id: 3, type: "Thing")
            #expect(counts() == [2 * context, 2 * repeats, 2 * values, 2], "\(text)")
            #expect(index.types[0].stored.count == 2 && index.types[0].ids.map { $0 } == [3, 2], "\(text)")
            index.remove(2)
            index.remove(3)
            #expect(counts() == [0, 0, 0, 0] && index.alwaysTriedCount == 0, "\(text)")
        }
    }

    /// Texts are cut into words for the foldings that predicates still ask for.
    @Test func foldingsOfWordsLeaveWithTheirPredicates() throws {
        var index = try index([
            (1, "body TOKENMATCHES 'red'", "Thing"), (2, "body TOKENMATCHES[c] 'red'", "Thing"),
            (3, "body TOKENMATCHES[cd] 'red'", "Thing"),
        ])
        let field = try #require(index.types[0].fieldNumbers["body"])
        // As bits: none is 0, [c] is 1, [cd] is 3.
        #expect(index.types[0].fields[field].wordFoldings == 0b1011)
        for (id, foldings) in [(2, 0b1001), (1, 0b1000), (3, 0)] as [(Int, UInt8)] {
            index.remove(id)
            #expect(index.types[0].fields[field].wordFoldings == foldings)
        }
    }

    /// Names and dates that every record has are read as fields; dates that are not there are nil.
    @Test func identitiesAreReadAsFields() throws {
        let index = try index([
            (1, "recordName == 'it'", "Thing"), (2, "recordType == 'Thing'", "Thing"),
            (3, "creationDate == nil", "Thing"), (4, "modificationDate != nil", "Thing"),
            (5, "recordName != nil", nil),
            (6, "recordName BEGINSWITH 'i' AND recordType ENDSWITH 'ing'", nil), (7, "parent == nil", nil),
            (8, "recordType == 'Other'", nil), (9, "recordName == nil", nil),
        ])
        #expect(index.matches(Fixtures.record(["recordName": "it"])).ids.sorted() == [1, 2, 3, 5, 6, 7])
        #expect(index.matches(Fixtures.record([:], type: "Other")).ids.sorted() == [5, 7, 8])
    }
}
