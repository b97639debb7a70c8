// Errors under CloudKit's names.

public import Foundation
public import RecordDatabase

/// Why a database did not do what it was asked.
public struct CKError: Error, Hashable, Sendable {
    /// The kind of an error.
    public typealias Code = DatabaseError.Code

    /// The error in the terms of `RecordDatabase`.
    public let databaseError: DatabaseError

    /// The same error under CloudKit's name.
    public init(_ error: DatabaseError) { databaseError = error }

    /// An error of a code, for tests of what an application does about it.
    ///
    /// - Parameter userInfo: What belongs to the error, by CloudKit's keys; what does not go with the code is left out.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        let reason = userInfo[NSLocalizedDescriptionKey] as? String ?? "an error of code \(code)"
        switch code {
        case .partialFailure:
            let errors = userInfo[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error] ?? [:]
            self.init(DatabaseError(partialErrors: Self.items(errors)))
        case .serverRecordChanged:
            guard let server = userInfo[CKRecordChangedErrorServerRecordKey] as? CKRecord,
                let client = userInfo[CKRecordChangedErrorClientRecordKey] as? CKRecord
            else { fallthrough }
            let ancestor = userInfo[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
            self.init(
                DatabaseError(.init(server: server.record, client: client.record, ancestor: ancestor?.record)))
        default:
            let seconds = userInfo[CKErrorRetryAfterKey] as? Double
            self.init(DatabaseError(code, reason, retryAfter: seconds.map { .seconds($0) }))
        }
    }

    private static func items(_ errors: [AnyHashable: any Error]) -> [DatabaseError.Item: DatabaseError] {
        var items: [DatabaseError.Item: DatabaseError] = [:]
        for (key, error) in errors {
            let item: DatabaseError.Item? =
                switch key.base {
                case let id as CKRecord.ID: .record(id.record)
                case let id as CKRecordZone.ID: .zone(id.zone)
                case let id as CKSubscription.ID: .subscription(id)
                default: nil
                }
            if let item, let error = error as? CKError { items[item] = error.databaseError }
        }
        return items
    }

    public var code: Code { databaseError.code }
    /// What is wrong, in words.
    public var localizedDescription: String { databaseError.description }

    /// The error of each item that failed, by its identifier (`CKRecord.ID`, `CKRecordZone.ID`, or the `String` of a
    /// subscription); `nil` unless the code is `partialFailure`.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        guard code == .partialFailure else { return nil }
        var errors: [AnyHashable: any Error] = [:]
        for (item, error) in databaseError.partialErrors {
            let key: AnyHashable =
                switch item {
                case .record(let id): CKRecord.ID(id)
                case .zone(let id): CKRecordZone.ID(id)
                case .subscription(let id): id
                }
            errors[key] = CKError(error)
        }
        return errors
    }

    /// The record as it is stored; only with `serverRecordChanged`.
    public var serverRecord: CKRecord? { databaseError.serverRecord.map { CKRecord($0) } }
    /// The record as it was sent; only with `serverRecordChanged`.
    public var clientRecord: CKRecord? { databaseError.clientRecord.map { CKRecord($0) } }
    /// The record as it was fetched; only with `serverRecordChanged`.
    public var ancestorRecord: CKRecord? { databaseError.ancestorRecord.map { CKRecord($0) } }
    /// Seconds to wait before trying again; only with `serviceUnavailable`, `requestRateLimited` and `zoneBusy`.
    public var retryAfterSeconds: Double? { databaseError.retryAfter.map { $0 / .seconds(1) } }

    /// What belongs to the error, by CloudKit's keys.
    public var userInfo: [String: Any] { errorUserInfo }
}

extension CKError: CustomNSError, LocalizedError {
    public static var errorDomain: String { CKErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { localizedDescription }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
        info[CKPartialErrorsByItemIDKey] = partialErrorsByItemID
        info[CKErrorRetryAfterKey] = retryAfterSeconds
        info[CKRecordChangedErrorAncestorRecordKey] = ancestorRecord
        info[CKRecordChangedErrorServerRecordKey] = serverRecord
        info[CKRecordChangedErrorClientRecordKey] = clientRecord
        return info
    }
}

extension Result where Failure == DatabaseError {
    /// The result with another value, and the error under CloudKit's name.
    func compat<Value>(_ transform: (Success) -> Value) -> Result<Value, any Error> {
        switch self {
        case .success(let value): .success(transform(value))
        case .failure(let error): .failure(CKError(error))
        }
    }
}

extension Result {
    var isSuccess: Bool { if case .success = self { true } else { false } }
}

extension Result where Failure == any Error {
    /// The error; `nil` for success.
    var failure: (any Error)? { if case .failure(let error) = self { error } else { nil } }
    /// The value; `nil` for an error.
    var success: Success? { if case .success(let value) = self { value } else { nil } }
}

/// The value of a call of the database, its error under CloudKit's name.
func compat<Value>(_ body: () throws(DatabaseError) -> Value) throws -> Value {
    do throws(DatabaseError) {
        return try body()
    } catch {
        throw CKError(error)
    }
}
