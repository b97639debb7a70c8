// Pages: all of them together are the whole answer, in order, and writes between them neither repeat nor hide records.

import Deadlines
import FoundationEssentials
import PredicateSemantics
import QueryExecution
import RecordModel
import RecordStore
import Testing
import _TestSupport

@testable import RecordDatabase

@Suite struct PageTests {
    private static let orders: [[SortKey]] = [
        [], [.ascending("n")], [.descending("n")], [.ascending("word")], [.descending("word"), .ascending("n")],
        [.distance("place", Location(latitude: 0, longitude: 0))], [.ascending("rare")], [.descending("rare")],
        [SortKey(.recordName)], [SortKey(.recordName, isAscending: false)], [.ascending("n"), SortKey(.recordName)],
        [.descending("n"), .ascending("word"), SortKey(.recordName)], [.descending("rare"), SortKey(.recordName)],
        [.distance("place", Location(latitude: 0, longitude: 0)), SortKey(.recordName)],
    ]

    /// Values with many ties and gaps.
    private static func record(_ number: Int, _ random: inout SplitMix64) -> Record {
        var record = Record(type: "T", id: Record.ID("r\(number)"))
        func put(_ field: String, _ value: FieldValue) {
            if !Int.random(in: 0..<6, using: &random).isMultiple(of: 6) { record[field] = value }
        }
        put("n", .int64(Int64.random(in: 0..<30, using: &random)))
        put("word", .string(["a", "É", "e\u{301}", "zz", ""].randomElement(using: &random) ?? ""))
        put(
            "place",
            .location(
                Location(
                    latitude: Double(Int.random(in: -3...3, using: &random)),
                    longitude: Double(Int.random(in: -9...9, using: &random)))))
        if number % 50 == 0 { record["rare"] = .double(Double(number)) }
        return record
    }

    private static func query(_ store: RecordStore, _ snapshot: Snapshot? = nil) throws -> SnapshotQuery {
        let snapshot = snapshot ?? store.snapshot
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind("n != 7" as RecordPredicate)
        return SnapshotQuery(bound, over: snapshot, type: "T")
    }

    private static func pages(
        _ store: RecordStore, _ keys: [SortKey], limit: Int, between: () throws -> Void = {}
    ) throws -> [Record.ID] {
        var ids: [Record.ID] = []
        var cursor: PageCursor?
        repeat {
            let query = try query(store)
            let page = try query.page(sortedBy: keys, limit: limit, after: cursor)
            ids += page.rows.map(query.snapshot.recordID)
            // As between two requests of a client.
            cursor = try page.next.map { try JSONDecoder().decode(PageCursor.self, from: JSONEncoder().encode($0)) }
            try between()
        } while cursor != nil
        return ids
    }

    private static func store(_ count: Int, seed: UInt64) throws -> RecordStore {
        var random = SplitMix64(seed: seed)
        let store = RecordStore()
        for start in stride(from: 0, to: count, by: 700) {
            var batch = RecordBatch()
            for number in start..<min(count, start + 700) { batch.save(record(number, &random)) }
            try store.commit(batch)
        }
        return store
    }

    /// A record at the end of a page that is deleted and saved anew is not on the next one: its name has been passed.
    @Test(arguments: [true, false]) func recordsMadeAnewAreNotGivenAgain(isAscending: Bool) throws {
        let store = try Self.store(100, seed: 3)
        let keys = [SortKey(.recordName, isAscending: isAscending)]
        let whole = try Self.pages(store, keys, limit: 1_000)
        var given: [Record.ID] = []
        var cursor: PageCursor?
        repeat {
            let query = try Self.query(store)
            let page = try query.page(sortedBy: keys, limit: 10, after: cursor)
            given += page.rows.map(query.snapshot.recordID)
            cursor = page.next
            guard let last = given.last else { break }
            for isDeletion in [true, false] {
                var batch = RecordBatch()
                if isDeletion { batch.delete(last) } else { batch.save(Record(type: "T", id: last)) }
                try store.commit(batch)
            }
        } while cursor != nil
        #expect(given == whole)
    }

    @Test func pagesAddUp() throws {
        let store = try Self.store(2000, seed: 1)
        for keys in Self.orders {
            let whole = try Self.pages(store, keys, limit: 10_000)
            #expect(Set(whole).count == whole.count)
            #expect(whole.count == (try Self.query(store).count()))
            for limit in [37, 1000] { #expect(try Self.pages(store, keys, limit: limit) == whole, "\(keys)") }
            store.merge()
        }
    }

    @Test func writesDoNotDisturb() throws {
        for keys in Self.orders {
            let store = try Self.store(1500, seed: 2)
            let whole = try Self.pages(store, keys, limit: 10_000)
            var random = SplitMix64(seed: 3)
            var next = 10_000
            let found = try Self.pages(store, keys, limit: 100) {
                var batch = RecordBatch()
                for _ in 0..<20 {
                    batch.save(Self.record(next, &random))
                    next += 1
                }
                try store.commit(batch)
            }
            let old = Set(whole)
            #expect(found.filter(old.contains) == whole, "\(keys)")
            #expect(Set(found).count == found.count)
        }
    }

    @Test func pagesOfOneSnapshotSeeOneMoment() throws {
        let store = try Self.store(800, seed: 4)
        let query = try Self.query(store)
        let first = try query.page(sortedBy: Self.orders[1], limit: 50)
        var batch = RecordBatch()
        for number in 0..<800 { batch.delete(Record.ID("r\(number)")) }
        try store.commit(batch)
        let second = try query.page(sortedBy: Self.orders[1], limit: 50, after: first.next)
        #expect(second.rows.count == 50)
        #expect(Set(first.rows).isDisjoint(with: second.rows))
        #expect(try Self.query(store).page(sortedBy: Self.orders[1], limit: 50, after: first.next).rows.isEmpty)
    }

    /// Whether a body ends before a look at the deadline of that number.
    private static func ends(within looks: Int, _ body: () throws -> Void) throws -> Bool {
        do {
            try Deadline.run(looks: looks, failure: { $0 as any Error }, body)
            return true
        } catch let error as PageError {
            guard case .evaluation(let error) = error, error.kind == .timeLimit else { throw error }
        } catch is EvaluationError {} catch is Interruption {}
        return false
    }

    /// To find matches takes few looks at the deadline; to put them in order takes more, while they are collected and
    /// while they are sorted.
    @Test func sortingLooksAtTheDeadline() throws {
        let query = try Self.query(try Self.store(3000, seed: 6))
        let keys: [SortKey] = [.ascending("word"), .descending("n"), SortKey(.recordName)]
        #expect(try Self.ends(within: 15) { _ = try query.rows() })
        #expect(try !Self.ends(within: 30) { _ = try query.page(sortedBy: keys, limit: .max) })
        #expect(try Self.ends(within: 500) { _ = try query.page(sortedBy: keys, limit: .max) })
    }

    /// Cursors hold dates to the last bit.
    @Test func cursorsKeepDates() throws {
        var random = SplitMix64(seed: 7)
        let store = RecordStore()
        var batch = RecordBatch()
        for number in 0..<300 {
            let date = Date(timeIntervalSinceReferenceDate: Double.random(in: -1...8e8, using: &random))
            batch.save(Record(type: "T", id: Record.ID("r\(number)"), fields: ["d": .date(date), "n": 1]))
        }
        for (number, seconds) in [1e-8, 2e-8, -.infinity, .infinity, .nan].enumerated() {
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            batch.save(Record(type: "T", id: Record.ID("s\(number)"), fields: ["d": .date(date), "n": 1]))
        }
        try store.commit(batch)
        for keys in [[SortKey.ascending("d")], [.descending("d")], [.descending("d"), SortKey(.recordName)]] {
            let whole = try Self.pages(store, keys, limit: 1000)
            #expect(whole.count == 305)
            #expect(try Self.pages(store, keys, limit: 3) == whole)
        }
    }

    @Test func cursorsKnowTheirQuery() throws {
        let store = try Self.store(100, seed: 5)
        let query = try Self.query(store)
        let cursor = try query.page(sortedBy: Self.orders[1], limit: 5).next
        #expect(throws: PageError.otherQuery) {
            try query.page(sortedBy: Self.orders[2], limit: 5, after: cursor)
        }
        let other = try Binder(schema: store.snapshot.schema(ofType: "T")).bind("n != 8" as RecordPredicate)
        #expect(throws: PageError.otherQuery) {
            try SnapshotQuery(other, over: store.snapshot, type: "T")
                .page(sortedBy: Self.orders[1], limit: 5, after: cursor)
        }
        #expect(try query.page(limit: 0).rows.isEmpty)
    }
}
