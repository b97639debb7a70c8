// Records that go out of shares together, one after another, or out of two of them: each is told once, in its order.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct SharedMoveEdgesTests {
    private static func move(
        _ name: String, below parent: String?, in database: Database, _ world: World
    ) async throws {
        var moved = try await database.record(for: world.own(name))
        moved.setParent(parent.map { world.own($0) })
        try await database.put(moved)
    }

    /// Records that are deleted in one batch are told one by one.
    @Test func deletionsOfOneBatchAreToldOneByOne() async throws {
        let world = try await World()
        try await world.acceptList()
        let token = try world.bobs.changes(in: world.theirs).token
        let gone = try world.mine.outcomes(deleting: [world.own("note"), world.own("bread")])
        #expect(gone == ["note": nil, "bread": nil])
        let told = try world.bobs.changes(in: world.theirs, since: token, limit: 1).entries
        #expect(told.sorted() == ["-bread", "-note"])
    }

    /// A record that is deleted is one that went, and no more: as many are remembered as were deleted.
    @Test func aDeletionIsOneMove() async throws {
        let world = try await World()
        try await world.acceptList()
        // Up to four moves are kept.
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 2 }.privateDatabase
        let token = try world.bobs.changes(in: world.theirs).token
        for name in ["note", "bread", "milk"] { try await few.deleteRecord(withID: world.own(name)) }
        let told = try world.bobs.changes(in: world.theirs, since: token).entries
        #expect(told.sorted() == ["-bread", "-milk", "-note"])
    }

    /// Who reads from the beginning misses nothing that was forgotten before, page by page.
    @Test func whatWasForgottenBeforeIsNotMissed() async throws {
        let world = try await World()
        let share = try await world.acceptList()
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 0 }.privateDatabase
        for parent in [nil, "milk"] as [String?] { try await Self.move("note", below: parent, in: few, world) }
        let told = try world.bobs.changes(in: world.theirs, limit: 1).entries
        #expect(told.sorted() == ["+\(share.id.recordName)", "+bread", "+list", "+milk", "+note"].sorted())
    }

    /// What is below a record goes out of a share with it, and comes back with it, however deep it is.
    @Test func allBelowGoesAlong() async throws {
        let world = try await World()
        try await world.acceptList()
        for (name, parent) in [("crumb", "note"), ("grain", "crumb")] {
            var item = record(name, in: world.zone)
            item.setParent(world.own(parent))
            try await world.mine.put(item)
        }
        var token = try world.bobs.changes(in: world.theirs).token
        for (parent, mark) in [(nil, "-"), ("list", "+")] as [(String?, String)] {
            try await Self.move("milk", below: parent, in: world.mine, world)
            let told = try world.bobs.changes(in: world.theirs, since: token)
            #expect(told.entries.sorted() == ["crumb", "grain", "milk", "note"].map { mark + $0 })
            token = told.token
        }
    }

    /// The others are told of a record that somebody deleted who left the share in the same batch.
    @Test(arguments: [true, false])
    func theOthersAreToldWhatOneWhoLeftDeleted(_ isLast: Bool) async throws {
        let world = try await World()
        try await world.putList()
        let carol = try world.client("_ca401") { _ in }
        var share = try await world.shareList()
        try share.add(.init(userRecordID: Record.ID("_ca401"), permission: .readWrite))
        let url = try #require(Share(try await world.mine.save(share.record))?.url)
        for client in [world.bob, carol] { try await client.accept(client.shareMetadata(for: url)) }
        let token = try carol.sharedDatabase.changes(in: world.theirs).token
        let name = share.id.recordName
        let names = isLast ? ["bread", name] : [name, "bread"]
        #expect(try world.bobs.outcomes(deleting: names.map { world.theirs($0) }) == ["bread": nil, name: nil])
        #expect(try await world.bobs.allRecordZones().isEmpty)
        let told = try carol.sharedDatabase.changes(in: world.theirs, since: token).entries
        #expect(told.filter { $0.hasPrefix("-") } == ["-bread"])
    }

    /// A record that left two shares is told when it left the second one.
    @Test(arguments: [["list", "other"], ["other", "list"]])
    func aRecordThatLeftTwoShares(_ roots: [String]) async throws {
        let world = try await World()
        try await world.putList()
        for root in roots {
            let share = try await world.shareList(root: root)
            try await world.bob.accept(world.bob.shareMetadata(for: #require(share.url)))
        }
        let token = try world.bobs.changes(in: world.theirs).token
        try await Self.move("note", below: "other", in: world.mine, world)
        try await world.mine.deleteRecord(withID: world.own("bread"))
        try await Self.move("note", below: nil, in: world.mine, world)
        let told = try world.bobs.changes(in: world.theirs, since: token, limit: 1).entries
        #expect(told == ["-bread", "-note"])
    }
}
