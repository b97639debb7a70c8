// Columns of records as parameters, what begins transactions, and what a call needs first. No server is needed.

import Foundation
import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

@Suite struct SavedColumnEdgesTests {
    private static let type = ContainerSchema.RecordType(fields: [
        "n": ContainerSchema.Field(.int64), "d": ContainerSchema.Field(.double), "t": ContainerSchema.Field(.date),
        "ns": ContainerSchema.Field(.list(.int64)), "ds": ContainerSchema.Field(.list(.double)),
        "ss": ContainerSchema.Field(.list(.string)),
    ])

    @Test("Each field has a column, with the values of all rows; lists travel as the texts of arrays")
    func columns() throws {
        let texts: [FieldValue] = ["a\"b\\c", "", "d,e}", "NULL"]
        let rows = [
            EdgeCommits.row(
                "a", "A",
                fields: [
                    "n": 3, "d": .double(0.5), "t": .date(Date(timeIntervalSinceReferenceDate: 7)),
                    "ns": .list([1, -2]), "ds": .list([.double(0.5), .double(2)]), "ss": .list(texts),
                ]), EdgeCommits.row("b", "A", fields: ["ns": .list([])]),
        ]
        let saved = SavedColumns(rows, Layout.columns(of: "T", Self.type))
        // By their scalars: `~` comes behind all letters.
        let fields = ["ds~D", "d~d", "ns~I", "n~i", "ss~S", "ss~S~cd", "t~t"]
        #expect(saved.names == ["_x", "_odd", "_w"] + fields.map { "\"\($0)\"" })
        #expect(
            saved.types == [
                "int2[]", "bool[]", "text[]", "text[]", "float8[]", "text[]", "int8[]", "text[]", "text[]", "float8[]",
            ])
        #expect(
            saved.expressions == [
                "v0", "v1", "v2::tsvector", "v3::float8[]", "v4", "v5::int8[]", "v6", "v7::text[]", "v8::text[]", "v9",
            ])
        let folded = #"{"a\"b\\c","","d,e}","null"}"#
        let expected: [Parameter] = [
            .array(.texts, [.text("{0.5,2.0}"), .null(.text)]), .array(.doubles, [.double(0.5), .null(.double)]),
            .array(.texts, [.text("{1,-2}"), .text("{}")]), .array(.int64s, [.int64(3), .null(.int64)]),
            .array(.texts, [.text(#"{"a\"b\\c","","d,e}","NULL"}"#), .null(.text)]),
            .array(.texts, [.text(folded), .null(.text)]), .array(.doubles, [.double(7), .null(.double)]),
        ]
        #expect(saved.parameters.count == 10 && Array(saved.parameters.dropFirst(3)) == expected)
    }

    @Test("Rows that are written again are found by their zones and names, and their marks tell of odd texts")
    func replacement() {
        let type = ContainerSchema.RecordType(fields: ["s": ContainerSchema.Field(.string)])
        let rows = [
            EdgeCommits.row("a", "A", fields: ["s": "x"]), EdgeCommits.row("b", fields: ["s": "e\u{301}"]),
        ]
        let statement = SavedColumns.replacement(
            of: rows, Layout.columns(of: "T", type), table: "\"r_T\"", in: 7)
        #expect(
            Array(statement.parameters.prefix(5)) == [
                .int32(7), .texts(["A", "_defaultZone"]), .texts(["a", "b"]),
                // Not in composed normal form, and not ASCII: 1 and 16.
                .array(.int16s, [.int16(0), .int16(17)]), .array(.bools, [.null(.bool), .bool(true)]),
            ])
        #expect(statement.parameters.count == 8)
        #expect(statement.text.contains("SET _x = s.d0, _odd = s.d1, _w = s.d2, \"s~s\" = s.d3, \"s~s~cd\" = s.d4"))
        #expect(statement.text.contains("$4::int2[], $5::bool[], $6::text[], $7::text[], $8::text[]) w(o, n, v0, "))
        #expect(statement.text.contains("v0 AS d0, v1 AS d1, v2::tsvector AS d2, v3 AS d3, v4 AS d4"))
    }

    @Test("The server ends a transaction later than this process gives it up, by a sixth")
    func beginnings() {
        let cases: [(patience: Duration, milliseconds: Int)] = [
            (.seconds(60), 70_000), (.milliseconds(1_500), 1_750), (.milliseconds(600), 700), (.seconds(0), 0),
        ]
        for (patience, milliseconds) in cases {
            let texts = CommitTransaction.beginning(patience: patience).map(\.text)
            #expect(texts.count == 3 && texts[0] == "BEGIN" && texts[1] == "SET LOCAL lock_timeout = '10s'")
            #expect(texts[2] == "SET LOCAL idle_in_transaction_session_timeout = \(milliseconds)", "\(patience)")
        }
    }

    @Test("Who has other tables of Unicode than those that derived the columns is not to write")
    func textVersions() throws {
        let (own, other) = (EdgeSelections.known(), EdgeSelections.known(knowsTexts: false))
        try own.checkTexts()
        #expect(own.knowsTexts && !other.knowsTexts)
        let error = #expect(throws: DatabaseError.self) { try other.checkTexts() }
        #expect(error?.code == .incompatibleVersion && error?.reason.contains("folded by other") == true)
        let next = own.next(EdgeCommits.schema)
        #expect(next.version == 2 && next.schema == EdgeCommits.schema && next.incarnation == "i" && next.knowsTexts)
    }

    @Test("What a body needs first is noted, with the database that it is of, and nothing is given")
    func firstNeeds() throws {
        func need(_ name: String) -> ServerNeed {
            var need = ServerNeed()
            need.records = [EdgeCommits.id(name, "A")]
            return need
        }
        let origin = DatabaseOrigin(container: "c", scope: .shared, user: "u")
        let reading = FirstReading(origin, ["o", "p"])
        #expect(reading.first == nil && reading.owners == ["o", "p"])
        #expect(reading.reading(of: "q") == nil)
        let ofOwner = try #require(reading.reading(of: "o"))
        #expect(ofOwner.owners.isEmpty && ofOwner.reading(of: "p") == nil)
        for name in ["a", "b"] {
            let error = #expect(throws: DatabaseError.self) { try ofOwner.read(need(name)) }
            #expect(error?.code == .zoneBusy)
        }
        #expect(throws: DatabaseError.self) { try reading.read(need("c")) }
        let first = try #require(reading.first)
        #expect(first.need.records.map(\.recordName) == ["a"])
        #expect(first.origin == DatabaseOrigin(container: "c", scope: .private, user: "o"))
        let unknown = FirstReading()
        #expect(throws: DatabaseError.self) { try unknown.read(need("a")) }
        #expect(unknown.first == nil && unknown.reading(of: "o") == nil)
    }

    @Test("The subscriptions of a user are those to the shared database where somebody shares with them")
    func subscribers() {
        let database = Parameter.int32(7)
        let everyone = MomentReader.statements(for: .everyone, of: database)
        #expect(everyone.map(\.parameters) == [[database]])
        #expect(MomentReader.statements(for: .user("u"), of: database).map(\.parameters) == [[database, .text("u")]])
        for (isLocked, count) in [(true, 2), (false, 1)] {
            let statements = MomentReader.statements(for: .participant("u", isLocked: isLocked), of: database)
            #expect(statements.count == count && statements.allSatisfy { $0.parameters == [.int32(3), .text("u")] })
            #expect(statements.first?.text.hasSuffix(" FOR UPDATE") == isLocked)
            #expect(statements.last?.text.hasPrefix("SELECT content FROM subscription") == true)
        }
    }
}
