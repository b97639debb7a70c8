// What is counted, logged and dated of the work on servers, and how many zones a stretch of their list has.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ServerActivityTests {
    private static let zone = RecordZone.ID("Z")
    private static let late = Date(timeIntervalSince1970: 2_000_000_000)
    private static let early = Date(timeIntervalSince1970: 1_000_000_000)

    /// A query is counted once, and told to the log with what it found, also where the server decides each row.
    @Test func queriesAreCountedAndLogged() async throws {
        let found = Mutex<[Int]>([])
        var configuration = Configuration()
        configuration.slowQueryTime = .zero
        configuration.log = { message in
            if case .slowQuery(let query) = message.event { found.withLock { $0.append(query.found) } }
        }
        let container = try ServerPlace().open(configuration)
        defer { container.close() }
        let database = container.privateDatabase
        for number in 0..<3 {
            try await database.save(
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number))]))
        }
        let before = container.activity
        let page = try await database.recordPage(matching: Query("T", "n > 0"), in: .default)
        #expect(page.matchResults.count == 2)
        #expect(container.activity.since(before).queries == 1)
        #expect(found.withLock { $0 } == [2])
    }

    /// Accepting a share is a commit, and accepting it once more is none.
    @Test func acceptingIsCounted() async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        func client(_ user: String) throws -> Container {
            try Container(sharing: container, account: .user(user), configuration: Configuration())
        }
        let (owner, guest) = (try client("_a11ce"), try client("_b0b"))
        try await owner.privateDatabase.save(RecordZone(id: Self.zone))
        var share = Share(zoneID: Self.zone)
        try share.add(Share.Participant(userRecordID: Record.ID("_b0b"), permission: .readOnly))
        let saved = try #require(Share(try await owner.privateDatabase.save(share.record)))
        let metadata = try await guest.shareMetadata(for: #require(saved.url))
        let before = container.activity
        for _ in 0..<2 {
            try await guest.accept(metadata)
            let done = container.activity.since(before)
            #expect(done.commits == 1 && done.savedRecords == 1)
        }
    }

    /// The record of a user is not dated before what is there.
    @Test func usersAreNotMadeBeforeOthers() async throws {
        var configuration = Configuration()
        configuration.clock = { Self.late }
        let container = try ServerPlace().open(configuration)
        defer { container.close() }
        configuration.clock = { Self.early }
        let second = try Container(sharing: container, account: .user("_b0b"), configuration: configuration)
        let user = try await second.publicDatabase.record(for: Record.ID("_b0b"))
        #expect(user.creationDate == Self.late)
    }

    /// A reset of encrypted values is not dated before what it takes away.
    @Test func resetsAreNotBeforeTheirValues() async throws {
        var configuration = Configuration()
        configuration.encryptionKeys = MemoryKeys()
        configuration.clock = { Self.late }
        let container = try ServerPlace().open(configuration)
        defer { container.close() }
        var note = Record(type: "Note", id: Record.ID("a"))
        note.encryptedValues["text"] = "secret"
        try await container.privateDatabase.save(note)
        configuration.clock = { Self.early }
        let second = try Container(sharing: container, account: .localUser, configuration: configuration)
        try await second.resetEncryptedData()
        let left = try await container.privateDatabase.record(for: note.id)
        #expect(left.encryptedValues.isEmpty && left.modificationDate == Self.late)
    }

    /// Zones that went count for a stretch of the list as others do, on whatever nodes they were.
    @Test func deletedZonesOfSeveralNodesAreToldInStretches() throws {
        let container = try NodePlace().open()
        defer { container.close() }
        let database = container.privateDatabase
        let zones = (0..<24).map { RecordZone.ID("Z\($0)") }
        let made = try database.modifyZones(saving: zones.map { RecordZone(id: $0) }, deleting: [])
        for (_, result) in made.saves { _ = try result.get() }
        var token = try database.zoneList(since: nil, limit: 100).changeToken
        let deleted = try database.modifyZones(saving: [], deleting: zones)
        for (_, result) in deleted.deletes { try result.get() }
        var gone: [RecordZone.ID] = []
        while true {
            let page = try database.zoneList(since: token, limit: 5)
            #expect(page.modifications.isEmpty && page.deletions.count <= 5)
            gone += page.deletions
            token = page.changeToken
            if !page.moreComing { break }
        }
        #expect(gone.count == 24 && Set(gone) == Set(zones))
    }
}
