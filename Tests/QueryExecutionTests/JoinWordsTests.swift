// What explanations say of joins: the condition on the records that are meant, and the plans that find these.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct JoinWordsTests {
    private static func query(_ text: String, of type: String, _ records: [Record]) throws -> SnapshotQuery {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        let snapshot = Snapshot(loader.finish())
        let bound = try Binder(schema: snapshot.schema(ofType: type)).bind(RecordPredicate(format: text))
        return SnapshotQuery(bound, over: snapshot, type: type, settings: .init(usage: .all, context: .unused))
    }

    /// The steps of a plan, each with what it looks up or tests.
    private static func words(_ report: PlanReport) -> [String] {
        ["\(report.step): \(report.detail)"] + report.inputs.flatMap(words)
    }

    private static func link(_ name: String) -> FieldValue { .reference(RecordReference(name)) }

    /// Lists are ruled out that lead to others than the records of the condition, which is told as it is written.
    @Test func allThatListsLeadTo() throws {
        let owners = (0..<40).map {
            Record(type: "Owner", id: Record.ID("o\($0)"), fields: ["age": .int64(Int64(20 + $0))])
        }
        let homes = (0..<20).map { number in
            let links = [Self.link("o\(number)"), Self.link("o\(number + 1)")]
            return Record(type: "Home", id: Record.ID("h\(number)"), fields: ["owners": .list(links)])
        }
        let query = try Self.query("ALL owners.age > 30", of: "Home", owners + homes)
        #expect(try query.count() == 9)
        let words = try query.report().flatMap(Self.words)
        #expect(words.contains("semi-join: owners leads to a record with age > 30"), "\(words)")
    }

    /// A plan for the records behind references is told with their type; what looks nothing up by itself has no more.
    @Test func plansOfRecordsBehindReferences() throws {
        let tracks = (0..<600).map {
            Record(type: "Track", id: Record.ID("k\($0)"), fields: ["title": .string("title \($0)")])
        }
        let lists = (0..<50).map {
            Record(type: "List", id: Record.ID("l\($0)"), fields: ["lead": Self.link("k\($0)")])
        }
        let query = try Self.query("lead.title LIKE 'title 1*'", of: "List", tracks + lists)
        // 1, and 10 to 19.
        #expect(try query.count() == 11)
        let words = try query.report().flatMap(Self.words)
        #expect(words.contains("intersection: Track"), "\(words)")
    }
}
