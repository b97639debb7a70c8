// A second look at servers that say nothing.

import Deadlines
import Dispatch
import Synchronization

/// How long a connection was silent, and what other connections tell of its server meanwhile.
///
/// A server that computes is silent, too. One that vanished, or a network that lost the connection, is told from it by
/// a second connection, long before TCP gives up.
struct Silence {
    private let address: ConnectionString
    /// The process of the server that serves the connection; `nil` where something between them has another number.
    private let process: Int32?
    private var since = ContinuousClock.now
    /// After how much silence the next look begins.
    private var patience = Self.first
    private var look: ServerLook?
    /// Whether the last look found a process with nothing to do.
    private var isIdle = false
    /// Whether the last look found the process at work.
    private var isAtWork = false

    private static var first: Duration { .seconds(2) }
    private static var longest: Duration { .seconds(60) }

    init(_ address: ConnectionString, process: Int32?) { (self.address, self.process) = (address, process) }

    /// Notes that the server said something.
    mutating func end() { self = Silence(address, process: process) }

    /// Whether the server is likely to stay silent.
    var isSuspect: Bool { !isAtWork && ContinuousClock.now - since > Self.first }

    /// Looks, if it is time for that; whether the connection is lost. Does not wait.
    mutating func isOfLostConnection() -> Bool {
        guard let look else {
            if ContinuousClock.now - since > patience { look = ServerLook(address, process) }
            return false
        }
        guard let finding = look.finding else { return false }
        self.look = nil
        // The result of a process with nothing to do may be on its way: it has until the next look.
        let isLost = finding == .unreachable || finding == .gone || finding == .idle && isIdle
        (isIdle, isAtWork) = (finding == .idle, finding == .atWork)
        patience = ContinuousClock.now - since + (isIdle ? Self.first : min(patience, Self.longest))
        return isLost
    }
}

/// One look at a server, over a connection of its own, on another thread.
private final class ServerLook: Sendable {
    enum Finding {
        /// The server cannot be reached, or is silent.
        case unreachable
        /// The process is not there any more.
        case gone
        /// The process waits for statements.
        case idle
        /// The process is at work, or nobody can tell.
        case atWork
    }

    private let found = Mutex<Finding?>(nil)

    /// What was found; `nil` as long as the look lasts.
    var finding: Finding? { found.withLock { $0 } }

    init(_ address: ConnectionString, _ process: Int32?) {
        DispatchQueue(label: "look at the server").async { [self] in
            let finding = Self.look(address, process)
            found.withLock { $0 = finding }
        }
    }

    private static func look(_ address: ConnectionString, _ process: Int32?) -> Finding {
        do throws(ServerError) {
            let connection = try Connection(lookingAt: address)
            let statement = Statement(
                "SELECT state FROM pg_stat_activity WHERE pid = $1", [process.map { .int32($0) } ?? .null(.int32)])
            let rows = try Deadline.run(within: .seconds(2), failure: Connection.interrupted) {
                () throws(ServerError) in try connection.run(statement)
            }
            if process == nil { return .atWork }
            if rows.count == 0 { return .gone }
            return rows.text(0, 0)?.hasPrefix("idle") == true ? .idle : .atWork
        } catch {
            // A server that lets nobody else in is there.
            return error.kind == .rejected ? .atWork : .unreachable
        }
    }
}
