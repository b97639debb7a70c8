// Several servers for tests of containers on nodes.

import PostgreSQLStore
import RecordDatabase
import Synchronization

/// Servers, the first of them the control node.
package final class PostgreSQLNodes: Sendable {
    package let servers: [PostgreSQLServer]

    /// The first of the three servers that most tests share, started by the first test.
    package static func shared(_ count: Int = 3) throws -> PostgreSQLNodes {
        try started.withLock { known in
            let servers = known ?? Result { [try .shared(), try PostgreSQLServer(), try PostgreSQLServer()] }
            known = servers
            return PostgreSQLNodes(Array(try servers.get().prefix(count)))
        }
    }

    private static let started = Mutex<Result<[PostgreSQLServer], any Error>?>(nil)

    package init(_ servers: [PostgreSQLServer]) { self.servers = servers }

    /// Makes a container on all servers.
    package func makeContainer(_ identifier: String) throws { try makeContainer(identifier) { $0.address } }

    /// Makes a container whose sessions have its identifier for the name of their application, in place of an earlier
    /// one.
    ///
    /// - Returns: What leads to the control node.
    func makeNamedContainer(_ identifier: String) throws -> String {
        for server in servers { try server.run("DROP SCHEMA IF EXISTS \"\(identifier)\" CASCADE") }
        let address = { (server: PostgreSQLServer) in server.address + " application_name='\(identifier)'" }
        try makeContainer(identifier, address)
        return address(servers[0])
    }

    private func makeContainer(_ identifier: String, _ address: (PostgreSQLServer) -> String) throws {
        let nodes = Nodes(identifier: identifier, connectingTo: address(servers[0]))
        for server in servers.dropFirst() { _ = try nodes.add(address(server)) }
    }

    /// Ends the sessions of a named container, and waits for their end: a process that was killed may have left a commit
    /// that a server is at.
    func endSessions(_ identifier: String) throws {
        for server in servers {
            try server.run(
                """
                SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
                WHERE application_name = '\(identifier)'
                """)
        }
    }
}
