// What participants may do at the edges of a share, how shares are saved, and what their URLs tell.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ParticipantEdgesTests {
    /// Shares records of the first user's zone, each by itself, and has the second user accept.
    @discardableResult
    private static func accept(
        _ roots: [(name: String, permission: Share.Permission)], _ world: World
    ) async throws -> [Share] {
        var shares: [Share] = []
        for (name, permission) in roots {
            let share = try await world.shareList(permission, root: name)
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
            shares.append(share)
        }
        return shares
    }

    // MARK: Participants

    /// Of two shares one may only be read: nothing is moved out of it, and nothing into it.
    @Test func recordsStayBesideWhatMayOnlyBeRead() async throws {
        let world = try await World()
        try await world.putList()
        var crumb = record("crumb", in: world.zone)
        crumb.setParent(world.own("other"))
        try await world.mine.put(crumb)
        try await Self.accept([("list", .readOnly), ("other", .readWrite)], world)
        for (name, above, wanted) in [("milk", "list", "other"), ("crumb", "other", "list")] {
            var moved = try await world.bobs.record(for: world.theirs(name))
            moved.setParent(world.theirs(wanted))
            #expect(try world.bobs.outcomes(saving: [moved]) == [name: .permissionFailure])
            #expect(try await world.mine.record(for: world.own(name)).parent?.recordID == world.own(above))
        }
    }

    /// Nothing is told of records out of sight, but that their zone is.
    @Test func deletingWhatIsOutOfSight() async throws {
        let world = try await World()
        try await world.putList()
        #expect(try world.bobs.outcomes(deleting: [world.theirs("milk")]) == ["milk": .zoneNotFound])
        await fails(.zoneNotFound) { try await world.bobs.deleteRecordZone(withID: world.theirs) }
        try await Self.accept([("list", .readWrite)], world)
        let strict = try world.client(World.bob) { $0.requiresDeletedRecords = true }.sharedDatabase
        for name in ["other", "none"] {
            #expect(try world.bobs.outcomes(deleting: [world.theirs(name)]) == [name: nil])
            #expect(try strict.outcomes(deleting: [world.theirs(name)]) == [name: .unknownItem])
        }
        #expect(await world.mine.has("other", in: world.zone))
        #expect(await world.mine.has("milk", in: world.zone))
    }

    /// A participant shares nothing of another user, whatever the participant may write.
    @Test func onlyTheOwnerShares() async throws {
        let world = try await World()
        try await world.acceptList()
        let milk = try await world.bobs.record(for: world.theirs("milk"))
        let share = Share(root: milk, id: world.theirs("s"))
        let outcomes = try world.bobs.outcomes(saving: [milk, share.record])
        #expect(outcomes == ["milk": nil, "s": .permissionFailure])
        #expect(!(await world.mine.has("s", in: world.zone)))
    }

    /// Deleting a zone leaves all that is shared in it.
    @Test func aZoneIsLeftAsAWhole() async throws {
        let world = try await World()
        try await world.putList()
        let shares = try await Self.accept([("list", .readOnly), ("other", .readWrite)], world)
        try await world.bobs.deleteRecordZone(withID: world.theirs)
        #expect(try await world.bobs.allRecordZones().isEmpty)
        for share in shares {
            #expect(try await world.current(share).participants.last?.acceptanceStatus == .removed)
        }
    }

    /// What is saved as a whole is of one owner.
    @Test func aWholeBatchIsOfOneOwner() async throws {
        let world = try await World()
        try await world.acceptList()
        var milk = try await world.bobs.record(for: world.theirs("milk"))
        milk["name"] = "oat milk"
        var request = ModifyRequest(saves: [milk, record("r", in: RecordZone.ID("Z", ownerName: "_nobody"))])
        request.isWhole = true
        await fails(.invalidArguments) { [request] in try world.bobs.modify(request) }
        #expect(try await world.mine.record(for: world.own("milk"))["name"] == "milk")
    }

    /// What a participant saves in a transaction has to fit the store.
    @Test func recordsOfTransactionsHaveToFitTheStore() async throws {
        let world = try await World()
        try await world.acceptList()
        let small = try world.client(World.bob) { $0.limits.bytesPerStore = 50_000 }.sharedDatabase
        let text = String(repeating: "x", count: 100_000)
        await fails(.quotaExceeded) {
            try await small.write { transaction -> Void in
                var milk = try transaction.record(for: world.theirs("milk"))
                milk["name"] = .string(text)
                try transaction.save(milk)
            }
        }
        #expect(try await world.mine.record(for: world.own("milk"))["name"] == "milk")
    }

    // MARK: Shares

    /// One batch may end a share and begin another of the same record.
    @Test func aShareTakesThePlaceOfAnother() async throws {
        let world = try await World()
        try await world.putList()
        let old = try await world.shareList()
        let root = try await world.mine.record(for: world.own("list"))
        let new = Share(root: root, id: world.own("new"))
        let outcomes = try world.mine.outcomes(
            saving: [root, new.record], deleting: [old.id], atomically: true)
        #expect(outcomes == ["list": nil, "new": nil, old.id.recordName: nil])
        #expect(try await world.mine.record(for: root.id).share?.recordID == new.id)
        #expect(!(await world.mine.has(old.id.recordName, in: world.zone)))
    }

    /// An owner may name the own zone by the own name.
    @Test func theRootByTheNameOfItsOwner() async throws {
        let world = try await World()
        try await world.putList()
        let root = try await world.mine.record(for: world.own("list"))
        let share = Share(rootRecordID: world.theirs("list"), id: world.own("s"))
        #expect(try world.mine.outcomes(saving: [root, share.record]) == ["list": nil, "s": nil])
        #expect(try await world.current(share).rootRecordID == world.own("list"))
        #expect(try await world.mine.record(for: root.id).share?.recordID == share.id)
    }

    /// As many participants as may be are saved, the owner among them; what everyone may is never unknown.
    @Test func asManyParticipantsAsMayBe() async throws {
        let world = try await World()
        try await world.putList()
        let small = try world.client(World.alice) { $0.limits.participantsPerShare = 2 }.privateDatabase
        let root = try await small.record(for: world.own("list"))
        var share = Share(root: root)
        try share.add(.init(userRecordID: .init(World.bob)))
        share.publicPermission = .unknown
        let results = try await small.put(root, share.record)
        let saved = try #require(Share(results[1]))
        #expect(saved.participants.map(\.userRecordID.recordName) == [World.alice, World.bob])
        #expect(saved.publicPermission == Share.Permission.none)
    }

    // MARK: URLs

    @Test func whatAURLTells() async throws {
        let world = try await World()
        let share = try await world.acceptList(.readOnly)
        let url = try #require(share.url)
        let own = try await world.alice2.shareMetadata(for: url)
        #expect(own.participantRole == .owner && own.participantStatus == .accepted)
        #expect(own.participantPermission == .readWrite && own.zoneID == world.zone)
        let known = try await world.bob.shareMetadata(for: url)
        #expect(known.participantRole == .privateUser && known.participantStatus == .accepted)
        #expect(known.participantPermission == .readOnly)
        let other = try Container(identifier: "other", account: .user(World.bob))
        await fails(.badContainer) { try await other.accept(known) }
    }

    /// Accepting changes the share: by the participant, and not before what was there.
    @Test func acceptingIsAChange() async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList()
        let late = try world.client(World.bob) { $0.clock = { Date(timeIntervalSince1970: 1) } }
        try await late.accept(late.shareMetadata(for: #require(share.url)))
        let stored = try await world.mine.record(for: share.id)
        #expect(stored.lastModifiedUserRecordID?.recordName == World.bob)
        #expect(stored.creatorUserRecordID?.recordName == World.alice)
        #expect(stored.modificationDate == world.clock.now)
    }

    /// Who reads a share is kept with it.
    @Test func aShareThatIsCodedKnowsItsReader() async throws {
        let world = try await World()
        let share = try await world.acceptList()
        let seen = try #require(Share(try await world.bobs.record(for: world.theirs(share.id.recordName))))
        let again = try recoded(seen)
        #expect(again.currentUserParticipant?.userRecordID.recordName == World.bob)
        #expect(again.owner.userRecordID.recordName == World.alice)
    }
}
