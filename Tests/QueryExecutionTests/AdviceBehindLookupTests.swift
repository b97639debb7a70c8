// Advice and refusals where a lookup goes first: what is read behind it are the rows that it leaves, and no others.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct AdviceBehindLookupTests {
    /// As many records of a type as a sample has: what it says of them is a count.
    private static let count = 512

    /// A query of records of types, of whose fields `a` alone has an index.
    private static func query(
        _ text: String, _ types: [(type: String, fields: (Int) -> [String: FieldValue])]
    ) throws -> SnapshotQuery {
        let loader = RecordLoader()
        var line = 0
        for (type, fields) in types {
            for number in 0..<count {
                line += 1
                let record = Record(type: type, id: Record.ID("\(type)\(number)"), fields: fields(number))
                try loader.append(record, origin: line)
            }
        }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: text))
        let usage = SegmentPlanner.IndexUsage.declared(IndexDeclaration(["a": .queryable]))
        return SnapshotQuery(bound, over: snapshot, type: nil, settings: .init(usage: usage, context: .unused))
    }

    /// Of the first type the lookup leaves 16 rows, of which no more than 16 can be needed, though the part holds for
    /// 256 rows; of the second it leaves all, and the part holds for eight.
    @Test func rowsThatAreNeededAreAmongThoseThatAreRead() throws {
        let query = try Self.query(
            "a == 1 AND n == 3",
            [
                ("T", { ["a": .int64($0 < 16 ? 1 : 0), "n": .int64($0 % 2 == 0 ? 3 : 1)] }),
                ("U", { ["a": 1, "n": .int64($0 % 64 == 0 ? 3 : 1)] }),
            ])
        let missing = query.segmentQueries.missingIndexes
        #expect(missing.map(\.index.field) == ["n"])
        #expect(missing.map(\.rowsRead) == [16 + 512] && missing.map(\.rowsNeeded) == [16 + 8])
    }

    /// A part that no index serves is no reason to refuse a query in which a lookup rules rows out.
    @Test(arguments: ["n * 2 > 5", "n * 2 > 5 OR t CONTAINS 'x'", "NOT (n * 2 > 5 AND t CONTAINS 'x')"])
    func scansBehindALookup(_ part: String) throws {
        let fields: (Int) -> [String: FieldValue] = {
            ["a": .int64($0 < 16 ? 1 : 0), "n": .int64(Int64($0)), "t": .string("text \($0)")]
        }
        let behind = try Self.query("a == 1 AND (\(part))", [("T", fields)])
        #expect(behind.scanRejection == nil && behind.segmentQueries.scannedParts.isEmpty)
        let alone = try Self.query(part, [("T", fields)])
        #expect(alone.scanRejection?.rows == 512 && !alone.segmentQueries.scannedParts.isEmpty)
    }

    /// Of rows that lead to others as many are read as are expected to lead to the records of the condition.
    ///
    /// Eight owners have ages from 50 to 57: two are above 55, a quarter, and six are not.
    @Test(
        arguments: [
            ("lead.age > 55", 128), ("lead.age <= 55", 384), ("ANY owners.age > 55", 128),
            ("ALL owners.age > 55", 128), ("ALL owners.age <= 55", 384),
        ])
    func rowsThatAreReadBehindAJoin(_ condition: String, _ rowsRead: Int) throws {
        let loader = RecordLoader()
        for number in 0..<8 {
            let owner = Record(
                type: "Owner", id: Record.ID("o\(number)"), fields: ["age": .int64(Int64(50 + number))])
            try loader.append(owner, origin: number + 1)
        }
        for number in 0..<Self.count {
            let link = FieldValue.reference(RecordReference("o\(number % 8)"))
            let fields: [String: FieldValue] = [
                "lead": link, "owners": .list([link]), "n": .int64(number % 64 == 0 ? 3 : 1),
            ]
            try loader.append(Record(type: "T", id: Record.ID("t\(number)"), fields: fields), origin: number + 9)
        }
        let snapshot = Snapshot(loader.finish())
        let text = "\(condition) AND n == 3"
        let bound = try Binder(schema: snapshot.schema(ofType: "T")).bind(RecordPredicate(format: text))
        let usage = SegmentPlanner.IndexUsage.declared(IndexDeclaration(["age": .queryable]))
        let query = SnapshotQuery(bound, over: snapshot, type: "T", settings: .init(usage: usage, context: .unused))
        // The query has not run: nothing is known of the rows but what is expected.
        let missing = query.segmentQueries.missingIndexes
        #expect(missing.map(\.index.field) == ["n"])
        #expect(missing.map(\.rowsRead) == [rowsRead] && missing.map(\.rowsNeeded) == [8])
    }
}
