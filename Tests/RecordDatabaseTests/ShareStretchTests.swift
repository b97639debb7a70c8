// What readers of shared databases are told, and when: stretches, limits, shares that end.

import Foundation
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct ShareStretchTests {
    /// A second share of a zone is read from its first record on, and what was read of the first is not told again.
    @Test(arguments: 1...4) func aShareThatCameLaterIsReadByItself(limit: Int) async throws {
        let world = try await World()
        // The records of the second share are older than those of the first.
        try await world.mine.put(record("other", in: world.zone))
        for (name, parent) in [("crumb", "other"), ("list", nil), ("milk", "list")] as [(String, String?)] {
            var item = record(name, in: world.zone)
            item.setParent(parent.map(world.own))
            try await world.mine.put(item)
        }
        let first = try await world.shareList()
        try await world.bob.accept(world.bob.shareMetadata(for: #require(first.url)))
        let known = try world.bobs.changes(in: world.theirs)
        #expect(Set(known.entries) == ["+list", "+milk", "+\(first.id.recordName)"])
        let second = try await world.shareList(root: "other")
        try await world.bob.accept(world.bob.shareMetadata(for: #require(second.url)))
        let told = try world.bobs.changes(in: world.theirs, since: known.token, limit: limit)
        #expect(told.entries == ["+crumb", "+other", "+\(second.id.recordName)"])
        #expect(try world.bobs.changes(in: world.theirs, since: told.token, limit: limit).entries == [])
    }

    /// Zones that went and zones that came share the limit of one stretch.
    @Test(arguments: [(1, [1, 1, 0]), (2, [2, 0])] as [(Int, [Int])])
    func zonesOfAStretchAreAsManyAsWanted(limit: Int, counts: [Int]) async throws {
        let world = try await World()
        let share = try await world.acceptList()
        var token = try await world.bobs.databaseChanges().changeToken
        try await world.mine.deleteRecord(withID: share.id)
        try await world.mine.save(RecordZone(id: .init("Y")))
        var whole = Share(zoneID: .init("Y"))
        whole.publicPermission = .readOnly
        let url = try #require(Share(try await world.mine.save(whole.record))?.url)
        try await world.bob.accept(world.bob.shareMetadata(for: url))
        var (came, went): ([RecordZone.ID], [RecordZone.ID]) = ([], [])
        for (number, count) in counts.enumerated() {
            let changes = try await world.bobs.databaseChanges(since: token, resultsLimit: limit)
            #expect(changes.modifications.count + changes.deletions.count == count)
            #expect(changes.moreComing == (number < counts.count - 2))
            (came, went, token) = (came + changes.modifications, went + changes.deletions, changes.changeToken)
        }
        #expect(came == [RecordZone.ID("Y", ownerName: World.alice)] && went == [world.theirs])
    }

    /// Of several zones that went, those behind the limit come with the next stretch.
    @Test func moreZonesWentThanAStretchHas() async throws {
        let world = try await World()
        let list = try await world.acceptList()
        try await world.mine.save(RecordZone(id: .init("Y")))
        var whole = Share(zoneID: .init("Y"))
        whole.publicPermission = .readOnly
        whole = try #require(Share(try await world.mine.save(whole.record)))
        try await world.bob.accept(world.bob.shareMetadata(for: #require(whole.url)))
        var token = try await world.bobs.databaseChanges().changeToken
        for id in [list.id, whole.id] { try await world.mine.deleteRecord(withID: id) }
        for (zone, isMore) in [("Y", true), ("Z", false)] {
            let changes = try await world.bobs.databaseChanges(since: token, resultsLimit: 1)
            #expect(changes.deletions == [RecordZone.ID(zone, ownerName: World.alice)])
            #expect(changes.modifications.isEmpty && changes.moreComing == isMore)
            token = changes.changeToken
        }
    }

    /// Records that came into a share and left it are remembered as deletions are: so many, and then tokens expire.
    @Test func movesAreForgotten() async throws {
        let world = try await World()
        try await world.acceptList()
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 2 }.privateDatabase
        var tokens = [try world.bobs.changes(in: world.theirs).token]
        for parent in [nil, "list", nil, "list"] as [String?] {
            var note = try await few.record(for: world.own("note"))
            note.setParent(parent.map(world.own))
            try await few.put(note)
            tokens.append(try world.bobs.changes(in: world.theirs).token)
        }
        // Four moves are kept before any goes; with the fifth three are forgotten.
        #expect(try world.bobs.changes(in: world.theirs, since: tokens[0]).entries == ["+note"])
        var note = try await few.record(for: world.own("note"))
        note.setParent(nil as Record.ID?)
        try await few.put(note)
        for place in tokens.indices {
            if place < 3 {
                await fails(.changeTokenExpired) {
                    try await world.bobs.recordZoneChanges(inZoneWith: world.theirs, since: tokens[place])
                }
            } else {
                #expect(try world.bobs.changes(in: world.theirs, since: tokens[place]).entries == ["-note"])
            }
        }
    }

    /// Whoever watches a shared database is told when the last share of another one ends, and of nothing before there
    /// is one.
    @Test func theEndOfTheLastShareIsTold() async throws {
        let world = try await World()
        let told = Mutex(0)
        let readers = world.alice.client.store.sharedReaders
        let share = try await world.acceptList()
        let number = readers.add { told.withLock { $0 += 1 } }
        defer { readers.remove(number) }
        try await world.bob.privateDatabase.put(record("own"))
        #expect(told.withLock { $0 } == 0)
        try await world.mine.deleteRecord(withID: share.id)
        #expect(told.withLock { $0 } == 1)
        try await world.mine.put(record("unseen", in: world.zone))
        #expect(told.withLock { $0 } == 1)
    }

    /// As many take part as may, the owner among them: the last who may accepts, and the next is refused.
    @Test func participantsWhoComeByTheURLAreCounted() async throws {
        let world = try await World()
        try await world.putList()
        let url = try #require(try await world.shareList(.none, publicly: .readOnly).url)
        for (user, mayAccept) in [(World.bob, true), ("_ca401", true), ("_da4e", false), (World.bob, true)] {
            let client = try world.client(user) { $0.limits.participantsPerShare = 3 }
            let metadata = try await client.shareMetadata(for: url)
            if mayAccept {
                try await client.accept(metadata)
            } else {
                await fails(.tooManyParticipants) { try await client.accept(metadata) }
            }
        }
    }
}
