// All records that match, page by page; and what is read again after commits.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite(.mayDeadlock) struct RecordPageTests {
    private func database(_ count: Int = 1234) async throws -> Database {
        let database = try Container(identifier: "test").privateDatabase
        let records = (0..<count).map {
            Record(type: "T", id: Record.ID("r\($0)"), fields: ["n": .int64(Int64($0 % 100)), "k": .int64(Int64($0))])
        }
        _ = try await database.modifyTogether(saving: records, deleting: [], savePolicy: .allKeys)
        return database
    }

    private let query = Query("T", "n < 90", sortedBy: [.ascending("n"), .descending("k")])

    @Test(arguments: [1, 7, 100, 500, 5000]) func pagesAreTheResult(_ size: Int) async throws {
        let database = try await database()
        let all = try await database.records(matching: query)
        #expect(try database.snapshot().records(ofType: "T").count(matching: "n < 90") == all.count)
        var paged: [Record] = []
        for try await page in database.recordPages(matching: query, pageSize: size) {
            #expect(page.count == size || paged.count + page.count == all.count)
            paged += page
        }
        #expect(paged.map(\.id) == all.map(\.id))
    }

    @Test func limitsAndKeysHold() async throws {
        let database = try await database()
        let some = try await database.records(matching: query, desiredKeys: ["k"], limit: 3)
        #expect(some.map(\.fields) == [["k": 1200], ["k": 1100], ["k": 1000]])
        #expect(try await database.records(matching: query, limit: 0).isEmpty)
        #expect(try await database.records(matching: Query("Never")).isEmpty)
        var pages = database.recordPages(matching: Query("Never")).makeAsyncIterator()
        #expect(try await pages.next() == nil)
    }

    @Test func pagesFailWithTheErrorOfTheQuery() async throws {
        let database = try await database(10)
        var pages = database.recordPages(matching: Query("T", "nn > 3")).makeAsyncIterator()
        let error = await #expect(throws: DatabaseError.self) { try await pages.next() }
        #expect(error?.code == .invalidArguments)
        #expect(try await pages.next() == nil)
    }

    // MARK: Observing

    @Test func anObservationGivesValuesThatDiffer() async throws {
        let database = try await database(10)
        var counts = database.observe { try $0.records(ofType: "T").count(matching: "n >= 5") }.makeAsyncIterator()
        #expect(try await counts.next() == 5)
        // No other value.
        try await database.save(Record(type: "T", id: Record.ID("low"), fields: ["n": 1]))
        try await database.save(Record(type: "T", id: Record.ID("high"), fields: ["n": 8]))
        #expect(try await counts.next() == 6)
        try await database.write { try $0.deleteAll("T", where: "n >= 5") }
        #expect(try await counts.next() == 0)
    }

    /// What is read again and is the same value as before is not given again.
    @Test func aValueThatStaysIsGivenOnce() async throws {
        let database = try await database(10)
        let (readings, continuation) = AsyncStream<Int>.makeStream()
        let observed = Task {
            let counts = database.observe { snapshot in
                let count = try snapshot.records(ofType: "T").count(matching: "n >= 5")
                continuation.yield(count)
                return count
            }
            var seen: [Int] = []
            for try await count in counts {
                seen.append(count)
                if count == 6 { break }
            }
            return seen
        }
        var read = readings.makeAsyncIterator()
        #expect(await read.next() == 5)
        // One that does not count: the observation has read again before the other one is saved.
        try await database.save(Record(type: "T", id: Record.ID("low"), fields: ["n": 1]))
        #expect(await read.next() == 5)
        try await database.save(Record(type: "T", id: Record.ID("high"), fields: ["n": 8]))
        #expect(try await observed.value == [5, 6])
    }

    @Test func facetsAndValuesAreObserved() async throws {
        let database = try await database(10)
        var facets = database.observe { try $0.records(ofType: "T").facets("n", limit: 2) }.makeAsyncIterator()
        #expect(try await facets.next()?.distinctCount == 10)
        try await database.save(Record(type: "T", id: Record.ID("again"), fields: ["n": 7]))
        #expect(try await facets.next()?.values.first == ValueCount(7, 2))
    }

    /// A slow reader gets the newest value, and the last one is that of the last commit.
    @Test func aSlowReaderMissesValuesBetween() async throws {
        let database = try await database(1)
        let observed = Task {
            var seen: [Int] = []
            for try await count in database.observe({ try $0.records(ofType: "T").count }) {
                seen.append(count)
                if count == 201 { break }
                try await Task.sleep(for: .milliseconds(2))
            }
            return seen
        }
        for number in 1...200 { try await database.save(Record(type: "T", id: Record.ID("s\(number)"))) }
        let seen = try await observed.value
        #expect(seen.last == 201 && seen == seen.sorted() && Set(seen).count == seen.count)
    }

    @Test func observationsEnd() async throws {
        let container = try Container(identifier: "test")
        let database = container.privateDatabase
        let failing = database.observe { _ -> Int in throw CocoaError(.fileNoSuchFile) }
        await #expect(throws: CocoaError.self) { for try await _ in failing {} }
        let cancelled = Task { for try await _ in database.observe({ try $0.records(ofType: "T").count }) {} }
        try await Task.sleep(for: .milliseconds(20))
        cancelled.cancel()
        try await cancelled.value
        let closed = Task { for try await _ in database.observe({ try $0.records(ofType: "T").count }) {} }
        try await Task.sleep(for: .milliseconds(20))
        container.close()
        _ = await closed.result
    }
}
