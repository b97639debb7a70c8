// Shares at their edges: who comes back, what goes together, and what is still known when a store is opened elsewhere.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ShareEdgeTests {
    /// Who has left may be added again, with another permission.
    @Test func whoHasLeftMayBeAddedAgain() async throws {
        let world = try await World()
        let share = try await world.acceptList(.readOnly)
        try await world.bobs.deleteRecord(withID: world.theirs(share.id.recordName))
        var left = try await world.current(share)
        try left.add(.init(userRecordID: .init(World.bob), permission: .readWrite))
        #expect(left.participants.map(\.userRecordID.recordName) == [World.alice, World.bob])
        let saved = try #require(Share(try await world.mine.save(left.record)))
        #expect(saved.participants.count == 2 && saved.participants.last?.acceptanceStatus == .pending)
        await fails(.participantAlreadyInvited) {
            var saved = saved
            return try saved.add(.init(userRecordID: .init(World.bob)))
        }
        try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
        try await world.bobs.save(world.bobs.record(for: world.theirs("milk")))
    }

    /// The owner stays, whoever is removed.
    @Test func theOwnerIsNotRemoved() throws {
        var share = Share(zoneID: RecordZone.ID("Z"))
        // The name of a user is the rest of what a share holds of a participant, blanks and all.
        let names = ["_ann", "_ann  lee", "_a b c d e f"]
        for name in names { try share.add(.init(userRecordID: Record.ID(name))) }
        #expect(share.participants.dropFirst().map(\.userRecordID.recordName) == names)
        for participant in share.participants { share.remove(participant) }
        #expect(share.participants == [share.owner] && share.owner.role == .owner)
    }

    /// A root that goes in one batch with its share is not saved again for having no share any more.
    @Test func aRootGoesWithItsShare() async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList(root: "note")
        let token = try world.mine.changes(in: world.zone).token
        let outcomes = try world.mine.outcomes(deleting: [share.id, world.own("note")], atomically: true)
        #expect(outcomes == [share.id.recordName: nil, "note": nil])
        let told = try world.mine.changes(in: world.zone, since: token).entries
        #expect(told.sorted() == ["-\(share.id.recordName)", "-note"].sorted())
        #expect(!(await world.mine.has("note", in: world.zone)))
    }

    /// A token of what is shared is one of a history, as any other.
    @Test(arguments: ["incarnation", "position"]) func tokensOfAnotherHistoryExpire(_ part: String) async throws {
        let world = try await World()
        try await world.acceptList()
        let token = try world.bobs.changes(in: world.theirs).token
        var fields = try #require(
            JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any])
        if part == "position" { fields[part] = 1_000_000 } else { fields[part] = "another" }
        let other = try JSONDecoder().decode(
            ChangeToken.self, from: JSONSerialization.data(withJSONObject: fields))
        await fails(.changeTokenExpired) {
            try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: other)
        }
        #expect(try world.bobs.changes(in: world.theirs, since: token).entries == [])
    }

    /// That records left a share and are not remembered is still known when the store is opened again.
    @Test func whatWasForgottenStaysForgotten() async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url) { $0.limits.deletionsPerZone = 0 }
        try await world.acceptList()
        let token = try world.bobs.changes(in: world.theirs).token
        for parent in [nil, "list", nil] as [String?] {
            var note = try await world.mine.record(for: world.own("note"))
            note.setParent(parent.map(world.own))
            try await world.mine.put(note)
        }
        var note = try await world.mine.record(for: world.own("note"))
        note.setParent(world.own("list"))
        try await world.mine.put(note)
        await fails(.changeTokenExpired) {
            try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: token)
        }
        try await world.alice.checkpoint()
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
        let again = try await World(storedAt: folder.url) { $0.limits.deletionsPerZone = 0 }
        await fails(.changeTokenExpired) {
            try await again.bobs.recordZoneChanges(inZoneWith: again.theirs, since: token)
        }
    }

    /// A root that was saved with a file and its share at once still names the share where the store is opened in
    /// another folder, with the change in its log.
    @Test func aRootWithAFileKeepsItsShareInACopy() async throws {
        let (folder, copy) = (TemporaryFolder(), TemporaryFolder())
        let scratch = try AssetRules.Scratch()
        let world = try await World(storedAt: folder.url)
        let file = try Asset(fileURL: scratch.file("a", Data("bytes".utf8)))
        let root = record("root", in: world.zone, ["file": .asset(file)])
        let share = Share(root: root)
        try await world.mine.put(root, share.record)
        #expect(try await world.mine.record(for: root.id).share?.recordID == share.id)
        try await world.alice.backUp(to: copy.url)
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }
        let moved = try await World(storedAt: copy.url)
        let found = try await moved.mine.record(for: root.id)
        #expect(found.share?.recordID == share.id)
        let asset: Asset = try #require(found["file"])
        #expect(asset.path.hasPrefix(copy.path))
    }

    /// What makes the URL is the database's: an owner who writes something else into the share changes nothing.
    @Test(arguments: SavePolicy.allCases) func theURLOfAShareStays(_ policy: SavePolicy) async throws {
        let world = try await World()
        try await world.putList()
        let share = try await world.shareList()
        let url = try #require(share.url)
        var sent = try await world.current(share)
        sent["cloudkit.token"] = "x"
        sent.title = "Food"
        let saved = try #require(Share(try await world.mine.put(sent.record, policy: policy)[0]))
        #expect(saved.url == url && saved.title == "Food")
        #expect(try await world.current(share).url == url)
        try await world.bob.accept(world.bob.shareMetadata(for: url))
    }

    /// To a participant the placeholder is the participant: it names no record of the owner as a parent.
    @Test func thePlaceholderIsNotTheOwner() async throws {
        let world = try await World()
        try await world.acceptList()
        for (parent, code) in [(world.own("list"), .invalidArguments), (world.theirs("list"), nil)]
            as [(Record.ID, DatabaseError.Code?)]
        {
            var new = record("new", in: world.theirs)
            new.setParent(parent)
            #expect(try world.bobs.outcomes(saving: [new]) == ["new": code])
            #expect(await world.mine.has("new", in: world.zone) == (code == nil))
        }
    }
}
