// Being told of the commits of other processes.

import Dispatch
import RecordDatabase
import Synchronization

/// Listens to the notifications of a container, and looks every two seconds whether there were commits without one.
/// It has a thread and a connection of its own while somebody watches. May be used from any thread.
final class CommitListener: Sendable {
    /// Numbers that change with every commit, and with the schema.
    private struct Version: Equatable, Sendable {
        let change: Int64
        let schema: Int64
    }

    private struct Watch: Sendable {
        let origin: DatabaseOrigin
        let tell: @Sendable () -> Void
        var seen: Version?
    }

    private struct State {
        var watches: [Int: Watch] = [:]
        var next = 0
        var isRunning = false
        var isClosed = false
    }

    /// How long the listener waits for a notification before it looks, in milliseconds.
    private static let pace: Int32 = 2_000

    private let address: ConnectionString
    private let preparation: [Statement]
    private let state = Mutex(State())

    /// - Parameter preparation: What a connection begins with.
    init(_ address: ConnectionString, channel: String, preparation: [Statement]) {
        self.address = address
        self.preparation = preparation + [Statement("LISTEN \(Statement.name(channel))")]
    }

    /// Has commits of a database told, from now on.
    func add(_ origin: DatabaseOrigin, _ tell: @escaping @Sendable () -> Void) -> Int {
        let (number, starts) = state.withLock { state in
            state.next += 1
            state.watches[state.next] = Watch(origin: origin, tell: tell)
            let starts = !state.isRunning && !state.isClosed
            if starts { state.isRunning = true }
            return (state.next, starts)
        }
        if starts { DispatchQueue(label: "commits of other processes").async { [self] in run() } }
        return number
    }

    func remove(_ number: Int) { state.withLock { $0.watches[number] = nil } }

    func close() { state.withLock { $0.isClosed = true } }

    // MARK: On the listener's thread

    /// Who watches; `nil` at the end of the thread, when nobody does.
    private func watches() -> [Int: Watch]? {
        state.withLock { state in
            if state.watches.isEmpty || state.isClosed { state.isRunning = false }
            return state.isRunning ? state.watches : nil
        }
    }

    private func run() {
        var connection: Connection?
        while let watches = watches() {
            do throws(ServerError) {
                let known: Connection
                if let connection { known = connection } else { known = try connect() }
                connection = known
                try look(watches, known)
                // Who came meanwhile is told at once.
                if state.withLock({ $0.watches.values.contains { $0.seen == nil } }) { continue }
                try known.waitForNotification(milliseconds: Self.pace)
            } catch {
                connection = nil
                Thread.sleep(microseconds: 500_000)
            }
        }
    }

    private func connect() throws(ServerError) -> Connection {
        let connection = try Connection(address)
        try connection.run(preparation)
        return connection
    }

    private static let change = "SELECT last_change FROM database WHERE scope = $1 AND owner = $2"

    /// Another number for every change of what a user sees of others' databases.
    private static let sharedChange = """
        SELECT hashtextextended(string_agg(d.number || ' ' || d.last_change, ',' ORDER BY d.number), 0)
        FROM database d WHERE d.scope = $1 AND d.owner = $2 OR d.number IN
        (SELECT z.database FROM participant p JOIN zone z ON z.number = p.zone WHERE p.user_name = $2)
        """

    /// Tells those whose database is not as it was when they were told last.
    private func look(_ watches: [Int: Watch], _ connection: Connection) throws(ServerError) {
        let origins = Array(Set(watches.values.map(\.origin)))
        let results = try connection.run(
            origins.map { origin in
                let change = origin.scope == .shared ? Self.sharedChange : Self.change
                return Statement(
                    "SELECT (\(change)), schema_version FROM container",
                    [.int32(Int32(origin.scope.rawValue)), .text(origin.user ?? "")])
            })
        var versions: [DatabaseOrigin: Version] = [:]
        for (origin, rows) in zip(origins, results) {
            versions[origin] = Version(change: rows.int64(0, 0) ?? 0, schema: rows.int64(0, 1) ?? 0)
        }
        for (number, watch) in watches where watch.seen != versions[watch.origin] {
            state.withLock { $0.watches[number]?.seen = versions[watch.origin] }
            watch.tell()
        }
    }
}
