// Where the container of a campaign is.

import FoundationEssentials
import PostgreSQLStore
import RecordDatabase

/// In memory, in a folder, or on servers.
enum ContainerGround: Sendable {
    case memory
    case folder(String)
    /// On one server, or on the nodes of a container.
    case servers(PostgreSQLNodes)

    /// Whether the store outlives its clients.
    var isReopened: Bool {
        switch self {
        case .memory: false
        case .folder, .servers: true
        }
    }

    /// Takes away what an earlier run left, and makes what clients open.
    ///
    /// - Parameter identifier: Names the container.
    func prepare(_ identifier: String) throws(DatabaseError) {
        switch self {
        case .memory: return
        case .folder(let path): try? FileManager.default.removeItem(atPath: path)
        case .servers(let nodes):
            do { try nodes.makeContainer(identifier) } catch {
                throw error as? DatabaseError ?? DatabaseError(.internalError, "\(error)")
            }
        }
    }

    /// A client, the first of those that share the store.
    func open(
        _ identifier: String, _ account: Account, _ configuration: Configuration
    ) throws(DatabaseError) -> Container {
        switch self {
        case .memory:
            return try Container(identifier: identifier, account: account, configuration: configuration)
        case .folder(let path):
            return try Container(
                identifier: identifier, storedAt: URL(filePath: path), account: account,
                configuration: configuration)
        case .servers(let nodes):
            guard let control = nodes.servers.first else {
                throw DatabaseError(.internalError, "the campaign has no server")
            }
            let server = try NodeContainer.open(identifier: identifier, connectingTo: control.address)
            return try Container(
                identifier: identifier, on: server, account: account, configuration: configuration)
        }
    }
}
