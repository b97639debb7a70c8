// What nobody needs any more goes, and nothing else.

import Campaigns
import Foundation
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock)
struct SweepTests {
    /// Rows of each table that are old, and rows that are not.
    private static func fill(_ place: ServerPlace) throws {
        for (age, number) in [("40 days", 1), ("1 minute", 2)] {
            try place.run("INSERT INTO client VALUES (\(number), '', 1, now() - interval '\(age)')")
            try place.run("INSERT INTO batch VALUES (1, \(number), 1, '', '', now() - interval '\(age)')")
            try place.run(
                "INSERT INTO notice VALUES (1, 1000000, \(number), 'u', 1, 1, '', now() - interval '\(age)')")
            try place.run("INSERT INTO asset VALUES ('d\(number)', 0, 'x', now() - interval '\(age)')")
        }
    }

    private static func left(_ place: ServerPlace) throws -> [Int64?] {
        try [
            "client WHERE number IN (1, 2)", "batch WHERE process IN (1, 2)", "notice WHERE user_name = 'u'", "asset",
        ].map { try place.number("SELECT count(*) FROM \($0)") }
    }

    @Test func oldThingsGoAfterACommit() async throws {
        let place = try ServerPlace()
        let database = try place.open().privateDatabase
        try Self.fill(place)
        // The container was made just now: nobody sweeps yet.
        try await database.save(Record(type: "T", id: Record.ID("a")))
        #expect(try Self.left(place) == [2, 2, 2, 2])
        try place.run("UPDATE sweep SET last = now() - interval '11 minutes'")
        let other = try place.open().privateDatabase
        try await other.save(Record(type: "T", id: Record.ID("b")))
        while try Self.left(place) != [1, 1, 1, 1] { try await Task.sleep(for: .milliseconds(20)) }
        #expect(try place.number("SELECT count(*) FROM sweep WHERE last > now() - interval '1 minute'") == 1)
        #expect(try place.number("SELECT count(*) FROM \"r_T\"") == 2)
    }

    @Test func oldThingsGoWhenThatIsRequested() throws {
        let place = try ServerPlace()
        try place.open().close()
        try Self.fill(place)
        let nodes = Nodes(identifier: place.identifier, connectingTo: place.server.address)
        // It need not be due: the container was made just now.
        for count in [1, 0] {
            var told: [Swept] = []
            try nodes.sweep { _, swept in told.append(swept) }
            #expect(told == [Swept(notices: count, commits: count, batches: count, records: 0, assets: count)])
            #expect(try Self.left(place) == [1, 1, 1, 1])
        }
    }

    @Test("An asset of several parts is one asset")
    func partsAreOfOneAsset() throws {
        let place = try ServerPlace()
        try place.open().close()
        try place.run("INSERT INTO asset SELECT 'd', p, 'x', now() - interval '2 hours' FROM generate_series(0, 2) p")
        var told: [Swept] = []
        try Nodes(identifier: place.identifier, connectingTo: place.server.address).sweep { told.append($1) }
        #expect(told.map(\.assets) == [1])
        #expect(try place.number("SELECT count(*) FROM asset") == 0)
    }

    @Test("A zone whose rows are not all gone when others are to go on is remembered")
    func sweepsThatAreBrokenOff() async throws {
        let place = try ServerPlace()
        let (database, zone) = (try place.open().privateDatabase, RecordZone.ID("Z"))
        try await database.save(RecordZone(id: zone))
        try await database.save(Record(type: "T", id: Record.ID("a", zoneID: zone)))
        // Two portions, and one row more.
        try place.run(
            """
            INSERT INTO "r_T" SELECT (jsonb_populate_record(t, jsonb_build_object('_n', 'n' || i))).*
            FROM "r_T" t, generate_series(1, 10000) i WHERE t._n = 'a'
            """)
        try await database.deleteRecordZone(withID: zone)
        let connection = try Connection(ConnectionString(place.server.address))
        let path = Statement.name(Layout.schemaName(of: place.identifier))
        try connection.run(Statement("SET search_path = \(path)"))
        for (isToEnd, swept, left, zones) in [(true, 5_000, 5_001, 1), (false, 5_001, 0, 0)]
            as [(Bool, Int, Int64, Int64)]
        {
            let dropped = DroppedZones(connection: connection, isToEnd: { isToEnd })
            #expect(try dropped.sweep() == swept)
            #expect(try place.number("SELECT count(*) FROM \"r_T\"") == left)
            #expect(try place.number("SELECT count(*) FROM dropped_zone") == zones)
        }
    }
}
