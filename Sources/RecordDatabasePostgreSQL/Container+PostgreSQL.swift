// Containers on PostgreSQL, as programs open them.

import PostgreSQLStore
public import RecordDatabase
public import RecordModel

extension Container {
    /// A container whose databases are on a PostgreSQL server, which several processes may use at a time.
    ///
    ///     let container = try await Container(
    ///         identifier: "example.travel", connectingTo: "postgresql://app@db/records")
    ///
    /// Where the server lists other nodes, the container's zones are on all of them: <doc:ScaleOut>.
    ///
    /// The server is of version 13 or later, and its database is in UTF-8. The container has a schema of its own there,
    /// which is made when it is first opened. Records, zones, queries and changes of zones are those of every
    /// container; <doc:RecordDatabasePostgreSQL> tells what is not offered. The library `libpq.so.5` has to be
    /// installed; it is loaded by this call.
    ///
    /// - Parameters:
    ///   - identifier: Names the container among others, and its schema on the server.
    ///   - address: A connection string: a URL, or keywords with values. No message ever repeats it.
    ///   - account: The current user; by default one who needs not be named.
    /// - Throws: `DatabaseError` of codes `networkUnavailable` when the server cannot be reached, `permissionFailure`
    ///   when it does not let the user in, `serviceUnavailable` without the library and when the server has no room,
    ///   `invalidArguments` for an address that cannot be read, an unknown database, an empty identifier and an illegal
    ///   user name, and `incompatibleVersion` for a container of a newer version.
    public convenience init(
        identifier: String, connectingTo address: String, account: Account = .localUser,
        configuration: Configuration = Configuration()
    ) async throws(DatabaseError) {
        try await self.init(identifier: identifier, account: account, configuration: configuration) {
            () throws(DatabaseError) in try NodeContainer.open(identifier: identifier, connectingTo: address)
        }
    }
}
