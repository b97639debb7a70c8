// What indexes and plans of joins find is what each record says by itself: words as a locale compares them, references
// whose names are written in several ways, and paths that part behind a reference.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing

@Suite struct OneMeaningEdgesTests {
    private static func snapshot(_ records: [Record]) throws -> Snapshot {
        let loader = RecordLoader()
        for (line, record) in records.enumerated() { try loader.append(record, origin: line + 1) }
        return Snapshot(loader.finish())
    }

    /// Records of type `T`, named `r0`, `r1` … in their order.
    private static func rows(_ fields: [[String: FieldValue]]) -> [Record] {
        fields.enumerated().map { Record(type: "T", id: Record.ID("r\($0)"), fields: $1) }
    }

    private static func link(_ name: String) -> FieldValue { .reference(RecordReference(name)) }

    /// Under `l`, ł is an l and ø an o, which folding keeps apart.
    @Test(arguments: [
        ("ANY allTokens ==[cdl] 'lodz'", [0, 2]), ("'lodz' IN[cdl] allTokens", [0, 2]),
        ("allTokens CONTAINS[cdl] 'lodz'", [0, 2]), ("ANY {'ore'} IN[cdl] allTokens", [1, 2]),
        ("NONE allTokens ==[cdl] 'lodz'", [1]), ("ANY allTokens ==[cd] 'lodz'", [2]),
        ("'lodz' IN[cd] allTokens", [2]), ("ANY {'ore'} IN[cd] allTokens", [2]),
    ])
    func wordsAsALocaleComparesThem(_ predicate: String, _ expected: [Int]) throws {
        let texts = ["\u{141}\u{F3}d\u{17A}", "Oslo \u{F8}re", "lodz ore"]
        try Self.snapshot(Self.rows(texts.map { ["text": .string($0)] })).expectRows(of: predicate, are: expected)
    }

    /// The name of a record is the same in composed and decomposed letters.
    @Test(arguments: ["caf\u{E9}", "cafe\u{301}"])
    func referencesWrittenInOtherWays(_ name: String) throws {
        let links = ["caf\u{E9}", "cafe\u{301}", "tea"].map(Self.link)
        let snapshot = try Self.snapshot(Self.rows(links.map { ["owner": $0, "owners": .list([$0])] }))
        let (wanted, both) = (Self.link(name), FieldValue.list([Self.link(name), Self.link("tea")]))
        try snapshot.expectRows(of: "owner == %@", wanted, are: [0, 1])
        try snapshot.expectRows(of: "owner IN %@", both, are: [0, 1, 2])
        try snapshot.expectRows(of: "ANY owners == %@", wanted, are: [0, 1])
        try snapshot.expectRows(of: "owner != %@", wanted, are: [2])
        // What may be written in ways that are not known is left to the evaluator.
        try snapshot.expectRows(of: "owner == %@", Self.link("\u{AC00}"), are: [])
    }

    /// A field that the records of a type lack is nil for those that lead to it, and for no others.
    @Test(arguments: [
        ("owner.a.x == owner.b.y", [1]), ("owner.a.x != owner.b.y", [0, 2]), ("owner.a.x <= owner.b.y", [1]),
    ])
    func pathsThatPartBehindAReference(_ predicate: String, _ expected: [Int]) throws {
        func record(_ name: String, _ type: String, _ fields: [String: FieldValue]) -> Record {
            Record(type: type, id: Record.ID(name), fields: fields)
        }
        let snapshot = try Self.snapshot(
            Self.rows(["a1", "b1", "b2"].map { ["owner": Self.link($0)] }) + [
                record("a1", "A", ["a": Self.link("t1")]), record("b1", "B", ["b": Self.link("t1")]),
                record("b2", "B", ["b": Self.link("t2")]), record("t1", "End", ["x": 5]),
                record("t2", "End", ["y": 7]),
            ])
        try snapshot.expectRows(of: predicate, are: expected)
    }
}
