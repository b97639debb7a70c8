// A container: the databases of one application, as one client sees them.

import RecordModel

/// The databases of one application, as one client with its current user sees them.
///
///     let container = try Container(identifier: "example.travel")
///     let saved = try await container.privateDatabase.save(record)
///
/// A container holds its data in memory.
public final class Container: Sendable {
    let client: Client

    /// Read by all clients, written by those that are signed in.
    public let publicDatabase: Database
    /// The current user's own.
    public let privateDatabase: Database
    /// Not offered: every use fails with `badDatabase`.
    public let sharedDatabase: Database

    /// A new container without records.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty identifier.
    public init(
        identifier: String, account: Account = .localUser, configuration: Configuration = Configuration()
    ) throws(DatabaseError) {
        if identifier.isEmpty { throw DatabaseError(.invalidArguments, "the identifier of a container is empty") }
        client = Client(identifier: identifier, account: account, configuration: configuration)
        publicDatabase = Database(scope: .public, client: client)
        privateDatabase = Database(scope: .private, client: client)
        sharedDatabase = Database(scope: .shared, client: client)
    }

    /// Names the container among others.
    public var identifier: String { client.identifier }

    /// The database of a scope: the same object every time.
    public func database(with scope: DatabaseScope) -> Database {
        switch scope {
        case .public: publicDatabase
        case .private: privateDatabase
        case .shared: sharedDatabase
        }
    }

    /// Whether someone is signed in.
    public func accountStatus() async -> Account.Status { client.account.status }
}
