// What an application does about each error: codes, keys of `userInfo`, errors of Foundation, partial failures, waits.

import CloudKitCompat
import Foundation

public enum Remedy: Equatable {
    case retry(TimeInterval)
    case merge
    case resetToken
    case makeZone
    case split
    case dropLocal
    case tellUser(String)
    case ignore
}

public struct RetryPolicy {
    public var attempts = 3
    public init() {}

    public func remedy(for error: Error) -> Remedy {
        guard let error = error as? CKError else {
            let error = error as NSError
            return error.domain == CKErrorDomain ? .tellUser("\(error.code)") : .tellUser(error.localizedDescription)
        }
        switch error.code {
        case .networkUnavailable, .networkFailure, .serviceUnavailable, .zoneBusy, .requestRateLimited:
            return .retry(error.retryAfterSeconds ?? 1)
        case .serverResponseLost, .accountTemporarilyUnavailable, .notAuthenticated: return .retry(30)
        case .serverRecordChanged: return .merge
        case .changeTokenExpired: return .resetToken
        case .zoneNotFound, .userDeletedZone:
            let wasReset = error.userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool ?? false
            return wasReset ? .dropLocal : .makeZone
        case .limitExceeded: return .split
        case .unknownItem: return .dropLocal
        case .partialFailure: return worst(of: error)
        case .quotaExceeded: return .tellUser("full")
        case .operationCancelled, .batchRequestFailed: return .ignore
        case .badContainer, .badDatabase, .internalError, .invalidArguments, .missingEntitlement, .permissionFailure,
            .incompatibleVersion, .constraintViolation, .managedAccountRestricted, .assetFileNotFound,
            .assetFileModified, .assetNotAvailable, .serverRejectedRequest, .resultsTruncated, .tooManyParticipants,
            .alreadyShared, .referenceViolation, .participantMayNeedVerification:
            return .tellUser(error.localizedDescription)
        default: return .tellUser("unknown \(error.errorCode)")
        }
    }

    private func worst(of error: CKError) -> Remedy {
        guard let errors = error.partialErrorsByItemID else { return .ignore }
        let remedies = errors.values.map { remedy(for: $0) }
        if let wait = remedies.compactMap({ if case .retry(let seconds) = $0 { seconds } else { nil } }).max() {
            return .retry(wait)
        }
        return remedies.first { $0 != .ignore } ?? .ignore
    }

    /// The older form: `userInfo` of an `NSError`.
    public static func delay(after error: NSError) -> Double? {
        guard error.domain == CKErrorDomain, let code = CKError.Code(rawValue: error.code) else { return nil }
        switch code {
        case CKError.Code.zoneBusy, CKError.Code.requestRateLimited, CKError.Code.serviceUnavailable:
            return (error.userInfo[CKErrorRetryAfterKey] as? NSNumber)?.doubleValue ?? 3
        default: return nil
        }
    }

    public static func failures(of error: NSError) -> [CKRecord.ID: CKError] {
        guard let errors = error.userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: Any] else { return [:] }
        var failures: [CKRecord.ID: CKError] = [:]
        for (item, error) in errors {
            if let id = item as? CKRecord.ID, let error = error as? CKError { failures[id] = error }
        }
        return failures
    }

    /// Three versions of a record in conflict, the server's changed in place.
    public static func merge(_ error: CKError) -> CKRecord? {
        guard error.code == .serverRecordChanged, let server = error.serverRecord, let client = error.clientRecord
        else {
            return nil
        }
        let ancestor = error.ancestorRecord
        for key in client.changedKeys() where (server[key] as? NSNumber) == (ancestor?[key] as? NSNumber) {
            server[key] = client[key]
        }
        return server
    }

    /// Calls until it succeeds, or no more attempts are left.
    public func perform<Value>(_ body: () async throws -> Value) async throws -> Value {
        var left = attempts
        while true {
            do {
                return try await body()
            } catch CKError.zoneBusy, CKError.networkFailure {
                left -= 1
                if left <= 0 { throw CKError(.networkUnavailable) }
            } catch let error as CKError where error.code == .requestRateLimited {
                left -= 1
                if left <= 0 { throw error }
                try await Task.sleep(nanoseconds: UInt64((error.retryAfterSeconds ?? 0) * 1_000_000_000))
            }
        }
    }
}
