// Servers that can only be read for a time, as a standby or one whose place another one takes.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .serialized)
struct ReadOnlyServerTests {
    /// A database of its own on each of some servers: their sessions can be made to read alone.
    private struct Place {
        let servers: [PostgreSQLServer]
        let name = "only_read_" + UUID().uuidString.prefix(8).lowercased()

        init(_ servers: [PostgreSQLServer]) throws {
            self.servers = servers
            for server in servers { try server.run("CREATE DATABASE \(name) TEMPLATE template0") }
        }

        func address(_ attributes: String = "") -> String {
            let hosts = servers.map(\.folder).joined(separator: ",")
            let ports = servers.map { "\($0.port)" }.joined(separator: ",")
            return "host=\(hosts) port=\(ports) user=postgres dbname=\(name) \(attributes)"
        }

        /// Has sessions that begin from now on read alone, or write.
        func set(_ isReadOnly: Bool, on server: Int) throws {
            let change = isReadOnly ? "SET default_transaction_read_only = on" : "RESET default_transaction_read_only"
            try servers[server].run("ALTER DATABASE \(name) \(change)")
        }

        func endSessions(on server: Int) throws {
            try servers[server].run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
        }

        func remove() { for server in servers { try? server.run("DROP DATABASE \(name) WITH (FORCE)") } }

        func container() throws -> Container {
            try Container(
                identifier: "read", on: PostgreSQLContainer(identifier: "read", connectingTo: address()),
                account: .localUser, configuration: Configuration())
        }
    }

    private func save(_ name: String, _ container: Container) -> DatabaseError.Code? {
        let record = Record(type: "T", id: Record.ID(name), fields: ["a": 1])
        return failure {
            for (_, result) in try container.privateDatabase.modify(ModifyRequest(saves: [record])).saves {
                _ = try result.get()
            }
        }.code
    }

    @Test func savesFailWhileAServerIsReadOnlyAndNoLonger() throws {
        let place = try Place([.shared()])
        defer { place.remove() }
        let container = try place.container()
        defer { container.close() }
        #expect(save("a", container) == nil)
        try place.set(true, on: 0)
        try place.endSessions(on: 0)
        #expect(save("b", container) == .serviceUnavailable)
        #expect(save("b", container) == .serviceUnavailable)
        #expect(try container.privateDatabase.fetch([Record.ID("a"), Record.ID("b")])[Record.ID("a")]?.get() != nil)
        // Sessions that there are stay as they began.
        try place.set(false, on: 0)
        #expect(save("b", container) == nil)
        #expect(try container.privateDatabase.names() == ["a", "b"])
    }

    @Test func ofSeveralServersTheOneThatCanBeWrittenIsFound() throws {
        let place = try Place(PostgreSQLNodes.shared(2).servers)
        defer { place.remove() }
        func folder(_ attributes: String = "") throws -> String? {
            try Connection(ConnectionString(place.address(attributes)))
                .run(Statement("SELECT current_setting('unix_socket_directories')")).text(0, 0)
        }
        #expect(try folder() == place.servers[0].folder)
        try place.set(true, on: 0)
        #expect(try folder() == place.servers[1].folder)
        #expect(try folder("target_session_attrs=any") == place.servers[0].folder)
        try place.set(true, on: 1)
        let error = #expect(throws: ServerError.self) { try folder() }
        #expect(error?.databaseError.code == .serviceUnavailable)
        // A container goes over from one to the other; the tables on both stand for those of a standby.
        try place.set(false, on: 1)
        let container = try place.container()
        defer { container.close() }
        #expect(save("a", container) == nil)
        try place.set(false, on: 0)
        let other = try place.container()
        defer { other.close() }
        #expect(save("b", other) == nil && save("c", container) == nil)
        #expect(try container.privateDatabase.names() == ["a", "c"])
        #expect(try other.privateDatabase.names() == ["b"])
    }
}
