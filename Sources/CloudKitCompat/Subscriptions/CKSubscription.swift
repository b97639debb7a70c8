// Subscriptions under CloudKit's names.

public import Foundation
public import RecordDatabase
import Synchronization

/// A wish to be told of changes. Make one of the classes below.
///
/// What is illegal about a subscription fails when it is saved, with `invalidArguments`.
// Unchecked, since classes that have subclasses cannot be checked: all that changes is in the mutex.
public class CKSubscription: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    /// Names a subscription among those of its user and database.
    public typealias ID = String

    /// What is watched; raw values are CloudKit's.
    public enum SubscriptionType: Int, Sendable {
        /// The records that match a predicate.
        case query = 1
        /// A zone.
        case recordZone = 2
        /// A database.
        case database = 3
    }

    /// How the user of an application is told of a change.
    public typealias NotificationInfo = CKNotificationInfo

    private struct Settings {
        var subject: Subscription.Subject
        var info: NotificationInfo?
    }

    /// Names the subscription among those of its user in a database.
    public let subscriptionID: ID
    private let settings: Mutex<Settings>

    fileprivate init(_ id: ID, _ subject: Subscription.Subject, _ info: NotificationInfo? = nil) {
        subscriptionID = id
        settings = Mutex(Settings(subject: subject, info: info))
        super.init()
    }

    // MARK: Archives

    private struct Coded: Codable {
        let id: ID
        let subject: Subscription.Subject
        let info: Subscription.NotificationInfo?
    }
    private static let key = "CKSubscription"
    /// True: a subscription can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) {
        coder.encode(
            value: Coded(id: subscriptionID, subject: subject, info: notificationInfo?.info), for: Self.key)
    }

    /// `nil` where no subscription of the class was archived.
    public required init?(coder: NSCoder) {
        guard let coded: Coded = coder.value(for: Self.key), Self.takes(coded.subject) else { return nil }
        subscriptionID = coded.id
        settings = Mutex(Settings(subject: coded.subject, info: coded.info.map { NotificationInfo($0) }))
        super.init()
    }

    /// Whether objects of the class watch what a subject says.
    fileprivate class func takes(_ subject: Subscription.Subject) -> Bool { true }

    /// Another subscription that says the same.
    public func copy(with zone: NSZone? = nil) -> Any {
        Self.make(subscriptionID, subject, notificationInfo.map { NotificationInfo($0.info) })
    }

    public override var description: String {
        "<\(Self.self): subscriptionID=\(subscriptionID), subscriptionType=\(subscriptionType)>"
    }

    // MARK: What it says

    fileprivate var subject: Subscription.Subject {
        get { settings.withLock { $0.subject } }
        set { settings.withLock { $0.subject = newValue } }
    }

    /// How the user is told; without it they are told silently.
    public var notificationInfo: NotificationInfo? {
        get { settings.withLock { $0.info } }
        set { settings.withLock { $0.info = newValue } }
    }

    /// What is watched.
    public var subscriptionType: SubscriptionType {
        switch subject {
        case .query: .query
        case .zone: .recordZone
        case .database: .database
        }
    }

    /// The subscription as it is now.
    /// - Throws: `DatabaseError` of code `invalidArguments` for what is illegal about it.
    func subscription() throws(DatabaseError) -> Subscription {
        let info = notificationInfo?.info
        return switch subject {
        case .query(let type, let predicate, let zoneID, let options):
            try Subscription(
                recordType: type, predicate: predicate, id: subscriptionID, zoneID: zoneID, options: options,
                notificationInfo: info)
        case .zone(let zoneID, let type):
            try Subscription(zoneID: zoneID, recordType: type, id: subscriptionID, notificationInfo: info)
        case .database(let type):
            try Subscription(databaseWithRecordType: type, id: subscriptionID, notificationInfo: info)
        }
    }

    /// The same subscription under CloudKit's name.
    static func make(_ subscription: Subscription) -> CKSubscription {
        make(subscription.id, subscription.subject, subscription.notificationInfo.map { NotificationInfo($0) })
    }

    private static func make(_ id: ID, _ subject: Subscription.Subject, _ info: NotificationInfo?) -> CKSubscription {
        switch subject {
        case .query: CKQuerySubscription(id, subject, info)
        case .zone: CKRecordZoneSubscription(id, subject, info)
        case .database: CKDatabaseSubscription(id, subject, info)
        }
    }
}

/// A subscription to the records that match a predicate.
public final class CKQuerySubscription: CKSubscription, @unchecked Sendable {
    /// What about the records is watched: their creation, update, deletion, or several.
    public typealias Options = Subscription.Options

    /// A subscription to the records of a type that match, in all zones; the identifier is a random one if none is
    /// given.
    public init(
        recordType: CKRecord.RecordType, predicate: NSPredicate, subscriptionID: ID = Subscription.newID(),
        options: Options = .all
    ) {
        super.init(
            subscriptionID,
            .query(recordType: recordType, predicate: predicate.recordPredicate, zoneID: nil, options: options))
    }

    fileprivate override init(_ id: ID, _ subject: Subscription.Subject, _ info: NotificationInfo?) {
        super.init(id, subject, info)
    }

    /// `nil` where no such subscription was archived.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    fileprivate override class func takes(_ subject: Subscription.Subject) -> Bool {
        if case .query = subject { true } else { false }
    }

    private var parts: (type: String, predicate: RecordPredicate, zoneID: RecordZone.ID?, options: Options) {
        guard case .query(let type, let predicate, let zoneID, let options) = subject else {
            return ("", "FALSEPREDICATE", nil, [])
        }
        return (type, predicate, zoneID, options)
    }

    /// The type of the records.
    public var recordType: CKRecord.RecordType { parts.type }
    /// What the records have to satisfy.
    public var predicate: NSPredicate { NSPredicate(parts.predicate) }
    /// What about the records is watched.
    public var querySubscriptionOptions: Options { parts.options }

    /// The zone; `nil` for all zones.
    public var zoneID: CKRecordZone.ID? {
        get { parts.zoneID.map { CKRecordZone.ID($0) } }
        set {
            let (type, predicate, _, options) = parts
            subject = .query(recordType: type, predicate: predicate, zoneID: newValue?.zone, options: options)
        }
    }
}

/// A subscription to all records of a zone, or to those of one type.
public final class CKRecordZoneSubscription: CKSubscription, @unchecked Sendable {
    /// A subscription to all records of a zone; the identifier is a random one if none is given.
    public init(zoneID: CKRecordZone.ID, subscriptionID: ID = Subscription.newID()) {
        super.init(subscriptionID, .zone(zoneID.zone, recordType: nil))
    }

    fileprivate override init(_ id: ID, _ subject: Subscription.Subject, _ info: NotificationInfo?) {
        super.init(id, subject, info)
    }

    /// `nil` where no such subscription was archived.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    fileprivate override class func takes(_ subject: Subscription.Subject) -> Bool {
        if case .zone = subject { true } else { false }
    }

    private var parts: (zoneID: RecordZone.ID, type: String?) {
        guard case .zone(let zoneID, let type) = subject else { return (.default, nil) }
        return (zoneID, type)
    }

    /// The zone.
    public var zoneID: CKRecordZone.ID { CKRecordZone.ID(parts.zoneID) }

    /// The type of the records; `nil` for all.
    public var recordType: CKRecord.RecordType? {
        get { parts.type }
        set { subject = .zone(parts.zoneID, recordType: newValue) }
    }
}

/// A subscription to everything in a database, or to its records of one type.
public final class CKDatabaseSubscription: CKSubscription, @unchecked Sendable {
    /// A subscription to everything in a database; the identifier is a random one if none is given.
    public init(subscriptionID: ID = Subscription.newID()) { super.init(subscriptionID, .database(recordType: nil)) }

    fileprivate override init(_ id: ID, _ subject: Subscription.Subject, _ info: NotificationInfo?) {
        super.init(id, subject, info)
    }

    /// `nil` where no such subscription was archived.
    public required init?(coder: NSCoder) { super.init(coder: coder) }

    fileprivate override class func takes(_ subject: Subscription.Subject) -> Bool {
        if case .database = subject { true } else { false }
    }

    /// The type of the records; `nil` for all.
    public var recordType: CKRecord.RecordType? {
        get { if case .database(let type) = subject { type } else { nil } }
        set { subject = .database(recordType: newValue) }
    }
}
