// A container that several processes have open, and what others do to its tables.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase

/// A container on the shared server.
struct ServerPlace {
    let identifier = "calls " + UUID().uuidString
    let server: PostgreSQLServer

    init() throws { server = try PostgreSQLServer.shared() }

    /// The container as another process would have it.
    func open(
        patience: Duration = .seconds(60), _ configuration: Configuration = Configuration()
    ) throws -> Container {
        try Container(
            identifier: identifier,
            on: PostgreSQLContainer(identifier: identifier, connectingTo: server.address, patience: patience),
            account: .localUser, configuration: configuration)
    }

    /// The container with something between it and the server: what looks at its calls, or changes them.
    func open<Server: PassingServer>(behind pass: (any RecordServer) -> Server) throws -> (Server, Container) {
        let passing = pass(try PostgreSQLContainer(identifier: identifier, connectingTo: server.address))
        return (
            passing,
            try Container(
                identifier: identifier, on: passing, account: .localUser, configuration: Configuration())
        )
    }

    /// Runs a statement as somebody who knows nothing of containers.
    @discardableResult
    func run(_ statement: String) throws -> RowSet {
        let connection = try Connection(ConnectionString(server.address))
        let path = Statement.name(Layout.schemaName(of: identifier))
        try connection.run(Statement("SET search_path = \(path)"))
        return try connection.run(Statement(statement))
    }

    /// The number that a statement gives.
    func number(_ statement: String) throws -> Int64? { try run(statement).int64(0, 0) }
}
