// Code that is written against a database, and what goes wrong on order.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct FaultScriptTests {
    /// An application's code: saves a record, tries again as errors ask for, and merges what conflicts.
    static func saveStubbornly(_ record: Record, in database: some CloudDatabase) async throws -> (Record, tries: Int) {
        var (record, tries) = (record, 0)
        while true {
            tries += 1
            do throws(DatabaseError) {
                return (try await database.save(record), tries)
            } catch {
                guard tries < 10 else { throw error }
                switch error.code {
                case .networkFailure, .requestRateLimited, .zoneBusy: continue
                case .serverRecordChanged:
                    guard var server = error.serverRecord else { throw error }
                    for key in record.changedKeys() { server[key] = record[key] }
                    record = server
                default: throw error
                }
            }
        }
    }

    static func client() throws -> (Container, FaultScript) {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        return (try Container(identifier: "test", configuration: configuration), script)
    }

    @Test("Calls fail as often as ordered", arguments: [(1, 2), (2, 3), (0, 1)])
    func times(count: Int, tries: Int) async throws {
        let (container, script) = try Self.client()
        script.failNext(count, .modifyRecords, with: .networkFailure)
        let (saved, tried) = try await Self.saveStubbornly(record("r", ["a": 1]), in: container.privateDatabase)
        #expect(tried == tries && saved["a"] == 1)
        #expect(script.calls.filter { $0.kind == .modifyRecords }.count == tries)
    }

    @Test("One call fails where no number is told")
    func once() async throws {
        let (container, script) = try Self.client()
        script.failNext(with: .networkFailure)
        #expect(try await Self.saveStubbornly(record("r"), in: container.privateDatabase).tries == 2)
    }

    @Test("Orders are about the calls that they name")
    func kinds() async throws {
        let (container, script) = try Self.client()
        script.failNext(.max, .query, with: .serviceUnavailable, retryAfter: .seconds(3))
        try await container.privateDatabase.put(record("r", ["a": 1]))
        let error = await fails(.serviceUnavailable) {
            try await container.privateDatabase.recordPage(matching: Query("T"), in: .default) as Any
        }
        #expect(error?.retryAfter == .seconds(3))
        script.clear()
        #expect(
            try await container.privateDatabase.recordPage(matching: Query("T"), in: .default).matchResults.count == 1)
    }

    @Test("Conflicts and account changes come between")
    func between() async throws {
        let (container, script) = try Self.client()
        let other = try Container(sharing: container, account: .localUser)
        let saved = try await container.privateDatabase.save(record("r", ["a": 1, "b": 1]))
        script.conflictNext(with: record("r", ["b": 2]), savedIn: other.privateDatabase)
        var changed = saved
        changed["a"] = 3
        let (merged, tries) = try await Self.saveStubbornly(changed, in: container.privateDatabase)
        #expect(merged.fields == ["a": 3, "b": 2] && tries == 2)
        script.beforeNext(.fetchRecords) { try? container.setAccount(.none) }
        await fails(.notAuthenticated) { try await container.privateDatabase.record(for: saved.id) }
    }

    /// An application's code that knows the protocol only, and makes the shorter calls.
    static func useEverything(_ database: some CloudDatabase) async throws -> [String] {
        let zone = try await database.save(RecordZone(zoneName: "Z"))
        #expect(try await database.recordZone(for: zone.id) == zone)
        let records = (0..<150).map { record("r\($0)", in: zone.id, ["n": .int64(Int64($0))]) }
        #expect(try await database.modifyRecords(saving: records, deleting: []).saveResults.count == 150)
        let subscription = try Subscription(recordType: "T", predicate: "n > 0", id: "s", zoneID: zone.id)
        try await database.save(subscription)
        #expect(try await database.subscription(for: "s").id == "s")
        #expect(try await database.records(for: [records[3].id]).values.allSatisfy(\.isSuccess))
        let (first, cursor) = try await database.recordPage(matching: Query("T", "n >= 0"), in: .zone(zone.id))
        let (rest, end) = try await database.recordPage(after: #require(cursor))
        #expect(first.count + rest.count == 150 && end == nil)
        let changes = try await database.recordZoneChanges(inZoneWith: zone.id)
        #expect(changes.modifications.count == 150)
        #expect(try await database.databaseChanges().modifications == [zone.id])
        try await database.deleteSubscription(withID: "s")
        try await database.deleteRecordZone(withID: zone.id)
        return try await database.allRecordZones().map(\.id.zoneName)
    }

    @Test("The protocol has the shorter calls")
    func shorterCalls() async throws {
        let (container, script) = try Self.client()
        #expect(try await Self.useEverything(container.privateDatabase) == ["_defaultZone"])
        script.failNext(with: .zoneBusy)
        let error = await fails(.zoneBusy) { try await Self.useEverything(container.privateDatabase) as Any }
        #expect(error?.retryAfter == .seconds(1))
    }

    @Test("Without orders and chances all calls go through")
    func cleared() async throws {
        let (container, script) = try Self.client()
        script.failRandomly(probability: 1, with: [.zoneBusy], seed: 1)
        await fails(.zoneBusy) { try await container.privateDatabase.allRecordZones() }
        script.clear()
        #expect(try await container.privateDatabase.allRecordZones().map(\.id) == [.default])
    }

    @Test("Chance is the same for the same seed")
    func chance() async throws {
        func outcomes(_ seed: UInt64) async throws -> [DatabaseError.Code?] {
            let (container, script) = try Self.client()
            script.failRandomly(probability: 0.4, seed: seed)
            var outcomes: [DatabaseError.Code?] = []
            for _ in 0..<60 {
                do throws(DatabaseError) {
                    _ = try await container.privateDatabase.allRecordZones()
                    outcomes.append(nil)
                } catch {
                    outcomes.append(error.code)
                }
            }
            return outcomes
        }
        let first = try await outcomes(7)
        #expect(try await outcomes(7) == first)
        #expect(try await outcomes(8) != first)
        let failed = first.compactMap(\.self)
        #expect((10...40).contains(failed.count) && failed.allSatisfy(FaultScript.networkCodes.contains))
    }
}
