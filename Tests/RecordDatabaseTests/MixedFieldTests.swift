// Values that columns hold beside others of other kinds, and the ends of numbers, with indexes and without.

import Foundation
import RecordDatabase
import Testing

@Suite struct MixedFieldTests {
    private static func names(_ text: String, in set: RecordSet, refusesScans: Bool) throws -> [String] {
        var set = set
        set.refusesScans = refusesScans
        return try set.records(matching: RecordPredicate(format: text)).map(\.id.recordName)
    }

    /// Words of texts and of lists that other values stand beside; those of objects, and of lists in lists, are none.
    @Test(arguments: [
        ("quick", ["b", "c"]), ("fox", ["b"]), ("dog", ["c"]), ("hello", ["a"]), ("deep", []), ("hidden", []),
    ])
    func words(word: String, expected: [String]) throws {
        let set = try RecordSet.mixed([
            "{'id': 'a', 'x': 1, 's': 'hello'}", "{'id': 'b', 'x': 'quick fox', 's': 'world'}",
            "{'id': 'c', 'x': ['quick dog', 3, ['deep']], 's': 'none'}",
            "{'id': 'd', 'x': {'k': 'hidden'}, 's': 'none'}",
        ])
        for refusesScans in [false, true] {
            let text = "allTokens TOKENMATCHES '\(word)'"
            #expect(try Self.names(text, in: set, refusesScans: refusesScans) == expected, "\(word), \(refusesScans)")
        }
    }

    /// Nothing is beyond the infinities.
    @Test(arguments: [
        ("x > 1 / 0.0", []), ("x < -1 / 0.0", []), ("x >= 1 / 0.0", ["most"]), ("x <= -1 / 0.0", ["least"]),
        ("NOT (x > 1 / 0.0)", ["one", "most", "least"]), ("x < 1 / 0.0", ["one", "least"]),
        ("x > -1 / 0.0", ["one", "most"]), ("x > 1 / 0.0 OR x == 1.5", ["one"]),
    ])
    func infinities(text: String, expected: [String]) throws {
        let values: [(String, Double)] = [("one", 1.5), ("most", .infinity), ("least", -.infinity)]
        let set = try RecordSet(
            records: values.map { Record(type: "N", id: Record.ID($0.0), fields: ["x": .double($0.1)]) })
        for refusesScans in [false, true] {
            let found = try Self.names(text, in: set, refusesScans: refusesScans)
            #expect(found == expected, "\(text), \(refusesScans)")
        }
    }
}
