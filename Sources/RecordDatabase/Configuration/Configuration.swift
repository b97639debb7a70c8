// How a client of a database behaves: limits, time, names, environment, faults.

public import FoundationEssentials
public import PredicateSyntax
public import RecordModel

/// What a container is opened with. Everything that a test wants to be the same every time is passed in here.
public struct Configuration: Sendable {
    /// Whether the schema grows.
    public enum Environment: String, Hashable, Sendable, Codable, CaseIterable {
        /// The first save of a type or field defines it, and every field is indexed.
        case development
        /// Types, fields and indexes are those that were defined before.
        case production
    }

    /// Whether saves may add to the schema.
    public var environment = Environment.development
    /// How much a call may carry and take.
    public var limits = Limits()
    /// The current time. Dates of records never go back: what it says is not used as long as it is before the latest
    /// date in the database.
    public var clock: @Sendable () -> Date = { Date() }
    /// A new name for users, subscriptions and notifications, different every time.
    public var identifiers: @Sendable () -> String = { UUID().uuidString }
    /// Which predicates queries and subscriptions may have.
    public var dialect = Dialect.full
    /// Whether references of action `none` must lead to a record when they are saved.
    public var requiresReferenceTargets = false
    /// Whether deleting a record that does not exist fails with `unknownItem`.
    public var requiresDeletedRecords = false
    /// The folder of a new store's assets; `nil` for one in the system's temporary folder that goes with the store.
    /// Files that the store did not make itself are never removed there. Equal bytes of several stores are one file,
    /// which its maker removes: give each store a folder of its own.
    public var assetFolder: URL?
    /// Where the key of encrypted values is kept; `nil` for the file beside the folder of the store (`KeyFile`), for a
    /// random key where the container is in memory, and for none where it is on a server.
    public var encryptionKeys: (any EncryptionKeyProvider)?
    /// Called before every call of a database; the error it gives is what the call fails with. For tests of code that
    /// must bear failures.
    public var faults: (@Sendable (DatabaseCall) -> DatabaseError?)?

    /// Given what the container does, on any thread; it must not call the container.
    public var log: (@Sendable (LogMessage) -> Void)?
    /// Queries of databases that take longer are logged as warnings; `nil` for none.
    public var slowQueryTime: Duration?

    /// A container in development, with the usual limits, the clock of the system and random names.
    public init() {}

    /// Whether a query that took so long is to be logged.
    func isSlow(_ time: Duration) -> Bool { log != nil && slowQueryTime.map { time > $0 } ?? false }
}

/// A call of a database, as fault injection sees it.
public struct DatabaseCall: Hashable, Sendable {
    /// What the call does.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// Records by their identifiers.
        case fetchRecords
        /// Saves and deletions of records.
        case modifyRecords
        /// A page of the records that match.
        case query
        /// Zones, all or by their identifiers.
        case fetchZones
        /// Saves and deletions of zones.
        case modifyZones
        /// A stretch of the changes of a zone.
        case fetchZoneChanges
        /// A stretch of the changes of a database.
        case fetchDatabaseChanges
        /// Subscriptions, all or by their identifiers.
        case fetchSubscriptions
        /// Saves and deletions of subscriptions.
        case modifySubscriptions
        /// The identifier of the current user's record.
        case fetchUser
        /// Shares by their URLs, and users as their participants.
        case fetchShares
        /// Accepting shares.
        case acceptShares
    }

    /// What the call does.
    public let kind: Kind
    /// The database called.
    public let scope: DatabaseScope
    /// Number of records, zones or subscriptions that the call names.
    public let itemCount: Int

    package init(kind: Kind, scope: DatabaseScope, itemCount: Int) {
        self.kind = kind
        self.scope = scope
        self.itemCount = itemCount
    }
}
