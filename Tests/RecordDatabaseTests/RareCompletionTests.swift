// Values for completion where there are more of them than are kept, and how typed letters find the others.

import RecordColumns
import RecordModel
import RecordStore
import Testing

@testable import RecordDatabase

@Suite struct RareCompletionTests {
    private static func digits(_ number: Int) -> String { String(String(10_000 + number).dropFirst()) }

    /// So many records of different texts, and two more of one that is last in the order of texts.
    private static func completer(_ count: Int) throws -> PredicateCompleter {
        let names = (0..<count).map { "n" + digits($0) } + ["zz", "zz"]
        return PredicateCompleter(
            for: try RecordSet(
                records: names.enumerated().map { record("r\($0.offset)", ["name": .string($0.element)]) }))
    }

    private static func values(_ text: String, _ completer: PredicateCompleter) -> [PredicateCompletion] {
        completer.completions(of: text, at: text.utf8.count).candidates.filter { $0.kind == .value }
    }

    /// A thousand values are kept, the most frequent ones, then the first ones; others are sought by what is typed.
    @Test(arguments: [998, 999, 1_000, 1_001]) func aThousandValuesAreKept(_ count: Int) throws {
        let completer = try Self.completer(count)
        let all = Self.values("name == ", completer)
        #expect(all.count == min(count + 1, 1_000))
        #expect(all.prefix(3).map(\.text) == ["'zz'", "'n0000'", "'n0001'"])
        #expect(all.prefix(2).map(\.detail) == ["2 records", "1 record"])
        // The last of them is found once, whether it is kept or not; what is not kept has no number of records.
        let last = "n" + Self.digits(count - 1)
        let found = Self.values("name == '" + last, completer)
        #expect(found.map(\.text) == ["'\(last)'"])
        #expect(found.map(\.detail) == [count <= 999 ? "1 record" : ""])
    }

    /// A sample of very many records tells which values are frequent, and not of how many records they are.
    @Test(arguments: [(19_999, ["10000 records", "9999 records"]), (20_000, [""])] as [(Int, [String])])
    func samplesAreNotCounted(_ count: Int, _ details: [String]) throws {
        let set = try RecordSet(records: (0..<count).map { record("r\($0)", ["n": .int64($0 % 2 == 0 ? 7 : 8)]) })
        let found = Self.values("n == ", PredicateCompleter(for: set))
        #expect(found.map(\.text) == Array(["7", "8"].prefix(details.count)))
        #expect(found.map(\.detail) == details)
    }

    /// Texts are found without regard to the case of ASCII letters, each once; signs beside the letters are no letters.
    @Test func textsByTheirBeginning() throws {
        let others = (0..<40).map { "other \($0)" }
        let texts = ["Lake", "lake", "Lake", "LAKE side", "la", "Zoo", "[a", "@b", "\u{C4}rger"] + others
        var records = texts.enumerated().map { record("r\($0.offset)", ["s": .string($0.element)]) }
        records.append(record("last", ["n": 1]))
        let set = try RecordSet(records: records)
        let stored = try #require(set.snapshot.segments.first)
        let position = try #require(stored.segment.schema.position(of: "s"))
        let column = stored.segment.columns[position]
        let cases: [(typed: String, limit: Int, found: [String])] = [
            ("laK", 20, ["Lake", "lake", "LAKE side"]), ("laK", 3, ["Lake", "lake", "LAKE side"]),
            ("lak", 2, ["Lake", "lake"]), ("lake", 1, ["Lake"]), ("lake s", 20, ["LAKE side"]), ("z", 20, ["Zoo"]),
            ("{a", 20, []), ("`b", 20, []), ("[A", 20, ["[a"]), ("@B", 20, ["@b"]), ("\u{E4}rger", 20, []),
            ("\u{C4}RGER", 20, ["\u{C4}rger"]), ("none", 20, []),
        ]
        for (typed, limit, found) in cases {
            #expect(column.texts(beginningWith: typed, limit: limit, in: stored) == found, "\(typed), \(limit)")
        }
    }

    // MARK: Records of stores

    /// Values of records that were deleted or changed are not offered and do not count, whatever knows the values.
    @Test(arguments: [false, true]) func valuesThatAreGone(_ isIndexed: Bool) throws {
        let store = RecordStore()
        var batch = RecordBatch()
        for index in 0..<40 {
            batch.save(
                record(
                    "r\(index)",
                    [
                        "kind": .string(index % 2 == 0 ? "even" : "odd"), "n": .int64(Int64(index % 3)),
                        "name": .string("name \(index)"),
                    ]))
        }
        try store.commit(batch)
        batch = RecordBatch()
        batch.save(record("r0", ["kind": "odd", "n": 7, "name": "other"]))
        batch.delete(Record.ID("r1"))
        try store.commit(batch)
        let snapshot = store.snapshot
        let stored = try #require(snapshot.segments.first { $0.deleted?.count == 2 })
        let position = try #require(stored.segment.schema.position(of: "name"))
        if isIndexed {
            for column in stored.segment.columns.indices { _ = stored.indexes.ordered(column: column) }
            let index = try #require(stored.indexes.ordered(column: position, building: false))
            #expect(index.texts(beginningWith: "name 1", limit: 2, in: stored) == ["name 10", "name 11"])
        }
        let column = stored.segment.columns[position]
        #expect(column.texts(beginningWith: "name 1", limit: 2, in: stored) == ["name 10", "name 11"])
        let completer = PredicateCompleter(for: RecordSet(snapshot, recordType: nil))
        let cases = [
            ("kind == ", ["'odd' 20 records", "'even' 19 records"]),
            ("n == ", ["0 13 records", "2 13 records", "1 12 records", "7 1 record"]),
            ("name == 'name 1'", []), ("name == 'name 0'", []), ("name == 'name 12", ["'name 12' 1 record"]),
        ]
        for (text, values) in cases {
            #expect(Self.values(text, completer).map { "\($0.text) \($0.detail)" } == values, "\(text)")
        }
    }

    /// What is frequent in one segment and rare among more values in another one counts in both.
    @Test func segmentsWithManyValues() throws {
        let rare = [5] + (0..<1_200).flatMap { [10_000 + $0, 10_000 + $0] }
        let snapshots = try [("x", rare), ("y", [5, 5, 5])].map { zone, numbers in
            let store = RecordStore()
            var batch = RecordBatch()
            for (index, number) in numbers.enumerated() {
                let id = Record.ID("r\(index)", zoneID: RecordZone.ID(zone))
                batch.save(Record(type: "T", id: id, fields: ["n": .int64(Int64(number))]))
            }
            try store.commit(batch)
            return store.snapshot
        }
        let joined = Snapshot(joining: snapshots)
        for stored in joined.segments {
            let position = try #require(stored.segment.schema.position(of: "n"))
            _ = stored.indexes.ordered(column: position)
        }
        let found = Self.values("n == ", PredicateCompleter(for: RecordSet(joined, recordType: nil)))
        #expect(found.count == 1_000)
        #expect(found.prefix(2).map(\.text) == ["5", "10000"])
        #expect(found.prefix(2).map(\.detail) == ["4 records", "2 records"])
    }
}
