// Batches of a participant over several owners, deletions that would take a share along, changes that are forgotten of
// one share only, and zones that one call saves and deletes.

import Testing

@testable import RecordDatabase

@Suite struct SharedTogetherTests {
    /// Where the part of one owner fails as a whole, what was saved of another is told as saved.
    @Test func whatWasSavedOfOneOwnerIsTold() async throws {
        let world = try await World()
        try await world.acceptList()
        let carols = try await world.shareOfCarol()
        let bob = try world.client(World.bob) { $0.limits.bytesPerStore = 50_000 }.sharedDatabase
        var milk = try await bob.record(for: world.theirs("milk"))
        var other = try await bob.record(for: Record.ID("r", zoneID: carols))
        milk["name"] = "oat milk"
        other["name"] = .string(String(repeating: "x", count: 100_000))
        #expect(try bob.outcomes(saving: [milk, other]) == ["milk": nil, "r": .quotaExceeded])
        let results = try await bob.modifyRecords(
            saving: [bob.record(for: milk.id), other], deleting: [], atomically: false)
        #expect(results.saveResults[milk.id]?.isSuccess == true)
        #expect(results.saveResults[other.id]?.failure?.code == .quotaExceeded)
        #expect(try await world.mine.record(for: world.own("milk"))["name"] == "oat milk")
        // With nothing saved before it, the call fails.
        await fails(.quotaExceeded) { [other] in
            try await bob.modifyRecords(saving: [other], deleting: [], atomically: false)
        }
    }

    /// The limit of a request's bytes holds for all owners together: nothing of a batch beyond it is saved.
    @Test func theLimitIsOfTheWholeRequest() async throws {
        let world = try await World()
        try await world.acceptList()
        let carols = try await world.shareOfCarol()
        let bob = try world.client(World.bob) { $0.limits.bytesPerRequest = 1000 }.sharedDatabase
        var milk = try await bob.record(for: world.theirs("milk"))
        var other = try await bob.record(for: Record.ID("r", zoneID: carols))
        let text = FieldValue.string(String(repeating: "x", count: 600))
        (milk["name"], other["name"]) = (text, text)
        await fails(.limitExceeded) { [milk, other] in
            try await bob.modifyRecords(saving: [milk, other], deleting: [], atomically: false)
        }
        #expect(try await world.mine.record(for: world.own("milk"))["name"] == "milk")
        #expect(try bob.outcomes(saving: [milk]) == ["milk": nil])
    }

    /// A participant deletes no record with which the root of the share would go.
    @Test func theRootDoesNotGoAlong() async throws {
        let world = try await World()
        let share = try await world.acceptList()
        var root = try await world.bobs.record(for: world.theirs("list"))
        root["first"] = .reference(RecordReference(recordID: world.theirs("milk"), action: .deleteSelf))
        try await world.bobs.save(root)
        let outcomes = try world.bobs.outcomes(deleting: ["milk", "note", "bread"].map { world.theirs($0) })
        #expect(outcomes == ["milk": .permissionFailure, "note": nil, "bread": nil])
        #expect(await world.mine.has("list", in: world.zone))
        #expect(try await world.current(share).participants.count == 2)
        // Its owner may.
        try await world.mine.deleteRecord(withID: world.own("milk"))
        #expect(!(await world.mine.has("list", in: world.zone)))
    }

    /// Nor one with which the root of a share would go that others have.
    @Test func rootsOfOtherSharesDoNotGoAlong() async throws {
        let world = try await World()
        try await world.acceptList()
        var other = try await world.mine.record(for: world.own("other"))
        other["of"] = .reference(RecordReference(recordID: world.own("bread"), action: .deleteSelf))
        try await world.mine.put(other)
        try await world.shareList(with: "_ca401", root: "other")
        #expect(try world.bobs.outcomes(deleting: [world.theirs("bread")]) == ["bread": .permissionFailure])
        #expect(await world.mine.has("other", in: world.zone))
    }

    /// A zone is told as changed whose deletions are forgotten, also when nothing else of the share has changed.
    @Test func forgottenDeletionsAreAChange() async throws {
        let world = try await World()
        try await world.acceptList()
        try await world.shareList(root: "other")
        var child = record("child", in: world.zone)
        child.setParent(world.own("other"))
        child = try await world.mine.put(child)[0]
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 0 }.privateDatabase
        let token = try await world.bobs.databaseChanges(since: nil).changeToken
        let zoneToken = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs).changeToken
        try await few.deleteRecord(withID: world.own("bread"))
        child.setParent(nil as Record.ID?)
        try await few.put(child)
        #expect(try await world.bobs.databaseChanges(since: token).modifications == [world.theirs])
        await fails(.changeTokenExpired) {
            try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: zoneToken)
        }
    }

    /// A zone that one call saves and deletes stays, whether it was there or not.
    @Test func aZoneIsNotBothSavedAndDeleted() async throws {
        let world = try await World()
        try await world.putList()
        for id in [world.zone, RecordZone.ID("New")] {
            let results = try await world.mine.modifyRecordZones(saving: [RecordZone(id: id)], deleting: [id])
            #expect(results.saveResults[id]?.isSuccess == true)
            #expect(results.deleteResults[id]?.failure?.code == .invalidArguments)
        }
        #expect(await world.mine.has("milk", in: world.zone))
    }
}
