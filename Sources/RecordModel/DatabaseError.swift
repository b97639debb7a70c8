// One error for whatever a database rejects.

import FoundationEssentials

/// Why a database operation failed: CloudKit's code, a reason in words, and what belongs to the code.
public struct DatabaseError: DescribedError {
    /// What a batch can fail for.
    public enum Item: Hashable, Sendable, Codable {
        /// A record, by its identifier.
        case record(Record.ID)
        /// A zone, by its identifier.
        case zone(RecordZone.ID)
        /// A subscription, by its identifier.
        case subscription(String)
    }

    /// What went wrong, for programs: what `catch` matches.
    public let code: Code
    // In one box: results hold an error or a record, and errors are rare.
    private let details: Details

    private final class Details: Sendable {
        let reason: String
        let hint: String?
        let partialErrors: [Item: DatabaseError]
        let conflict: Conflict?
        let retryAfter: Duration?
        let place: Place?
        let isEncryptedDataReset: Bool

        init(
            _ reason: String, hint: String?, partialErrors: [Item: DatabaseError] = [:], conflict: Conflict? = nil,
            retryAfter: Duration? = nil, place: Place? = nil
        ) {
            isEncryptedDataReset = false
            (self.reason, self.hint, self.place) = (reason, hint, place)
            (self.partialErrors, self.conflict, self.retryAfter) = (partialErrors, conflict, retryAfter)
        }

        /// What belongs to a zone that is gone with its key.
        init(ofResetZone reason: String, hint: String) {
            (self.reason, self.hint, isEncryptedDataReset) = (reason, hint, true)
            (partialErrors, conflict, retryAfter, place) = ([:], nil, nil, nil)
        }
    }

    /// The part of a predicate that an error is about.
    public struct Place: Hashable, Sendable {
        /// The predicate's text, with placeholders for its arguments.
        public let text: String
        /// The part, in UTF-8 bytes of the text.
        public let range: Range<Int>
        /// The line of the text, and under it a line with a caret under the part.
        public let excerpt: String

        package init(text: String, range: Range<Int>, excerpt: String) {
            (self.text, self.range, self.excerpt) = (text, range, excerpt)
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
        details = Details(reason, hint: hint, retryAfter: code.suggestsRetry ? retryAfter : nil)
    }

    /// An error about a part of a predicate.
    package init(_ code: Code, _ reason: String, hint: String?, at place: Place) {
        self.code = code
        details = Details(reason, hint: hint, place: place)
    }

    /// The error of a batch some of whose items failed.
    public init(partialErrors: [Item: DatabaseError]) {
        code = .partialFailure
        let count = partialErrors.count
        let first = partialErrors.values.first { $0.code != .batchRequestFailed } ?? partialErrors.values.first
        let reason = "\(count) item\(count == 1 ? "" : "s") failed" + (first.map { ", one because \($0.reason)" } ?? "")
        details = Details(reason, hint: "partialErrors has the error of each item", partialErrors: partialErrors)
    }

    /// The error of a zone that is gone with the key of its encrypted values.
    package init(ofResetZone name: String) {
        code = .zoneNotFound
        details = Details(
            ofResetZone: "the encrypted data of zone \(name) were reset",
            hint: "delete the zone, save it again, and save its records from what is cached")
    }

    /// The error of a record that was changed since it was fetched.
    package init(_ conflict: Conflict) {
        code = .serverRecordChanged
        details = Details(
            conflict.ancestor == nil
                ? "a record of this name exists already" : "the record was changed since it was fetched",
            hint: "put the changes into serverRecord and save that", conflict: conflict)
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
    /// The part of the query's predicate that is at fault; `nil` for errors of other kinds.
    public var place: Place? { details.place }
    /// Whether a zone is not there because its user reset the key of encrypted values; only with `zoneNotFound`.
    public var isEncryptedDataReset: Bool { details.isEncryptedDataReset }
    /// How long to wait before trying again; only with `serviceUnavailable`, `requestRateLimited` and `zoneBusy`.
    public var retryAfter: Duration? { details.retryAfter }
}

extension DatabaseError: Hashable {
    public static func == (a: DatabaseError, b: DatabaseError) -> Bool {
        a.code == b.code && a.reason == b.reason && a.hint == b.hint && a.partialErrors == b.partialErrors
            && a.details.conflict == b.details.conflict && a.retryAfter == b.retryAfter && a.place == b.place
            && a.isEncryptedDataReset == b.isEncryptedDataReset
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(reason)
    }
}

extension DatabaseError {
    /// Code, reason and hint; for one about a predicate the place in it, on lines of its own.
    public var description: String {
        guard let place else { return "\(code): \(reason)" + (hint.map { " (\($0))" } ?? "") }
        return (["\(code): \(reason)", place.excerpt] + (hint.map { ["hint: \($0)"] } ?? [])).joined(separator: "\n")
    }
}
