// Batches in shared zones at their edges: which item fails, what a failed batch leaves, and what errors carry.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SharedBatchEdgesTests {
    /// A record that is moved into another share fails, and not the share that is saved with it.
    @Test func theMovedRecordFailsAndNotTheShare() async throws {
        let world = try await World()
        try await world.putList()
        let list = try await world.shareList()
        try await world.shareList(root: "other")
        var share = try await world.current(list)
        share.title = "Food"
        var other = try await world.mine.record(for: world.own("other"))
        other.setParent(world.own("list"))
        let outcomes = try world.mine.outcomes(saving: [share.record, other])
        #expect(outcomes == [list.id.recordName: nil, "other": .alreadyShared])
        #expect(try await world.current(list).title == "Food")
    }

    /// Who leaves a share in a batch that fails stays.
    @Test func nobodyLeavesInABatchThatFails() async throws {
        let world = try await World()
        let share = try await world.acceptList()
        let name = share.id.recordName
        let outcomes = try world.bobs.outcomes(
            saving: [record("other", in: world.theirs)], deleting: [world.theirs(name)], atomically: true)
        #expect(outcomes == ["other": .permissionFailure, name: .batchRequestFailed])
        #expect(try await world.bobs.allRecordZones().map(\.id) == [world.theirs])
        #expect(try await world.current(share).participants.last?.acceptanceStatus == .accepted)
    }

    /// Who may only read saves nothing new, wherever it would be, and is told so.
    @Test func nothingNewWhereNothingMayBeWritten() async throws {
        let world = try await World()
        try await world.acceptList(.readOnly)
        for parent in [nil, "list"] as [String?] {
            var new = record("new", in: world.theirs)
            new.setParent(parent.map { world.theirs($0) })
            let error = await fails(.permissionFailure) { [new] in try await world.bobs.save(new) }
            #expect(error?.reason == "the participant may only read the zone")
        }
    }

    /// The owner of a share stays the same participant, also where it was sent without one.
    @Test func theOwnerStaysTheSameParticipant() async throws {
        let world = try await World()
        try await world.putList()
        var share = try await world.shareList()
        let owner = share.owner
        share.participants = share.participants.filter { $0.role != .owner }
        let saved = try #require(Share(try await world.mine.save(share.record)))
        #expect(saved.owner.id == owner.id && saved.owner.userRecordID.recordName == World.alice)
        #expect(saved.participants.map(\.role) == [.owner, .privateUser])
    }

    /// A record that a participant deletes twice in one call has one result.
    @Test func aRecordThatIsDeletedTwice() async throws {
        let world = try await World()
        try await world.acceptList()
        let note = world.theirs("note")
        let deletes = try world.bobs.modify(ModifyRequest(deletes: [note, note])).deletes
        #expect(deletes.map(\.id) == [note])
        #expect(deletes.allSatisfy { $0.result.isSuccess })
        #expect(!(await world.mine.has("note", in: world.zone)))
    }

    /// A conflict tells a participant the record as it was read, too.
    @Test func conflictsTellTheAncestor() async throws {
        let world = try await World()
        try await world.acceptList()
        let read = try await world.bobs.record(for: world.theirs("milk"))
        try await world.mine.save(world.mine.record(for: world.own("milk")))
        var changed = read
        changed["name"] = "oat milk"
        let error = await fails(.serverRecordChanged) { [changed] in try await world.bobs.save(changed) }
        let ancestor = try #require(error?.ancestorRecord)
        #expect(ancestor.id == read.id && ancestor["name"] == .string("milk"))
        #expect(ancestor.recordChangeTag == read.recordChangeTag)
    }
}
