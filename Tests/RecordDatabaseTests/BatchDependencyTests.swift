// Batches whose items depend on each other in ways that are easily overlooked.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct BatchDependencyTests {
    /// A parent may go in the batch that moves its child away.
    @Test(arguments: [nil, "q"]) func aParentGoesAsItsChildMovesAway(_ target: String?) async throws {
        let world = try await World()
        var child = record("c", in: world.zone)
        child.setParent(world.own("p"))
        try await world.mine.put(record("p", in: world.zone), record("q", in: world.zone), child)
        child = try await world.mine.record(for: child.id)
        child.setParent(target.map(world.own))
        let outcomes = try world.mine.outcomes(saving: [child], deleting: [world.own("p")])
        #expect(outcomes == ["c": nil, "p": nil])
        #expect(!(await world.mine.has("p", in: world.zone)))
        #expect(try await world.mine.record(for: child.id).parent?.recordID.recordName == target)
        // And one that was moved below another keeps that one.
        let outcome = try world.mine.outcomes(deleting: [world.own("q")])["q"]
        #expect(outcome == .some(target == nil ? nil : .referenceViolation))
    }

    /// Members of objects that are nil are not stored, at any depth.
    @Test func membersThatAreNilAreLeftOut() async throws {
        let world = try await World()
        let object: FieldValue = .object([
            "a": .null, "b": .object(["c": .null, "d": 1]), "e": .list([.object(["f": .null, "g": "x"])]),
        ])
        try await world.mine.put(record("r", ["o": object]))
        let found = try await world.mine2.record(for: Record.ID("r"))
        #expect(found["o"] == .object(["b": .object(["d": 1]), "e": .list([.object(["g": "x"])])]))
    }

    /// A value that one record in each of two zones has is that of two records.
    @Test func oneRecordInEachZone() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 5]), record("c", ["n": 6]))
        try await world.mine.put(record("b", in: world.zone, ["n": 5]), record("d", in: world.zone, ["n": 7]))
        for (predicate, names) in [
            ("n == 5", ["a", "b"]), ("n == 6", ["c"]), ("n == 7", ["d"]), ("n == 8", []),
        ] as [(String, [String])] {
            let query = Query("T", try RecordPredicate(format: predicate))
            let found = try await world.mine.recordPage(matching: query, in: .all).matchResults
            #expect(found.map(\.0.recordName) == names, "\(predicate)")
        }
        let inZone = try await world.mine.recordPage(matching: Query("T", "n == 5"), in: .zone(world.zone))
        #expect(inZone.matchResults.map(\.0.recordName) == ["b"])
    }
}
