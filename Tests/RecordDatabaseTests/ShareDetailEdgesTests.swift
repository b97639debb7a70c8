// Shares in detail: the owner of one that is new, whom it takes, what readers of a zone delete, and pages of changes.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ShareDetailEdgesTests {
    /// The owner that a new share has is the one that it has when it was saved.
    @Test func theOwnerOfANewShareStaysTheSameParticipant() async throws {
        let world = try await World()
        try await world.putList()
        let root = try await world.mine.record(for: world.own("list"))
        let share = Share(root: root)
        let saved = try #require(Share(try await world.mine.put(root, share.record)[1]))
        #expect(saved.owner.id == share.owner.id && saved.owner.userRecordID == Record.ID(World.alice))
        #expect(try await world.current(share).owner.id == share.owner.id)
    }

    /// Nobody is added as one who came by the URL.
    @Test func onlyPrivateUsersAreAdded() async throws {
        var participant = Share.Participant(userRecordID: Record.ID(World.bob))
        for role in [Share.Role.publicUser, .owner, .unknown] {
            participant.role = role
            let error = await fails(.invalidArguments) { [participant] in
                var share = Share(zoneID: RecordZone.ID("Z"))
                return try share.add(participant)
            }
            #expect(error?.reason == "a participant is added as a private user with a permission")
        }
    }

    /// Who may only read a zone deletes nothing of it; what is not there is gone, as everywhere.
    @Test func readersOfAZoneDeleteNothing() async throws {
        let world = try await World()
        try await world.mine.put(record("a", in: world.zone))
        var whole = Share(zoneID: world.zone)
        whole.publicPermission = .readOnly
        whole = try #require(Share(try await world.mine.save(whole.record)))
        try await world.bob.accept(world.bob.shareMetadata(for: #require(whole.url)))
        let outcomes = try world.bobs.outcomes(deleting: [world.theirs("none"), world.theirs("a")])
        #expect(outcomes == ["none": nil, "a": .permissionFailure])
        let strict = try world.client(World.bob) { $0.requiresDeletedRecords = true }.sharedDatabase
        #expect(try strict.outcomes(deleting: [world.theirs("none")]) == ["none": .unknownItem])
        #expect(await world.mine.has("a", in: world.zone))
    }

    /// A page that all changes fill is the last one.
    @Test(arguments: [(4, true), (5, false), (6, false)] as [(Int, Bool)])
    func aPageThatAllChangesFillIsTheLast(_ limit: Int, _ isMore: Bool) async throws {
        let world = try await World()
        try await world.acceptList()
        // The list, what is below it, and the share.
        let page = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, resultsLimit: limit)
        #expect(page.modifications.count == min(limit, 5) && page.moreComing == isMore)
    }
}
