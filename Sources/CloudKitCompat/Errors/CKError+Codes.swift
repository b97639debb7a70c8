// The codes of errors with their numbers, and as properties of the error's type: `catch CKError.unknownItem`.

import RecordDatabase

extension CKError {
    /// The kind of an error: a case for each of `DatabaseError.Code`, and one for every other number.
    ///
    /// Every number makes a code, as with CloudKit's enumeration, which is imported from C and open: a server may send
    /// codes that are newer than the program.
    public enum Code: Hashable, Sendable, RawRepresentable {
        /// An invariant of the database is broken.
        case internalError
        /// Some items of a batch failed.
        case partialFailure
        /// There is no network; only faults that are injected have it.
        case networkUnavailable
        /// The connection failed; only faults that are injected have it.
        case networkFailure
        /// The container was closed, or is not this one.
        case badContainer
        /// The store cannot be used at the moment: another process writes it, the disk is full, or reading failed.
        case serviceUnavailable
        /// More calls in a second than the limits allow; the error says how long to wait.
        case requestRateLimited
        /// The program may not use the service; only faults that are injected have it.
        case missingEntitlement
        /// The call needs a user who is signed in.
        case notAuthenticated
        /// The user may not do this.
        case permissionFailure
        /// There is no such record, type or subscription.
        case unknownItem
        /// Something in the call is illegal: a name, a value, a predicate, an option.
        case invalidArguments
        /// Not all results were given; only faults that are injected have it.
        case resultsTruncated
        /// The record was changed by someone else.
        case serverRecordChanged
        /// Another subscription is the same.
        case serverRejectedRequest
        /// The file of an asset is gone.
        case assetFileNotFound
        /// The file of an asset was changed while it was saved.
        case assetFileModified
        /// The data were written by a newer version.
        case incompatibleVersion
        /// A value is not unique, or missing, where the schema demands it.
        case constraintViolation
        /// The task or the operation was cancelled.
        case operationCancelled
        /// The changes since the token are no longer known in full: start again without a token.
        case changeTokenExpired
        /// The item is fine, but another of its atomic batch is not.
        case batchRequestFailed
        /// Too much is done in the zone at once; only faults that are injected have it.
        case zoneBusy
        /// The database does not offer this: the public one has one zone, the shared one no transactions.
        case badDatabase
        /// The store holds as many bytes as it may.
        case quotaExceeded
        /// There is no such zone.
        case zoneNotFound
        /// Too many items, too many bytes, or too many references.
        case limitExceeded
        /// The zone was purged; saving it makes it again.
        case userDeletedZone
        /// A share has too many participants.
        case tooManyParticipants
        /// A record or a zone would be in two shares.
        case alreadyShared
        /// A reference leads to no record, or a deletion would leave children behind.
        case referenceViolation
        /// The account may not do this where it is managed; only faults that are injected have it.
        case managedAccountRestricted
        /// The user is no participant of the share.
        case participantMayNeedVerification
        /// The result was lost, and the call may have been carried out; only faults that are injected have it.
        case serverResponseLost
        /// The file of an asset cannot be read.
        case assetNotAvailable
        /// Someone is signed in whose account cannot be used at the moment.
        case accountTemporarilyUnavailable
        /// The user is a participant of the share already.
        case participantAlreadyInvited
        /// A number without a name. Made by `init(rawValue:)` alone, so that a number has one code.
        case unnamed(Int)

        /// In the order of their numbers, from 1.
        private static let named: [Code] = [
            .internalError, .partialFailure, .networkUnavailable, .networkFailure, .badContainer, .serviceUnavailable,
            .requestRateLimited, .missingEntitlement, .notAuthenticated, .permissionFailure, .unknownItem,
            .invalidArguments, .resultsTruncated, .serverRecordChanged, .serverRejectedRequest, .assetFileNotFound,
            .assetFileModified, .incompatibleVersion, .constraintViolation, .operationCancelled, .changeTokenExpired,
            .batchRequestFailed, .zoneBusy, .badDatabase, .quotaExceeded, .zoneNotFound, .limitExceeded,
            .userDeletedZone, .tooManyParticipants, .alreadyShared, .referenceViolation, .managedAccountRestricted,
            .participantMayNeedVerification, .serverResponseLost, .assetNotAvailable, .accountTemporarilyUnavailable,
            .participantAlreadyInvited,
        ]

        /// Never `nil`.
        public init?(rawValue: Int) { self.init(number: rawValue) }
        init(_ code: DatabaseError.Code) { self.init(number: code.rawValue) }

        private init(number: Int) {
            self = (1...Self.named.count).contains(number) ? Self.named[number - 1] : .unnamed(number)
        }

        // Not found in the list: equality of enumerations with raw values is that of these.
        public var rawValue: Int {
            switch self {
            case .internalError: 1
            case .partialFailure: 2
            case .networkUnavailable: 3
            case .networkFailure: 4
            case .badContainer: 5
            case .serviceUnavailable: 6
            case .requestRateLimited: 7
            case .missingEntitlement: 8
            case .notAuthenticated: 9
            case .permissionFailure: 10
            case .unknownItem: 11
            case .invalidArguments: 12
            case .resultsTruncated: 13
            case .serverRecordChanged: 14
            case .serverRejectedRequest: 15
            case .assetFileNotFound: 16
            case .assetFileModified: 17
            case .incompatibleVersion: 18
            case .constraintViolation: 19
            case .operationCancelled: 20
            case .changeTokenExpired: 21
            case .batchRequestFailed: 22
            case .zoneBusy: 23
            case .badDatabase: 24
            case .quotaExceeded: 25
            case .zoneNotFound: 26
            case .limitExceeded: 27
            case .userDeletedZone: 28
            case .tooManyParticipants: 29
            case .alreadyShared: 30
            case .referenceViolation: 31
            case .managedAccountRestricted: 32
            case .participantMayNeedVerification: 33
            case .serverResponseLost: 34
            case .assetNotAvailable: 35
            case .accountTemporarilyUnavailable: 36
            case .participantAlreadyInvited: 37
            case .unnamed(let number): number
            }
        }

        /// Whether errors of this code may say how long to wait.
        var suggestsRetry: Bool { self == .serviceUnavailable || self == .requestRateLimited || self == .zoneBusy }
    }

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

/// Lets a code be caught: `catch CKError.unknownItem`.
public func ~= (code: CKError.Code, error: any Error) -> Bool { (error as? CKError)?.code == code }
