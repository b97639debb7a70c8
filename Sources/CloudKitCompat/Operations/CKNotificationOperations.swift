// Operations of earlier editions about notifications that a server keeps, which here is none: they end at once.

/// Sets the number on the application's icon. There are no icons here: it ends without an error.
open class CKModifyBadgeOperation: CKOperation, @unchecked Sendable {
    /// The number. Kept, without effect.
    public var badgeValue = 0
    /// Called at the end.
    public var modifyBadgeCompletionBlock: (((any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation with a number.
    public convenience init(badgeValue: Int) {
        self.init()
        self.badgeValue = badgeValue
    }

    override func makeWork() -> Work {
        let finished = callback(modifyBadgeCompletionBlock)
        return Work { _, _ in
        } finish: { error in
            finished?(error)
        }
    }
}

/// Marks notifications as read. None is kept here: it ends with the identifiers that it was given.
open class CKMarkNotificationsReadOperation: CKOperation, @unchecked Sendable {
    /// The notifications.
    public var notificationIDs: [CKNotification.ID] = []
    /// Called at the end, with the notifications that are marked.
    public var markNotificationsReadCompletionBlock: (([CKNotification.ID]?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that marks notifications.
    public convenience init(notificationIDsToMarkRead notificationIDs: [CKNotification.ID]) {
        self.init()
        self.notificationIDs = notificationIDs
    }

    override func makeWork() -> Work {
        let (ids, finished) = (notificationIDs, callback(markNotificationsReadCompletionBlock))
        return Work { _, _ in
        } finish: { error in
            finished?(error == nil ? ids : nil, error)
        }
    }
}

/// Fetches notifications that the device has missed. None is kept here: it ends without any. `Container.notifications`
/// tells of changes as they happen.
open class CKFetchNotificationChangesOperation: CKOperation, @unchecked Sendable {
    /// Where an earlier fetch ended.
    public var previousServerChangeToken: CKServerChangeToken?
    /// At most so many. Kept, without effect.
    public var resultsLimit = 0
    /// False: there is no more.
    public let moreComing = false
    /// Called for each notification: never.
    public var notificationChangedBlock: ((CKNotification) -> Void)?
    /// Called at the end, with the token that the operation was given.
    public var fetchNotificationChangesCompletionBlock: ((CKServerChangeToken?, (any Error)?) -> Void)?

    public override init() { super.init() }

    /// An operation that begins where an earlier one ended.
    public convenience init(previousServerChangeToken: CKServerChangeToken?) {
        self.init()
        self.previousServerChangeToken = previousServerChangeToken
    }

    override func makeWork() -> Work {
        let (token, finished) = (previousServerChangeToken, callback(fetchNotificationChangesCompletionBlock))
        return Work { _, _ in
        } finish: { error in
            finished?(token, error)
        }
    }
}
