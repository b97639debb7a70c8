// Where the databases of a campaign are: in memory, or on PostgreSQL servers.

import FoundationEssentials
import PostgreSQLStore
import RecordDatabase

/// Makes the container that the clients of a campaign share, and has its commits written down.
struct DatabaseGround: Sendable {
    /// A container, and what begins to write down its commits.
    typealias Opened = (container: Container, begin: @Sendable () -> Void)

    /// Whether commits of different databases may be told in another order than they were made in.
    let isServer: Bool
    /// The servers that zones are on.
    var nodes: [Int32] = [0]
    let open: @Sendable (Configuration, DatabaseLog) throws(DatabaseError) -> Opened

    static let memory = DatabaseGround(isServer: false) { configuration, log throws(DatabaseError) in
        let container = try Container(
            identifier: "campaign", account: .user(DatabaseScene.users[0]), configuration: configuration)
        return (container, { _ = container.watchCommits { log.append($0) } })
    }

    /// A container of its own on a server, each time it is opened.
    ///
    /// - Parameters:
    ///   - address: A connection string.
    ///   - flaw: What the server does wrong; `nil` for nothing.
    static func server(_ address: String, flaw: WatchedServer.Flaw? = nil) -> DatabaseGround {
        DatabaseGround(isServer: true) { configuration, log throws(DatabaseError) in
            let identifier = "campaign " + UUID().uuidString
            let server = try PostgreSQLContainer(identifier: identifier, connectingTo: address)
            return try open(identifier, server, flaw, configuration, log)
        }
    }

    /// A container of its own on several servers, each time it is opened. Default zones, which were there before the
    /// second server was added, are on the first one, and zones of their own on any.
    ///
    /// - Parameter flaw: As for one server.
    static func nodes(_ servers: [PostgreSQLServer], flaw: WatchedServer.Flaw? = nil) -> DatabaseGround {
        DatabaseGround(
            isServer: true, nodes: servers.indices.map { Int32($0) }
        ) { configuration, log throws(DatabaseError) in
            let (identifier, address) = ("campaign " + UUID().uuidString, servers.first?.address ?? "")
            let container = try Container(
                identifier: identifier, on: PostgreSQLContainer(identifier: identifier, connectingTo: address),
                account: .user(DatabaseScene.users[0]), configuration: configuration)
            defer { container.close() }
            for user in DatabaseScene.users.dropFirst() {
                _ = try Container(sharing: container, account: .user(user), configuration: configuration)
            }
            try ContainerGround.servers(PostgreSQLNodes(servers)).prepare(identifier)
            let server = try NodeContainer.open(identifier: identifier, connectingTo: address)
            return try open(identifier, server, flaw, configuration, log)
        }
    }

    private static func open(
        _ identifier: String, _ server: any RecordServer, _ flaw: WatchedServer.Flaw?, _ configuration: Configuration,
        _ log: DatabaseLog
    ) throws(DatabaseError) -> Opened {
        let server = WatchedServer(server, flaw: flaw)
        let container = try Container(
            identifier: identifier, on: server, account: .user(DatabaseScene.users[0]), configuration: configuration)
        return (container, { server.begin { commit, origin, node in log.append(commit, origin, on: node) } })
    }
}
