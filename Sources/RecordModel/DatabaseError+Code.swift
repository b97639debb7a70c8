// CloudKit's error codes with their numbers.

extension DatabaseError {
    /// The kind of an error; raw values are CloudKit's.
    public enum Code: Int, Hashable, Sendable, Codable, CaseIterable {
        /// An invariant of the database is broken.
        case internalError = 1
        /// Some items of a batch failed.
        case partialFailure = 2
        case networkUnavailable = 3
        case networkFailure = 4
        /// The container was closed, or is not this one.
        case badContainer = 5
        case serviceUnavailable = 6
        case requestRateLimited = 7
        case missingEntitlement = 8
        /// The call needs a user who is signed in.
        case notAuthenticated = 9
        /// The user may not do this.
        case permissionFailure = 10
        /// There is no such record, type or subscription.
        case unknownItem = 11
        case invalidArguments = 12
        case resultsTruncated = 13
        /// The record was changed by someone else.
        case serverRecordChanged = 14
        case serverRejectedRequest = 15
        /// The file of an asset is gone.
        case assetFileNotFound = 16
        /// The file of an asset was changed while it was saved.
        case assetFileModified = 17
        /// The data were written by a newer version.
        case incompatibleVersion = 18
        case constraintViolation = 19
        case operationCancelled = 20
        /// The changes since the token are no longer known in full: start again without a token.
        case changeTokenExpired = 21
        /// The item is fine, but another of its atomic batch is not.
        case batchRequestFailed = 22
        case zoneBusy = 23
        /// The database does not offer this: the public one has one zone, the shared one nothing.
        case badDatabase = 24
        case quotaExceeded = 25
        case zoneNotFound = 26
        /// Too many items, too many bytes, or too many references.
        case limitExceeded = 27
        case userDeletedZone = 28
        case tooManyParticipants = 29
        case alreadyShared = 30
        /// A reference leads to no record, or a deletion would leave children behind.
        case referenceViolation = 31
        case managedAccountRestricted = 32
        case participantMayNeedVerification = 33
        case serverResponseLost = 34
        /// The file of an asset cannot be read.
        case assetNotAvailable = 35
        case accountTemporarilyUnavailable = 36

        /// Whether errors of this code may say how long to wait.
        var suggestsRetry: Bool { self == .serviceUnavailable || self == .requestRateLimited || self == .zoneBusy }
    }
}
