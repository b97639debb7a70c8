// What is made of the rows that a server gives: pages portion by portion, counts, groups, links and names.

import Campaigns
import Foundation
import RecordModel
import Testing
import _TestSupport

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled), .serialized)
struct SelectionRowEdgesTests {
    private let connection: Connection
    private let coding = RowCoding(assets: AssetPaths(folder: "/assets"))

    init() throws { connection = try Connection(ConnectionString(PostgreSQLServer.shared().address)) }

    /// Rows as a selection gets them, each with a value of `n`, and whether the server is sure.
    private func rows(_ rows: [(n: FieldValue, isSure: Bool)]) throws -> RowSet {
        let bytes = try rows.map { Parameter.bytes(try coding.bytes(of: ["n": $0.n, "s": "b"])) }
        return try connection.run(
            Statement(
                """
                SELECT 'T'::text, 'A'::text, 'r' || o, 1::int8, 0::float8, NULL::text, 0::float8, NULL::text, NULL::text,
                b, o, NULL::text, s FROM unnest($1::bytea[], $2::bool[]) WITH ORDINALITY w(b, s, o) ORDER BY o
                """,
                [.array(.bytesList, bytes), .array(.bools, rows.map { .bool($0.isSure) })]))
    }

    private func sure(_ numbers: [Int64]) throws -> RowSet { try rows(numbers.map { (.int64($0), true) }) }

    /// A reader of a page in the order of `n`; what is not sure has to have a number above 0, and `a` in its text.
    private func reader(
        limit: Int?, _ change: (inout ServerSelection) -> Void = { _ in }
    ) throws -> SelectionReader {
        EdgeSelections.reader(
            try EdgeSelections.selection(
                "n > 0 AND s MATCHES 'b*'", sortedBy: [.ascending("n")], limit: limit, change))
    }

    private func portion(_ reader: SelectionReader) -> Parameter? { reader.statements.first?.parameters.last }

    @Test("A page ends with as many rows as are enough, or where the server has no more")
    func ends() throws {
        for (numbers, isSure) in [([1, 2, 3], true), ([1, 2], true), ([], true), ([1, 2, 3], false), ([0], false)]
            as [([Int64], Bool)]
        {
            var reader = try reader(limit: 3)
            try reader.take([rows(numbers.map { (.int64($0), isSure) })])
            #expect(reader.isDone && reader.statements.isEmpty && !reader.isCut, "\(numbers)")
            #expect(reader.isSure == (isSure || numbers.isEmpty) && reader.found.count == numbers.count, "\(numbers)")
            #expect(reader.found.map(\.order) == (0..<numbers.count).map { Int64($0 + 1) })
        }
    }

    @Test("Rows that do not match are made up for by the next ones, of which there are more and more")
    func portions() throws {
        var reader = try reader(limit: 3)
        try reader.take([rows([(.int64(-1), false), (.int64(4), true), (.int64(5), false)])])
        #expect(!reader.isDone && !reader.isSure && reader.found.count == 3)
        #expect(portion(reader) == .int64(12))
        let next = try #require(reader.statements.first)
        // Behind the last row, of the one zone that the query is about.
        #expect(next.parameters.contains(.int64(5)) && next.parameters.contains(.text("r3")))
        #expect(!next.text.contains("z.name"))
        let more: [(n: FieldValue, isSure: Bool)] = (6..<18).map { (.int64($0), false) }
        try reader.take([rows(more)])
        #expect(reader.isDone && reader.found.count == 15)

        var late = try self.reader(limit: 2)
        for (count, following) in [(2, 8), (8, 32), (32, 128), (128, 512), (512, 1_000), (1_000, 1_000)] {
            try late.take([rows(Array(repeating: (.int64(0), false), count: count))])
            #expect(!late.isDone && portion(late) == .int64(Int64(following)), "\(count)")
        }
        var large = try self.reader(limit: 300)
        try large.take([rows(Array(repeating: (.int64(0), false), count: 300))])
        #expect(portion(large) == .int64(1_000))
        var larger = try self.reader(limit: 1_100)
        try larger.take([rows(Array(repeating: (.int64(0), false), count: 1_100))])
        #expect(portion(larger) == .int64(1_100))
    }

    @Test("A server of several gives its share and says so, unless it is not sure of all, or has no more")
    func shares() throws {
        func taken(_ rows: [(n: FieldValue, isSure: Bool)], share: Int) throws -> SelectionReader {
            var reader = try reader(limit: 3) { $0.share = share }
            try reader.take([self.rows(rows)])
            return reader
        }
        let cut = try taken([(1, true), (2, true)], share: 2)
        #expect(cut.isCut && cut.isDone && cut.isSure)
        let few = try taken([(1, true)], share: 2)
        #expect(!few.isCut && few.isDone && few.isSure)
        let whole = try taken([(1, true), (2, true), (3, true)], share: 3)
        #expect(!whole.isCut && whole.isDone && whole.isSure)
        // As many as are missing follow.
        let unsure = try taken([(1, true), (2, false)], share: 2)
        #expect(!unsure.isCut && !unsure.isDone && !unsure.isSure && portion(unsure) == .int64(1))
    }

    @Test("Rows that share the place of the last one that is enough are given, too")
    func ties() throws {
        var reader = try reader(limit: 2) { $0.tiedKeys = 1 }
        try reader.take([sure([1, 2])])
        #expect(!reader.isDone && !reader.isSure && portion(reader) == .int64(8))
        try reader.take([sure([2, 2, 2, 2, 2, 2, 2, 2])])
        #expect(!reader.isDone && portion(reader) == .int64(32))
        try reader.take([sure(Array(repeating: 2, count: 31) + [3])])
        #expect(reader.isDone && reader.found.count == 42)
        var few = try self.reader(limit: 2) { $0.tiedKeys = 1 }
        try few.take([sure([1])])
        #expect(few.isDone && !few.isSure)
        // Without ties nothing follows, whatever stands last.
        var untied = try self.reader(limit: 2)
        try untied.take([sure([2, 2])])
        #expect(untied.isDone && untied.isSure)
    }

    @Test("A row behind which nobody can say what comes is no row of the order")
    func damagedPlaces() throws {
        var reader = try reader(limit: 2)
        let set = try rows([(-1, false), ("no number", false)])
        #expect(throws: CallError.self) { try reader.take([set]) }
    }

    @Test("Without an order all rows come at once")
    func unordered() throws {
        var reader = try reader(limit: nil)
        try reader.take([rows([(1, true), (2, false), (3, true)])])
        #expect(reader.isDone && !reader.isSure && !reader.isCut && reader.found.count == 3)
        let node = try #require(reader.pushed("{\"Index Name\": \"T.n.q\"}").nodes.first)
        #expect(node.rows == 3 && node.rechecked == 1 && node.indexes == ["T.n.q"])
    }

    @Test("Rows are counted where the server is certain, and the others are given")
    func counts() throws {
        func reader(_ predicate: RecordPredicate) throws -> SelectionReader {
            EdgeSelections.reader(try EdgeSelections.selection(predicate) { $0.counts = true })
        }
        let count = try connection.run(Statement("SELECT 5::int8, 6::int8 UNION ALL SELECT 7, 8"))
        var exact = try reader("n > 0")
        try exact.take([count])
        #expect(exact.countedRows == 5 && exact.isDone && exact.found.isEmpty && exact.statements.isEmpty)
        var partly = try reader("n > 0 AND s CONTAINS[c] 'a'")
        try partly.take([count, sure([1, 2])])
        #expect(partly.countedRows == 5 && partly.isDone && partly.found.count == 2)
        var unknown = try reader("n > 0 AND s MATCHES 'a.*'")
        try unknown.take([sure([1, 2, 3])])
        #expect(unknown.countedRows == 0 && unknown.isDone && unknown.found.count == 3)
        var missing = try reader("n > 0")
        #expect(throws: CallError.self) { try missing.take([]) }
    }

    @Test("Groups have the values of their kind, and none are told where the records have to tell")
    func groups() throws {
        func groups(_ field: String, _ rows: String) throws -> [(value: FieldValue, count: Int)]? {
            var reader = EdgeSelections.reader(try EdgeSelections.selection { $0.groupField = field })
            try reader.take([connection.run(Statement("VALUES \(rows)"))])
            #expect(reader.isDone && reader.found.isEmpty && reader.statements.isEmpty)
            return reader.groups
        }
        func told(_ field: String, _ rows: String) throws -> [FieldValue]? {
            try groups(field, rows)?.flatMap { [$0.value, .int64(Int64($0.count))] }
        }
        func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        #expect(try told("n", "(4::int8, 2::int8, true), (NULL, 3, false)") == [4, 2, .null, 3])
        #expect(
            try told("d", "(1.5::float8, 2::int8, true), (NULL, 3, false), (0, 1, NULL)") == [1.5, 2, .null, 3, 0.0, 1])
        #expect(try told("t", "(1.5::float8, 2::int8, true), (NULL, 3, false)") == [date(1.5), 2, .null, 3])
        #expect(try told("s", "('a'::text, 2::int8, false), (NULL, 3, false)") == ["a", 2, .null, 3])
        #expect(try told("s", "('a'::text, 2::int8, false), ('b', 3, true)") == nil, "some text is another one")
        #expect(try told("s", "('a'::text, 2::int8, NULL::bool)") == ["a", 2])
        #expect(try told("d", "('-0'::float8, 2::int8, false)") == nil, "it is the other zero in a group")
        #expect(try told("t", "(1::float8, 2::int8, false), ('-0', 2, false)") == nil)
        #expect(try told("n", "(4::int8, NULL::int8, false)") == nil)
        #expect(try told("n", "(4::int8, 1::int8, false) LIMIT 0") == [])
    }

    @Test("Rows keep all that they have, each in its zone")
    func rowsOfRecords() throws {
        let bytes = try coding.bytes(of: ["n": 3])
        let set = try connection.run(
            Statement(
                """
                VALUES ('T'::text, 'A'::text, 'a'::text, 4::int8, 1.5::float8, 'm'::text, 2.5::float8, 'c'::text,
                  'p'::text, $1::bytea, 9::int8, 's'::text),
                  ('U', 'A', 'b', 5, NULL, NULL, NULL, NULL, NULL, $1, 8, NULL),
                  ('U', 'B', 'b', 5, 0, NULL, 0, NULL, NULL, $1, 7, NULL), ('U', 'A', 'c', 5, 0, NULL, 0, NULL, NULL, $1, 6, NULL)
                """, [.bytes(bytes)]))
        let rows = try coding.rows(set)
        #expect(rows.map(\.order) == [9, 8, 7, 6] && rows.map(\.row.type) == ["T", "U", "U", "U"])
        #expect(
            rows.map(\.row.id)
                == ["aA", "bA", "bB", "cA"].map { EdgeCommits.id(String($0.prefix(1)), String($0.suffix(1))) })
        let first = try #require(rows.first).row
        #expect(first.change == 4 && first.fields == ["n": 3] && first.creator == "m" && first.lastModifier == "c")
        #expect(first.creationDate == Date(timeIntervalSinceReferenceDate: 1.5))
        #expect(first.modificationDate == Date(timeIntervalSinceReferenceDate: 2.5))
        #expect(first.parent?.recordID == EdgeCommits.id("p", "A") && first.share?.recordID == EdgeCommits.id("s", "A"))
        #expect(first.parent?.action == RecordReference.Action.none)
        let second = rows[1].row
        #expect(second.creationDate == Date(timeIntervalSinceReferenceDate: 0) && second.parent == nil)
        #expect(second.modificationDate == second.creationDate && second.share == nil && second.creator == nil)
        // A row without one of its parts is no record.
        for place in [1, 2, 3, 4, 10, 11] {
            let parts = [
                "'T'::text", "'A'::text", "'a'::text", "4::int8", "0::float8", "NULL", "0::float8", "NULL", "NULL",
                "$1::bytea",
                "9::int8", "NULL",
            ].enumerated().map { $0.offset == place - 1 ? "NULL" : $0.element }
            let broken = try connection.run(
                Statement("SELECT \(parts.joined(separator: ", ")) FROM (SELECT $1::bytea) w", [.bytes(bytes)]))
            #expect(throws: DatabaseError.self, "\(place)") { try coding.rows(broken) }
        }
    }

    @Test("Links have their kind, their mark, and whether they are young")
    func links() throws {
        let set = try connection.run(
            Statement(
                """
                VALUES ('A'::text, 't'::text, 1::int2, 'h'::text, 'T'::text, 7::int8, true),
                  ('B', 'u', 2, 'i', 'U', NULL, false)
                """))
        let links = try LinkRows.links(set)
        #expect(
            links == [
                ServerLink(
                    target: EdgeCommits.id("t", "A"), holder: EdgeCommits.id("h", "A"), holderType: "T", isOwning: true,
                    mark: 7, isFresh: true),
                ServerLink(
                    target: EdgeCommits.id("u", "B"), holder: EdgeCommits.id("i", "B"), holderType: "U",
                    isOwning: false),
            ])
    }

    @Test("Values are read in the width that the server sends, and outside of the rows there are none")
    func values() throws {
        let set = try connection.run(
            Statement(
                "SELECT (-2)::int2, (-3)::int4, (-4)::int8, 0.5::float8, true, false, 'é'::text, NULL::text, 1.5::float4"
            ))
        #expect((0..<3).map { set.int64(0, $0) } == [-2, -3, -4])
        #expect(set.double(0, 3) == 0.5 && set.double(0, 8) == nil && set.double(0, 0) == nil)
        #expect(set.bool(0, 4) == true && set.bool(0, 5) == false && set.bool(0, 7) == nil)
        #expect(set.text(0, 6) == "é" && set.text(0, 7) == nil && set.bytes(0, 6) == [0xC3, 0xA9])
        #expect(set.int64(0, 4) == nil && set.int64(0, 7) == nil)
        #expect(set.isNull(0, 7) && !set.isNull(0, 0) && set.count == 1 && set.columnCount == 9)
        for (row, column) in [(-1, 0), (0, -1), (1, 0), (0, 9), (2, 0)] {
            #expect(set.isNull(row, column) && set.bytes(row, column) == nil, "\(row), \(column)")
        }
        #expect(set.changedCount == 1)
        #expect(try connection.run(Statement("SET search_path = DEFAULT")).changedCount == 0)
    }
}
