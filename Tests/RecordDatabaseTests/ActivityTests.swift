// What a container tells of its work: logs, slow queries, counts.

import Foundation
import RecordModel
import Synchronization
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct ActivityTests {
    private final class Log: Sendable {
        let messages = Mutex<[LogMessage]>([])
        var texts: [String] { messages.withLock { $0.map(\.description) } }
    }

    private func container(_ log: Log, _ folder: TemporaryFolder? = nil, slow: Duration? = .zero) throws -> Container {
        var configuration = Configuration()
        configuration.slowQueryTime = slow
        configuration.log = { message in log.messages.withLock { $0.append(message) } }
        guard let folder else { return try Container(identifier: "test", configuration: configuration) }
        var options = StorageOptions()
        options.checkpointByteCount = 4096
        return try Container(
            identifier: "test", storedAt: folder.url, options: options, configuration: configuration)
    }

    @Test func slowQueriesAreLoggedWithTheirPlan() async throws {
        let log = Log()
        let database = try container(log).privateDatabase
        _ = try await database.modifyTogether(
            saving: (0..<600).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["n": .int64(Int64($0))]) },
            deleting: [], savePolicy: .allKeys)
        #expect(try await database.records(matching: Query("T", "n >= \(590)")).count == 10)
        let message = try #require(log.messages.withLock { $0.first })
        guard case .slowQuery(let query) = message.event else { throw CocoaError(.featureUnsupported) }
        #expect(message.level == .warning && query.recordType == "T" && query.found == 10 && query.duration > .zero)
        #expect(query.predicate.contains("n >= ") && !message.description.contains("590"), "\(message)")
        let plan = try query.explanation()
        #expect(plan.plans.first?.step.rows == 10 && plan.description.contains("index"), "\(plan)")
    }

    /// Queries within the time are not logged, nor is any where no time is set.
    @Test(arguments: [.seconds(60), nil] as [Duration?]) func quickQueriesAreNot(slow: Duration?) async throws {
        let log = Log()
        let database = try container(log, slow: slow).privateDatabase
        _ = try await database.records(matching: Query("T"))
        try await database.save(Record(type: "T", id: Record.ID("r"), fields: ["n": 1]))
        #expect(try await database.records(matching: Query("T", "n == 1")).count == 1)
        #expect(log.texts.isEmpty)
    }

    @Test func workIsCountedAndStoresTellOfTheirState() async throws {
        let (log, folder) = (Log(), TemporaryFolder())
        let container = try container(log, folder, slow: nil)
        let before = container.activity
        for number in 0..<40 {
            try await container.privateDatabase.save(
                Record(
                    type: "T", id: Record.ID("r\(number)"),
                    fields: ["text": .string(String(repeating: "x", count: 500))]))
        }
        _ = try await container.privateDatabase.records(matching: Query("T"))
        try await container.privateDatabase.write { try $0.deleteAll("T") }
        try await container.migrate([SchemaMigration("empty") { $0.dropField("text", of: "T") }])
        try await container.checkpoint()
        let done = container.activity.since(before)
        #expect(done.queries == 1 && done.queryTime > .zero)
        #expect(done.commits == 41 && done.savedRecords == 40 && done.deletedRecords == 40)
        #expect(done.checkpoints > 0)
        #expect(log.texts.contains { $0.hasPrefix("migration 'empty' in ") })
        var spans = container.activity(every: .milliseconds(5)).makeAsyncIterator()
        #expect(await spans.next()?.savedRecords == container.activity.savedRecords)
        container.close()
        #expect(await spans.next() == nil)
    }

    @Test func bytesAreReadAndWritten() throws {
        let lines = #"{"id":"a","n":1}"# + "\n" + #"{"id":"b","n":2}"# + "\n"
        let set = try RecordSet(Data(lines.utf8), type: "T")
        #expect(try set.count(matching: "n > 1") == 1)
        let data = try RecordExport(set, as: .csv).data()
        var options = LoadOptions()
        options.format = .csv
        #expect(
            try RecordSet(data, options: options).records(matching: "TRUEPREDICATE").map(\.fields) == [
                ["n": 1], ["n": 2],
            ])
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        let url = folder.url.appending(path: "a.ndjson")
        try Data(lines.utf8).write(to: url)
        #expect(try RecordSet(contentsOf: url, type: "T").count == 2)
    }

    @Test func queriesThatFailAreLoggedAndCountedToo() async throws {
        let log = Log()
        let container = try container(log)
        let database = container.privateDatabase
        _ = try await database.modifyTogether(
            saving: (0..<600).map { Record(type: "T", id: Record.ID("r\($0)"), fields: ["s": .string("a\($0)")]) },
            deleting: [], savePolicy: .allKeys)
        var configuration = container.client.configuration
        configuration.limits.queryTime = .microseconds(1)
        let hasty = try Container(sharing: container, account: .localUser, configuration: configuration)
        let before = hasty.activity
        await #expect(throws: DatabaseError.self) {
            try await hasty.privateDatabase.records(
                matching: Query("T", "s MATCHES '.*(5|7).*' AND NOT s MATCHES 'b+'"))
        }
        #expect(hasty.activity.since(before).queries == 1)
        let message = try #require(log.messages.withLock { $0.last })
        guard case .slowQuery(let query) = message.event else { throw CocoaError(.featureUnsupported) }
        #expect(query.found == 0)
    }

    /// A query that fails at once has found nothing, and counts.
    @Test func failedQueriesAreTold() async throws {
        let log = Log()
        let container = try container(log)
        let database = container.privateDatabase
        for number in 0..<3 {
            try await database.save(
                Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number))]))
        }
        let before = container.activity
        for predicate in ["6 / n == 3", "n != nil AND 6 / n == 3"] {
            let count = log.texts.count
            await #expect(throws: DatabaseError.self) {
                try await database.records(matching: Query("T", RecordPredicate(format: predicate)))
            }
            #expect(log.texts.count == count + 1)
            let message = try #require(log.messages.withLock { $0.last })
            guard case .slowQuery(let query) = message.event else { throw CocoaError(.featureUnsupported) }
            #expect(query.found == 0, "\(predicate)")
        }
        #expect(container.activity.since(before).queries == 2)
    }
}
