// Notifications as dictionaries: what a device gets as a remote notification.

public import Foundation
import RecordDatabase
import RecordModel

/// What makes notifications of dictionaries: as the class that is named or the one of the notification's kind, which
/// only an initialiser of a protocol can.
public protocol RemoteNotificationReading {}

extension RemoteNotificationReading where Self: CKNotification {
    /// The notification of a dictionary that a device gets, of the class that goes with its kind.
    ///
    /// - Parameter notificationDictionary: What `remoteNotificationDictionary` gives, or CloudKit sends: under `ck` the
    ///   identifiers of container, notification and subscription, and `qry`, `fet` or `met` for a record, a zone or a
    ///   database. `nil` for any other dictionary, and for one of another kind than the class is of.
    public init?(fromRemoteNotificationDictionary notificationDictionary: [AnyHashable: Any]) {
        guard let notification = ChangeNotification(remote: notificationDictionary),
            let made = CKNotification.make(notification, RemoteAlert(notificationDictionary)) as? Self
        else { return nil }
        self = made
    }
}

extension CKNotification {
    /// The notification as a device would get it: what `init(fromRemoteNotificationDictionary:)` takes. Applications
    /// route it to where they handle remote notifications.
    public var remoteNotificationDictionary: [AnyHashable: Any] { notification.remote }

    /// The text of the alert.
    public var alertBody: String? { alert.text("body") }
    /// The key of a localised text.
    public var alertLocalizationKey: String? { alert.text("loc-key") }
    /// What fills the localised text.
    public var alertLocalizationArgs: [String]? { alert.texts("loc-args") }
    /// The title of the alert.
    public var title: String? { alert.text("title") }
    /// The key of a localised title.
    public var titleLocalizationKey: String? { alert.text("title-loc-key") }
    /// What fills the localised title.
    public var titleLocalizationArgs: [String]? { alert.texts("title-loc-args") }
    /// The subtitle of the alert.
    public var subtitle: String? { alert.text("subtitle") }
    /// The key of a localised subtitle.
    public var subtitleLocalizationKey: String? { alert.text("subtitle-loc-key") }
    /// What fills the localised subtitle.
    public var subtitleLocalizationArgs: [String]? { alert.texts("subtitle-loc-args") }
    /// The key of the localised title of the alert's button.
    public var alertActionLocalizationKey: String? { alert.text("action-loc-key") }
    /// The name of an image to show while the application starts.
    public var alertLaunchImage: String? { alert.text("launch-image") }
    /// The number to show on the application's icon.
    public var badge: NSNumber? { alert.badge.map { NSNumber(value: $0) } }
    /// The name of a sound to play.
    public var soundName: String? { alert.sound }
    /// The category that tells the actions of the alert.
    public var category: String? { alert.category }
}

/// What a device shows of a remote notification.
struct RemoteAlert: Sendable {
    private var texts: [String: String] = [:]
    private var lists: [String: [String]] = [:]
    private(set) var badge: Int?
    private(set) var sound: String?
    private(set) var category: String?

    /// Nothing to show.
    init() {}

    init(_ dictionary: [AnyHashable: Any]) {
        guard let push = dictionary["aps"] as? [String: Any] else { return }
        (badge, sound, category) = (push["badge"] as? Int, push["sound"] as? String, push["category"] as? String)
        if let body = push["alert"] as? String { texts["body"] = body }
        for (key, value) in push["alert"] as? [String: Any] ?? [:] {
            if let text = value as? String { texts[key] = text }
            if let list = value as? [String] { lists[key] = list }
        }
    }

    func text(_ key: String) -> String? { texts[key] }
    func texts(_ key: String) -> [String]? { lists[key] }
}

extension ChangeNotification {
    /// The part of a dictionary for each kind, and what it says: identifiers of subscription, zone, its owner and
    /// record (`sid`, `zid`, `zoid`, `rid`), scope, reason and fields (`dbs`, `fo`, `af`).
    private static let parts: [(key: String, kind: Kind)] = [
        ("qry", .query), ("fet", .recordZone), ("met", .database),
    ]

    init?(remote dictionary: [AnyHashable: Any]) {
        guard let message = dictionary["ck"] as? [String: Any],
            let (key, kind) = Self.parts.first(where: { message[$0.key] is [String: Any] }),
            let part = message[key] as? [String: Any]
        else { return nil }
        let zone = (part["zid"] as? String).map {
            RecordZone.ID($0, ownerName: part["zoid"] as? String ?? RecordZone.ID.currentUserName)
        }
        let name = part["rid"] as? String
        if kind == .query, name == nil { return nil }
        let fields = (part["af"] as? [String: Any] ?? [:]).compactMapValues { FieldValue(compat: $0) }
        self.init(
            id: message["nid"] as? String ?? "", kind: kind, subscriptionID: part["sid"] as? String ?? "",
            containerIdentifier: message["cid"] as? String ?? "",
            databaseScope: (part["dbs"] as? Int).flatMap(DatabaseScope.init) ?? .private,
            recordZoneID: kind == .recordZone ? zone ?? .default : nil,
            recordID: name.map { Record.ID($0, zoneID: zone ?? .default) },
            reason: kind == .query ? (part["fo"] as? Int).flatMap(Reason.init) ?? .recordUpdated : nil,
            fields: fields, isPruned: message["p"] as? Bool ?? false)
    }

    var remote: [AnyHashable: Any] {
        var part: [String: Any] = ["sid": subscriptionID, "dbs": databaseScope.rawValue]
        if let zone = recordID?.zoneID ?? recordZoneID { (part["zid"], part["zoid"]) = (zone.zoneName, zone.ownerName) }
        part["rid"] = recordID?.recordName
        part["fo"] = reason?.rawValue
        if !fields.isEmpty { part["af"] = fields.compactMapValues { $0.recordValue } }
        var message: [String: Any] = ["ce": 2, "cid": containerIdentifier, "nid": id]
        if isPruned { message["p"] = true }
        if let key = Self.parts.first(where: { $0.kind == kind })?.key { message[key] = part }
        return ["aps": ["content-available": 1], "ck": message]
    }
}
