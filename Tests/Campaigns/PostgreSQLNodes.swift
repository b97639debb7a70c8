// Several servers for tests of containers on nodes.

import PostgreSQLStore
import RecordDatabase
import Synchronization

/// Servers, the first of them the control node.
package final class PostgreSQLNodes: Sendable {
    package let servers: [PostgreSQLServer]

    /// The three servers that most tests share, started by the first of them.
    package static func shared() throws -> PostgreSQLNodes {
        try started.withLock { known in
            if let known { return try known.get() }
            let nodes = Result { PostgreSQLNodes([try .shared(), try PostgreSQLServer(), try PostgreSQLServer()]) }
            known = nodes
            return try nodes.get()
        }
    }

    private static let started = Mutex<Result<PostgreSQLNodes, any Error>?>(nil)

    package init(_ servers: [PostgreSQLServer]) { self.servers = servers }

    /// Makes a container on all servers.
    package func makeContainer(_ identifier: String) throws {
        let nodes = Nodes(identifier: identifier, connectingTo: servers[0].address)
        for server in servers.dropFirst() { _ = try nodes.add(server.address) }
    }
}
