// Small differences of batches: two names of one record, another type under one token, parents that others changed,
// and shares that are loaded as records.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct BatchDetailEdgesTests {
    /// A record that is deleted by both names of its zone has a result for each.
    @Test func bothNamesOfADeletionAreAnswered() async throws {
        let world = try await World()
        try await world.mine.put(record("a", in: world.zone))
        let ids = [world.own("a"), world.theirs("a")]
        let deletes = try world.mine.modify(ModifyRequest(deletes: ids)).deletes
        #expect(deletes.map(\.id) == ids)
        #expect(deletes.allSatisfy { $0.result.isSuccess })
        #expect(!(await world.mine2.has("a", in: world.zone)))
    }

    /// A batch that saves a record as one of another type is no repetition.
    @Test func batchesDifferByTypes() async throws {
        let world = try await World()
        for (type, code) in [("T", nil), ("U", .invalidArguments)] as [(String, DatabaseError.Code?)] {
            let request = ModifyRequest(
                saves: [record("a", ["n": 1], type: type)], clientToken: Data("1".utf8))
            let saves = try world.mine.modify(request).saves
            #expect(saves.map { $0.result.failure?.code } == [code], "\(type)")
        }
    }

    /// All keys are those of the object: a parent that others changed stays unless it is set.
    @Test(arguments: SavePolicy.allCases.filter { $0 != .ifServerRecordUnchanged })
    func parentsThatOthersChangedStay(_ policy: SavePolicy) async throws {
        let world = try await World()
        var child = record("c", in: world.zone)
        child.setParent(world.own("p"))
        try await world.mine.put(record("p", in: world.zone), record("q", in: world.zone), child)
        var mine = try await world.mine.record(for: child.id)
        var theirs = try await world.mine2.record(for: child.id)
        theirs.setParent(world.own("q"))
        try await world.mine2.put(theirs)
        mine["n"] = 1
        #expect(try await world.mine.put(mine, policy: policy)[0].parent?.recordID == world.own("q"))
        let found = try await world.mine2.record(for: child.id)
        #expect(found["n"] == 1 && found.parent?.recordID == world.own("q"))
        // Nobody is left below the parent before.
        try await world.mine.deleteRecord(withID: world.own("p"))
    }

    /// Shares are not loaded as other records are: none is in the default zone.
    @Test func sharesAreNotLoaded() async throws {
        let world = try await World()
        let set = try RecordSet(records: [record("s", ["cloudkit.title": "x"], type: "cloudkit.share")])
        #expect(try world.mine.load(0..<1, of: set).map(\.error.code) == [.invalidArguments])
        #expect(!(await world.mine.has("s")))
    }
}
