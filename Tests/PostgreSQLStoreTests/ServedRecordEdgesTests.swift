// Records of servers: their parents in exports, their shares in migrations, their owners in transactions.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct ServedRecordEdgesTests {
    private static let zone = RecordZone.ID("Z")

    private static func record(_ name: String, in zoneID: RecordZone.ID = Self.zone) -> Record {
        Record(type: "T", id: Record.ID(name, zoneID: zoneID), fields: ["n": 1])
    }

    /// A parent is told where no field of the type is a list, so that nobody looks at the records before.
    @Test(arguments: [RecordFormat.ndjson, .json]) func exportsTellParents(_ format: RecordFormat) async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        let parent = Self.record("parent", in: .default)
        var child = Self.record("child", in: .default)
        child.setParent(parent.id)
        _ = try await container.privateDatabase.modifyRecords(saving: [parent, child], deleting: [])
        var bytes: [UInt8] = []
        try container.privateDatabase.withPortions(ofType: nil) { records throws(DatabaseError) in
            try RecordExport.write(records, as: format, options: RecordExport.Options()) { piece in
                bytes += piece
                piece = []
            }
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#"{"id":"parent","type":"T","n":1}"#), "\(text)")
        #expect(text.contains(#"{"id":"child","type":"T","$parent":{"reference":"parent""#), "\(text)")
    }

    /// The root of a share still names it when a migration has written the root again.
    @Test func rootsKeepTheirSharesInMigrations() async throws {
        let place = try ServerPlace()
        let container = try place.open()
        defer { container.close() }
        let database = container.privateDatabase
        try await database.save(RecordZone(id: Self.zone))
        let root = Self.record("root")
        let share = Share(root: root)
        _ = try await database.modifyRecords(saving: [root, share.record], deleting: [])
        #expect(try await database.record(for: root.id).share?.recordID == share.id)
        try await container.migrate([SchemaMigration("1") { $0.updateRecords(ofType: "T") { $0["n"] = 2 } }])
        let other = try place.open()
        defer { other.close() }
        for process in [container, other] {
            let found = try await process.privateDatabase.record(for: root.id)
            #expect(found["n"] == 2 && found.share?.recordID == share.id)
        }
    }

    /// Zones of one name that two owners share as wholes are two, also for a transaction that changed one of them.
    @Test func changesOfATransactionAreOfOneOwner() async throws {
        let container = try ServerPlace().open()
        defer { container.close() }
        func client(_ user: String) throws -> Container {
            try Container(sharing: container, account: .user(user), configuration: Configuration())
        }
        let (owners, guest) = (["_a11ce", "_ca401"], try client("_b0b"))
        for name in owners {
            let owner = try client(name)
            try await owner.privateDatabase.save(RecordZone(id: Self.zone))
            var share = Share(zoneID: Self.zone)
            try share.add(Share.Participant(userRecordID: Record.ID("_b0b"), permission: .readWrite))
            let request = ModifyRequest(saves: [Self.record("first"), share.record])
            let saved = try owner.privateDatabase.modify(request).saves.map { try $0.result.get() }
            let url = try #require(Share(saved[1])?.url)
            try await guest.accept(guest.shareMetadata(for: url))
        }
        let zones = owners.map { RecordZone.ID("Z", ownerName: $0) }
        let counts = try await guest.sharedDatabase.write { transaction in
            try transaction.save(Self.record("new", in: zones[0]))
            let each = try zones.map { try transaction.records(ofType: "T", in: .zone($0)).count }
            return each + [try transaction.records(ofType: "T").count]
        }
        #expect(counts == [2, 1, 3])
        #expect(try await guest.sharedDatabase.read { try $0.records(ofType: "T", in: .zone(zones[1])).count } == 1)
    }
}
