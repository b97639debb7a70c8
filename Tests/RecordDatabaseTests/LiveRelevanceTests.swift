// Live queries in an order by relevance, and pages behind a failure.

import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct LiveRelevanceTests {
    /// The most relevant comes first, from the beginning and whatever comes, changes or goes: as on a page.
    @Test(arguments: [SortKey.relevance, SortKey(.relevance, isAscending: true)])
    func theMostRelevantComesFirst(_ key: SortKey) async throws {
        let world = try await World()
        try await world.mine.put(
            record("a", ["s": "word other other other"]), record("b", ["s": "word word word"]),
            record("c", ["s": "other"]))
        let query = Query("T", "s TOKENMATCHES 'word'", sortedBy: [key])
        let reading = world.mine.watch(query, in: .all)
        var mirror = LiveQueryTests.Mirror()
        func expectOrder(_ names: [String]) async throws {
            for step in try reading.takeSteps() { mirror.apply(step) }
            let expected: [String] = key.isAscending ? names.reversed() : names
            #expect(mirror.records.map(\.id.recordName) == expected)
            let found = try await world.mine.records(matching: query, in: .all)
            #expect(found.map(\.id) == mirror.records.map(\.id))
        }
        try await expectOrder(["b", "a"])
        var changed = try await world.mine.record(for: Record.ID("c"))
        changed["s"] = "word other word other"
        try await world.mine.put(changed)
        try await expectOrder(["b", "c", "a"])
        changed = try await world.mine.record(for: Record.ID("b"))
        changed["s"] = "word other other other other other other other"
        try await world.mine.put(changed)
        try await expectOrder(["c", "a", "b"])
        try await world.mine.deleteRecord(withID: Record.ID("a"))
        try await expectOrder(["c", "b"])
    }

    /// Behind a page that cannot be given there is none.
    @Test func pagesEndWithAFailure() async throws {
        let world = try await World()
        let folder = TemporaryFolder()
        let file = folder.url.appending(path: "file")
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try Data("text".utf8).write(to: file)
        let saved = try await world.mine.put(record("a", ["f": .asset(Asset(fileURL: file))]), record("b", ["n": 1]))
        try world.loseBytes(#require(saved.first?.fields["f"]?.assets.first))
        var pages = world.mine.recordPages(matching: Query("T"), pageSize: 1).makeAsyncIterator()
        await #expect(throws: DatabaseError.self) { try await pages.next() }
        #expect(try await pages.next() == nil)
    }
}
