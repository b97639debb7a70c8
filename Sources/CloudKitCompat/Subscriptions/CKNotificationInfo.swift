// How the user of an application is told of a change.

public import Foundation
public import RecordDatabase
import Synchronization

/// How the user of an application is told of a change: the properties of `Subscription.NotificationInfo`, under
/// CloudKit's names. Top-level, since archives on Linux hold no nested classes.
@dynamicMemberLookup
public final class CKNotificationInfo: NSObject, NSSecureCoding, NSCopying, Sendable {
    private let state: Mutex<Subscription.NotificationInfo>

    /// Nothing to show.
    public convenience override init() { self.init(Subscription.NotificationInfo()) }

    init(_ info: Subscription.NotificationInfo) {
        state = Mutex(info)
        super.init()
    }

    /// What to show, all at once.
    public convenience init(
        alertBody: String? = nil, alertLocalizationKey: String? = nil, alertLocalizationArgs: [String] = [],
        title: String? = nil, titleLocalizationKey: String? = nil, titleLocalizationArgs: [String] = [],
        subtitle: String? = nil, subtitleLocalizationKey: String? = nil, subtitleLocalizationArgs: [String] = [],
        alertActionLocalizationKey: String? = nil, alertLaunchImage: String? = nil, soundName: String? = nil,
        desiredKeys: [CKRecord.FieldKey] = [], shouldBadge: Bool = false, shouldSendContentAvailable: Bool = false,
        shouldSendMutableContent: Bool = false, category: String? = nil, collapseIDKey: String? = nil
    ) {
        var info = Subscription.NotificationInfo()
        (info.alertBody, info.alertLocalizationKey) = (alertBody, alertLocalizationKey)
        (info.title, info.titleLocalizationKey) = (title, titleLocalizationKey)
        (info.subtitle, info.subtitleLocalizationKey) = (subtitle, subtitleLocalizationKey)
        info.alertLocalizationArguments = alertLocalizationArgs
        info.titleLocalizationArguments = titleLocalizationArgs
        info.subtitleLocalizationArguments = subtitleLocalizationArgs
        info.alertActionLocalizationKey = alertActionLocalizationKey
        (info.alertLaunchImage, info.soundName) = (alertLaunchImage, soundName)
        (info.desiredKeys, info.shouldBadge) = (desiredKeys, shouldBadge)
        info.shouldSendContentAvailable = shouldSendContentAvailable
        info.shouldSendMutableContent = shouldSendMutableContent
        (info.category, info.collapseIDKey) = (category, collapseIDKey)
        self.init(info)
    }

    var info: Subscription.NotificationInfo { state.withLock { $0 } }

    /// A property of `Subscription.NotificationInfo`, read and set as one of this object.
    public subscript<Value: Sendable>(
        dynamicMember member: any (WritableKeyPath<Subscription.NotificationInfo, Value> & Sendable)
    ) -> Value {
        get { state.withLock { $0[keyPath: member] } }
        set { state.withLock { $0[keyPath: member] = newValue } }
    }

    /// Names of fields whose values fill the localised alert.
    public var alertLocalizationArgs: [String]? {
        get { info.alertLocalizationArguments }
        set { self[dynamicMember: \.alertLocalizationArguments] = newValue ?? [] }
    }

    /// Names of fields whose values fill the localised title.
    public var titleLocalizationArgs: [String]? {
        get { info.titleLocalizationArguments }
        set { self[dynamicMember: \.titleLocalizationArguments] = newValue ?? [] }
    }

    /// Names of fields whose values fill the localised subtitle.
    public var subtitleLocalizationArgs: [String]? {
        get { info.subtitleLocalizationArguments }
        set { self[dynamicMember: \.subtitleLocalizationArguments] = newValue ?? [] }
    }

    /// Fields that notifications of created and updated records carry: at most three, of strings, numbers, dates,
    /// locations or references.
    public var desiredKeys: [CKRecord.FieldKey]? {
        get { info.desiredKeys }
        set { self[dynamicMember: \.desiredKeys] = newValue ?? [] }
    }

    // MARK: Archives

    private static let key = "CKNotificationInfo"
    /// True: the object can be archived where classes are checked.
    public static var supportsSecureCoding: Bool { true }

    public func encode(with coder: NSCoder) { coder.encode(value: info, for: Self.key) }

    /// `nil` where none was archived.
    public convenience init?(coder: NSCoder) {
        guard let info: Subscription.NotificationInfo = coder.value(for: Self.key) else { return nil }
        self.init(info)
    }

    /// Another object that says the same.
    public func copy(with zone: NSZone? = nil) -> Any { CKNotificationInfo(info) }
    public override func isEqual(_ object: Any?) -> Bool { (object as? CKNotificationInfo)?.info == info }
    public override var hash: Int { info.hashValue }
}
