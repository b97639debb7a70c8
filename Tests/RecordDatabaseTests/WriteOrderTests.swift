// Writes that rest on earlier ones: dates of loads, the order of migrated records, batches that differ in little.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct WriteOrderTests {
    /// Records that come as columns are no older than what was saved before, whatever the clock says by then.
    @Test func loadsUnderAClockThatGoesBack() async throws {
        let world = try await World()
        try await world.mine.put(record("first", ["n": 0]))
        let before = world.clock.now
        world.clock.advance(-100)
        let set = try RecordSet(records: (0..<3).map { record("r\($0)", ["n": .int64($0)]) })
        #expect(try world.mine.load(0..<3, of: set).isEmpty)
        let loaded = try await world.mine.record(for: Record.ID("r1"))
        #expect(loaded["n"] == 1 && loaded.creationDate == before && loaded.modificationDate == before)
        let last = try await world.mine.save(record("last", ["n": 9]))
        #expect(last.creationDate == before && last.modificationDate == before)
    }

    /// A migration writes records in the order of their insertion, those too that were changed since.
    @Test func migratedRecordsKeepTheirOrder() async throws {
        let world = try await World()
        let zone = world.zone
        try await world.mine.put(
            record("a", in: zone, ["n": 1]), record("b", in: zone, ["n": 2]), record("c", in: zone, ["n": 3]))
        var first = try await world.mine.record(for: world.own("a"))
        first["n"] = 4
        try await world.mine.put(first)
        #expect(try world.mine.changes(in: zone).entries == ["+b", "+c", "+a"])
        try await world.alice.migrate([SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["n"] = 7 } }])
        #expect(try world.mine.changes(in: zone).entries == ["+a", "+b", "+c"])
        #expect(try await world.mine.record(for: world.own("a"))["n"] == 7)
    }

    /// A batch that takes a parent away is no repetition of one that says nothing about parents.
    @Test func aBatchThatTakesTheParentAway() async throws {
        let world = try await World()
        var child = record("c", in: world.zone, ["n": 1])
        child.setParent(world.own("p"))
        try await world.mine.put(record("p", in: world.zone), child)
        for isFreed in [false, true] {
            var sent = record("c", in: world.zone, ["n": 2])
            if isFreed { sent.setParent(nil as Record.ID?) }
            let results = try await world.mine.modifyRecords(
                saving: [sent], deleting: [], savePolicy: .changedKeys, clientChangeTokenData: Data("1".utf8))
            #expect(results.saveResults[sent.id]?.isSuccess == true)
            let stored = try await world.mine2.record(for: sent.id)
            #expect(stored["n"] == 2 && stored.parent?.recordID == (isFreed ? nil : world.own("p")))
        }
    }

    /// The other client of a scripted conflict saves the whole record, also one that it fetched long before.
    @Test func aScriptedConflictIsOfAWholeRecord() async throws {
        let script = FaultScript()
        var configuration = Configuration()
        configuration.faults = script.faults
        let container = try Container(identifier: "test", configuration: configuration)
        let other = try Container(sharing: container, account: .localUser)
        let earlier = try await container.privateDatabase.save(record("r", ["n": 1]))
        var changed = earlier
        changed["n"] = 2
        let later = try await other.privateDatabase.save(changed)
        script.conflictNext(with: earlier, savedIn: other.privateDatabase)
        let error = await fails(.serverRecordChanged) { try await container.privateDatabase.save(later) }
        #expect(error?.serverRecord?.fields == ["n": 1])
    }

    /// A batch that another client of the process sends in the same words under the same token is its own.
    @Test func batchesAreOfTheirClients() async throws {
        let world = try await World()
        let sent = record("r", in: world.zone, ["n": 1])
        var tags: [String?] = []
        for database in [world.mine, world.mine2, world.mine2] {
            let results = try await database.modifyRecords(
                saving: [sent], deleting: [], savePolicy: .allKeys, clientChangeTokenData: Data("1".utf8))
            tags.append(try #require(results.saveResults[sent.id]).get().recordChangeTag)
        }
        #expect(tags[0] != nil && tags[0] != tags[1] && tags[1] == tags[2])
    }
}
