// What changed, told in stretches: ends of stretches, deletions that are forgotten, zones that are made again.

import Foundation
import Testing

@testable import RecordDatabase

@Suite struct ChangeStretchTests {
    private static func delete(_ names: [String], in zone: RecordZone.ID, _ database: Database) async throws {
        _ = try await database.modifyRecords(saving: [], deleting: names.map { Record.ID($0, zoneID: zone) })
    }

    /// Stretches that deletions fill exactly, and such that one is left over.
    @Test(arguments: [1, 2, 3, 5, 8], [1, 2, 4])
    func deletionsComeInStretches(count: Int, limit: Int) async throws {
        let world = try await World()
        let names = (0..<count).map { "r\($0)" }
        _ = try await world.mine.modifyRecords(saving: names.map { record($0, in: world.zone) }, deleting: [])
        let token = try world.mine.changes(in: world.zone).token
        try await Self.delete(names, in: world.zone, world.mine)
        let told = try world.mine.changes(in: world.zone, since: token, limit: limit)
        #expect(told.entries == names.map { "-\($0)" })
        #expect(try world.mine.changes(in: world.zone, since: told.token, limit: limit).entries == [])
    }

    /// Saves and deletions by turns: each is told once, wherever a stretch ends.
    @Test(arguments: 1...7) func savesAndDeletionsComeInOneOrder(limit: Int) async throws {
        let world = try await World()
        let names = ["a", "b", "c"]
        _ = try await world.mine.modifyRecords(saving: names.map { record($0, in: world.zone) }, deleting: [])
        let token = try world.mine.changes(in: world.zone).token
        for name in names {
            try await Self.delete([name], in: world.zone, world.mine)
            try await world.mine.put(record("new-\(name)", in: world.zone))
        }
        let told = try world.mine.changes(in: world.zone, since: token, limit: limit).entries
        #expect(told.sorted() == ["+new-a", "+new-b", "+new-c", "-a", "-b", "-c"])
        // One by one they come in the order in which they happened.
        if limit == 1 { #expect(told == ["-a", "+new-a", "-b", "+new-b", "-c", "+new-c"]) }
    }

    /// A record that was deleted twice: its first deletion is forgotten, and the second one is not.
    @Test func theLastDeletionOfARecordIsTold() async throws {
        let world = try await World()
        let zone = world.zone
        let few = try world.client(World.alice) { $0.limits.deletionsPerZone = 4 }.privateDatabase
        let names = ["again", "a", "b", "c", "d", "e", "f"]
        _ = try await few.modifyRecords(saving: names.map { record($0, in: zone) }, deleting: [])
        for name in ["again", "a", "b", "c"] { try await Self.delete([name], in: zone, few) }
        try await few.put(record("again", in: zone))
        let token = try few.changes(in: zone).token
        // With the eighth deletion the first four are forgotten.
        for name in ["again", "d", "e", "f"] { try await Self.delete([name], in: zone, few) }
        #expect(try few.changes(in: zone, since: token).entries == ["-again", "-d", "-e", "-f"])
    }

    /// A reader who begins is not told of zones that were gone by then, on no stretch.
    @Test(arguments: 1...3) func zonesThatWentBeforeTheFirstStretchAreNotTold(limit: Int) async throws {
        let world = try await World()
        let (x, y) = (RecordZone.ID("X"), RecordZone.ID("Y"))
        for zone in [x, y] { try await world.mine.save(RecordZone(id: zone)) }
        try await world.mine.deleteRecordZone(withID: x)
        var (made, gone): ([RecordZone.ID], [RecordZone.ID]) = ([], [])
        var token: ChangeToken?
        var isLast = false
        while !isLast {
            let stretch = try await world.mine.databaseChanges(since: token, resultsLimit: limit)
            #expect(stretch.modifications.count + stretch.deletions.count <= limit)
            made += stretch.modifications
            gone += stretch.deletions
            (token, isLast) = (stretch.changeToken, !stretch.moreComing)
        }
        #expect(made == [world.zone, y] && gone == [])
        try await world.mine.deleteRecordZone(withID: y)
        let later = try await world.mine.databaseChanges(since: token)
        #expect(later.modifications == [] && later.deletions == [y])
    }

    // MARK: Zones that are made again

    /// To whoever knew a zone of the name, it is there.
    @Test(arguments: [false, true]) func aZoneThatIsMadeAgainIsNotToldAsDeleted(isPurged: Bool) async throws {
        let world = try await World()
        let token = try await world.mine.databaseChanges().changeToken
        if isPurged {
            try await world.mine.purgeRecordZone(withID: world.zone)
        } else {
            try await world.mine.deleteRecordZone(withID: world.zone)
        }
        let gone = try await world.mine.databaseChanges(since: token)
        #expect(gone.deletions == [world.zone] && gone.purges == (isPurged ? [world.zone] : []))
        try await world.mine.save(RecordZone(id: world.zone))
        for since in [token, gone.changeToken] {
            let changes = try await world.mine.databaseChanges(since: since)
            #expect(changes.modifications == [world.zone] && changes.deletions == [] && changes.purges == [])
        }
    }

    /// What records of the earlier zone referred to holds nothing in the next one.
    @Test func referencesOfAnEarlierZoneCountNoMore() async throws {
        let world = try await World()
        let zone = world.zone
        let (parent, owner) = (Record.ID("parent", zoneID: zone), Record.ID("owner", zoneID: zone))
        var child = record("child", in: zone)
        child.setParent(parent)
        let held = record("held", in: zone, ["to": .reference(RecordReference(recordID: owner, action: .deleteSelf))])
        try await world.mine.put(record("parent", in: zone), record("owner", in: zone), child, held)
        await fails(.referenceViolation) { try await world.mine.deleteRecord(withID: parent) }
        try await world.mine.deleteRecordZone(withID: zone)
        try await world.mine.save(RecordZone(id: zone))
        let names = ["parent", "owner", "child", "held"]
        _ = try await world.mine.modifyRecords(saving: names.map { record($0, in: zone) }, deleting: [])
        try await world.mine.deleteRecord(withID: parent)
        try await world.mine.deleteRecord(withID: owner)
        #expect(await world.mine.has("child", in: zone))
        #expect(await world.mine.has("held", in: zone))
    }
}
