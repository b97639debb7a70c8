// CloudKit's error codes with their numbers.

extension DatabaseError {
    /// The kind of an error; raw values are CloudKit's.
    public enum Code: Int, Hashable, Sendable, Codable, CaseIterable {
        /// An invariant of the database is broken.
        case internalError = 1
        /// Some items of a batch failed.
        case partialFailure = 2
        /// There is no network; only faults that are injected have it.
        case networkUnavailable = 3
        /// The connection failed; only faults that are injected have it.
        case networkFailure = 4
        /// The container was closed, or is not this one.
        case badContainer = 5
        /// The store cannot be used at the moment: another process writes it, the disk is full, or reading failed.
        case serviceUnavailable = 6
        /// More calls in a second than the limits allow; the error says how long to wait.
        case requestRateLimited = 7
        /// The program may not use the service; only faults that are injected have it.
        case missingEntitlement = 8
        /// The call needs a user who is signed in.
        case notAuthenticated = 9
        /// The user may not do this.
        case permissionFailure = 10
        /// There is no such record, type or subscription.
        case unknownItem = 11
        /// Something in the call is illegal: a name, a value, a predicate, an option.
        case invalidArguments = 12
        /// Not all results were given; only faults that are injected have it.
        case resultsTruncated = 13
        /// The record was changed by someone else.
        case serverRecordChanged = 14
        /// Another subscription is the same.
        case serverRejectedRequest = 15
        /// The file of an asset is gone.
        case assetFileNotFound = 16
        /// The file of an asset was changed while it was saved.
        case assetFileModified = 17
        /// The data were written by a newer version.
        case incompatibleVersion = 18
        /// A value is not unique, or missing, where the schema demands it.
        case constraintViolation = 19
        /// The task or the operation was cancelled.
        case operationCancelled = 20
        /// The changes since the token are no longer known in full: start again without a token.
        case changeTokenExpired = 21
        /// The item is fine, but another of its atomic batch is not.
        case batchRequestFailed = 22
        /// Too much is done in the zone at once; only faults that are injected have it.
        case zoneBusy = 23
        /// The database does not offer this: the public one has one zone, the shared one no transactions.
        case badDatabase = 24
        /// The store holds as many bytes as it may.
        case quotaExceeded = 25
        /// There is no such zone.
        case zoneNotFound = 26
        /// Too many items, too many bytes, or too many references.
        case limitExceeded = 27
        /// The zone was purged; saving it makes it again.
        case userDeletedZone = 28
        /// A share has too many participants.
        case tooManyParticipants = 29
        /// A record or a zone would be in two shares.
        case alreadyShared = 30
        /// A reference leads to no record, or a deletion would leave children behind.
        case referenceViolation = 31
        /// The account may not do this where it is managed; only faults that are injected have it.
        case managedAccountRestricted = 32
        /// The user is no participant of the share.
        case participantMayNeedVerification = 33
        /// The result was lost, and the call may have been carried out; only faults that are injected have it.
        case serverResponseLost = 34
        /// The file of an asset cannot be read.
        case assetNotAvailable = 35
        /// Someone is signed in whose account cannot be used at the moment.
        case accountTemporarilyUnavailable = 36
        /// The user is a participant of the share already.
        case participantAlreadyInvited = 37

        /// Whether errors of this code may say how long to wait.
        var suggestsRetry: Bool { self == .serviceUnavailable || self == .requestRateLimited || self == .zoneBusy }
    }
}
