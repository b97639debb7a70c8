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
        [SortKey(.distance("place", from: Location(latitude: 0, longitude: 0)), isAscending: false), .ascending("n")],
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

    private static func records(_ count: Int, seed: UInt64) -> [Record] {
        var random = SplitMix64(seed: seed)
        return (0..<count).map { record($0, &random) }
    }

    private static func store(_ count: Int, seed: UInt64) throws -> RecordStore {
        let records = records(count, seed: seed)
        let store = RecordStore()
        for start in stride(from: 0, to: count, by: 700) {
            var batch = RecordBatch()
            for record in records[start..<min(count, start + 700)] { batch.save(record) }
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

    /// Rows that a server found make the pages that a snapshot makes, each going on where the other ended.
    @Test(arguments: [1, 7, 40]) func knownMatchesMakeTheSamePages(limit: Int) throws {
        let (records, store) = (Self.records(300, seed: 5), try Self.store(300, seed: 5))
        var random = SplitMix64(seed: UInt64(limit))
        for keys in Self.orders where keys.contains(where: { $0.criterion == .recordName }) && !keys.readPlaces {
            let query = try Self.query(store)
            let bound = try Binder(schema: query.snapshot.schema(ofType: "T")).bind("n != 7" as RecordPredicate)
            let matches = KnownMatches(of: .bound(bound), type: "T", zoneID: nil, sortedBy: keys)
            let rows = records.filter { $0["n"] != 7 }.shuffled(using: &random)
            func known(after cursor: PageCursor?) throws(PageError) -> (rows: [Int], next: PageCursor?) {
                try matches.page(
                    of: rows.count, limit: limit, after: cursor,
                    value: { row, criterion in
                        guard case .field(let name) = criterion else { return .string(rows[row].id.recordName) }
                        return rows[row][name]
                    }, zone: { rows[$0].id.zoneID })
            }
            var (ids, cursor, isKnown): ([Record.ID], PageCursor?, Bool) = ([], nil, false)
            repeat {
                if isKnown {
                    let page = try known(after: cursor)
                    ids += page.rows.map { rows[$0].id }
                    cursor = page.next
                } else {
                    let page = try query.page(sortedBy: keys, limit: limit, after: cursor)
                    ids += page.rows.map(query.snapshot.recordID)
                    cursor = page.next
                }
                isKnown.toggle()
            } while cursor != nil
            #expect(ids == (try Self.pages(store, keys, limit: 1_000)), "\(keys)")
            let other = try query.page(sortedBy: [SortKey(.recordName), .ascending("rare")], limit: 1).next
            #expect(throws: PageError.otherQuery) { try known(after: other) }
        }
    }

    /// The records that `n != 7` holds for, put in order by a sort of all that was saved, without the engine's order.
    private static func sorted(_ saved: [Record], _ keys: [SortKey]) throws -> [Record.ID] {
        let ranked = try saved.filter { $0["n"] != 7 }.map { record in
            (try keys.map { try rank(record, $0) }, record.id)
        }
        return ranked.enumerated().sorted { one, other in
            for (key, (a, b)) in zip(keys, zip(one.element.0, other.element.0)) where a != b {
                return key.isAscending ? a.precedes(b) : b.precedes(a)
            }
            return one.offset < other.offset
        }.map(\.element.1)
    }

    /// A number or a text that stands for a record's place; what has no value comes before all.
    private struct Rank: Equatable {
        var number = -Double.infinity
        var name = ""

        func precedes(_ other: Rank) -> Bool { (number, name) < (other.number, other.name) }
    }

    private static func rank(_ record: Record, _ key: SortKey) throws -> Rank {
        switch key.criterion {
        case .recordName: return Rank(number: 0, name: record.id.recordName)
        case .distance:
            // What has no place comes last, whatever the direction.
            guard case .location(let place) = record["place"] else {
                return Rank(number: key.isAscending ? .infinity : -.infinity)
            }
            return Rank(number: metres[Int(abs(place.latitude))][Int(abs(place.longitude))])
        case .field(let name):
            switch record[name] {
            case .int64(let number): return Rank(number: Double(number))
            case .double(let number): return Rank(number: number)
            case .date(let date):
                // What is no number is above all numbers.
                let seconds = date.timeIntervalSinceReferenceDate
                return seconds.isNaN ? Rank(number: .infinity, name: "NaN") : Rank(number: seconds)
            case .string(let text): return Rank(number: Double(try #require(texts.firstIndex(of: text))))
            default: return Rank()
            }
        case .relevance: return Rank()
        }
    }

    /// From the origin to places of so many degrees of latitude and longitude, as GeographicLib 2.1 tells.
    private static let metres: [[Double]] = [
        [0, 111_319, 222_639, 333_958, 445_278, 556_597, 667_917, 779_236, 890_556, 1_001_875],
        [110_574, 156_900, 248_576, 351_772, 458_780, 567_447, 676_975, 787_004, 897_350, 1_007_909],
        [221_149, 247_576, 313_776, 400_488, 497_091, 598_818, 703_449, 809_859, 917_429, 1_025_795],
        [331_726, 349_890, 399_456, 470_605, 555_099, 647_736, 745_486, 846_581, 949_953, 1_054_933],
    ]

    /// In order of their scalars when composed, as `é` is not everywhere.
    private static let texts = ["", "a", "zz", "É", "e\u{301}"]

    @Test func pagesAddUp() throws {
        let store = try Self.store(2000, seed: 1)
        let saved = Self.records(2000, seed: 1)
        for keys in Self.orders {
            let whole = try Self.sorted(saved, keys)
            for limit in [37, 1000, 10_000] {
                #expect(try Self.pages(store, keys, limit: limit) == whole, "\(keys), \(limit)")
            }
            #expect(try Self.query(store).count() == whole.count)
            store.merge()
        }
    }

    @Test func writesDoNotDisturb() throws {
        for keys in Self.orders {
            let store = try Self.store(1500, seed: 2)
            let whole = try Self.sorted(Self.records(1500, seed: 2), keys)
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
        // Neighbours that differ in their last bit, and dates that no calendar has.
        let seconds =
            (0..<150).map { _ in Double.random(in: -1...8e8, using: &random) }
            + [1e-8, 2e-8, -.infinity, .infinity, .nan, 6e8, 6e8.nextUp, 6e8.nextDown, 0]
            + [.leastNonzeroMagnitude, -.leastNonzeroMagnitude]
        let saved = seconds.enumerated().map { number, seconds in
            Record(
                type: "T", id: Record.ID("r\(number)"),
                fields: ["d": .date(Date(timeIntervalSinceReferenceDate: seconds)), "n": 1])
        }
        let store = RecordStore()
        var batch = RecordBatch()
        for record in saved.shuffled(using: &random) { batch.save(record) }
        try store.commit(batch)
        for keys in [[SortKey.ascending("d")], [.descending("d")], [.descending("d"), SortKey(.recordName)]] {
            let whole = try Self.sorted(saved, keys)
            for limit in [3, 1000] {
                #expect(try Self.pages(store, keys, limit: limit) == whole, "\(keys), \(limit)")
            }
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

extension [SortKey] {
    fileprivate var readPlaces: Bool {
        contains { key in if case .distance = key.criterion { true } else { false } }
    }
}
