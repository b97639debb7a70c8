// What a user wants to be told about.

public import PredicateSemantics
public import RecordModel

/// A wish to be told of changes: of records that match a predicate, of a zone, or of a whole database.
///
///     try await database.save(Subscription(recordType: "City", predicate: "population > \(1_000_000)"))
///     for await notification in container.notifications { … }
///
/// A subscription watches from the moment it is saved, for every client of its user but the one that makes a change.
public struct Subscription: Hashable, Sendable, Codable {
    /// Names a subscription among those of its user and database.
    public typealias ID = String

    /// Which changes of records a query subscription is about; raw values are CloudKit's.
    public struct Options: OptionSet, Hashable, Sendable, Codable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// A matching record is created.
        public static let firesOnRecordCreation = Options(rawValue: 1)
        /// A record is saved again and matches then.
        public static let firesOnRecordUpdate = Options(rawValue: 2)
        /// A record that matched is deleted, by a call or with its owner.
        public static let firesOnRecordDeletion = Options(rawValue: 4)
        /// The subscription is gone after its first notification.
        public static let firesOnce = Options(rawValue: 8)
        /// Creation, update and deletion.
        public static let all: Options = [.firesOnRecordCreation, .firesOnRecordUpdate, .firesOnRecordDeletion]
    }

    /// What is watched.
    public enum Subject: Hashable, Sendable, Codable {
        /// Records of a type that match a predicate, in one zone or in all.
        case query(recordType: String, predicate: RecordPredicate, zoneID: RecordZone.ID?, options: Options)
        /// Any record of a zone, of one type or of all.
        case zone(RecordZone.ID, recordType: String?)
        /// Any record or zone of the database, of one type or of all.
        case database(recordType: String?)
    }

    /// Names the subscription among those of its user in a database.
    public let id: ID
    /// What is watched.
    public internal(set) var subject: Subject
    /// How the user is told; a subscription without is told silently.
    public var notificationInfo: NotificationInfo?

    private init(id: ID, subject: Subject, notificationInfo: NotificationInfo?) throws(DatabaseError) {
        if id.isEmpty { throw DatabaseError(.invalidArguments, "the identifier of a subscription is empty") }
        self.id = id
        self.subject = subject
        self.notificationInfo = notificationInfo
    }

    /// A subscription to the records that match.
    ///
    /// - Parameters:
    ///   - id: Its name; a random one if none is given.
    ///   - zoneID: The zone; `nil` for all zones of the database.
    ///   - options: Creation, update, deletion, or several; and whether the first notification is the last.
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty identifier, an illegal type, or options that
    ///   name no change. The predicate is checked when the subscription is saved.
    public init(
        recordType: String, predicate: RecordPredicate, id: ID = Subscription.newID(), zoneID: RecordZone.ID? = nil,
        options: Options = .all, notificationInfo: NotificationInfo? = nil
    ) throws(DatabaseError) {
        try NameRules.check(type: recordType)
        if options.isDisjoint(with: .all) {
            throw DatabaseError(
                .invalidArguments, "the subscription names no change", hint: "creation, update, deletion, or several")
        }
        try self.init(
            id: id,
            subject: .query(recordType: recordType, predicate: predicate, zoneID: zoneID, options: options),
            notificationInfo: notificationInfo)
    }

    /// A subscription to all records of a zone, or to those of one type.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty identifier or illegal names.
    public init(
        zoneID: RecordZone.ID, recordType: String? = nil, id: ID = Subscription.newID(),
        notificationInfo: NotificationInfo? = nil
    ) throws(DatabaseError) {
        try NameRules.check(zoneID)
        if let recordType { try NameRules.check(type: recordType) }
        try self.init(id: id, subject: .zone(zoneID, recordType: recordType), notificationInfo: notificationInfo)
    }

    /// A subscription to everything in a database, or to its records of one type.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for an empty identifier or an illegal type.
    public init(
        databaseWithRecordType recordType: String? = nil, id: ID = Subscription.newID(),
        notificationInfo: NotificationInfo? = nil
    ) throws(DatabaseError) {
        if let recordType { try NameRules.check(type: recordType) }
        try self.init(id: id, subject: .database(recordType: recordType), notificationInfo: notificationInfo)
    }
}
