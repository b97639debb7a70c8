// What a server is asked for the records that a query may find; no server is needed.

import Foundation
import RecordModel
import Testing

@testable import PostgreSQLStore
@testable import RecordDatabase

/// Selections from a type `T` with a field of each kind.
enum EdgeSelections {
    static let types: [String: FieldType] = [
        "n": .int64, "d": .double, "t": .date, "s": .string, "l": .location, "r": .reference, "ns": .list(.int64),
        "ss": .list(.string),
    ]

    /// - Parameter marks: The indexes of the text.
    static func known(
        knowsTexts: Bool = true, textMarks marks: IndexMarks? = nil
    ) -> PostgreSQLContainer.KnownSchema {
        let fields = Dictionary(
            uniqueKeysWithValues: types.map { name, type in
                (name, ContainerSchema.Field(type, indexes: name == "s" ? marks : nil))
            })
        return PostgreSQLContainer.KnownSchema(
            schema: ContainerSchema(recordTypes: ["T": ContainerSchema.RecordType(fields: fields)]), version: 1,
            incarnation: "i", roles: [:], textVersion: knowsTexts ? Layout.textVersion : "other")
    }

    static func selection(
        _ predicate: RecordPredicate = "n > 0", in zone: String? = "A", sortedBy order: [SortKey] = [],
        limit: Int? = nil, from start: ServerSelection.Start? = nil, follows: Bool = false,
        _ change: (inout ServerSelection) -> Void = { _ in }
    ) throws -> ServerSelection {
        let table = RecordTable(
            name: "T", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) }, key: nil)
        var selection = ServerSelection(
            type: "T", zoneID: zone.map { RecordZone.ID($0) },
            predicate: try table.empty.bound(predicate, variables: [:]).predicate, followsReferences: follows,
            order: order.isEmpty ? [] : order + [SortKey(.recordName)], start: start, limit: limit)
        change(&selection)
        return selection
    }

    static func reader(
        _ selection: ServerSelection, _ known: PostgreSQLContainer.KnownSchema = known()
    ) -> SelectionReader {
        SelectionReader(selection, database: 7, known, RowCoding(assets: AssetPaths(folder: "/assets")))
    }
}

@Suite struct SelectionEdgesTests {
    private static let inexact: RecordPredicate = "n > 0 AND s MATCHES 'a.*'"

    private static func statements(_ selection: ServerSelection, knowsTexts: Bool = true) -> [Statement] {
        EdgeSelections.reader(selection, EdgeSelections.known(knowsTexts: knowsTexts)).statements
    }

    /// The statement for a page in an order by `n`, or what is said.
    private static func page(
        in zone: String? = "A", sortedBy order: [SortKey] = [.ascending("n")], limit: Int? = 10,
        from start: ServerSelection.Start? = nil, _ change: (inout ServerSelection) -> Void = { _ in }
    ) throws -> Statement {
        let selection = try EdgeSelections.selection(in: zone, sortedBy: order, limit: limit, from: start, change)
        return try #require(statements(selection).first)
    }

    @Test("A page is of one zone, or of all of the database, whose names are the last key of the order")
    func zones() throws {
        let one = try Self.page()
        let order = " ORDER BY \"r\".\"n~i\" ASC NULLS FIRST, \"r\"._n"
        #expect(one.text.hasPrefix("SELECT $1 AS type, $2 AS zone, r._n, r._c, r._t0, r._u0, r._t1, r._u1, r._p, "))
        #expect(
            one.text.contains(
                " FROM \"r_T\" AS r WHERE r._z = (SELECT number FROM zone WHERE database = $3 AND name = $4) AND "))
        #expect(one.text.hasSuffix(order + " LIMIT $6"))
        #expect(
            one.parameters == [.text("T"), .text("A"), .int64(7), .text("A"), .int64(0), .int64(10)])
        let all = try Self.page(in: nil)
        #expect(all.text.hasPrefix("SELECT $1 AS type, z.name, r._n, "))
        #expect(
            all.text.contains(" FROM \"r_T\" AS r JOIN zone z ON z.number = r._z WHERE z.database = $2 AND "))
        #expect(all.text.hasSuffix(order + ", z.name LIMIT $4"))
        #expect(all.parameters == [.text("T"), .int64(7), .int64(0), .int64(10)])
        #expect(try Self.page(in: "A\u{0}").parameters[1] == .text(""), "there is no such zone")
        #expect(one.keeping == .text)
    }

    @Test("No more rows are asked for than are enough, and of one of several servers no more than its share")
    func limits() throws {
        let cases: [(limit: Int, share: Int?, tied: Int?, portion: Int64)] = [
            (10, nil, nil, 10), (10, 4, nil, 4), (10, 40, nil, 10), (10, 4, 1, 10), (1, 1, nil, 1), (10, nil, 1, 10),
        ]
        for (limit, share, tied, portion) in cases {
            let statement = try Self.page(limit: limit) { ($0.share, $0.tiedKeys) = (share, tied) }
            #expect(statement.parameters.last == .int64(portion), "\(limit), \(share ?? -1), \(tied ?? -1)")
        }
        #expect(try !Self.page(limit: nil).text.contains(" LIMIT "))
    }

    @Test("A page begins behind the last record of the one before, in whatever zone that was")
    func starts() throws {
        let start = ServerSelection.Start(values: [.int64(4), .string("b")], zoneName: "M")
        let one = try Self.page(from: start)
        #expect(one.text.contains("\"r\".\"n~i\" > $") && one.text.contains("\"r\"._n > $"))
        #expect(!one.text.contains("z.name") && !one.parameters.contains(.text("M")))
        let all = try Self.page(in: nil, from: start)
        #expect(all.text.contains("z.name > $") && all.parameters.contains(.text("M")))
        let unnamed = try Self.page(
            in: nil, from: ServerSelection.Start(values: [.int64(4), .string("b")], zoneName: nil))
        #expect(!unnamed.text.contains("z.name > $") && unnamed.text.contains("\"r\"._n > $"))
    }

    @Test("Rows come by portions only where each can be decided by itself, in an order of the server")
    func orders() throws {
        func isByPortion(
            _ predicate: RecordPredicate, by order: [SortKey] = [.ascending("n")], limit: Int? = 10,
            follows: Bool = false, knowsTexts: Bool = true
        ) throws -> Bool {
            let selection = try EdgeSelections.selection(predicate, sortedBy: order, limit: limit, follows: follows)
            return Self.statements(selection, knowsTexts: knowsTexts).first?.text.contains(" ORDER BY ") == true
        }
        #expect(try isByPortion("n > 0") && isByPortion(Self.inexact))
        #expect(try !isByPortion("n > 0", limit: nil) && !isByPortion("n > 0", follows: true))
        #expect(try !isByPortion("CAST(s, 'NSNumber') > 2"), "it may fail")
        #expect(try isByPortion("n > 0", by: [.descending("s")]))
        #expect(try !isByPortion("n > 0", by: [.descending("s")], knowsTexts: false))
        #expect(try !isByPortion("n > 0", by: [.ascending("ns")]))
    }

    @Test("What an index of the order finds is not looked for in another one")
    func prefixes() throws {
        func condition(_ order: [SortKey], limit: Int?, marks: IndexMarks?) throws -> String {
            let selection = try EdgeSelections.selection("s BEGINSWITH 'Ma'", sortedBy: order, limit: limit)
            let reader = EdgeSelections.reader(selection, EdgeSelections.known(textMarks: marks))
            return try #require(reader.statements.first).text
        }
        let folded = "left(COALESCE(\"r\".\"s~s~cd\", \"r\".\"s~s\"), 256) LIKE"
        #expect(try !condition([.ascending("s")], limit: 10, marks: nil).contains(folded))
        #expect(try condition([.ascending("s")], limit: 10, marks: .queryable).contains(folded))
        #expect(try condition([.ascending("s")], limit: nil, marks: nil).contains(folded))
        #expect(try condition([.ascending("n")], limit: 10, marks: nil).contains(folded))
    }

    @Test("Rows of which the server is certain are counted where that is enough")
    func counts() throws {
        func texts(
            _ predicate: RecordPredicate, counts: Bool = true, follows: Bool = false
        ) throws -> [String] {
            Self.statements(
                try EdgeSelections.selection(predicate, follows: follows) { $0.counts = counts }
            ).map { String($0.text.prefix(15)) }
        }
        let (count, rows) = ("SELECT count(*)", "SELECT $1 AS ty")
        #expect(try texts("n > 0") == [count])
        #expect(try texts("n > 0", counts: false) == [rows])
        #expect(try texts(Self.inexact) == [rows], "it is certain of none")
        #expect(try texts("n > 0 AND s CONTAINS[c] 'a'") == [count, rows])
        #expect(try texts("n > 0 AND s CONTAINS[c] 'a'", follows: true) == [rows])
        #expect(try texts("n > 0", follows: true) == [count])
        #expect(try texts("FALSEPREDICATE") == [] && texts("s == 1") == [])
    }

    @Test("Values are counted where the server tells them apart and decides on every row")
    func groups() throws {
        func text(
            _ field: String, _ predicate: RecordPredicate = "n > 0", knowsTexts: Bool = true
        ) throws -> String? {
            let found = Self.statements(
                try EdgeSelections.selection(predicate) { $0.groupField = field }, knowsTexts: knowsTexts)
            #expect(found.count < 2)
            return found.first?.text
        }
        for (field, column, isExactly) in [
            ("n", "n~i", false), ("d", "d~d", true), ("t", "t~t", true), ("s", "s~s", false),
        ] {
            let group = try #require(try text(field))
            let name = "\"r\".\"\(column)\""
            #expect(group.hasPrefix("SELECT \(name), count(*), bool_or(r._x & 1 <> 0) FROM "), "\(field)")
            #expect(
                group.hasSuffix(" GROUP BY \(name)" + (isExactly ? ", float8send(\(name))" : "")), "\(field): \(group)")
        }
        #expect(try text("s", knowsTexts: false) == nil && text("n", knowsTexts: false) != nil)
        for field in ["l", "r", "ns", "ss", "none"] { #expect(try text(field) == nil, "\(field)") }
        #expect(try text("n", Self.inexact) == nil)
    }

    @Test("A column is grouped where the server tells its values apart")
    func columns() {
        let layout = Layout.columns(
            of: "T", ContainerSchema.RecordType(fields: EdgeSelections.types.mapValues { ContainerSchema.Field($0) }))
        let expected = ["n": (true, true), "d": (true, true), "t": (true, true), "s": (true, false)]
        for field in EdgeSelections.types.keys {
            let (known, unknown) = expected[field] ?? (false, false)
            #expect(layout.fields[field]?.isGrouped(knowsTexts: true) == known, "\(field)")
            #expect(layout.fields[field]?.isGrouped(knowsTexts: false) == unknown, "\(field)")
        }
    }

    @Test("An explanation tells where other tables of Unicode keep the server from telling more of texts")
    func explanations() throws {
        let cases: [(predicate: RecordPredicate, by: [SortKey], limit: Int?, knowsTexts: Bool, isTold: Bool)] = [
            ("n > 0", [.ascending("n")], 10, false, false), ("s == 'a'", [.ascending("n")], 10, false, true),
            ("s == 'a'", [.ascending("n")], 10, true, false), ("n > 0", [.ascending("s")], 10, false, true),
            ("n > 0", [.ascending("s")], nil, false, false), ("n > 0", [.ascending("s")], 10, true, false),
            ("n > 0", [.ascending("ns")], 10, false, false), ("s == 'a'", [], nil, false, true),
        ]
        for (number, test) in cases.enumerated() {
            let selection = try EdgeSelections.selection(test.predicate, sortedBy: test.by, limit: test.limit) {
                $0.explains = true
            }
            let known = EdgeSelections.known(knowsTexts: test.knowsTexts)
            let node = EdgeSelections.reader(selection, known).pushed("").nodes.first
            #expect(node?.readsTextsByPresence == test.isTold, "case \(number)")
            #expect(node?.rows == 0 && node?.rechecked == 0 && node?.indexes == [])
            var unexplained = selection
            unexplained.explains = false
            let silent = EdgeSelections.reader(unexplained, known)
            #expect(silent.explanation == nil && silent.pushed("").nodes.first?.readsTextsByPresence == false)
        }
        let reader = EdgeSelections.reader(try EdgeSelections.selection(Self.inexact) { $0.explains = true })
        let explanation = try #require(reader.explanation)
        #expect(explanation.text == "EXPLAIN (FORMAT JSON) " + (reader.statements.first?.text ?? ""))
        #expect(explanation.parameters == reader.statements.first?.parameters && explanation.keeping == .nothing)
        let residuals = try #require(reader.pushed("").nodes.first).residuals
        #expect(residuals.count == 1 && residuals.first?.part.contains("MATCHES") == true)
        let nothing = EdgeSelections.reader(try EdgeSelections.selection("FALSEPREDICATE") { $0.explains = true })
        #expect(nothing.explanation == nil)
    }

    @Test("The indexes of a plan are told once each, without those that find zones")
    func indexes() {
        let plan = ["zone_pkey", "T.n.q", "a", "zone_database_name_key", "T.n.q"].map { name in
            "{\"Node Type\": \"Index Scan\", \"Index Name\": \"\(name)\", \"Alias\": \"r\"}"
        }
        #expect(SelectionReader.indexes(plan.joined(separator: ",")) == ["T.n.q", "a"])
        #expect(SelectionReader.indexes("[]") == [])
    }
}
