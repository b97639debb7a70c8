// Stores that are compacted while others save and write states.

import Foundation
import RecordModel
import Synchronization
import Testing
import TextAnalysis
import _TestSupport

@testable import RecordDatabase
@testable import RecordStorage

@Suite struct CompactionTests {
    /// At every step of compacting a record is saved, one is changed, one deleted, and the state is written: what long
    /// work is done, none of them waits for. Before, each would have waited for itself here.
    @Test func savesGoOnAtEveryStepOfCompacting() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let database = container.privateDatabase
        for start in stride(from: 0, to: 2000, by: 100) {
            let records = (start..<start + 100).map {
                record("r\($0)", ["n": .int64(Int64($0)), "t": .string("text \($0)")])
            }
            _ = try database.modify(ModifyRequest(saves: records))
        }
        _ = try await container.publicDatabase.save(record("public"))
        _ = try await database.records(
            matching: Query(recordType: "T", predicate: "t CONTAINS 'text 7'"), in: .default)
        let journal = try #require(container.client.store.journal)
        func recordCount() -> Int { container.client.store.databases.reduce(0) { $0 + $1.records.snapshot.count } }
        let before = recordCount()
        let steps = Mutex<[CompactionStep]>([])
        journal.compactionSteps.withLock { hook in
            hook = { step in
                let count = steps.withLock { steps in
                    steps.append(step)
                    return steps.count
                }
                do {
                    let saves = [record("new\(count)", ["n": 1]), record("r\(100 * count)", ["n": -1])]
                    let result = try database.modify(
                        ModifyRequest(
                            saves: saves, deletes: [Record.ID("r\(100 * count + 1)")], policy: .changedKeys))
                    #expect(result.partialErrors.isEmpty)
                    // While tables are copied no state is written.
                    if step == .merged || step == .tables(.begun) { try container.client.store.checkpoint() }
                } catch {
                    Issue.record(error)
                }
            }
        }
        try await container.compact()
        journal.compactionSteps.withLock { $0 = nil }
        let count = steps.withLock { $0.count }
        // Of each database the records, and those of its user.
        let expected =
            [CompactionStep](repeating: .merged, count: 4)
            + [.begun, .copied, .alone].map(CompactionStep.tables)
        #expect(steps.withLock { $0 } == expected)
        let contents = container.client.store.contents
        #expect(recordCount() == before)
        for step in 1...count {
            #expect(await database.has("new\(step)"))
            #expect(await !database.has("r\(100 * step + 1)"))
            #expect(try await database.record(for: Record.ID("r\(100 * step)"))["n"] == -1)
        }
        try await container.compact()
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
        let next = try Container(identifier: "test", storedAt: folder.url)
        #expect(next.client.store.contents == contents)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/segments")
        #expect(try files.count == next.statistics().segmentFiles)
    }

    @Test func indexesOfFormerAnalyzersGo() async throws {
        let folder = TemporaryFolder()
        var container = try Container(identifier: "test", storedAt: folder.url)
        var schema = container.schema
        func analyze(by analyzer: TextAnalyzer?) throws {
            schema.recordTypes["T"] = ContainerSchema.RecordType(fields: [
                "body": ContainerSchema.Field(.string, analyzer: analyzer), "n": ContainerSchema.Field(.int64),
            ])
            try container.setSchema(schema)
        }
        func countOfRunning() throws -> Int {
            try container.privateDatabase.snapshot().records(ofType: "T").count(
                matching: "body TOKENMATCHES[cd] 'running'")
        }
        func indexCount() async throws -> Int {
            try await container.storageStatistics().records.first { $0.recordType == "T" }?.indexes ?? 0
        }
        try analyze(by: TextAnalyzer(language: .english))
        try await container.privateDatabase.write { transaction in
            for number in 0..<2000 {
                let fields: [String: FieldValue] = ["body": .string("runs \(number)"), "n": .int64(Int64(number))]
                try transaction.save(Record(type: "T", id: Record.ID("r\(number)"), fields: fields))
            }
        }
        #expect(try countOfRunning() == 2000)
        try await container.compact()
        let analyzed = try await indexCount()
        try analyze(by: TextAnalyzer(language: .german))
        #expect(try countOfRunning() == 0)
        try await container.checkpoint()
        let both = try await indexCount()
        #expect(both > analyzed)
        for isAgain in [false, true] {
            if isAgain {
                container.close()
                container = try Container(identifier: "test", storedAt: folder.url)
            } else {
                try await container.compact()
            }
            #expect(try await indexCount() == analyzed)
            #expect(try countOfRunning() == 0)
        }
        try analyze(by: TextAnalyzer(language: .english))
        #expect(try countOfRunning() == 2000)
        container.close()
        #expect(try Container.verify(storedAt: folder.url) == [])
    }
}
