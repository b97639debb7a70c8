// Where the databases of a campaign are: in memory, or on a PostgreSQL server.

import FoundationEssentials
import PostgreSQLStore
import RecordDatabase

/// Makes the container that the clients of a campaign share, and has its commits written down.
struct DatabaseGround: Sendable {
    /// A container, and what begins to write down its commits.
    typealias Opened = (container: Container, begin: @Sendable () -> Void)

    /// Whether commits of different databases may be told in another order than they were made in.
    let isServer: Bool
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
            let server = WatchedServer(
                try PostgreSQLContainer(identifier: identifier, connectingTo: address), log, flaw: flaw)
            let container = try Container(
                identifier: identifier, on: server, account: .user(DatabaseScene.users[0]),
                configuration: configuration)
            return (container, { server.begin() })
        }
    }
}
