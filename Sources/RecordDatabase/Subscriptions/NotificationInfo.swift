// How the user of an application is told of a change.

import FoundationEssentials

extension Subscription {
    /// A new identifier, different every time.
    public static func newID() -> ID { UUID().uuidString }

    /// What a notification carries, and how a device would show it.
    ///
    /// The database stores it and hands it back with the subscription. It acts on `desiredKeys` alone: showing alerts,
    /// playing sounds and counting badges is up to the application.
    public struct NotificationInfo: Hashable, Sendable, Codable {
        public var title: String?
        public var titleLocalizationKey: String?
        /// Names of fields whose values fill the localised title.
        public var titleLocalizationArguments: [String] = []
        public var subtitle: String?
        public var subtitleLocalizationKey: String?
        /// Names of fields whose values fill the localised subtitle.
        public var subtitleLocalizationArguments: [String] = []
        public var alertBody: String?
        public var alertLocalizationKey: String?
        /// Names of fields whose values fill the localised alert.
        public var alertLocalizationArguments: [String] = []
        public var alertActionLocalizationKey: String?
        public var alertLaunchImage: String?
        public var soundName: String?
        public var category: String?
        public var collapseIDKey: String?
        public var shouldBadge = false
        public var shouldSendContentAvailable = false
        public var shouldSendMutableContent = false
        /// Fields that notifications of created and updated records carry: at most three, of strings, numbers, dates,
        /// locations or references.
        public var desiredKeys: [String] = []

        /// Nothing to show.
        public init() {}
    }
}
