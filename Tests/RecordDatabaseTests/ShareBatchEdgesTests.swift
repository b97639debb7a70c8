// Batches that begin and end shares: which shares count beside a new one, and which record is to blame.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ShareBatchEdgesTests {
    /// A share that fails for its size is in the way of no other one of its record.
    @Test func aShareThatFailsIsNoShare() async throws {
        let world = try await World()
        try await world.putList()
        let small = try world.client(World.alice) { $0.limits.bytesPerRecord = 10_000 }.privateDatabase
        let root = try await small.record(for: world.own("list"))
        var large = Share(root: root, id: world.own("large"))
        large.thumbnailImageData = Data(count: 20_000)
        let share = Share(root: root, id: world.own("s"))
        let outcomes = try small.outcomes(saving: [root, large.record, share.record])
        #expect(outcomes == ["list": nil, "large": .limitExceeded, "s": nil])
        #expect(try await world.mine.record(for: root.id).share?.recordID == share.id)
    }

    /// In a zone that is shared as a whole no record is shared besides.
    @Test func aZoneThatIsSharedHasNoOtherShare() async throws {
        let world = try await World()
        try await world.putList()
        try await world.mine.save(Share(zoneID: world.zone).record)
        let root = try await world.mine.record(for: world.own("list"))
        let share = Share(root: root, id: world.own("s"))
        #expect(try world.mine.outcomes(saving: [root, share.record]) == ["list": nil, "s": .alreadyShared])
        #expect(!(await world.mine.has("s", in: world.zone)))
    }

    /// A record that moves into another share fails, and not the one above it that is saved with it.
    @Test func theMovedRecordFailsAndNotTheOneAbove() async throws {
        let world = try await World()
        try await world.putList()
        for root in ["list", "other"] { try await world.shareList(root: root) }
        var list = try await world.mine.record(for: world.own("list"))
        list["name"] = "food"
        var other = try await world.mine.record(for: world.own("other"))
        other.setParent(world.own("milk"))
        #expect(try world.mine.outcomes(saving: [list, other]) == ["list": nil, "other": .alreadyShared])
        #expect(try await world.mine.record(for: list.id)["name"] == "food")
        #expect(try await world.mine.record(for: other.id).parent == nil)
    }

    /// A share that goes with its root in the same batch is in the way of none above it.
    @Test func aShareThatGoesMakesRoomAboveIt() async throws {
        let world = try await World()
        try await world.putList()
        let below = try await world.shareList(root: "note")
        let root = try await world.mine.record(for: world.own("list"))
        let share = Share(root: root, id: world.own("s"))
        let outcomes = try world.mine.outcomes(saving: [root, share.record], deleting: [world.own("note")])
        #expect(outcomes == ["list": nil, "s": nil, "note": nil])
        #expect(try await world.mine.record(for: root.id).share?.recordID == share.id)
        #expect(!(await world.mine.has(below.id.recordName, in: world.zone)))
    }

    /// A participant makes no users of the owner.
    @Test func usersAreNotShared() async throws {
        let world = try await World()
        try await world.acceptList()
        var user = record("u", in: world.theirs, type: "Users")
        user.setParent(world.theirs("list"))
        let error = await fails(.permissionFailure) { [user] in try await world.bobs.save(user) }
        #expect(error?.reason == "user records are not shared")
        #expect(!(await world.mine.has("u", in: world.zone)))
    }
}
