// One connection to a server: statements go out together, and their results come back together.

import CPostgreSQL
import Deadlines

/// A connection, used by one thread at a time. Its functions wait for the server; they give up when the work at hand is
/// cancelled or its time is over (`Deadline`), and have the server give up too.
@safe package final class Connection: @unchecked Sendable {
    // SAFETY: whoever has the connection has it alone; the pool hands it from one thread to the next under a lock.
    private let connection: OpaquePointer
    private let address: ConnectionString
    /// The process of the server, where nothing is between it and this one.
    private var process: Int32?
    /// Whether the connection only looks at the server: nothing looks at it in turn.
    private let isLook: Bool
    /// The statements that the server keeps for the connection.
    private var kept = KeptStatements()
    /// Whether the end of a transaction was sent, and its result is not taken yet.
    private var isEnding = false
    /// Whether no statement can be sent any more.
    package private(set) var isLost = false
    /// Whether the server said that it can only be read: another one may have taken its place.
    package private(set) var isReadOnly = false

    /// Connects to a server, and sets what all statements rest on.
    /// - Throws: `ServerError`.
    package init(_ address: ConnectionString) throws(ServerError) {
        unsafe connection = try Self.open(address)
        (self.address, isLook) = (address, false)
        let encoding = unsafe cpg_parameter_status(connection, "server_encoding").map { unsafe String(cString: $0) }
        guard encoding == "UTF8", unsafe cpg_server_version(connection) >= 130_000 else {
            throw ServerError(.rejected, "a server of version 13 or later with a database in UTF-8 is needed")
        }
        let results = try run(
            [
                // Fractions with all digits that tell them apart.
                Statement("SET jit = off"), Statement("SET TimeZone = 'UTC'"), Statement("SET extra_float_digits = 1"),
                Statement("SET client_min_messages = error"), Statement("SET standard_conforming_strings = on"),
                Statement("SET default_transaction_isolation = 'read committed'"),
            ] + [Planning.eachTime.statement] + Self.keepalives + [Statement("SELECT pg_backend_pid()")])
        let process = results.last?.int64(0, 0).map { Int($0) }
        if process == backendProcess { self.process = process.map { Int32(truncatingIfNeeded: $0) } }
        kept.isOn = self.process != nil
    }

    /// Connects to a server only to see whether it is there.
    /// - Throws: `ServerError`.
    init(lookingAt address: ConnectionString) throws(ServerError) {
        unsafe connection = try Self.open(address)
        (self.address, isLook) = (address, true)
    }

    deinit { unsafe cpg_finish(connection) }

    /// Has the server look, over TCP, whether this machine is still there: within half a minute it ends the
    /// transactions of one that vanished. The other way round `Silence` looks, and `cpg_connect_start` sets the same.
    private static let keepalives = [
        "tcp_keepalives_idle = 15", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3",
        "tcp_user_timeout = 30000",
    ].map { Statement("SET " + $0) }

    private static func open(_ address: ConnectionString) throws(ServerError) -> OpaquePointer {
        let failure = ServerError(.unreachable, "the server cannot be reached")
        // Of several servers those that can only be read are standbys; one alone may be read.
        let isForWriting: Int32 = address.hostCount > 1 ? 1 : 0
        guard let connection = unsafe cpg_connect_start(address.text, isForWriting) else { throw failure }
        let end = ContinuousClock.now + address.timeout * address.hostCount
        let watch = Deadline.watch
        var state = Int32(CPG_POLLING_WRITING)
        while state != CPG_POLLING_OK {
            let socket = unsafe cpg_socket(connection)
            let left = end - .now
            if state == CPG_POLLING_FAILED || socket < 0 || left <= .zero {
                let message = unsafe String(cString: cpg_error_message(connection))
                unsafe cpg_finish(connection)
                throw Self.rejection(of: message) ?? failure
            }
            if let cause = watch.interruption {
                unsafe cpg_finish(connection)
                throw Self.interrupted(cause)
            }
            let isReady = cpg_wait(
                socket, state == CPG_POLLING_READING ? 1 : 0, state == CPG_POLLING_WRITING ? 1 : 0,
                min(pace, left.wholeMilliseconds))
            if isReady > 0 { unsafe state = cpg_connect_poll(connection) }
        }
        unsafe cpg_silence(connection)
        _ = unsafe cpg_set_nonblocking(connection)
        return unsafe connection
    }

    /// The error of a login that the server rejected: libpq gives no SQLSTATE for these, and its words are English or
    /// those of the server's language. Nothing of the message is passed on.
    private static func rejection(of message: String) -> ServerError? {
        if message.contains("too many clients") || message.contains("remaining connection slots") {
            return ServerError(sqlState: "53300")
        }
        if message.contains("starting up") || message.contains("shutting down") {
            return ServerError(sqlState: "57P03")
        }
        if message.contains("session is read-only") || message.contains("server is in hot standby mode") {
            return ServerError(sqlState: "25006")
        }
        if message.contains("does not exist"), message.contains("database") { return ServerError(sqlState: "3D000") }
        let isOfLogin = ["password", "authentication", "pg_hba", "role", "permission denied for database"]
            .contains { message.contains($0) }
        return isOfLogin ? ServerError(sqlState: "28000") : nil
    }

    private var isConnected: Bool { unsafe cpg_is_connected(connection) != 0 }

    /// Whether a transaction is open, or failed and was not ended.
    package var isInTransaction: Bool { unsafe cpg_transaction_status(connection) != 0 && !isEnding }

    /// The process of the server that serves the connection.
    package var backendProcess: Int { unsafe Int(cpg_backend_process(connection)) }

    // MARK: Statements

    /// Runs one statement.
    /// - Throws: `ServerError`.
    @discardableResult
    package func run(_ statement: Statement) throws(ServerError) -> RowSet {
        guard let rows = try run([statement]).first else { throw Self.unexpected }
        return rows
    }

    /// Runs statements in one round trip. Outside of a transaction they count together or not at all; behind one that
    /// fails none is run.
    ///
    /// - Returns: The rows of each.
    /// - Throws: `ServerError` of the first statement that failed; of one that is too long before any is sent.
    @discardableResult
    package func run(_ statements: [Statement]) throws(ServerError) -> [RowSet] {
        if isLost { throw Self.lost }
        if statements.isEmpty { return [] }
        if statements.contains(where: \.isTooLong) { throw ServerError(sqlState: "54000") }
        do throws(ServerError) {
            try takeEnd()
            guard unsafe cpg_enter_pipeline(connection) != 0 else { throw Self.lost }
            // Of each result, whether it is that of a statement, and not of keeping one.
            var isOwn: [Bool] = []
            for statement in statements {
                let use = kept.use(of: statement)
                for other in use.preparations {
                    try send(other)
                    isOwn.append(false)
                }
                if let name = use.name, use.isNew {
                    try keep(statement, name)
                    isOwn.append(false)
                }
                try send(statement, use.name)
                isOwn.append(true)
            }
            guard unsafe cpg_pipeline_sync(connection) != 0 else { throw Self.lost }
            let results = try results(of: isOwn.count)
            guard unsafe cpg_exit_pipeline(connection) != 0 else { throw Self.unexpected }
            if case .failure(let error) = results { kept.forget(after: error) } else { kept.noteSent() }
            return zip(try results.get(), isOwn).filter(\.1).map(\.0)
        } catch {
            note(error)
            throw error
        }
    }

    /// Ends a transaction that only read, and does not wait until the server says so: the next call takes its word.
    package func endReading() {
        guard !isLost, isInTransaction else { return }
        do throws(ServerError) {
            guard unsafe cpg_enter_pipeline(connection) != 0 else { throw Self.lost }
            try send(Statement("COMMIT"))
            guard unsafe cpg_pipeline_sync(connection) != 0, unsafe cpg_flush(connection) >= 0 else { throw Self.lost }
            isEnding = true
        } catch {
            isLost = true
        }
    }

    /// Takes the result of the end that was sent.
    private func takeEnd() throws(ServerError) {
        guard isEnding else { return }
        isEnding = false
        guard case .success = try results(of: 1) else { throw Self.lost }
        guard unsafe cpg_exit_pipeline(connection) != 0 else { throw Self.unexpected }
    }

    /// Copies rows into a table: `COPY … FROM STDIN`.
    ///
    /// - Parameter pieces: The bytes of the rows, in as many pieces as one likes.
    /// - Throws: `ServerError`; then no row was copied, and a transaction that is open has failed.
    package func copy(_ statement: Statement, _ pieces: some Sequence<[UInt8]>) throws(ServerError) {
        if isLost { throw Self.lost }
        do throws(ServerError) {
            try takeEnd()
            try send(statement)
            try waitForResult()
            if let failure = try takeResults(upTo: Int(CPG_COPY_IN)) { throw failure }
            for piece in pieces where !piece.isEmpty { try put(piece) }
            while unsafe cpg_end_copy(connection, nil) == 0 { try waitForRoom() }
            if let failure = try takeResults(upTo: nil) { throw failure }
        } catch {
            note(error)
            throw error
        }
    }

    private func note(_ error: ServerError) {
        // Statements whose results were not taken would be taken for those of the next ones.
        if error.kind != .rejected || !isConnected { isLost = true }
        if error.isOfReadOnlyServer { isReadOnly = true }
    }

    /// Takes the results of a statement up to one of a status, or all.
    ///
    /// - Returns: What the server rejected the statement with.
    private func takeResults(upTo last: Int?) throws(ServerError) -> ServerError? {
        var failure: ServerError?
        while true {
            try waitForResult()
            guard let result = unsafe cpg_next_result(connection) else {
                if !isConnected { throw Self.lost }
                if let failure { return failure }
                if last == nil { return nil }
                throw Self.unexpected
            }
            let status = unsafe cpg_status(result)
            let state = unsafe cpg_error_field(result, Int32(CPG_SQLSTATE)).map { unsafe String(cString: $0) }
            unsafe cpg_clear(result)
            if status == CPG_FATAL_ERROR {
                guard let state else { throw isConnected ? Self.unexpected : Self.lost }
                failure = failure ?? ServerError(sqlState: state)
            } else if let last, status == last {
                return failure
            }
        }
    }

    private func put(_ piece: [UInt8]) throws(ServerError) {
        while true {
            let isTaken = unsafe piece.withUnsafeBytes { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { chars in
                    unsafe cpg_put_copy(connection, chars.baseAddress, Int32(clamping: chars.count))
                }
            }
            if isTaken < 0 { throw Self.lost }
            // What the library holds back it would hold in memory.
            try waitForRoom()
            if isTaken > 0 { return }
        }
    }

    /// Sends what waits to be sent.
    private func waitForRoom() throws(ServerError) {
        let watch = Deadline.watch
        var silence = Silence(address, process: process)
        while true {
            let left = unsafe cpg_flush(connection)
            if left < 0 { throw Self.lost }
            if left == 0 { return }
            if let cause = watch.interruption {
                // The connection is given up, and the server ends its transaction.
                throw Self.interrupted(cause)
            }
            let ready = unsafe cpg_wait(cpg_socket(connection), 1, 1, Self.pace)
            if ready < 0 { throw Self.lost }
            if ready > 0, unsafe cpg_consume(connection) == 0 { throw Self.lost }
            if ready > 0 { silence.end() } else if silence.isOfLostConnection() { throw Self.lost }
        }
    }

    static var lost: ServerError { ServerError(.lost, "the connection to the server was lost") }
    static var unexpected: ServerError { ServerError(.protocolViolation, "the server sent what was not requested") }

    /// What a transaction set is no more when it is rolled back.
    func forgetPlanning() { kept.forgetPlanning() }

    private func keep(_ statement: Statement, _ name: String) throws(ServerError) {
        let types = statement.parameters.map(\.kind.rawValue)
        let isSent = unsafe cpg_send_prepare(connection, name, statement.text, Int32(types.count), types)
        guard isSent != 0 else { throw Self.lost }
    }

    /// - Parameter name: That of a statement which the server keeps.
    private func send(_ statement: Statement, _ name: String? = nil) throws(ServerError) {
        let values = statement.parameters.map(\.encoded)
        // One buffer for all values: pointers into it live during the call.
        let buffer = values.reduce(into: [UInt8]()) { $0 += $1 ?? [] } + [0]
        let types = statement.parameters.map(\.kind.rawValue)
        let lengths = values.map { Int32(truncatingIfNeeded: $0?.count ?? 0) }
        // SAFETY: every pointer is to a value's first byte within the buffer, which has one byte more than all values.
        let isSent = unsafe buffer.withUnsafeBytes { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { chars in
                var pointers = unsafe [UnsafePointer<CChar>?]()
                var offset = 0
                for value in values {
                    let start = unsafe chars.baseAddress.map { unsafe $0 + offset }
                    unsafe pointers.append(value == nil ? nil : start)
                    offset += value?.count ?? 0
                }
                let count = Int32(values.count)
                guard let name else {
                    return unsafe cpg_send(connection, statement.text, count, types, pointers, lengths)
                }
                return unsafe cpg_send_prepared(connection, name, count, pointers, lengths)
            }
        }
        guard isSent != 0 else { throw Self.lost }
    }

    /// The results of statements up to the mark behind them.
    private func results(of count: Int) throws(ServerError) -> Result<[RowSet], ServerError> {
        var rows: [RowSet] = []
        var failure: ServerError?
        while true {
            try waitForResult()
            guard let result = unsafe cpg_next_result(connection) else {
                if !isConnected { throw Self.lost }
                continue
            }
            let status = unsafe cpg_status(result)
            if status == CPG_PIPELINE_SYNC {
                unsafe cpg_clear(result)
                if let failure { return .failure(failure) }
                guard rows.count == count else { throw Self.unexpected }
                return .success(rows)
            }
            if status == CPG_TUPLES_OK || status == CPG_COMMAND_OK || status == CPG_EMPTY_QUERY {
                unsafe rows.append(RowSet(result))
                continue
            }
            let state = unsafe cpg_error_field(result, Int32(CPG_SQLSTATE)).map { unsafe String(cString: $0) }
            unsafe cpg_clear(result)
            if status == CPG_PIPELINE_ABORTED { continue }
            guard status == CPG_FATAL_ERROR, let state else {
                throw isConnected ? Self.unexpected : Self.lost
            }
            failure = failure ?? ServerError(sqlState: state)
        }
    }

    // MARK: Waiting

    /// How often a wait looks whether it is still wanted.
    private static var pace: Int32 { 50 }

    private func waitForResult() throws(ServerError) {
        let watch = Deadline.watch
        var interruption: (cause: Interruption, date: ContinuousClock.Instant)?
        var silence = Silence(address, process: process)
        while true {
            let left = unsafe cpg_flush(connection)
            if left < 0 { throw Self.lost }
            if left == 0, unsafe cpg_is_busy(connection) == 0 { break }
            let ready = unsafe cpg_wait(cpg_socket(connection), 1, left > 0 ? 1 : 0, Self.pace)
            if ready < 0 { throw Self.lost }
            if ready > 0, unsafe cpg_consume(connection) == 0 { throw Self.lost }
            if ready > 0 {
                silence.end()
                continue
            }
            let isLost = !isLook && silence.isOfLostConnection()
            if let interruption {
                // A server that does not give up is left to itself.
                if isLost || ContinuousClock.now - interruption.date > .seconds(2) { break }
            } else if let cause = watch.interruption {
                interruption = (cause, .now)
                if isLook || isLost { break }
                unsafe StatementCancel(connection)?.send()
                if silence.isSuspect { break }
            } else if isLost {
                throw Self.lost
            }
        }
        if let interruption { throw Self.interrupted(interruption.cause) }
    }

    static func interrupted(_ cause: Interruption) -> ServerError {
        let isTimeOver = cause == .timeLimit
        return ServerError(
            .interrupted(isTimeOver: isTimeOver),
            isTimeOver ? "the server took longer than the query may" : "the task was cancelled")
    }

    /// Waits until the server notifies of something that the connection listens to; what had come before counts.
    ///
    /// - Parameter milliseconds: After this time it gives up.
    /// - Throws: `ServerError` for a connection that was lost.
    package func waitForNotification(milliseconds: Int32) throws(ServerError) {
        if isLost { throw Self.lost }
        if takeNotifications() { return }
        let ready = unsafe cpg_wait(cpg_socket(connection), 1, 0, milliseconds)
        if ready == 0 { return }
        guard ready > 0, unsafe cpg_consume(connection) != 0 else {
            isLost = true
            throw Self.lost
        }
        _ = takeNotifications()
    }

    /// Takes the notifications that came; whether there was one.
    private func takeNotifications() -> Bool {
        var isOne = false
        while unsafe cpg_next_notification(connection, nil, { _, _, _ in }) != 0 { isOne = true }
        return isOne
    }
}

extension Duration {
    /// The time in milliseconds, rounded up, as far as C can say it.
    fileprivate var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: min(seconds, 1_000_000) * 1000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}
