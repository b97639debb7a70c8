// What callers are told for the states that a server reports.

import PostgreSQLStore
import RecordModel
import Testing

@Suite struct ServerErrorTests {
    private struct Row {
        let state: String
        let code: DatabaseError.Code
        var wait: Duration?
        var isTransient = false
        var isOfConnection = false
    }

    private static let rows = [
        Row(state: "40P01", code: .zoneBusy, wait: .milliseconds(200), isTransient: true),
        Row(state: "40001", code: .zoneBusy, wait: .milliseconds(200), isTransient: true),
        Row(state: "40002", code: .internalError),
        Row(state: "55P03", code: .zoneBusy, wait: .milliseconds(200)),
        Row(state: "57P01", code: .networkUnavailable, isOfConnection: true),
        Row(state: "57P03", code: .networkUnavailable, isOfConnection: true),
        Row(state: "08006", code: .networkUnavailable, isOfConnection: true),
        Row(state: "57014", code: .limitExceeded),
        Row(state: "53300", code: .serviceUnavailable, wait: .seconds(1)),
        Row(state: "25006", code: .serviceUnavailable, wait: .seconds(1)),
        Row(state: "28P01", code: .permissionFailure), Row(state: "42501", code: .permissionFailure),
        Row(state: "3D000", code: .invalidArguments), Row(state: "54001", code: .invalidArguments),
        Row(state: "42P01", code: .internalError), Row(state: "42703", code: .internalError),
        Row(state: "23505", code: .internalError),
    ]

    @Test("States of a server have codes", arguments: rows.indices)
    func states(_ index: Int) {
        let row = Self.rows[index]
        let error = ServerError(sqlState: row.state)
        #expect(error.kind == .rejected && error.reason.hasSuffix("(SQLSTATE \(row.state))"))
        #expect(error.isTransient == row.isTransient && error.isOfConnection == row.isOfConnection)
        #expect(error.isOfMissingTable == ["42P01", "42703"].contains(row.state))
        #expect(error.isOfReadOnlyServer == (row.state == "25006"))
        #expect(error.databaseError.code == row.code && error.databaseError.retryAfter == row.wait)
    }

    @Test("What no server reports has codes, too")
    func kinds() {
        let codes: [(ServerError.Kind, DatabaseError.Code, Bool)] = [
            (.noLibrary, .serviceUnavailable, false), (.malformedAddress, .invalidArguments, false),
            (.unreachable, .networkUnavailable, true), (.lost, .networkFailure, true),
            (.interrupted(isTimeOver: true), .limitExceeded, false),
            (.interrupted(isTimeOver: false), .operationCancelled, false), (.protocolViolation, .internalError, false),
        ]
        for (kind, code, isOfConnection) in codes {
            let error = ServerError(kind, "words")
            #expect(error.databaseError.code == code && error.isOfConnection == isOfConnection, "\(kind)")
            #expect(!error.isTransient && error.databaseError.reason == "words")
        }
    }
}
