// Statements that a server keeps for a connection: more kinds of queries than it keeps, and tables that grow.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct KeptStatementTests {
    private static func records(_ numbers: Range<Int>) -> [Record] {
        numbers.map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["n": .int64(Int64($0))]) }
    }

    private static func open(_ place: ServerPlace) throws -> Container {
        try Container(
            identifier: place.identifier,
            on: PostgreSQLContainer(
                identifier: place.identifier, connectingTo: place.server.address, connectionCount: 1),
            account: .localUser, configuration: Configuration())
    }

    private static func save(_ records: [Record], _ database: Database) throws {
        for (_, result) in try database.modify(ModifyRequest(saves: records)).saves { _ = try result.get() }
    }

    @Test func moreKindsOfQueriesThanAreKept() throws {
        let place = try ServerPlace()
        let container = try Self.open(place)
        let database = container.privateDatabase
        try Self.save(Self.records(0..<100), database)
        for round in 0..<3 {
            for count in 1...80 {
                // Each count is another statement.
                let numbers = (0..<count).map { $0 * 7 % 100 + round }
                let text = numbers.map { _ in "n == %d" }.joined(separator: " OR ")
                let predicate = try RecordPredicate(format: text, arguments: numbers.map { .int64(Int64($0)) })
                let found = try database.countNow(Query("T", predicate), in: .all)
                #expect(found == Set(numbers).filter { $0 < 100 * (round + 1) }.count)
            }
            try Self.save(Self.records((100 * (round + 1))..<(100 * (round + 2))), database)
            #expect(try database.fetch([Record.ID("r\(100 * round + 5)")]).count == 1)
        }
    }

    @Test func plansFollowTheTables() throws {
        let place = try ServerPlace()
        let database = try Self.open(place).privateDatabase
        try Self.save(Self.records(0..<1), database)
        _ = try database.fetch([Record.ID("r0")])
        // The plan that the connection has by now is that of a table with one record.
        for start in stride(from: 1, to: 20_000, by: 250) {
            try Self.save(Self.records(start..<(start + 250)), database)
        }
        let before = try Self.rowsRead(place, database)
        for number in 0..<50 {
            let id = Record.ID("r\(number * 100)")
            #expect(try database.fetch([id])[id]?.get()["n"] == .int64(Int64(number * 100)))
        }
        let rows = try Self.rowsRead(place, database) - before
        #expect(rows < 20_000, "\(rows)")
    }

    /// Rows that were read as parts of the whole table. A server tells once a second, at the end of a transaction.
    private static func rowsRead(_ place: ServerPlace, _ database: Database) throws -> Int64 {
        usleep(1_200_000)
        _ = try database.fetch([Record.ID("r0")])
        usleep(200_000)
        return try place.number(
            "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'r_T' AND schemaname = current_schema") ?? 0
    }
}
