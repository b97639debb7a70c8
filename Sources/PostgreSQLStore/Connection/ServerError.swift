// What a server reports, and the error that callers get for it.

package import RecordModel

/// Why a statement or a connection failed.
package struct ServerError: Error, Hashable {
    /// What kind of failure it is: what a caller does about it depends on nothing else.
    package enum Kind: Hashable, Sendable {
        /// The library is not installed, or is too old.
        case noLibrary
        /// The connection string cannot be read.
        case malformedAddress
        /// No connection could be made.
        case unreachable
        /// The connection was lost; whether the last statements were carried out is not known.
        case lost
        /// The server rejected a statement; the SQLSTATE says why.
        case rejected
        /// The task was cancelled, or the time is over.
        case interrupted(isTimeOver: Bool)
        /// The server sent what nobody expects of it.
        case protocolViolation
    }

    package let kind: Kind
    /// The five characters of the server's error code; `nil` where no server said anything.
    package let sqlState: String?
    /// What is wrong, in words of this module: neither the server's message, which may repeat values, nor parts of the
    /// connection string.
    package let reason: String

    package init(_ kind: Kind, sqlState: String? = nil, _ reason: String) {
        (self.kind, self.sqlState, self.reason) = (kind, sqlState, reason)
    }

    /// The error of a statement, or of an attempt to connect, that the server rejected.
    package init(sqlState: String) {
        let reason = Self.reasons.first { sqlState.hasPrefix($0.prefix) }?.reason ?? "the server rejected a statement"
        self.init(.rejected, sqlState: sqlState, "\(reason) (SQLSTATE \(sqlState))")
    }

    private static let reasons: [(prefix: String, reason: String)] = [
        ("40P01", "transactions wait for each other"), ("40", "the transaction has to be repeated"),
        ("55P03", "a lock was not to be had in time"), ("57014", "the server gave up a statement"),
        ("57P", "the server shuts down or is starting"), ("25006", "the server can only be read"),
        ("28", "the server rejects the login"), ("3D000", "the server has no such database"),
        ("53", "the server has no room, memory or connections left"),
        ("54", "the statement is too long or too complex for the server"),
        ("42501", "the user of the server may not do this"),
        ("42P01", "a table is missing"), ("42703", "a column is missing"), ("08", "the connection was lost"),
    ]

    /// Whether a transaction that failed with this error had no effect, and may succeed when it is repeated.
    package var isTransient: Bool { sqlState == "40P01" || sqlState == "40001" }

    /// Whether the server can only be read, as one whose place another one took.
    package var isOfReadOnlyServer: Bool { sqlState == "25006" }

    /// Whether a table or a column is not there.
    package var isOfMissingTable: Bool { sqlState == "42P01" || sqlState == "42703" }

    /// Whether a connection was lost, or never made.
    package var isOfConnection: Bool {
        switch kind {
        case .unreachable, .lost: true
        case .rejected: sqlState.map { $0.hasPrefix("57P") || $0.hasPrefix("08") } ?? false
        default: false
        }
    }

    /// The error as callers of a database get it.
    package var databaseError: DatabaseError {
        switch kind {
        case .noLibrary:
            DatabaseError(.serviceUnavailable, reason, hint: "install PostgreSQL's client library")
        case .malformedAddress: DatabaseError(.invalidArguments, reason, hint: "postgresql://user@host/database")
        case .unreachable: DatabaseError(.networkUnavailable, reason, hint: "check that the server runs")
        case .lost: DatabaseError(.networkFailure, reason, hint: "try again")
        case .interrupted(let isTimeOver):
            isTimeOver
                ? DatabaseError(.limitExceeded, reason, hint: "allow more time, or request less")
                : DatabaseError(.operationCancelled, reason)
        case .protocolViolation: DatabaseError(.internalError, reason)
        case .rejected: rejection
        }
    }

    private var rejection: DatabaseError {
        let state = sqlState ?? ""
        if state.hasPrefix("28") || state == "42501" {
            return DatabaseError(.permissionFailure, reason, hint: "check user, password and rights")
        }
        if isTransient || state == "55P03" {
            return DatabaseError(.zoneBusy, reason, hint: "wait for retryAfter", retryAfter: .milliseconds(200))
        }
        if state.hasPrefix("57P") || state.hasPrefix("08") { return DatabaseError(.networkUnavailable, reason) }
        if state.hasPrefix("53") || isOfReadOnlyServer {
            return DatabaseError(.serviceUnavailable, reason, hint: "try again later", retryAfter: .seconds(1))
        }
        if state == "57014" { return DatabaseError(.limitExceeded, reason, hint: "allow more time, or request less") }
        if state.hasPrefix("54") { return DatabaseError(.invalidArguments, reason, hint: "request less at a time") }
        if isOfMissingTable {
            return DatabaseError(
                .internalError, reason, hint: "the container's tables were changed by other means than this library")
        }
        if state == "3D000" { return DatabaseError(.invalidArguments, reason, hint: "make the database first") }
        return DatabaseError(.internalError, reason)
    }
}
