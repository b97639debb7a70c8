// What the linter asks of records beside the query: in a time of its own, and without indexes that nobody wants.

import Testing

@testable import PredicateEditing
@testable import RecordDatabase

@Suite struct LinterLimitEdgesTests {
    /// So many that queries build indexes, and that looking at all of them takes a look at the clock.
    private static func records() throws -> RecordSet {
        let lines = (0..<3_000).map { number in
            """
            {"id":"\(number)","name":"Name \(number)","parts":{"tags":["old \(number)","new"]}}

            """
        }
        return try RecordSet(bytes: Array(lines.joined().utf8), name: "names.ndjson")
    }

    @Test("What would match is counted in a time of its own, whatever time the query has")
    func timeOfItsOwn() throws {
        var records = try Self.records()
        records.limits.time = .zero
        let linter = Linter(records: records, dialect: .full)
        let relaxed = linter.relaxed("name BEGINSWITH 'name 299'")
        #expect(relaxed?.text == #"name BEGINSWITH[cd] "name 299""# && relaxed?.count == 11)
        let decisive = linter.decisive("name BEGINSWITH 'Name 299' AND name == 'x'")
        #expect(decisive?.condition == #"name == "x""# && decisive?.count == 11)
        #expect(linter.findings(in: "parts.tags CONTAINS 'old'").map(\.code).contains(.listWithoutAny))
    }

    @Test("Where the fields are known and no record is there, values tell of nothing")
    func noRecords() throws {
        let schema = try ContainerSchema(text: "DEFINE SCHEMA RECORD TYPE T (population INT64 QUERYABLE);")
        let outline = Linter(records: RecordSet(outlining: schema, type: "T"), dialect: .full)
        for (linter, isTold) in [(try Towns.linter(), true), (outline, false)] {
            let codes = linter.findings(in: "sum(population) > 3").map(\.code)
            #expect(codes.contains(.loneValue) == isTold)
        }
    }

    @Test("Counting what would match builds no index")
    func noIndex() throws {
        let records = try Self.records()
        func builtCount() -> Int { records.snapshot.segments.reduce(0) { $0 + $1.indexes.builtCount } }
        let linter = Linter(records: records, dialect: .full)
        #expect(linter.relaxed("name == 'name 5'")?.count == 1)
        #expect(linter.decisive("name == 'Name 5' AND name == 'x'")?.count == 1)
        let before = builtCount()
        #expect(try records.count(matching: RecordPredicate("name ==[cd] 'name 5'", [], dialect: .full)) == 1)
        #expect(builtCount() > before)
    }
}
