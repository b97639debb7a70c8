// How much is too much.

/// Bounds of what a database takes; the defaults are CloudKit's.
public struct Limits: Hashable, Sendable {
    /// Saves and deletes of one batch, or records fetched at once.
    public var itemsPerRequest = 400
    /// Bytes of field data of one batch, without assets.
    public var bytesPerRequest = 2 << 20
    /// Bytes of field data of one record, without assets.
    public var bytesPerRecord = 1 << 20
    /// Records that own a reference with `deleteSelf` to one record.
    public var ownersPerRecord = 750
    /// Participants of a share, its owner included.
    public var participantsPerShare = 100
    /// Records of a page, where the caller leaves it to the database.
    public var pageSize = 100
    /// The time that finding a page of a query may take; `nil` for any time. A query that takes longer fails with
    /// `limitExceeded`.
    public var queryTime: Duration?
    /// Steps that a query may take to decide one record, as `QueryLimits.stepsPerRecord` tells; a query that takes more
    /// fails with `limitExceeded`.
    public var queryStepsPerRecord = 50_000_000
    /// Records and deletions, or zones, of one stretch of changes, where the caller leaves it to the database.
    public var changesPerRequest = 400
    /// Characters of the name of a record, zone, type or field.
    public var nameLength = 255
    /// Deletions that a zone remembers for readers of changes; those whose token is older must start again without one.
    public var deletionsPerZone = 1_000_000
    /// Bytes of field data and assets of all databases of the store together; `nil` for no limit.
    public var bytesPerStore: Int?
    /// Bytes of the fields that a notification carries.
    public var bytesPerNotification = 4096
    /// Notifications that wait for a client that does not take them.
    public var notificationsWaiting = 1000
    /// Steps of a live query that wait for a reader that does not take them.
    public var stepsWaiting = 1000
    /// Calls a second that one client may make; `nil` for no limit.
    public var callsPerSecond: Double?

    /// CloudKit's limits.
    public init() {}
}
