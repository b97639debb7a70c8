// The codes of errors with their numbers, and as properties of the error's type: `catch CKError.unknownItem`.

import RecordDatabase

extension CKError {
    /// The kind of an error: a case for each of `DatabaseError.Code`, and one for every other number.
    ///
    /// Every number makes a code, as with CloudKit's enumeration, which is imported from C and open: a server may send
    /// codes that are newer than the program.
    public enum Code: Hashable, Sendable, RawRepresentable {
        case internalError, partialFailure, networkUnavailable, networkFailure, badContainer
        case serviceUnavailable, requestRateLimited, missingEntitlement, notAuthenticated, permissionFailure
        case unknownItem, invalidArguments, resultsTruncated, serverRecordChanged, serverRejectedRequest
        case assetFileNotFound, assetFileModified, incompatibleVersion, constraintViolation
        case operationCancelled, changeTokenExpired, batchRequestFailed, zoneBusy, badDatabase, quotaExceeded
        case zoneNotFound, limitExceeded, userDeletedZone, tooManyParticipants, alreadyShared
        case referenceViolation, managedAccountRestricted, participantMayNeedVerification, serverResponseLost
        case assetNotAvailable, accountTemporarilyUnavailable
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
            case .unnamed(let number): number
            }
        }

        /// Whether errors of this code may say how long to wait.
        var suggestsRetry: Bool { self == .serviceUnavailable || self == .requestRateLimited || self == .zoneBusy }
    }

    public static let internalError = Code.internalError
    public static let partialFailure = Code.partialFailure
    public static let networkUnavailable = Code.networkUnavailable
    public static let networkFailure = Code.networkFailure
    public static let badContainer = Code.badContainer
    public static let serviceUnavailable = Code.serviceUnavailable
    public static let requestRateLimited = Code.requestRateLimited
    public static let missingEntitlement = Code.missingEntitlement
    public static let notAuthenticated = Code.notAuthenticated
    public static let permissionFailure = Code.permissionFailure
    public static let unknownItem = Code.unknownItem
    public static let invalidArguments = Code.invalidArguments
    public static let resultsTruncated = Code.resultsTruncated
    public static let serverRecordChanged = Code.serverRecordChanged
    public static let serverRejectedRequest = Code.serverRejectedRequest
    public static let assetFileNotFound = Code.assetFileNotFound
    public static let assetFileModified = Code.assetFileModified
    public static let incompatibleVersion = Code.incompatibleVersion
    public static let constraintViolation = Code.constraintViolation
    public static let operationCancelled = Code.operationCancelled
    public static let changeTokenExpired = Code.changeTokenExpired
    public static let batchRequestFailed = Code.batchRequestFailed
    public static let zoneBusy = Code.zoneBusy
    public static let badDatabase = Code.badDatabase
    public static let quotaExceeded = Code.quotaExceeded
    public static let zoneNotFound = Code.zoneNotFound
    public static let limitExceeded = Code.limitExceeded
    public static let userDeletedZone = Code.userDeletedZone
    public static let tooManyParticipants = Code.tooManyParticipants
    public static let alreadyShared = Code.alreadyShared
    public static let referenceViolation = Code.referenceViolation
    public static let managedAccountRestricted = Code.managedAccountRestricted
    public static let participantMayNeedVerification = Code.participantMayNeedVerification
    public static let serverResponseLost = Code.serverResponseLost
    public static let assetNotAvailable = Code.assetNotAvailable
    public static let accountTemporarilyUnavailable = Code.accountTemporarilyUnavailable
}

/// Lets a code be caught: `catch CKError.unknownItem`.
public func ~= (code: CKError.Code, error: any Error) -> Bool { (error as? CKError)?.code == code }
