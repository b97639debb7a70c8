// Where calls run: short ones where their caller does, long ones where they keep nobody waiting.

import Foundation
import Synchronization
import Testing
import _TestSupport

@testable import Campaigns
@testable import RecordDatabase

/// Whether something else of the main actor ran meanwhile: it does where a call suspends.
@MainActor private func suspends(_ body: @MainActor () async throws -> Void) async rethrows -> Bool {
    var hasRun = false
    Task { @MainActor in hasRun = true }
    try await body()
    return hasRun
}

/// Records over which a query takes some seconds, and the query.
private struct LongQuery {
    let container: Container
    let query: Query
    /// How many queries have begun: each asks for the time.
    let begun = BegunQueries()

    final class BegunQueries: Sendable {
        private let state = Mutex(0)
        var count: Int { state.withLock { $0 } }
        func add() { state.withLock { $0 += 1 } }
    }

    init(records: Int = 4000) async throws {
        var configuration = Configuration()
        (configuration.limits.itemsPerRequest, configuration.limits.bytesPerRequest) = (records, .max)
        configuration.clock = { [begun] in
            begun.add()
            return Date()
        }
        container = try Container(identifier: "long", configuration: configuration)
        let numbers = FieldValue.list((0..<40).map { .int64($0) })
        let records = (0..<records).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["list": numbers]) }
        _ = try container.privateDatabase.load(0..<records.count, of: RecordSet(records: records))
        query = Query("T", try Self.sum(-1))
    }

    /// Whether two of the numbers have a sum.
    static func sum(_ sum: Int) throws -> RecordPredicate {
        try RecordPredicate(
            format: "SUBQUERY(list, $x, SUBQUERY(list, $y, $x + $y == \(sum)).@count > 0).@count > 0")
    }

    func run() async throws -> Int {
        try await container.privateDatabase.recordPage(matching: query, in: .default).matchResults.count
    }
}

@Suite(.mayDeadlock) struct CallTests {
    @Test("Short calls of the main actor stay there, and do not suspend")
    @MainActor func mainActor() async throws {
        // The main thread is whichever runs the main actor now.
        let main = pthread_self()
        let threads = Mutex<[Bool]>([])
        var configuration = Configuration()
        configuration.clock = {
            threads.withLock { $0.append(pthread_equal(pthread_self(), main) != 0) }
            return Date()
        }
        let container = try Container(identifier: "test", configuration: configuration)
        let database = container.privateDatabase
        let saved = try await database.save(record("a", ["n": .int64(1)]))
        threads.withLock { $0 = [] }
        let query = Query("T", "n == \(1)")
        let calls: [@MainActor () async throws -> Void] = [
            { _ = try await database.record(for: saved.id) },
            { _ = try await database.records(for: [saved.id]) },
            { _ = try await database.recordPage(matching: query, in: .default) },
            { _ = try await database.allRecordZones() },
            { _ = try await database.databaseChanges() },
            { _ = try await database.save(record("b", ["n": .int64(2)])) },
        ]
        for (number, call) in calls.enumerated() {
            let hasSuspended = try await suspends(call)
            #expect(!hasSuspended, "call \(number)")
        }
        #expect(threads.withLock { $0.count >= 2 && $0.allSatisfy(\.self) })
    }

    @Test("A durable save suspends its caller")
    @MainActor func durableSave() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let saving = try await suspends { try await container.privateDatabase.put(record("a")) }
        let reading = try await suspends { _ = try await container.privateDatabase.record(for: Record.ID("a")) }
        #expect(saving && !reading)
    }

    @Test("A reader waits for no disk: zones, changes and records are read while a save is written")
    func readersBesideAWriter() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        let zone = RecordZone.ID("Z")
        try await database.save(RecordZone(id: zone))
        try await database.put(record("a", in: zone))
        let counts = try container.client.store.writer.withLock { _ throws(DatabaseError) in
            [
                try database.fetchAllZones().count, try database.fetchAllSubscriptions().count,
                try database.zoneChanges(zone, since: nil).modifications.count,
                try database.zoneList(since: nil).modifications.count,
                try database.fetch([Record.ID("a", zoneID: zone)]).count,
                try database.find(Query("T"), in: .zone(zone)).matches.count,
            ]
        }
        #expect(counts == [2, 0, 1, 1, 1, 1])
    }

    /// In a process of its own: the tests beside this one use the threads of tasks as they like.
    @Test("Long queries leave the threads of tasks to others")
    func timer() throws {
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appending(path: "predicate-fuzz").path
        try #require(FileManager.default.isExecutableFile(atPath: program))
        let outcome = ChildProcess.run([program, "timer"])
        #expect(outcome.status == 0, "\(outcome.lines)")
    }

    @Test("A long query ends when its task is cancelled")
    func cancelledQuery() async throws {
        let long = try await LongQuery(records: 20_000)
        let before = long.begun.count
        let queries = (0..<4).map { _ in Task { try await long.run() } }
        while long.begun.count < before + 4 { try await Task.sleep(for: .milliseconds(1)) }
        for query in queries { query.cancel() }
        for query in queries { await fails(.operationCancelled) { _ = try await query.value } }
    }

    @Test("A query that waits for a thread is cancelled at once")
    func waitingQuery() async throws {
        let threads = QueryThreads(count: 1)
        let release = DispatchSemaphore(value: 0)
        let isRunning = Mutex(false)
        let first = Task {
            try await threads.perform { () throws(DatabaseError) in
                isRunning.withLock { $0 = true }
                release.wait()
                return 1
            }
        }
        while !isRunning.withLock({ $0 }) { await Task.yield() }
        let second = Task { try await threads.perform { () throws(DatabaseError) in 2 } }
        let third = Task { try await threads.perform { () throws(DatabaseError) in 3 } }
        second.cancel()
        await fails(.operationCancelled) { _ = try await second.value }
        // One that has waited for a while is cancelled as well, and never runs.
        let hasBegun = Mutex(false)
        let late = Task { () async throws -> Int in
            hasBegun.withLock { $0 = true }
            return try await threads.perform { () throws(DatabaseError) in 4 }
        }
        while !hasBegun.withLock({ $0 }) { await Task.yield() }
        try await Task.sleep(for: .milliseconds(20))
        late.cancel()
        await fails(.operationCancelled) { _ = try await late.value }
        release.signal()
        #expect(try await first.value == 1)
        #expect(try await third.value == 3)
        let last = try await threads.perform { () throws(DatabaseError) in 5 }
        #expect(last == 5)
    }

    @Test("A query that takes long gives what it gives at once")
    func longResult() async throws {
        let long = try await LongQuery(records: 60)
        let query = Query("T", try LongQuery.sum(78), sortedBy: [.ascending("recordName")])
        let database = long.container.privateDatabase
        let now = try database.find(query, in: .default, limit: 50)
        let later = try await database.recordPage(matching: query, in: .default, resultsLimit: 50)
        #expect(now.matches.map(\.0) == later.matchResults.map(\.0) && later.matchResults.count == 50)
        let cursor = try #require(later.queryCursor)
        #expect(try await database.recordPage(after: cursor).matchResults.count == 10)
    }
}
