// Servers that say nothing, and calls that nobody waits for any more.

import Campaigns
import Foundation
import PostgreSQLStore
import RecordDatabase
import RecordModel
import Testing
import _TestSupport

@Suite(.waits, .requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .mayDeadlock, .serialized)
struct SilenceTests {
    private static func connection() throws -> Connection {
        try Connection(ConnectionString(PostgreSQLServer.shared().address))
    }

    /// The error of a call, and how long it took.
    private static func failure(
        _ body: () async throws -> Void
    ) async -> (error: DatabaseError?, time: Duration) {
        let start = ContinuousClock.now
        do {
            try await body()
            return (nil, .now - start)
        } catch {
            return (error as? DatabaseError, .now - start)
        }
    }

    private static func open(
        _ address: String, _ configuration: Configuration = Configuration()
    ) throws -> Container {
        let identifier = "silence " + UUID().uuidString
        return try Container(
            identifier: identifier, on: PostgreSQLContainer(identifier: identifier, connectingTo: address),
            account: .localUser, configuration: configuration)
    }

    @Test func silentServersAreLost() async throws {
        let proxy = try CuttingProxy(PostgreSQLServer.shared(), seed: 1)
        defer { proxy.stop() }
        let database = try Self.open(proxy.address).privateDatabase
        try await database.save(Record(type: "T", id: Record.ID("a"), fields: ["n": 1]))
        proxy.isSilent = true
        let read = await Self.failure { _ = try await database.record(for: Record.ID("a")) }
        #expect(read.error?.code == .networkUnavailable, "\(read)")
        // TCP would wait for a quarter of an hour; a busy machine takes longer than the two seconds.
        #expect(read.time < .seconds(120), "\(read)")
        proxy.isSilent = false
        #expect(try await database.record(for: Record.ID("a"))["n"] == 1)
    }

    @Test func callsEndAtTheirDeadline() async throws {
        let proxy = try CuttingProxy(PostgreSQLServer.shared(), seed: 2)
        defer { proxy.stop() }
        var configuration = Configuration()
        configuration.limits.queryTime = .milliseconds(200)
        let database = try Self.open(proxy.address, configuration).privateDatabase
        try await database.save(Record(type: "T", id: Record.ID("a"), fields: ["n": 1]))
        proxy.isSilent = true
        let query = Query("T", "n == 1")
        let late = await Self.failure { _ = try await database.recordPage(matching: query, in: .default) }
        #expect(late.error?.code == .limitExceeded, "\(late)")
        #expect(late.time < .seconds(5), "\(late)")
        let task = Task { await Self.failure { _ = try await database.record(for: Record.ID("a")) } }
        // A thread of its own: on a busy machine a task would wake when the server was given up.
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: 0.1)
            task.cancel()
        }
        let cancelled = await task.value
        #expect(cancelled.error?.code == .operationCancelled, "\(cancelled)")
        #expect(cancelled.time < .seconds(5), "\(cancelled)")
    }

    @Test func serversThatComputeAreWaitedFor() throws {
        let rows = try Self.connection().run(Statement("SELECT 1 FROM pg_sleep(5)"))
        #expect(rows.int64(0, 0) == 1)
    }

    @Test func cancelledTasksEndStatements() async throws {
        let (holder, looker) = (try Self.connection(), try Self.connection())
        let identifier = "cancel " + UUID().uuidString
        let container = try Container(
            identifier: identifier,
            on: PostgreSQLContainer(identifier: identifier, connectingTo: PostgreSQLServer.shared().address),
            account: .localUser, configuration: Configuration())
        let database = container.privateDatabase
        try await database.save(Record(type: "T", id: Record.ID("a"), fields: ["n": 1]))
        let path = Statement.name(Layout.schemaName(of: identifier))
        let waiting = Statement(
            """
            SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
            WHERE c.oid = to_regclass($1) AND NOT l.granted
            """, [.text("\(path).\"r_T\"")])
        func isWaiting(_ isWanted: Bool) async throws -> Bool {
            for _ in 0..<200 {
                if (try looker.run(waiting).int64(0, 0) ?? 0 > 0) == isWanted { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
        try holder.run([
            Statement("BEGIN"), Statement("LOCK TABLE \(path).\"r_T\" IN ACCESS EXCLUSIVE MODE"),
        ])
        let task = Task { await Self.failure { _ = try await database.record(for: Record.ID("a")) } }
        #expect(try await isWaiting(true))
        task.cancel()
        let cancelled = await task.value
        #expect(cancelled.error?.code == .operationCancelled, "\(cancelled)")
        #expect(try await isWaiting(false), "the statement has ended on the server, too")
        try holder.run(Statement("ROLLBACK"))
        #expect(try await database.record(for: Record.ID("a"))["n"] == 1)
    }
}
