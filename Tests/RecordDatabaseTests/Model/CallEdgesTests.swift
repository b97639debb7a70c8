// Code that is written against the protocol of a database: what the shorter calls mean; and chances of failures.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct CallEdgesTests {
    /// Saves records as code does that knows nothing but the protocol.
    private static func save(_ records: [Record], in database: some CloudDatabase) async -> DatabaseError? {
        do throws(DatabaseError) {
            _ = try await database.modifyRecords(saving: records, deleting: [])
            return nil
        } catch {
            return error
        }
    }

    /// The shorter call is atomic, and overwrites nothing that it does not know.
    @Test func theShorterCallIsAtomicAndCareful() async throws {
        let world = try await World()
        try await world.mine.put(record("a", in: world.zone, ["n": 1]))
        let records = [record("b", in: world.zone, ["n": 2]), record("a", in: world.zone, ["n": 3])]
        let error = await Self.save(records, in: world.mine)
        #expect(error?.code == .partialFailure)
        #expect(
            error?.partialErrors.mapValues(\.code) == [
                .record(world.own("b")): .batchRequestFailed, .record(world.own("a")): .serverRecordChanged,
            ])
        #expect(await !world.mine.has("b", in: world.zone))
        #expect(try await world.mine.record(for: world.own("a"))["n"] == 1)
    }

    /// What calls fail with by chance, by the numbers of SplitMix64 after a seed: every second one chooses.
    @Test func chanceIsFairToAllCodes() async throws {
        let (container, script) = try FaultScriptTests.client()
        script.failRandomly(probability: 1, with: [.zoneBusy, .networkFailure], seed: 1)
        var chosen: [DatabaseError.Code] = []
        for _ in 0..<8 {
            do throws(DatabaseError) {
                _ = try await container.privateDatabase.allRecordZones()
            } catch {
                chosen.append(error.code)
            }
        }
        let expected = [1, 1, 0, 1, 0, 0, 0, 1].map { $0 == 0 ? DatabaseError.Code.zoneBusy : .networkFailure }
        #expect(chosen == expected)
    }
}
