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
        /// The title of the alert.
        public var title: String?
        /// The key of a localised title.
        public var titleLocalizationKey: String?
        /// Names of fields whose values fill the localised title.
        public var titleLocalizationArguments: [String] = []
        /// The subtitle of the alert.
        public var subtitle: String?
        /// The key of a localised subtitle.
        public var subtitleLocalizationKey: String?
        /// Names of fields whose values fill the localised subtitle.
        public var subtitleLocalizationArguments: [String] = []
        /// The text of the alert.
        public var alertBody: String?
        /// The key of a localised text.
        public var alertLocalizationKey: String?
        /// Names of fields whose values fill the localised alert.
        public var alertLocalizationArguments: [String] = []
        /// The key of the localised title of the alert's button.
        public var alertActionLocalizationKey: String?
        /// The name of an image to show while the application starts.
        public var alertLaunchImage: String?
        /// The name of a sound to play.
        public var soundName: String?
        /// The category that tells the actions of the alert.
        public var category: String?
        /// The key by which later notifications replace earlier ones.
        public var collapseIDKey: String?
        /// Whether the badge of the application counts the notification.
        public var shouldBadge = false
        /// Whether the application is woken in the background.
        public var shouldSendContentAvailable = false
        /// Whether an extension of the application may change the notification before it is shown.
        public var shouldSendMutableContent = false
        /// Fields that notifications of created and updated records carry: at most three, of strings, numbers, dates,
        /// locations or references.
        public var desiredKeys: [String] = []

        /// Nothing to show.
        public init() {}
    }
}
