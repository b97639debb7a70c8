// The first rows in the order of a field, or of names, against all matches sorted: with values of many rows, rows
// without a value, rows that are gone, and from a place in the order on.

import PredicateSemantics
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import QueryExecution

@Suite struct OrderedWalkEdgesTests {
    private static let count = 3_000

    /// Half of the records have one value, every eleventh has none, the others have one for three of them.
    private static func value(_ number: Int) -> Int? {
        if number % 11 == 5 { return nil }
        return number % 2 == 0 ? 400 : number * 7 % 1_000
    }

    private static let table = Result { () throws -> Snapshot in
        let store = RecordStore()
        var batch = RecordBatch()
        for number in 0..<count {
            var fields: [String: FieldValue] = [
                "k": .int64(Int64(number)), "e": .int64(Int64(number % 3)), "t": .string("\(number % 4) of \(number)"),
            ]
            if let value = value(number) { fields["n"] = .int64(Int64(value)) }
            batch.save(Record(type: "T", id: Record.ID("r\(number * 7_919 % 3_001)"), fields: fields))
        }
        try store.commit(batch)
        var change = RecordBatch()
        for number in stride(from: 2, to: count, by: 29) { change.delete(Record.ID("r\(number * 7_919 % 3_001)")) }
        try store.commit(change)
        return store.snapshot
    }

    private static let cases: [(predicate: String, holds: @Sendable (Int) -> Bool)] = [
        ("TRUEPREDICATE", { _ in true }), ("e == 1", { $0 % 3 == 1 }), ("k < 2500", { $0 < 2_500 }),
        ("t BEGINSWITH '3'", { $0 % 4 == 3 }), ("e != 2 AND t BEGINSWITH '2'", { $0 % 3 != 2 && $0 % 4 == 2 }),
        ("k < 40", { $0 < 40 }), ("k > 5000", { _ in false }),
        // Conditions on what is ordered by say where the walk begins and ends.
        ("n > 400", { value($0).map { $0 > 400 } ?? false }), ("n < 400", { value($0).map { $0 < 400 } ?? false }),
        ("n BETWEEN {350, 720}", { value($0).map { (350...720).contains($0) } ?? false }),
        ("n >= 400 AND e == 1", { number in number % 3 == 1 && value(number).map { $0 >= 400 } ?? false }),
        (
            "n <= 400 AND k < 2500 AND t BEGINSWITH '2'",
            { number in number < 2_500 && number % 4 == 2 && value(number).map { $0 <= 400 } ?? false }
        ),
        ("n > 398 AND n < 402", { value($0) == 400 || value($0) == 399 || value($0) == 401 }),
        ("n > 2000", { _ in false }), ("n == nil", { value($0) == nil }), ("n != 400", { value($0) != 400 }),
    ]

    /// A row of the segment: where it comes in an order.
    private struct Row {
        let row: UInt32
        let value: Int?
        let name: String

        /// Without a value first in ascending order and last in descending; those that are level in order of rows.
        static func precedes(_ a: Row, _ b: Row, _ isAscending: Bool) -> Bool {
            if a.value == b.value { return a.row < b.row }
            guard let first = a.value else { return isAscending }
            guard let second = b.value else { return !isAscending }
            return (first < second) == isAscending
        }
    }

    private static func rows(_ snapshot: Snapshot, _ holds: (Int) -> Bool) throws -> [Row] {
        let stored = snapshot.segments[0]
        let numbers = stored.segment.columns[try #require(stored.segment.schema.position(of: "k"))]
        return (0..<stored.segment.count).compactMap { row in
            guard stored.isLive(row), case .int64(let number) = numbers.value(row), holds(Int(number)) else {
                return nil
            }
            return Row(
                row: UInt32(row), value: value(Int(number)), name: stored.segment.recordID(row).recordName)
        }
    }

    @Test(arguments: cases.indices) func rowsComeInTheOrderOfAField(_ index: Int) throws {
        let (predicate, holds) = Self.cases[index]
        let snapshot = try Self.table.get()
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        let query = try #require(
            SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused)).segmentQueries.first)
        let matches = try Self.rows(snapshot, holds)
        for isAscending in [true, false] {
            let order = matches.sorted { Row.precedes($0, $1, isAscending) }
            // From the beginning, from a row of the commonest value, from one without a value, and from the last.
            let starts = [
                nil, order.first { $0.value == 400 }, order.first { $0.value == nil }, order.dropFirst(20).first,
                order.last,
            ]
            for start in starts {
                let rest = order.filter { row in start.map { Row.precedes($0, row, isAscending) } ?? true }
                let following = Set(rest.map(\.row))
                let boundary = start.map { start in
                    RowBoundary(value: start.value.map { .int64(Int64($0)) } ?? .null) {
                        following.contains(UInt32($0))
                    }
                }
                for limit in [1, 7, 150, 1_400, 4_000] {
                    let field = RowOrder.field("n", isAscending: isAscending)
                    let found = try query.rows(orderedBy: field, limit: limit, from: boundary)
                    #expect(found == rest.prefix(limit).map(\.row), "\(predicate) \(isAscending) \(limit)")
                    // With all that are level with the last one, in any order.
                    let level = try #require(
                        try query.rows(orderedBy: field, limit: limit, from: boundary, includingTies: true))
                    let (last, rows) = (rest.prefix(limit).last, Set(level))
                    #expect(rows.count == level.count && following.isSuperset(of: rows))
                    #expect(rows.isSuperset(of: rest.prefix(limit).map(\.row)))
                    if let last { #expect(rest.allSatisfy { $0.value != last.value || rows.contains($0.row) }) }
                }
            }
            let names = matches.sorted { isAscending ? $0.name < $1.name : $1.name < $0.name }.map(\.row)
            for limit in [1, 20] {
                let found = try query.rows(orderedBy: .name(isAscending: isAscending), limit: limit)
                if let found { #expect(found == Array(names.prefix(limit)), "\(predicate) \(limit)") }
            }
        }
    }

    /// What a plan says of an index: the stretch of its order, and what is left to look at.
    @Test func aPlanKnowsItsStretchOfAnIndex() throws {
        let snapshot = try Self.table.get()
        let stored = snapshot.segments[0]
        let column = try #require(stored.segment.schema.position(of: "n"))
        let other = try #require(stored.segment.schema.position(of: "k"))
        func stretch(_ predicate: String) throws -> (values: [FieldValue], isAll: Bool)? {
            let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
            let query = try #require(
                SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused)).segmentQueries.first)
            let index = try #require(stored.indexes.ordered(column: column))
            let columns = stored.segment.columns
            let otherIndex = try #require(stored.indexes.ordered(column: other))
            #expect(query.plan.stretch(of: otherIndex, over: columns[other])?.values.isEmpty ?? true)
            guard let (values, rest) = query.plan.stretch(of: index, over: columns[column]) else { return nil }
            #expect(index.distinct(atPositions: index.positions(ofDistinct: values)) == values)
            var isAll = false
            if case .all = rest { isAll = true }
            return (values.map { index.key(ofDistinct: $0) }, isAll)
        }
        let values = Set((0..<Self.count).compactMap(Self.value)).sorted()
        let expected = values.filter { $0 > 400 && $0 <= 950 }.map { FieldValue.int64(Int64($0)) }
        let range = try #require(try stretch("n > 400 AND n <= 950"))
        #expect(range.values == expected && range.isAll)
        // A long range beside a condition that few satisfy is a test of a column.
        for other in ["t BEGINSWITH '2'", "t BEGINSWITH '2 of 10'", "e == 1"] {
            let part = try #require(try stretch("n > 400 AND n <= 950 AND \(other)"))
            #expect(part.values == expected && !part.isAll)
        }
        // Where no row can match there is nothing to pass.
        let nothing = try #require(try stretch("n > 2000"))
        #expect(nothing.values.isEmpty && !nothing.isAll)
        #expect(try stretch("e == 1") == nil && stretch("n != 400") == nil)
        #expect(try stretch("n > 900 OR e == 1") == nil && stretch("NOT n > 900") == nil)
    }

    @Test func thereIsNoOrderOfNoRows() throws {
        let snapshot = try Self.table.get()
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: "e == 1"))
        let query = try #require(
            SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused)).segmentQueries.first)
        for limit in [0, -1] {
            #expect(try query.rows(orderedBy: .field("n", isAscending: true), limit: limit) == nil)
        }
        #expect(try query.rows(orderedBy: .field("absent", isAscending: true), limit: 5) == nil)
        #expect(try query.rows(orderedBy: .field("n", isAscending: true), limit: 5)?.count == 5)
    }
}
