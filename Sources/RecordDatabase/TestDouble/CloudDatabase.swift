// What an application's code needs of a database, so that tests can give it another one.

public import FoundationEssentials
public import RecordModel

/// The calls of a database, as a protocol: code that is written against it runs on this database, in tests with a
/// `FaultScript`, and on any other that has the calls.
///
/// `Database` is one; its documentation tells what each call does.
public protocol CloudDatabase: Sendable {
    /// Which of a container's databases it is.
    var scope: DatabaseScope { get }

    /// The record of an identifier, with all of its fields; `unknownItem` when there is none.
    func record(for id: Record.ID) async throws(DatabaseError) -> Record
    /// The records of identifiers, each or an error; of all fields, or of those wanted.
    func records(
        for ids: [Record.ID], desiredKeys: [String]?
    ) async throws(DatabaseError) -> [Record.ID: Result<Record, DatabaseError>]
    /// Saves a record unless its stored version has changed since, and gives it as it is stored.
    func save(_ record: Record) async throws(DatabaseError) -> Record
    /// Deletes a record, and gives its identifier.
    func deleteRecord(withID id: Record.ID) async throws(DatabaseError) -> Record.ID
    /// Saves and deletes records together, with a result for each.
    func modifyRecords(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy, atomically: Bool,
        clientChangeTokenData: Data?
    ) async throws(DatabaseError) -> (
        saveResults: [Record.ID: Result<Record, DatabaseError>], deleteResults: [Record.ID: Result<Void, DatabaseError>]
    )
    /// Saves and deletes records together. By default one atomic batch, which counts all or not at all in zones that
    /// can do so; `Database` does in all zones, whatever the number of items.
    ///
    /// - Returns: The records as they are stored, in the order given.
    func modifyTogether(
        saving records: [Record], deleting ids: [Record.ID], savePolicy: SavePolicy
    ) async throws(DatabaseError) -> [Record]

    /// The first page of the records that match; `records(matching:in:desiredKeys:limit:offset:)` gives all of them.
    func recordPage(
        matching query: Query, in zones: QueryZones, desiredKeys: [String]?, resultsLimit: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    )
    /// The page behind a cursor.
    func recordPage(
        after cursor: Query.Cursor, desiredKeys: [String]?, resultsLimit: Int
    ) async throws(DatabaseError) -> (
        matchResults: [(Record.ID, Result<Record, DatabaseError>)], queryCursor: Query.Cursor?
    )

    /// All zones, the default zone first.
    func allRecordZones() async throws(DatabaseError) -> [RecordZone]
    /// The zones of identifiers, each or an error.
    func recordZones(
        for ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> [RecordZone.ID: Result<RecordZone, DatabaseError>]
    /// Saves and deletes zones, each on its own.
    func modifyRecordZones(
        saving zones: [RecordZone], deleting ids: [RecordZone.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [RecordZone.ID: Result<RecordZone, DatabaseError>],
        deleteResults: [RecordZone.ID: Result<Void, DatabaseError>]
    )

    /// The records of a zone that were saved and deleted since a token; `nil` for all records there are.
    func recordZoneChanges(
        inZoneWith zoneID: RecordZone.ID, since token: ChangeToken?, desiredKeys: [String]?, resultsLimit: Int?
    ) async throws(DatabaseError) -> RecordZoneChanges
    /// The zones that changed since a token; `nil` for all but the default zone.
    func databaseChanges(
        since token: ChangeToken?, resultsLimit: Int?
    ) async throws(DatabaseError) -> DatabaseChanges

    /// The current user's subscriptions in this database.
    func allSubscriptions() async throws(DatabaseError) -> [Subscription]
    /// The current user's subscriptions of identifiers, each or an error.
    func subscriptions(
        for ids: [Subscription.ID]
    ) async throws(DatabaseError) -> [Subscription.ID: Result<Subscription, DatabaseError>]
    /// Saves and deletes subscriptions, each on its own.
    func modifySubscriptions(
        saving subscriptions: [Subscription], deleting ids: [Subscription.ID]
    ) async throws(DatabaseError) -> (
        saveResults: [Subscription.ID: Result<Subscription, DatabaseError>],
        deleteResults: [Subscription.ID: Result<Void, DatabaseError>]
    )
}

extension Database: CloudDatabase {}
