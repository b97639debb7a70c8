// Zones and transactions at their edges: names with an owner, zones that come back, what is read within a transaction.

import Foundation
import RecordModel
import Testing
import TextAnalysis

@testable import RecordDatabase

@Suite struct ZoneEdgeTests {
    @Test func zonesAreInOrderAndFoundByEitherName() async throws {
        let world = try await World()
        for name in ["b", "B", "a"] { try await world.mine.save(RecordZone(id: .init(name))) }
        let ids = ["B", "Z", "a", "b"].map { RecordZone.ID($0) }
        #expect(try await world.mine.allRecordZones().map(\.id) == [.default] + ids)
        #expect(try world.mine.fetchAllZones().map(\.id) == [.default] + ids)
        let found = try await world.mine.recordZones(for: [world.theirs, RecordZone.ID("Z", ownerName: World.bob)])
        #expect(try found[world.theirs]?.get().capabilities == world.zoneCapabilities)
        #expect(found[RecordZone.ID("Z", ownerName: World.bob)]?.failure?.code == .zoneNotFound)
        try await world.mine.deleteRecordZone(withID: world.theirs)
        await fails(.zoneNotFound) { try await world.mine.recordZone(for: world.zone) }
    }

    @Test func aCallEitherSavesOrDeletesAZone() async throws {
        let world = try await World()
        let id = RecordZone.ID("New")
        let (saves, deletes) = try await world.mine.modifyRecordZones(saving: [RecordZone(id: id)], deleting: [id])
        #expect(saves[id]?.isSuccess == true && deletes[id]?.failure?.code == .invalidArguments)
        #expect(try await world.mine.recordZone(for: id).id == id)
    }

    /// Only the last end of a zone counts.
    @Test func aPurgedZoneThatCameBackMayGo() async throws {
        let world = try await World()
        try await world.mine.purgeRecordZone(withID: world.zone)
        await fails(.userDeletedZone) { try await world.mine.recordZone(for: world.zone) }
        try await world.mine.save(RecordZone(id: world.zone))
        try await world.mine.deleteRecordZone(withID: world.zone)
        await fails(.zoneNotFound) { try await world.mine.recordZone(for: world.zone) }
        await fails(.zoneNotFound) { try await world.mine.purgeRecordZone(withID: world.zone) }
    }

    // MARK: Transactions

    @Test func everyReadSeesTheChangesBefore() async throws {
        let world = try await World()
        let zone = world.zone
        try await world.mine.put(record("r", in: zone, ["n": 0]))
        try await world.mine.write { transaction in
            func count(_ number: Int64) throws -> Int {
                try transaction.records(ofType: "T").count(matching: "n == \(number)")
            }
            for number in 1...3 as ClosedRange<Int64> {
                var saved = try transaction.record(for: world.theirs("r"))
                #expect(saved["n"] == .int64(number - 1))
                saved["n"] = .int64(number)
                try transaction.save(saved)
                #expect(try count(number) == 1)
                #expect(try count(number - 1) == 0)
            }
            transaction.deleteRecord(withID: world.theirs("r"))
            #expect(try count(3) == 0)
            let error = #expect(throws: DatabaseError.self) { try transaction.record(for: world.own("r")) }
            #expect(error?.code == .unknownItem)
        }
        #expect(!(await world.mine.has("r", in: zone)))
    }

    // MARK: Sets

    /// The records of one type are looked at as those of all are.
    @Test func aSetOfOneTypeKeepsItsSettings() throws {
        var set = try RecordSet(records: [record("t", ["a": "x"]), record("u", ["a": "y"], type: "U")])
        set.buildsIndexes = false
        set.usesAllCores = false
        set.declaredIndexes = IndexDeclaration(["a": .queryable], others: .searchable)
        set.refusesScans = true
        set.allowsUnknownFields = true
        set.limits = QueryLimits(time: .seconds(9), resultBytes: 7, stepsPerRecord: 5)
        set.analyzers = ["a": TextAnalyzer(stopWords: ["x"])]
        let one = set.ofType("U")
        #expect(one.recordType == "U" && one.count == 1 && one.ofType(nil).count == 2)
        for other in [one, one.ofType(nil), one.ofType("T")] {
            #expect(!other.buildsIndexes && !other.usesAllCores && other.refusesScans && other.allowsUnknownFields)
            #expect(other.declaredIndexes == set.declaredIndexes && other.limits == set.limits)
            #expect(other.analyzers == set.analyzers)
        }
        #expect(set.record(at: 1)?.id.recordName == "u" && set.record(named: "u")?["a"] == "y")
        #expect(set.record(at: -1) == nil && set.record(at: 2) == nil && set.record(named: "v") == nil)
        #expect(one.ordinals(ofType: "U") == [1] && one.schemas.map(\.recordType) == ["U"])
    }
}
