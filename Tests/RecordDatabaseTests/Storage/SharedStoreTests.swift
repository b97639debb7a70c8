// What is shared stays so when a container is opened again, whether the log or a checkpoint tells of it.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SharedStoreTests {
    @Test("Shares, moves, tokens and subscriptions of shared databases stay", arguments: [false, true])
    func stay(_ withCheckpoint: Bool) async throws {
        let folder = TemporaryFolder()
        let world = try await World(storedAt: folder.url)
        let share = try await world.acceptList()
        let known = try await world.bobs.recordZoneChanges(inZoneWith: world.theirs).changeToken
        let zones = try await world.bobs.databaseChanges().changeToken
        var milk = try await world.mine.record(for: world.own("milk"))
        milk.setParent(nil as Record.ID?)
        try await world.mine.put(milk)
        try await world.bobs.save(Subscription(databaseWithRecordType: nil, id: "all"))
        try await world.bobs.save(Subscription(zoneID: world.theirs, id: "gone"))
        try await world.bobs.deleteSubscription(withID: "gone")
        if withCheckpoint {
            try world.alice.client.store.checkpoint()
            try await world.mine.save(world.mine.record(for: world.own("bread")))
        }
        for container in [world.alice, world.alice2, world.bob, world.nobody] { container.close() }

        let again = try await World(storedAt: folder.url)
        #expect(try await again.current(share).url == share.url)
        #expect(try await again.mine.record(for: again.own("list")).share?.recordID == share.id)
        #expect(try await again.bobs.allRecordZones().map(\.id) == [again.theirs])
        let changes = try await again.bobs.recordZoneChanges(inZoneWith: again.theirs, since: known)
        #expect(changes.deletions.map(\.recordID.recordName).sorted() == ["milk", "note"])
        #expect(changes.modifications.map(\.id.recordName) == (withCheckpoint ? ["bread"] : []))
        #expect(try await again.bobs.databaseChanges(since: zones).modifications == [again.theirs])
        #expect(try await again.bobs.allSubscriptions().map(\.id) == ["all"])
        let reading = try again.client(World.bob) { _ in }.readNotifications()
        try await again.mine.save(again.mine.record(for: again.own("bread")))
        #expect(reading.takeWaiting().map(\.subscriptionID) == ["all"])
        #expect(try Container.verify(storedAt: folder.url) == [])
    }

    @Test("A commit without anything of shares has the form that older versions wrote and read")
    func olderForm() throws {
        var commit = Commit(
            origin: DatabaseOrigin(container: "c", scope: .private, user: "_a"), client: 1, userName: "_a",
            date: Date(timeIntervalSinceReferenceDate: 0))
        let id = Record.ID("r", zoneID: .init("Z"))
        commit.saves = [
            Commit.Save(
                id: id, type: "T", fields: [:], isNew: true, change: 1,
                parent: .some(RecordReference(recordID: Record.ID("p", zoneID: id.zoneID))))
        ]
        var (plain, shared) = (BinaryWriter(), BinaryWriter())
        try commit.write(to: &plain)
        commit.sharing.moves = [ShareMove(id: id, recordType: "T", from: "s", to: nil, change: 1)]
        try commit.write(to: &shared)
        #expect(shared.bytes.starts(with: plain.bytes) && shared.bytes.count > plain.bytes.count)
        let read = try Commit(binary: plain.bytes)
        #expect(read.sharing.isEmpty && read.saves[0].share == nil && read.saves[0].parent == commit.saves[0].parent)
        #expect(try Commit(binary: shared.bytes).sharing.moves == commit.sharing.moves)
        // No part of it, and nothing else in its place, can be taken for a commit of another meaning, or trap.
        for length in plain.bytes.count + 1..<shared.bytes.count {
            #expect(throws: BinaryError.self) { try Commit(binary: Array(shared.bytes.prefix(length))) }
        }
        #expect(throws: BinaryError.self) { try Commit(binary: plain.bytes + [255, 255, 255, 255]) }
    }
}
