// The first records in an order, of a segment some of whose rows were deleted or replaced since.

import Geospatial
import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct DeletedRowTests {
    private static let count = 4_000

    private static func name(_ number: Int) -> Record.ID {
        Record.ID("r" + String(repeating: "0", count: 5 - "\(number)".count) + "\(number)")
    }

    /// A record whose name, number and distance from the origin have one order.
    private static func record(_ number: Int, as id: Record.ID? = nil) -> Record {
        let place = Location(latitude: Double(number) / 100, longitude: 0)
        return Record(
            type: "T", id: id ?? name(number),
            fields: ["n": .int64(Int64(number)), "place": .location(place), "half": .int64(Int64(number % 2))])
    }

    private static let gone: Set<Int> = [0, 1, 2, 5, 11, 12, 700, 3_998, 3_999]

    private static let store: RecordStore? = {
        let store = RecordStore()
        var batch = RecordBatch()
        for number in 0..<count { batch.save(record(number)) }
        guard (try? store.commit(batch)) != nil else { return nil }
        // Indexes are there before anything is deleted.
        for key in orders.map(\.key) { _ = try? page(store, "half == 1", key, 10) }
        var change = RecordBatch()
        for number in gone { change.delete(name(number)) }
        return (try? store.commit(change)) == nil ? nil : store
    }()

    private static let orders: [(key: SortKey, isAscending: Bool)] = [
        (.ascending("n"), true), (.descending("n"), false), (SortKey(.recordName), true),
        (SortKey(.recordName, isAscending: false), false),
        (.distance("place", Location(latitude: 0, longitude: 0)), true),
    ]

    private static func page(
        _ store: RecordStore, _ predicate: String, _ key: SortKey, _ limit: Int
    ) throws -> [Record.ID] {
        let snapshot = store.snapshot
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: predicate))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(context: .unused))
        return try query.page(sortedBy: [key], limit: limit).rows.map(snapshot.recordID)
    }

    @Test(arguments: orders.indices) func firstOfThoseThatAreThere(_ number: Int) throws {
        let store = try #require(Self.store)
        let (key, isAscending) = Self.orders[number]
        let predicates: [(String, (Int) -> Bool)] = [
            ("TRUEPREDICATE", { _ in true }), ("half == 1", { $0 % 2 == 1 }), ("n >= 0", { $0 >= 0 }),
            ("n > 3 AND half == 0", { $0 > 3 && $0 % 2 == 0 }),
        ]
        for (predicate, holds) in predicates {
            let matching = (0..<Self.count).filter { !Self.gone.contains($0) && holds($0) }
            for limit in [1, 10, 300] {
                let expected = (isAscending ? matching : matching.reversed()).prefix(limit).map(Self.name)
                #expect(try Self.page(store, predicate, key, limit) == expected, "\(predicate) \(key) \(limit)")
            }
        }
    }
}
