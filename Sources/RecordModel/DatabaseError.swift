// One error for whatever a database rejects.

/// Why a database operation failed: CloudKit's code, a reason in words, and what belongs to the code.
public struct DatabaseError: Error, Sendable {
    /// What a batch can fail for.
    public enum Item: Hashable, Sendable, Codable {
        case record(Record.ID)
        case zone(RecordZone.ID)
        case subscription(String)
    }

    public let code: Code
    // In one box: results hold an error or a record, and errors are rare.
    private let details: Details

    private final class Details: Sendable {
        let reason: String
        let hint: String?
        let partialErrors: [Item: DatabaseError]
        let conflict: Conflict?
        let retryAfter: Duration?

        init(
            reason: String, hint: String?, partialErrors: [Item: DatabaseError], conflict: Conflict?,
            retryAfter: Duration?
        ) {
            self.reason = reason
            self.hint = hint
            self.partialErrors = partialErrors
            self.conflict = conflict
            self.retryAfter = retryAfter
        }
    }

    /// The three states of a record that was changed on both sides.
    package struct Conflict: Hashable, Sendable {
        package var server: Record
        package var client: Record
        package var ancestor: Record?

        package init(server: Record, client: Record, ancestor: Record?) {
            self.server = server
            self.client = client
            self.ancestor = ancestor
        }
    }

    /// An error of any code.
    ///
    /// - Parameters:
    ///   - reason: What is wrong: names the item, field or limit, never a value of a record.
    ///   - hint: What to do about it, where there is a usual remedy.
    ///   - retryAfter: How long to wait before trying again; kept only for the codes that have it.
    public init(_ code: Code, _ reason: String, hint: String? = nil, retryAfter: Duration? = nil) {
        self.code = code
        details = Details(
            reason: reason, hint: hint, partialErrors: [:], conflict: nil,
            retryAfter: code.suggestsRetry ? retryAfter : nil)
    }

    /// The error of a batch some of whose items failed.
    public init(partialErrors: [Item: DatabaseError]) {
        code = .partialFailure
        let count = partialErrors.count
        let first = partialErrors.values.first { $0.code != .batchRequestFailed } ?? partialErrors.values.first
        let reason = "\(count) item\(count == 1 ? "" : "s") failed" + (first.map { ", one because \($0.reason)" } ?? "")
        details = Details(
            reason: reason, hint: "partialErrors has the error of each item", partialErrors: partialErrors,
            conflict: nil, retryAfter: nil)
    }

    /// The error of a record that was changed since it was fetched.
    package init(_ conflict: Conflict) {
        code = .serverRecordChanged
        details = Details(
            reason: conflict.ancestor == nil
                ? "a record of this name exists already" : "the record was changed since it was fetched",
            hint: "put the changes into serverRecord and save that", partialErrors: [:], conflict: conflict,
            retryAfter: nil)
    }

    /// What is wrong, in words.
    public var reason: String { details.reason }
    /// What to do about it, where there is a usual remedy.
    public var hint: String? { details.hint }
    /// The error of each item that failed; empty unless the code is `partialFailure`.
    public var partialErrors: [Item: DatabaseError] { details.partialErrors }
    /// The record as it is stored; only with `serverRecordChanged`.
    public var serverRecord: Record? { details.conflict?.server }
    /// The record as it was sent; only with `serverRecordChanged`.
    public var clientRecord: Record? { details.conflict?.client }
    /// The record as it was fetched, before it was changed here; only with `serverRecordChanged`, and `nil` for a
    /// record that was never fetched.
    public var ancestorRecord: Record? { details.conflict?.ancestor }
    /// How long to wait before trying again; only with `serviceUnavailable`, `requestRateLimited` and `zoneBusy`.
    public var retryAfter: Duration? { details.retryAfter }
}

extension DatabaseError: Hashable {
    public static func == (a: DatabaseError, b: DatabaseError) -> Bool {
        a.code == b.code && a.reason == b.reason && a.hint == b.hint && a.partialErrors == b.partialErrors
            && a.details.conflict == b.details.conflict && a.retryAfter == b.retryAfter
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(reason)
    }
}

extension DatabaseError: CustomStringConvertible {
    public var description: String { "\(code): \(reason)" + (hint.map { " (\($0))" } ?? "") }
}
