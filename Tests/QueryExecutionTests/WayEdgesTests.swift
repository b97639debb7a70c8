// Where one row or one value of a list more changes the way of a plan, as it is told, and when joins are made.

import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import QueryExecution

@Suite struct WayEdgesTests {
    private static func snapshot(_ records: [Record]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        return Snapshot(loader.finish())
    }

    private static func query(
        _ predicate: String, _ snapshot: Snapshot, _ type: String, _ usage: SegmentPlanner.IndexUsage
    ) throws -> SnapshotQuery {
        let schema = try #require(snapshot.schema(ofType: type))
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: predicate))
        return SnapshotQuery(bound, over: snapshot, type: type, settings: .init(usage: usage, context: .unused))
    }

    /// The steps of a plan, each with what it looks up or tests.
    private static func words(_ report: PlanReport) -> [String] {
        ["\(report.step): \(report.detail)"] + report.inputs.flatMap(words)
    }

    @Test("Up to 4096 rows of several values are one list, more are a union")
    func rowsOfSeveralValues() throws {
        // 2048 rows of 1 and as many of 2, one of 3, and some others.
        let snapshot = try Self.snapshot(
            (0..<4_400).map { number in
                let value = number < 2_048 ? 1 : number < 4_096 ? 2 : number == 4_096 ? 3 : number
                return Record(type: "T", id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(value))])
            })
        for (predicate, count, isUnion) in [("n IN {1, 2}", 4_096, false), ("n IN {1, 2, 3}", 4_097, true)] {
            let query = try Self.query(predicate, snapshot, "T", .all)
            #expect(try query.count() == count)
            let words = try query.report().flatMap(Self.words)
            #expect(words.contains { $0.hasPrefix("union") } == isUnion, "\(predicate) \(words)")
        }
    }

    @Test("Columns decide lists of 32 values and terms of 16 columns, the evaluator longer ones")
    func valuesAndColumns() throws {
        let snapshot = try Self.snapshot(
            (0..<20).map { number in
                var fields: [String: FieldValue] = [:]
                for column in 1...17 { fields["n\(column)"] = .int64(Int64(number + column)) }
                return Record(type: "T", id: Record.ID("r\(number)"), fields: fields)
            })
        func list(_ count: Int) -> String { (1...count).map(String.init).joined(separator: ", ") }
        func sum(_ count: Int) -> String { (1...count).map { "n\($0)" }.joined(separator: " + ") }
        let cases: [(predicate: String, isComputed: Bool)] = [
            ("n1 + n2 IN {\(list(32))}", true), ("n1 + n2 IN {\(list(33))}", false),
            ("\(sum(16)) > 200", true), ("\(sum(17)) > 200", false),
        ]
        for (predicate, isComputed) in cases {
            let words = try Self.query(predicate, snapshot, "T", .all).report().flatMap(Self.words)
            #expect(words.contains { $0.contains(": compute ") } == isComputed, "\(predicate) \(words)")
            #expect(words.contains { $0.contains(": evaluate ") } != isComputed, "\(predicate) \(words)")
        }
    }

    @Test("References of a few rows are followed one by one until that has cost as much as the join")
    func rowsThatAreFollowed() throws {
        let snapshot = try Self.snapshot(
            (0..<600).map { Record(type: "Track", id: Record.ID("k\($0)"), fields: ["title": .string("title \($0)")]) }
                + (0..<50).map {
                    let lead = FieldValue.reference(RecordReference("k\($0)"))
                    return Record(type: "List", id: Record.ID("l\($0)"), fields: ["lead": lead])
                })
        let plan = try #require(Self.query("lead.title CONTAINS '7'", snapshot, "List", .built).parts.first).query.plan
        guard case .join(let join) = plan else {
            Issue.record("no join: \(plan)")
            return
        }
        #expect(!join.follows(1_000))
        // Of no rows nothing has to be known.
        #expect(join.follows(0))
        var followed = 0
        while followed < 1_000, join.follows(1) { followed += 1 }
        #expect((1..<1_000).contains(followed))
        #expect(!join.follows(1))
    }
}
