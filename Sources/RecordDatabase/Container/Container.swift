// A container: the databases of one application, as one client sees them.

import FoundationEssentials
public import RecordModel
import RecordStore
import Synchronization

/// The databases of one application, as one client with its current user sees them.
///
///     let container = try Container(identifier: "example.travel")
///     let saved = try await container.privateDatabase.save(record)
///
/// A container holds its data in memory, or in a folder (`init(identifier:storedAt:…)`). Several containers may be
/// clients of one store, each with a user of its own.
public final class Container: Sendable {
    package let client: Client

    /// Read by all clients, written by those that are signed in.
    public let publicDatabase: Database
    /// The current user's own.
    public let privateDatabase: Database
    /// What other users share with the current one: zones of theirs, named with their owner. It has no default zone.
    public let sharedDatabase: Database

    /// A new container without records.
    ///
    /// - Parameter account: The current user; by default one who needs not be named.
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty identifier or an illegal user name.
    public convenience init(
        identifier: String, account: Account = .localUser, configuration: Configuration = Configuration()
    ) throws(DatabaseError) {
        if identifier.isEmpty { throw DatabaseError(.invalidArguments, "the identifier of a container is empty") }
        let store = ContainerStore(
            CheckpointImage(identifier: identifier), assets: AssetFolder(configuration.assetFolder))
        try self.init(store, account: account, configuration: configuration)
    }

    /// Another client of a container's store: it sees what the other saves.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an illegal user name.
    public convenience init(
        sharing other: Container, account: Account, configuration: Configuration = Configuration()
    ) throws(DatabaseError) {
        try self.init(other.client.store, account: account, configuration: configuration)
    }

    /// A container whose databases are on a server.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty identifier, an illegal user name and a limit
    ///   on the bytes of the store, and when the server cannot be read.
    package convenience init(
        identifier: String, on server: any RecordServer, account: Account, configuration: Configuration
    ) throws(DatabaseError) {
        if identifier.isEmpty { throw DatabaseError(.invalidArguments, "the identifier of a container is empty") }
        if configuration.limits.bytesPerStore != nil {
            throw DatabaseError(.invalidArguments, "containers on servers do not count the bytes of the store")
        }
        let store = try ContainerStore(identifier: identifier, on: server)
        try self.init(store, account: account, configuration: configuration)
    }

    /// As `init(identifier:on:account:configuration:)`, for a task, which is suspended meanwhile.
    ///
    /// - Parameter connect: Connects to the server.
    package convenience init(
        identifier: String, account: Account, configuration: Configuration,
        _ connect: @escaping @Sendable () throws(DatabaseError) -> any RecordServer
    ) async throws(DatabaseError) {
        let made = try await BackgroundThread.perform { () throws(DatabaseError) in
            try Container(identifier: identifier, on: try connect(), account: account, configuration: configuration)
        }
        self.init(made.client)
    }

    convenience init(_ store: ContainerStore, account: Account, configuration: Configuration) throws(DatabaseError) {
        self.init(try Client(store: store, account: account, configuration: configuration))
    }

    private init(_ client: Client) {
        self.client = client
        publicDatabase = Database(scope: .public, client: client)
        privateDatabase = Database(scope: .private, client: client)
        sharedDatabase = Database(scope: .shared, client: client)
    }

    /// Names the container among others.
    public var identifier: String { client.store.identifier }

    /// The database of a scope: the same object every time.
    public func database(with scope: DatabaseScope) -> Database {
        switch scope {
        case .public: publicDatabase
        case .private: privateDatabase
        case .shared: sharedDatabase
        }
    }

    /// Ends all use of this client: calls fail with `badContainer`. Other clients of the store go on; with the last one
    /// a store in a folder is closed, so that others may write it.
    public func close() { client.close() }
}

// MARK: Accounts

extension Container {
    /// Whether someone is signed in.
    public func accountStatus() async -> Account.Status { client.account.status }

    /// Replaces the current user: from now on the private database is the new user's. The data of both stay.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an illegal user name.
    public func setAccount(_ account: Account) throws(DatabaseError) { try client.setAccount(account) }

    /// The status of the account, once after each change of the current user.
    public var accountChanges: AsyncStream<Account.Status> { client.accountChanges() }

    /// The identifier of the current user's record: the same for all clients of the user.
    ///
    /// - Throws: `DatabaseError` of code `notAuthenticated` or `accountTemporarilyUnavailable`.
    public func userRecordID() async throws(DatabaseError) -> Record.ID { try client.userRecordID() }

    /// Gives a user roles, in place of those given before: what `ContainerSchema` grants to them, the user may do. Live
    /// queries of the public database follow, on a server with the next commit.
    ///
    /// - Throws: `DatabaseError` when a stored container cannot be written, and of code `badContainer` when the
    ///   container was closed.
    public func setRoles(_ roles: Set<String>, ofUser userName: String) throws(DatabaseError) {
        try client.checkIsOpen()
        try client.store.setRoles(roles, of: userName)
    }
}

// MARK: Schema

extension Container {
    /// The record types of all databases of the store, as they are now.
    public var schema: ContainerSchema { client.store.schema.current }

    /// Replaces the schema: adds types and fields, and says what is indexed and who may do what. A field that no record
    /// has a value of may change its type or go, and a type without records may go, where no subscription uses it; all
    /// else is for `migrate`. Records of the type get new change tags then. Live queries follow.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a type or field of an illegal name, for a field of a
    ///   type that no value has, and when a field with values is missing or of another type; `constraintViolation` when
    ///   stored records do not satisfy a `UNIQUE` or `NOT NULL` that is new; `badContainer` when the container was
    ///   closed; also when a stored container cannot be written.
    public func setSchema(_ schema: ContainerSchema) throws(DatabaseError) {
        try client.checkIsOpen()
        try client.store.setSchema(schema, client.configuration)
    }
}
