// Where the container of a campaign is.

import FoundationEssentials
import PostgreSQLStore
import RecordDatabase
import RecordModel

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

    /// How many servers the container is on; 0 for a store of this process.
    var serverCount: Int {
        switch self {
        case .memory, .folder: 0
        case .servers(let nodes): nodes.servers.count
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
            return try Container(
                identifier: identifier, on: Self.server(identifier, nodes), account: account,
                configuration: configuration)
        }
    }

    /// Which server has a record of a database. The first call about a zone has to be when the zone is there.
    ///
    /// - Parameter identifier: Names the container.
    func placement(_ identifier: String, _ origin: DatabaseOrigin) throws(DatabaseError) -> ServerPlacement {
        guard case .servers(let nodes) = self, nodes.servers.count > 1 else { return ServerPlacement() }
        return ServerPlacement(server: try Self.server(identifier, nodes), origin: origin)
    }

    private static func server(
        _ identifier: String, _ nodes: PostgreSQLNodes
    ) throws(DatabaseError) -> any RecordServer {
        guard let control = nodes.servers.first else {
            throw DatabaseError(.internalError, "the campaign has no server")
        }
        return try NodeContainer.open(identifier: identifier, connectingTo: control.address)
    }
}

/// Where the records of a database are.
struct ServerPlacement: Sendable {
    /// The servers of a container, where these are several, and the database.
    private let servers: (container: any RecordServer, origin: DatabaseOrigin)?

    /// All in one place.
    init() { servers = nil }

    init(server: any RecordServer, origin: DatabaseOrigin) { servers = (server, origin) }

    /// - Throws: Where the control node cannot be read.
    func node(of id: Record.ID) throws(DatabaseError) -> Int32 {
        guard let servers else { return 0 }
        return try servers.container.nodes(of: [id], in: servers.origin)[id] ?? 0
    }

    func close() { servers?.container.close() }
}
