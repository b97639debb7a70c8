// What is written when a store is closed, what is told while its files are verified, and what is counted in it.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct StoreUpkeepTests {
    /// Indexes that queries built since the last state are not built again by the next process.
    @Test func closingWritesIndexes() async throws {
        let folder = TemporaryFolder()
        var container = try Container(identifier: "test", storedAt: folder.url)
        func indexCount() async throws -> Int {
            try await container.storageStatistics().records.first { $0.recordType == "T" }?.indexes ?? 0
        }
        let records = (0..<2000).map { record("r\($0)", ["body": .string("runs \($0)")]) }
        _ = try await container.privateDatabase.modifyTogether(saving: records, deleting: [], savePolicy: .allKeys)
        try await container.checkpoint()
        let before = try await indexCount()
        let set = try container.privateDatabase.snapshot().records(ofType: "T")
        #expect(try set.count(matching: "body TOKENMATCHES[cd] 'runs'") == 2000)
        let built = try await indexCount()
        #expect(built > before)
        container.close()
        container = try Container(identifier: "test", storedAt: folder.url)
        #expect(try await indexCount() == built)
        container.close()
    }

    /// Files have numbers from one on, up to that of all of them.
    @Test func filesAreCountedWhileTheyAreVerified() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        try await container.privateDatabase.put(record("a"), record("b", type: "U"))
        container.close()
        var (files, numbers, counts): (Set<String>, [Int], Set<Int>) = ([], [], [])
        let problems = try Container.verify(storedAt: folder.url) { file, number, count in
            files.insert(file)
            numbers.append(number)
            counts.insert(count)
        }
        #expect(problems == [])
        #expect(files.count >= 2 && counts == [files.count])
        #expect(numbers == (0..<files.count).map { $0 + 1 })
    }

    /// Rows of deleted records count as such until they are merged away, and files of assets beside those of records.
    @Test func deletedRowsAndFilesOfAssetsAreCounted() async throws {
        let folder = TemporaryFolder()
        let scratch = try AssetRules.Scratch()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let file = try scratch.file("file", Data("12345".utf8))
        try await container.privateDatabase.put(
            record("a", ["file": .asset(Asset(fileURL: file))]), record("b"), record("c"))
        try await container.privateDatabase.deleteRecord(withID: Record.ID("b"))
        let statistics = try await container.storageStatistics()
        let part = try #require(statistics.records.first { $0.recordType == "T" })
        #expect(part.count == 2 && part.deletedRows == 1 && part.segments == 1)
        #expect(statistics.assetFiles == 1 && statistics.assetBytes == 5)
        container.close()
    }
}
