// The store that two sync engines share.

import FoundationEssentials
import PostgreSQLStore
import RecordDatabase

/// Where it is: in a folder, or on servers.
enum SyncPlace: Sendable {
    /// In the campaign's folder; a name of `CrashWriter.durabilities`.
    case folder(durability: String)
    /// On the servers that an address leads to.
    case servers(address: String)

    /// What the argument of a process says.
    init(_ argument: String) {
        self =
            CrashWriter.durabilities[argument] == nil ? .servers(address: argument) : .folder(durability: argument)
    }

    /// The argument for a process.
    var argument: String {
        switch self {
        case .folder(let durability): durability
        case .servers(let address): address
        }
    }

    /// The container of a campaign with a folder.
    static func identifier(_ folder: String) -> String { URL(filePath: folder).lastPathComponent }
}

/// The store, open, with a client for each engine.
struct SyncStore: Sendable {
    let containers: [Container]
    /// What tells its commits, where it is on servers.
    private let server: WatchedServer?

    init(_ place: SyncPlace, folder: String, _ configuration: Configuration) throws(DatabaseError) {
        let identifier = SyncPlace.identifier(folder)
        let first: Container
        switch place {
        case .folder(let durability):
            server = nil
            first = try Container(
                identifier: identifier, storedAt: URL(filePath: folder + "/store"),
                options: StorageOptions(durability: CrashWriter.durabilities[durability] ?? .full),
                configuration: configuration)
        case .servers(let address):
            let watched = WatchedServer(try NodeContainer.open(identifier: identifier, connectingTo: address))
            server = watched
            first = try Container(
                identifier: identifier, on: watched, account: .localUser, configuration: configuration)
        }
        containers = [
            first, try Container(sharing: first, account: .localUser, configuration: configuration),
        ]
    }

    /// Has commits of the private database told from now on, in their order.
    func follow(_ take: @escaping @Sendable (LoggedCommit) -> Void) {
        if let server {
            server.begin { commit, origin, node in
                if origin.scope == .private { take(LoggedCommit(commit, on: node)) }
            }
        } else {
            _ = containers[0].watchCommits { take(LoggedCommit($0)) }
        }
    }

    func close() { for container in containers { container.close() } }
}
