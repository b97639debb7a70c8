// Connections, statements, and what callers are told when they fail.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordModel
import Testing
import _TestSupport

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .serialized)
struct ConnectionTests {
    private func connection() throws -> Connection {
        try Connection(ConnectionString(PostgreSQLServer.shared().address))
    }

    @Test func parametersAndValuesKeepAllBits() throws {
        let connection = try connection()
        let number = Int64.min + 3
        let rows = try connection.run(
            Statement(
                "SELECT $1, $2, $3, $4, $5, $6, cardinality($7), $7[2], $8::bytea",
                [
                    .int64(number), .double(-0.0), .text("Ω'\"$1"), .bytes([0, 255, 7]), .bool(true), .int32(-5),
                    .texts(["a", "b'"]), .null(.bytes),
                ]))
        #expect(rows.int64(0, 0) == number)
        #expect(rows.double(0, 1)?.bitPattern == (-0.0).bitPattern)
        #expect(rows.text(0, 2) == "Ω'\"$1")
        #expect(rows.bytes(0, 3) == [0, 255, 7])
        #expect(rows.bool(0, 4) == true)
        #expect(rows.int64(0, 5) == -5)
        #expect(rows.int64(0, 6) == 2)
        #expect(rows.text(0, 7) == "b'")
        #expect(rows.isNull(0, 8))
        #expect(rows.bytes(1, 0) == nil, "outside of the rows")
    }

    @Test func statementsOfOneTripCountTogether() throws {
        let connection = try connection()
        let table = Statement.name("t\"\(UUID().uuidString)")
        try connection.run(Statement("CREATE TABLE \(table)(n int8 PRIMARY KEY)"))
        let insert = Statement("INSERT INTO \(table) VALUES ($1)", [.int64(1)])
        let error = #expect(throws: ServerError.self) { try connection.run([insert, insert]) }
        #expect(error?.sqlState == "23505")
        let count = try connection.run(Statement("SELECT count(*) FROM \(table)")).int64(0, 0)
        #expect(count == 0)
        #expect(!connection.isLost && !connection.isInTransaction)
    }

    @Test("A statement with more parameters than the protocol counts is not sent, and the connection goes on")
    func tooManyParameters() throws {
        let connection = try connection()
        let long = Statement("SELECT 1", (0...65_535).map { .int32(Int32($0)) })
        let error = #expect(throws: ServerError.self) { try connection.run([Statement("SELECT 1"), long]) }
        #expect(error?.databaseError.code == .invalidArguments && !connection.isLost)
        #expect(try connection.run(Statement("SELECT 2")).int64(0, 0) == 2)
    }

    @Test func messagesRepeatNothing() throws {
        let connection = try connection()
        let error = #expect(throws: ServerError.self) {
            try connection.run(Statement("SELECT 'hunter2'::int8"))
        }
        #expect(error?.databaseError.code == .internalError)
        #expect(error?.databaseError.description.contains("hunter2") == false)
        for address in ["postgresql://u:hunter2@/%zz", "host=/nowhere/hunter2 password=hunter2"] {
            let error = #expect(throws: ServerError.self) { try Connection(ConnectionString(address)) }
            #expect(error?.databaseError.description.contains("hunter2") == false)
        }
    }

    @Test func unreachableServersAreToldOf() throws {
        let error = #expect(throws: ServerError.self) { try Connection(ConnectionString("host=/nowhere")) }
        #expect(error?.kind == .unreachable)
        #expect(error?.databaseError.code == .networkUnavailable)
        let other = try PostgreSQLServer.shared().address.replacing("dbname=postgres", with: "dbname=none")
        let missing = #expect(throws: ServerError.self) { try Connection(ConnectionString(other)) }
        #expect(missing?.databaseError.code == .invalidArguments)
    }

    @Test func lostConnectionsAreNotUsedAgain() throws {
        let pool = ConnectionPool(try ConnectionString(PostgreSQLServer.shared().address), count: 1)
        let process = try pool.withConnection { $0.backendProcess }
        let again = try pool.withConnection { $0.backendProcess }
        #expect(process == again)
        let other = try connection()
        let error = #expect(throws: ServerError.self) {
            try pool.withConnection { connection throws(ServerError) in
                try other.run(Statement("SELECT pg_terminate_backend($1)", [.int32(Int32(process))]))
                try connection.run(Statement("SELECT pg_sleep(1)"))
            }
        }
        #expect(error?.isOfConnection == true)
        let next = try pool.withConnection { $0.backendProcess }
        #expect(next != process)
    }

    @Test func transactionsThatWereLeftOpenAreEnded() throws {
        let pool = ConnectionPool(try ConnectionString(PostgreSQLServer.shared().address), count: 1)
        let first = try pool.withConnection { connection throws(ServerError) in
            try connection.run(Statement("BEGIN"))
            return connection.backendProcess
        }
        let second = try pool.withConnection { $0.backendProcess }
        #expect(first != second)
    }

    @Test func whoeverWaitsForAConnectionCanBeCancelled() async throws {
        let pool = ConnectionPool(try ConnectionString(PostgreSQLServer.shared().address), count: 1)
        let kind = try await Task {
            try pool.withConnection { _ throws(ServerError) in
                // SAFETY: the task is cancelled while it runs.
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                do throws(ServerError) {
                    return try pool.withConnection { _ -> ServerError.Kind? in nil }
                } catch {
                    return error.kind
                }
            }
        }.value
        #expect(kind == .interrupted(isTimeOver: false))
        #expect(try pool.withConnection { !$0.isLost }, "the connection is free again")
    }
}
