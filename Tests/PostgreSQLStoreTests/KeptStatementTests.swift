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
        numbers.map {
            Record(
                type: "T", id: Record.ID("r\($0)"), fields: ["n": .int64(Int64($0)), "m": .int64(Int64($0 % 10))])
        }
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

    private static let operators: [(text: String, holds: @Sendable (Int, Int) -> Bool)] = [
        ("<", { $0 < $1 }), ("<=", { $0 <= $1 }), (">", { $0 > $1 }), (">=", { $0 >= $1 }), ("==", { $0 == $1 }),
        ("!=", { $0 != $1 }),
    ]

    @Test func moreKindsOfQueriesThanAreKept() throws {
        let place = try ServerPlace()
        let container = try Self.open(place)
        let database = container.privateDatabase
        try Self.save(Self.records(0..<100), database)
        for round in 0..<3 {
            let bounds = (n: 40 + round, m: 3 + round)
            // Each pair of operators is another statement: 72 of them.
            for (first, second) in Self.operators.flatMap({ first in Self.operators.map { (first, $0) } }) {
                for isAnd in [true, false] {
                    let predicate = try RecordPredicate(
                        format: "n \(first.text) %d \(isAnd ? "AND" : "OR") m \(second.text) %d",
                        arguments: [.int64(Int64(bounds.n)), .int64(Int64(bounds.m))])
                    let expected = (0..<(100 + round)).count { n in
                        let (a, b) = (first.holds(n, bounds.n), second.holds(n % 10, bounds.m))
                        return isAnd ? a && b : a || b
                    }
                    #expect(try database.countNow(Query("T", predicate), in: .all) == expected, "\(predicate)")
                }
            }
            try Self.save(Self.records((100 + round)..<(101 + round)), database)
            let id = Record.ID("r\(100 + round)")
            #expect(try database.fetch([id])[id]?.get()["n"] == .int64(Int64(100 + round)))
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

    /// Behind an import of many records the server knows its table by then, not a minute later.
    @Test(arguments: [(999, false), (1_000, true)]) func plansFollowImports(count: Int, expected: Bool) async throws {
        let place = try ServerPlace()
        let database = try Self.open(place).privateDatabase
        let set = try RecordSet(records: Self.records(0..<count))
        #expect(try await database.import(set) == count)
        let analyses = try ["analyze", "autoanalyze"].map { kind in
            try place.number("SELECT pg_stat_get_\(kind)_count(to_regclass('\"r_T\"'))") ?? 0
        }
        // Where the server is at it by itself, it is left to that.
        #expect(expected ? analyses[0] + analyses[1] > 0 : analyses[0] == 0, "\(analyses)")
    }

    @Test("Statements that are kept are made anew where columns have other types")
    func columnsOfOtherTypes() throws {
        let place = try ServerPlace()
        let database = try Self.open(place).privateDatabase
        try Self.save(Self.records(0..<5), database)
        func find() throws -> Int { try database.find(Query("T", "n > 1"), in: .all, limit: 10).matches.count }
        for _ in 0..<3 { #expect(try find() == 3) }
        try place.run("ALTER TABLE \"r_T\" ALTER COLUMN _s TYPE int4")
        // The call that meets the change may fail.
        _ = try? find()
        #expect(try find() == 3)
    }

    /// Rows of the table, and entries of its indexes, that were read. A server tells once a second, at the end of a
    /// transaction.
    private static func rowsRead(_ place: ServerPlace, _ database: Database) throws -> Int64 {
        usleep(1_200_000)
        _ = try database.fetch([Record.ID("r0")])
        usleep(200_000)
        let count = try place.number(
            """
            SELECT (t.seq_tup_read + sum(i.idx_tup_read))::int8 FROM pg_stat_user_tables t
            JOIN pg_stat_user_indexes i ON i.relid = t.relid
            WHERE t.relname = 'r_T' AND t.schemaname = current_schema GROUP BY t.seq_tup_read
            """)
        return try #require(count)
    }
}
