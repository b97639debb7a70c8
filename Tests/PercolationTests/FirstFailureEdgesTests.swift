// What may fail comes first: it is told of records that lack what the predicate could be looked up by.

import Geospatial
import PredicateSemantics
import RecordModel
import Testing

@testable import Percolation

@Suite struct FirstFailureEdgesTests {
    private static func index(_ text: String) throws -> PredicateIndex {
        var index = PredicateIndex()
        index.insert(try Binder().bind(RecordPredicate(format: text, arguments: [])), id: 4, type: "Thing")
        return index
    }

    private static let place = FieldValue.location(Location(latitude: 1, longitude: 2))

    /// Conditions, and fields for which they fail: what is no list, no number, no place or no side of a box.
    static let cases: [(condition: String, fields: [String: FieldValue])] = [
        ("ALL a > 0", ["a": 5]), ("ANY a > 1", ["a": 5]), ("c - a > 1", ["a": "x", "c": 5]),
        ("a - c > 1", ["a": "x", "c": 5]), ("inBox(a, c, 2, 3, 4) == TRUE", ["a": place, "c": "x"]),
        ("inBox(a, 1, 2, 3, 4) == TRUE", ["a": "x"]),
    ]

    @Test(arguments: cases) func whatComesFirstFails(condition: String, fields: [String: FieldValue]) throws {
        let index = try Self.index("\(condition) AND b == 1")
        for number in [1, 2] as [FieldValue] {
            let matches = index.matches(Fixtures.record(fields.merging(["b": number]) { $1 }))
            #expect(matches.ids.isEmpty && matches.failures.map(\.id) == [4], "\(condition) \(number)")
        }
        // What comes later is not reached.
        let later = try Self.index("b == 1 AND \(condition)")
        let others = later.matches(Fixtures.record(fields.merging(["b": 2]) { $1 }))
        #expect(others.ids.isEmpty && others.failures.isEmpty, "\(condition)")
    }

    /// A pattern that is no automaton may run into the limits of matching, for any text.
    @Test func patternsMayFail() throws {
        #expect(try Self.index("a MATCHES '(?=a)a' AND b == 1").alwaysTriedCount == 1)
        #expect(try Self.index("b == 1 AND a MATCHES '(?=a)a'").alwaysTriedCount == 0)
    }
}
