// Codes of errors as patterns.

extension DatabaseError {
    /// An invariant of the database is broken.
    public static let internalError = Code.internalError
    /// Some items of a batch failed.
    public static let partialFailure = Code.partialFailure
    /// There is no network; only faults that are injected have it.
    public static let networkUnavailable = Code.networkUnavailable
    /// The connection failed; only faults that are injected have it.
    public static let networkFailure = Code.networkFailure
    /// The container was closed, or is not this one.
    public static let badContainer = Code.badContainer
    /// The store cannot be used at the moment: another process writes it, the disk is full, or reading failed.
    public static let serviceUnavailable = Code.serviceUnavailable
    /// More calls in a second than the limits allow; the error says how long to wait.
    public static let requestRateLimited = Code.requestRateLimited
    /// The program may not use the service; only faults that are injected have it.
    public static let missingEntitlement = Code.missingEntitlement
    /// The call needs a user who is signed in.
    public static let notAuthenticated = Code.notAuthenticated
    /// The user may not do this.
    public static let permissionFailure = Code.permissionFailure
    /// There is no such record, type or subscription.
    public static let unknownItem = Code.unknownItem
    /// Something in the call is illegal: a name, a value, a predicate, an option.
    public static let invalidArguments = Code.invalidArguments
    /// Not all results were given; only faults that are injected have it.
    public static let resultsTruncated = Code.resultsTruncated
    /// The record was changed by someone else.
    public static let serverRecordChanged = Code.serverRecordChanged
    /// Another subscription is the same.
    public static let serverRejectedRequest = Code.serverRejectedRequest
    /// The file of an asset is gone.
    public static let assetFileNotFound = Code.assetFileNotFound
    /// The file of an asset was changed while it was saved.
    public static let assetFileModified = Code.assetFileModified
    /// The data were written by a newer version.
    public static let incompatibleVersion = Code.incompatibleVersion
    /// A value is not unique, or missing, where the schema demands it.
    public static let constraintViolation = Code.constraintViolation
    /// The task or the operation was cancelled.
    public static let operationCancelled = Code.operationCancelled
    /// The changes since the token are no longer known in full: start again without a token.
    public static let changeTokenExpired = Code.changeTokenExpired
    /// The item is fine, but another of its atomic batch is not.
    public static let batchRequestFailed = Code.batchRequestFailed
    /// Too much is done in the zone at once; only faults that are injected have it.
    public static let zoneBusy = Code.zoneBusy
    /// The database does not offer this: the public one has one zone, the shared one no transactions.
    public static let badDatabase = Code.badDatabase
    /// The store holds as many bytes as it may.
    public static let quotaExceeded = Code.quotaExceeded
    /// There is no such zone.
    public static let zoneNotFound = Code.zoneNotFound
    /// Too many items, too many bytes, or too many references.
    public static let limitExceeded = Code.limitExceeded
    /// The zone was purged; saving it makes it again.
    public static let userDeletedZone = Code.userDeletedZone
    /// A share has too many participants.
    public static let tooManyParticipants = Code.tooManyParticipants
    /// A record or a zone would be in two shares.
    public static let alreadyShared = Code.alreadyShared
    /// A reference leads to no record, or a deletion would leave children behind.
    public static let referenceViolation = Code.referenceViolation
    /// The account may not do this where it is managed; only faults that are injected have it.
    public static let managedAccountRestricted = Code.managedAccountRestricted
    /// The user is no participant of the share.
    public static let participantMayNeedVerification = Code.participantMayNeedVerification
    /// The result was lost, and the call may have been carried out; only faults that are injected have it.
    public static let serverResponseLost = Code.serverResponseLost
    /// The file of an asset cannot be read.
    public static let assetNotAvailable = Code.assetNotAvailable
    /// Someone is signed in whose account cannot be used at the moment.
    public static let accountTemporarilyUnavailable = Code.accountTemporarilyUnavailable
    /// The user is a participant of the share already.
    public static let participantAlreadyInvited = Code.participantAlreadyInvited
}

/// Matches an error of a database by its code: `catch DatabaseError.serverRecordChanged`.
public func ~= (code: DatabaseError.Code, error: any Error) -> Bool { (error as? DatabaseError)?.code == code }
