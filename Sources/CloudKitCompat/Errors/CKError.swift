// Errors under CloudKit's names.

public import Foundation
public import RecordDatabase

/// Why an operation failed.
public struct CKError: Error, Sendable {
    /// The error in the terms of `RecordDatabase`; one of a code that it does not have is an `internalError` there.
    public let databaseError: DatabaseError
    /// What went wrong, for programs: what `catch` matches.
    public let code: Code
    private let details: Details

    /// What belongs to an error, by CloudKit's keys and the application's own. In one object, so that the records of an
    /// error are the same objects however often they are read.
    // Unchecked, as Foundation's NSError is: nothing changes here, and the values are the application's.
    private final class Details: @unchecked Sendable {
        let values: [String: Any]
        init(_ values: [String: Any]) { self.values = values }
    }

    /// The same error under CloudKit's name.
    public init(_ error: DatabaseError) {
        databaseError = error
        code = Code(error.code)
        var values: [String: Any] = [:]
        if !error.partialErrors.isEmpty { values[CKPartialErrorsByItemIDKey] = Self.errors(error.partialErrors) }
        values[CKErrorRetryAfterKey] = error.retryAfter.map { $0 / .seconds(1) }
        if error.isEncryptedDataReset { values[CKErrorUserDidResetEncryptedDataKey] = true }
        values[CKRecordChangedErrorServerRecordKey] = error.serverRecord.map { CKRecord.of($0) }
        values[CKRecordChangedErrorClientRecordKey] = error.clientRecord.map { CKRecord.of($0) }
        values[CKRecordChangedErrorAncestorRecordKey] = error.ancestorRecord.map { CKRecord.of($0) }
        details = Details(values)
    }

    /// An error of a code, for tests of what an application does about it.
    ///
    /// - Parameter userInfo: What belongs to the error. Keys of the application are kept; CloudKit's are left out where
    ///   they do not go with the code.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        var values = userInfo
        if code != .partialFailure { values[CKPartialErrorsByItemIDKey] = nil }
        if code != .serverRecordChanged { for key in Self.recordKeys { values[key] = nil } }
        if !code.suggestsRetry { values[CKErrorRetryAfterKey] = nil }
        let seconds = values[CKErrorRetryAfterKey].flatMap { Self.number($0) }
        if let seconds { values[CKErrorRetryAfterKey] = seconds }
        self.code = code
        details = Details(values)
        databaseError = Self.databaseError(code, values, retryAfter: seconds)
    }

    /// The error that an object of Foundation tells; any other than CloudKit's is an `internalError`.
    public init(_nsError error: NSError) {
        let code = error.domain == CKErrorDomain ? Code(rawValue: error.code) : nil
        self.init(code ?? .internalError, userInfo: error.userInfo)
    }

    private static let recordKeys = [
        CKRecordChangedErrorServerRecordKey, CKRecordChangedErrorClientRecordKey,
        CKRecordChangedErrorAncestorRecordKey,
    ]

    /// The error in the terms of `RecordDatabase`, as far as these go.
    private static func databaseError(
        _ code: Code, _ values: [String: Any], retryAfter seconds: Double?
    ) -> DatabaseError {
        if let errors = values[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error] {
            return DatabaseError(partialErrors: items(errors))
        }
        if let server = values[CKRecordChangedErrorServerRecordKey] as? CKRecord,
            let client = values[CKRecordChangedErrorClientRecordKey] as? CKRecord
        {
            let ancestor = values[CKRecordChangedErrorAncestorRecordKey] as? CKRecord
            return DatabaseError(.init(server: server.record, client: client.record, ancestor: ancestor?.record))
        }
        let reason = values[NSLocalizedDescriptionKey] as? String ?? "an error of code \(code)"
        // A duration holds no infinity, and not every finite number.
        let wait = seconds.flatMap { abs($0) < 1e15 ? Duration.seconds($0) : nil }
        return DatabaseError(.init(rawValue: code.rawValue) ?? .internalError, reason, retryAfter: wait)
    }

    /// A number of any type.
    private static func number(_ value: Any) -> Double? {
        switch value {
        case let value as any BinaryFloatingPoint: Double(value)
        case let value as any BinaryInteger: Double(value)
        case let value as NSNumber: value.doubleValue
        default: nil
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

    private static func errors(_ items: [DatabaseError.Item: DatabaseError]) -> [AnyHashable: any Error] {
        var errors: [AnyHashable: any Error] = [:]
        for (item, error) in items {
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

    /// What is wrong, in words.
    public var localizedDescription: String {
        details.values[NSLocalizedDescriptionKey] as? String ?? databaseError.description
    }

    /// The error of each item that failed, by its identifier (`CKRecord.ID`, `CKRecordZone.ID`, or the `String` of a
    /// subscription); `nil` where there are none, as with every code but `partialFailure`.
    public var partialErrorsByItemID: [AnyHashable: any Error]? {
        let errors = details.values[CKPartialErrorsByItemIDKey] as? [AnyHashable: any Error]
        return errors?.isEmpty == false ? errors : nil
    }

    /// The record as it is stored; only with `serverRecordChanged`. The same object every time: change and save it.
    public var serverRecord: CKRecord? { details.values[CKRecordChangedErrorServerRecordKey] as? CKRecord }
    /// The record as it was sent; only with `serverRecordChanged`. The same object every time.
    public var clientRecord: CKRecord? { details.values[CKRecordChangedErrorClientRecordKey] as? CKRecord }
    /// The record as it was fetched; only with `serverRecordChanged`. The same object every time.
    public var ancestorRecord: CKRecord? { details.values[CKRecordChangedErrorAncestorRecordKey] as? CKRecord }
    /// Seconds to wait before trying again; only with `serviceUnavailable`, `requestRateLimited` and `zoneBusy`.
    public var retryAfterSeconds: Double? { details.values[CKErrorRetryAfterKey] as? Double }

    /// What belongs to the error, by CloudKit's keys and the application's own.
    public var userInfo: [String: Any] { errorUserInfo }
}

extension CKError: Hashable {
    /// Whether code, reason, items, own keys, and what the records say now are the same.
    public static func == (a: CKError, b: CKError) -> Bool {
        if a.details === b.details { return true }
        return a.code == b.code && a.databaseError == b.databaseError
            && recordKeys.allSatisfy { a.record($0) == b.record($0) }
            && Self.areEqual(a.ownValues, b.ownValues)
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(databaseError) }

    private func record(_ key: String) -> Record? { (details.values[key] as? CKRecord)?.record }

    private var ownValues: [String: Any] {
        details.values.filter { key, _ in !Self.recordKeys.contains(key) && key != CKPartialErrorsByItemIDKey }
    }

    /// Whether keys and values are the same; values that know no equality are where they are one object.
    private static func areEqual(_ a: [String: Any], _ b: [String: Any]) -> Bool {
        a.count == b.count
            && a.allSatisfy { key, value in
                guard let other = b[key] else { return false }
                if let value = value as? AnyHashable, let other = other as? AnyHashable { return value == other }
                return value as AnyObject === other as AnyObject
            }
    }
}

extension CKError: CustomStringConvertible {
    public var description: String { "<CKError \(code.rawValue): \(localizedDescription)>" }
}

extension CKError: CustomNSError, LocalizedError {
    public static var errorDomain: String { CKErrorDomain }
    public var errorCode: Int { code.rawValue }
    public var errorDescription: String? { localizedDescription }

    public var errorUserInfo: [String: Any] {
        details.values.merging([NSLocalizedDescriptionKey: localizedDescription]) { own, _ in own }
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
