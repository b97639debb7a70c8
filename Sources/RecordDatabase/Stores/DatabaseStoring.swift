// What every store of a database can do: one call here for each call of a database, none for each record.

import FoundationEssentials
import RecordModel
import RecordStore

/// Where the records of a database are kept: in this process, or on a server.
///
/// Calls have been checked for who makes them. A function without `Suspending` in its name may wait for a disk or a
/// server on the thread that calls it; one with it belongs to a task, which is suspended instead.
protocol DatabaseStoring: Sendable {
    /// Tells the database from all others.
    var origin: DatabaseOrigin { get }

    /// Runs a call: here and now for what is in this process, on a thread that may wait for a server.
    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome

    /// Has commits told that may change what is read here; what it returns ends that.
    func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void

    /// A record or an error for each identifier, with the desired fields; `nil` for all.
    func fetch(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller
    ) throws(DatabaseError) -> FetchResults
    func fetchSuspending(
        _ ids: [Record.ID], _ desiredKeys: [String]?, _ caller: Caller
    ) async throws(DatabaseError) -> FetchResults
    /// As `fetchSuspending`, for one record with all of its fields.
    func fetchSuspending(_ id: Record.ID, _ caller: Caller) async throws(DatabaseError) -> Record

    /// Saves and deletes records; items fail each with its own error.
    func modify(_ request: ModifyRequest, _ caller: Caller) throws(DatabaseError) -> ModifyResult
    func modifySuspending(_ request: ModifyRequest, _ caller: Caller) async throws(DatabaseError) -> ModifyResult

    /// The records of a page and where the next one begins.
    func page(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> PageMatches
    func pageSuspending(_ request: PageRequest, _ caller: Caller) async throws(DatabaseError) -> PageMatches

    /// How many records match.
    func count(_ request: PageRequest, _ caller: Caller) throws(DatabaseError) -> Int

    /// A stretch of the changes of a zone.
    func changes(_ request: ZoneChangesRequest, _ caller: Caller) throws(DatabaseError) -> RecordZoneChanges
    func changesSuspending(
        _ request: ZoneChangesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> RecordZoneChanges

    /// A stretch of the changes of the database.
    func zoneList(since token: ChangeToken?, limit: Int) throws(DatabaseError) -> DatabaseChanges

    /// All zones, in any order.
    func zones() throws(DatabaseError) -> [RecordZone]

    /// The zones of identifiers, each or an error.
    func zones(_ ids: [RecordZone.ID], _ caller: Caller) throws(DatabaseError) -> ZoneResults

    /// Makes and deletes zones, each on its own.
    func modifyZones(_ request: ZonesRequest, _ caller: Caller) throws(DatabaseError) -> ModifyZonesResult
    func modifyZonesSuspending(
        _ request: ZonesRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifyZonesResult

    /// The subscriptions of a user to the database; those of others may be among them.
    func subscriptions(of userName: String) throws(DatabaseError) -> SubscriptionTable

    /// Saves and deletes subscriptions of the caller, each on its own.
    func modifySubscriptions(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) throws(DatabaseError) -> ModifySubscriptionsResult
    func modifySubscriptionsSuspending(
        _ request: SubscriptionsRequest, _ caller: Caller
    ) async throws(DatabaseError) -> ModifySubscriptionsResult
}

extension DatabaseStoring {
    func fetchSuspending(_ id: Record.ID, _ caller: Caller) async throws(DatabaseError) -> Record {
        try await fetchSuspending([id], nil, caller).first(id)
    }
}

extension DatabaseError {
    /// For a store of a kind that a call does not know.
    static var unknownStoring: DatabaseError { DatabaseError(.internalError, "the database is kept nowhere") }
}

typealias FetchResults = [Record.ID: Result<Record, DatabaseError>]
typealias ZoneResults = [RecordZone.ID: Result<RecordZone, DatabaseError>]
typealias PageMatches = (matches: [(Record.ID, Result<Record, DatabaseError>)], cursor: Query.Cursor?)

/// A query for one page.
struct PageRequest: Sendable {
    let query: Query
    let zones: QueryZones
    /// Where the page begins; `nil` for the first one.
    var cursor: Query.Cursor?
    let desiredKeys: [String]?
    /// The largest number of records; 0 or less leaves it to the database.
    let limit: Int
    /// Whether a type that nobody has saved yet has no records, and is not unknown.
    var allowsNew = false

    /// How many records a page has at most.
    func pageSize(_ limits: Limits) -> Int { limit > 0 ? limit : limits.pageSize }
}

/// Zones to make and to delete.
struct ZonesRequest: Sendable {
    let saves: [RecordZone]
    let deletes: [RecordZone.ID]
    /// Whether later uses of deleted zones fail as those of zones that a user deleted.
    var isPurging = false
}

/// A database in this process, in memory or in a folder.
struct LocalDatabase: DatabaseStoring {
    let store: ContainerStore
    let stored: StoredDatabase

    var origin: DatabaseOrigin { stored.origin }

    func run<Outcome: Sendable>(
        _ body: @escaping @Sendable () throws(DatabaseError) -> Outcome
    ) async throws(DatabaseError) -> Outcome { try body() }

    func watch(_ tell: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let (readers, number) = (stored.readers, stored.readers.add(tell))
        return { readers.remove(number) }
    }
}
