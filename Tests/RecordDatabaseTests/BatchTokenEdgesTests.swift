// Batches under one token of the client that differ in little: each of them is applied.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct BatchTokenEdgesTests {
    private static let token = Data("1".utf8)

    /// Batches that delete other records are no repetitions.
    @Test func batchesDifferByWhatTheyDelete() async throws {
        let world = try await World()
        try await world.mine.put(record("a"), record("b"))
        for name in ["a", "b"] {
            let id = Record.ID(name)
            let results = try await world.mine.modifyRecords(
                saving: [], deleting: [id], clientChangeTokenData: Self.token)
            #expect(results.deleteResults.mapValues(\.isSuccess) == [id: true])
            #expect(!(await world.mine2.has(name)), "\(name)")
        }
    }

    /// The same change of a record that others changed meanwhile is made once more.
    @Test func batchesDifferByTheVersionThatTheyChange() async throws {
        let world = try await World()
        try await world.mine.put(record("r", ["n": 1]))
        for other in [3, 4] as [FieldValue] {
            var mine = try await world.mine.record(for: Record.ID("r"))
            mine["n"] = 2
            let results = try await world.mine.modifyRecords(
                saving: [mine], deleting: [], clientChangeTokenData: Self.token)
            #expect(results.saveResults[mine.id]?.isSuccess == true)
            var theirs = try await world.mine2.record(for: mine.id)
            #expect(theirs.fields == ["n": 2])
            theirs["n"] = other
            try await world.mine2.put(theirs)
        }
    }
}
