// Connections that were cut while nobody used them, those that can only read, and containers without a name.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct LostConnectionTests {
    @Test("A call goes on where all connections that nobody used were cut")
    func callsOutliveConnections() throws {
        let place = try ServerPlace()
        let name = "lost_" + UUID().uuidString.prefix(8).lowercased()
        let server = try PostgreSQLContainer(
            identifier: place.identifier, connectingTo: place.server.address + " application_name=\(name)")
        defer { server.close() }
        let origin = DatabaseOrigin(container: place.identifier, scope: .public, user: nil)
        // Three reads at a time leave three connections.
        try server.reading(origin) { _, _ throws(DatabaseError) in
            try server.reading(origin) { _, _ throws(DatabaseError) in
                _ = try server.read(origin, ServerNeed())
            }
        }
        let cut = try place.run(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '\(name)'")
        #expect(cut.count == 3)
        #expect(try server.read(origin, ServerNeed()).rows.isEmpty)
    }

    /// Ends all connections of a name; how many there were.
    private static func cut(_ name: String, _ run: (String) throws -> RowSet) throws -> Int {
        try run("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = '\(name)'")
            .count
    }

    @Test("So does one over the connections for what is read beside other calls")
    func callsAsideOutliveConnections() throws {
        let place = try ServerPlace()
        let name = "aside_" + UUID().uuidString.prefix(8).lowercased()
        let server = try PostgreSQLContainer(
            identifier: place.identifier, connectingTo: place.server.address + " application_name=\(name)")
        defer { server.close() }
        // Two at a time leave two connections.
        try server.assetPool.withConnection { _ throws(ServerError) in
            try server.assetPool.withConnection { connection throws(ServerError) in
                _ = try connection.run(Statement("SELECT 1"))
            }
        }
        #expect(try Self.cut(name, place.run) == 3)
        #expect(try server.encryptionKey(noting: nil) == nil)
    }

    @Test("And one over the connection that has the lock of several servers")
    func locksOutliveConnections() throws {
        let place = try NodePlace()
        let name = "lock_" + UUID().uuidString.prefix(8).lowercased()
        let server = try NodeContainer.open(
            identifier: place.identifier, connectingTo: place.control.address + " application_name=\(name)")
        defer { server.close() }
        try server.setRoles(["a"], of: "_u")
        #expect(try Self.cut(name, place.run) > 1)
        try server.setRoles(["b"], of: "_u")
        #expect(try server.roles()["_u"] == ["b"])
    }

    @Test("A connection whose server turns out to be only read is not used again, others are")
    func connectionsThatOnlyRead() throws {
        let address = try PostgreSQLServer.shared().address + " options='-c default_transaction_read_only=on'"
        let pool = ConnectionPool(try ConnectionString(address), count: 1)
        defer { pool.close() }
        func use(_ text: String) throws -> (process: Int, state: String?) {
            try pool.withConnection { connection throws(ServerError) -> (process: Int, state: String?) in
                do throws(ServerError) {
                    try connection.run(Statement(text))
                    return (connection.backendProcess, nil)
                } catch {
                    return (connection.backendProcess, error.sqlState)
                }
            }
        }
        let (first, second) = (try use("SELECT 1"), try use("CREATE TABLE never(n int8)"))
        #expect(first.process == second.process && first.state == nil && second.state == "25006")
        let third = try use("SELECT 1")
        #expect(third.process != second.process)
        #expect(try use("SELECT 1 / 0").process == third.process && use("SELECT 1").process == third.process)
    }

    @Test("A container has a name, which the server can hold", arguments: ["", "a\u{0}b"])
    func names(_ identifier: String) {
        let failed = failure { _ = try PostgreSQLContainer(identifier: identifier, connectingTo: "host=/nowhere") }
        #expect(failed.code == .invalidArguments && failed.reason.contains("identifier"), "\(failed)")
    }
}
