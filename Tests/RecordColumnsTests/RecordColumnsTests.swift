// Segments made of records: what goes in comes out; the form of columns.

import FoundationEssentials
import Geospatial
import OrdinalSets
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct RecordLoaderTests {
    private static func loaded(_ records: [Record], _ change: (inout RecordLoader.Limits) -> Void = { _ in }) throws
        -> LoadedSegments
    {
        var limits = RecordLoader.Limits()
        change(&limits)
        let loader = RecordLoader(limits: limits)
        for (number, record) in records.enumerated() { try loader.append(record, origin: number) }
        return loader.finish()
    }

    private static func record(
        _ name: String, _ fields: [String: FieldValue], type: String = "T", zone: RecordZone.ID = .default
    )
        -> Record
    { Record(type: type, id: Record.ID(name, zoneID: zone), fields: fields) }

    /// Random records of every kind of value, with gaps, in two types and two zones.
    private static func randomRecords(_ count: Int, seed: UInt64) -> [Record] {
        var state = seed
        func next(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(truncatingIfNeeded: state >> 33) % bound
        }
        let other = RecordZone.ID("other", ownerName: "me")
        func reference() -> FieldValue {
            let id = Record.ID("n\(next(9))", zoneID: next(4) == 0 ? other : .default)
            return .reference(RecordReference(recordID: id, action: next(2) == 0 ? .none : .deleteSelf))
        }
        return (0..<count).map { number in
            var fields: [String: FieldValue] = [:]
            func put(_ name: String, _ value: FieldValue) { if next(5) != 0 { fields[name] = value } }
            put("whole", .int64(Int64(next(1000) - 500)))
            put("fraction", .double(Double(next(1000)) / 8))
            put("mixed", next(2) == 0 ? .int64(Int64(next(10))) : .double(Double(next(10))))
            put("flag", .bool(next(2) == 0))
            put("word", .string(["a", "b", "", "é"][next(4)]))
            put("text", .string("text \(next(1_000_000)) \(number)"))
            put("date", .date(Date(timeIntervalSinceReferenceDate: Double(next(1_000_000)) / 16)))
            put("data", .data(Data((0..<next(4)).map { UInt8($0) })))
            put("place", .location(Location(latitude: Double(next(180) - 90), longitude: Double(next(360) - 180))))
            put("link", reference())
            put("words", .list((0..<next(4)).map { .string("w\($0)") }))
            put("numbers", .list((0..<next(4)).map { $0 == 1 ? .null : .int64(Int64($0)) }))
            put("nested", .list([.list([.int64(1)]), .list([])]))
            put("links", .list((0..<next(3)).map { _ in reference() }))
            put("object", .object(["k": .int64(Int64(next(3)))]))
            put("asset", .asset(Asset(path: "p\(number)", size: 1)))
            if next(50) == 0 { fields["rare\(next(3))"] = 1 }
            return record("r\(number)", fields, type: next(3) == 0 ? "U" : "T", zone: next(3) == 0 ? other : .default)
        }
    }

    /// Rows without a value before the first number count neither as whole nor as fractional.
    /// Segments of single records have columns that are made at once; together the records go through builders.
    @Test func recordsOneByOneAreAsTogether() throws {
        let records = Self.randomRecords(300, seed: 11).filter { $0.type == "T" && $0.id.zoneID == .default }
        let entries = records.indices.map {
            [("tag", FieldValue.int64(Int64($0))), ("at", .date(Date(timeIntervalSinceReferenceDate: 0.5)))]
        }
        let shape = TypeInference(recordType: "T")
        let together = try shape.segment(of: records, beside: entries, zoneID: .default, origin: 1)
        shape.accept()
        let known = Set(together.schema.fields.map(\.name))
        #expect(known.isSuperset(of: ["tag", "at", "link", "place", "text", "nested"]))
        for (row, record) in records.enumerated() {
            let one = try shape.segment(of: [record], beside: [entries[row]], zoneID: .default, origin: row + 2)
            shape.accept()
            #expect(one.schema == together.schema)
            #expect(one.record(0) == together.record(row))
            for (column, other) in zip(one.columns, together.columns) {
                #expect(column.count == 1 && column.isPresent(0) == other.isPresent(row))
                #expect(column.value(0) == other.value(row) && column.double(0) == other.double(row))
            }
            var rows = RowGather()
            rows.append(source: 0, rows: row..<row + 1)
            let changed = try shape.segment(
                gathering: rows, of: [together],
                changes: [["text": .string("new"), "whole": .null, "link": record["link"]]], zoneID: .default,
                origin: row + 2)
            shape.accept()
            #expect(changed.schema == together.schema)
            #expect(changed.value(of: "text", row: 0) == "new" && changed.value(of: "whole", row: 0) == .null)
            #expect(changed.value(of: "link", row: 0) == record["link"])
            #expect(changed.value(of: "place", row: 0) == record["place"])
        }
        // A value of another kind is refused as by builders, and leaves nothing behind.
        let wrong = Self.record("x", ["whole": "text", "new": 1])
        #expect(throws: ColumnError.self) { try shape.segment(of: [wrong], zoneID: .default, origin: 1000) }
        shape.rollBack(origin: 1000)
        let last = try shape.segment(of: [Self.record("y", ["whole": 7])], zoneID: .default, origin: 1001)
        #expect(last.value(of: "whole", row: 0) == 7 && last.columns.count == together.columns.count)
    }

    @Test func mixedNumbersAfterGapsKeepTheirKinds() throws {
        let values: [FieldValue] = [.null, .double(0.5), .int64(1), .null, .int64(-4)]
        let records = values.enumerated().map { Self.record("r\($0)", ["n": $1]) }
        for count in 1...values.count {
            let loaded = try Self.loaded(Array(records.prefix(count)))
            for position in 0..<count { #expect(loaded[position].record["n"] == values[position]) }
        }
    }

    @Test(arguments: [1, 2, 65, 3000]) func recordsComeBack(count: Int) throws {
        let records = Self.randomRecords(count, seed: UInt64(count))
        for rows in [1 << 20, 100] {
            let loaded = try Self.loaded(records) { $0.segmentRows = rows }
            #expect(loaded.count == count)
            for (position, record) in records.enumerated() {
                #expect(loaded[position].record == record)
                // Equality of references leaves the action out.
                #expect("\(loaded[position].record["link"])" == "\(record["link"])")
                let address = loaded.addresses[position]
                #expect(loaded.positions[address.segment][address.row] == position)
                #expect(loaded[position].recordID == record.id)
                #expect(loaded.segments[address.segment].row(named: record.id.recordName) == address.row)
                #expect(loaded.origins[position] == RowOrigin(packed: position))
            }
            #expect(loaded.segments.reduce(0) { $0 + $1.count } == count)
        }
    }

    @Test func formsOfColumns() throws {
        let count = 5000
        let records = (0..<count).map { number in
            Self.record(
                "r\(number)",
                [
                    "few": .string("v\(number % 7)"), "many": .string("v\(number)"), "n": .int64(Int64(number)),
                    "gap": number % 2 == 0 ? .double(0.5) : .null, "late": number == count - 1 ? "x" : .null,
                    "day": .string("2025-01-01T00:00:00Z"),
                    "almost": .string(number == 4999 ? "no date" : "2025-01-01T00:00:00Z"),
                ])
        }
        let loaded = try Self.loaded(records)
        let segment = loaded.segments[0]
        func values(_ name: String) throws -> Column.Values { try #require(segment.column(named: name)).values }
        guard case .dictionary(let few) = try values("few") else { return #expect(Bool(false), "few") as Void }
        #expect(few.values.count == 7)
        guard case .text = try values("many") else { return #expect(Bool(false), "many") as Void }
        guard case .date = try values("day") else { return #expect(Bool(false), "day") as Void }
        #expect(segment.column(named: "almost")?.type == .string)
        #expect(segment.column(named: "gap")?.presentCount == 2500)
        #expect(segment.column(named: "late")?.value(count - 1) == "x")
        #expect(segment.column(named: "n")?.presence == nil)
        #expect(segment.column(named: "many")?.isASCII == true)
        let zones = try #require(segment.column(named: "n")?.zoneMap)
        #expect(zones.minima == [0, 4096])
        #expect(zones.maxima == [4095, 4999])
        #expect(segment.column(named: "many")?.zoneMap == nil)
        #expect(segment.column(named: "few")?.withText(8) { $0.count } == 2)
        #expect(segment.column(named: "n")?.double(17) == 17)
        #expect(segment.column(named: "none")?.value(0) == nil)
        #expect(segment.byteCount < count * 250)
        let view = loaded[3]
        #expect(view["few"] == "v3")
        #expect(view["id"] == "r3")
        #expect(view["type"] == "T")
        #expect(view["nothing"] == nil)
    }

    /// Rows without a value before the mixture are of neither kind, however many they are.
    @Test(arguments: 0..<4) func numbersMixBehindGaps(gaps: Int) throws {
        let values: [FieldValue] = [.double(47.5)] + [FieldValue](repeating: .null, count: gaps) + [1, 2, .double(3)]
        let loaded = try Self.loaded(values.enumerated().map { Self.record("\($0)", ["n": $1]) })
        #expect((0..<values.count).map { loaded[$0].record["n"] ?? .null } == values)
    }

    @Test func errorsLeaveNoTrace() throws {
        let loader = RecordLoader()
        try loader.append(Self.record("a", ["x": 1, "l": [1]]), origin: 1)
        let bad: [(Record, ColumnError)] = [
            (
                Self.record("b", ["a": 1, "x": "s"]),
                ColumnError(.mixture(existing: .number, found: .string, first: 1), field: "x")
            ),
            (
                Self.record("b", ["l": [2, "s"]]),
                ColumnError(.mixture(existing: .number, found: .string, first: 1), field: "l")
            ),
            (Self.record("a", ["x": 1]), ColumnError(.duplicateName(first: 1))),
            (Self.record("b", ["l": 1]), ColumnError(.mixture(existing: .list, found: .number, first: 1), field: "l")),
            (
                Self.record("c", ["a": true, "o": [1], "x": "s"]),
                ColumnError(.mixture(existing: .number, found: .string, first: 1), field: "x")
            ),
        ]
        for (number, (record, error)) in bad.enumerated() {
            let thrown = #expect(throws: ColumnError.self) { try loader.append(record, origin: 10 + number) }
            #expect(thrown == error)
        }
        let last = Self.record("b", ["a": "text", "o": ["y"], "x": 2.5, "l": []])
        try loader.append(last, origin: 20)
        let loaded = loader.finish()
        #expect(loaded.count == 2)
        #expect(loaded[1].record == last)
        #expect(loaded[0].record["l"] == [1])
        #expect(loaded.schemas[0].type(of: "o") == .list(.string))
    }

    @Test func datesMix() throws {
        let date = FieldValue.date(Date(timeIntervalSinceReferenceDate: 86_400))
        let loaded = try Self.loaded([
            Self.record("a", ["d": "2001-01-01T00:00:00Z"]), Self.record("b", [:]), Self.record("c", ["d": date]),
            Self.record("d", ["d": "2001-01-03T00:00:00Z"]),
        ])
        #expect(
            (0..<4).map { loaded[$0]["d"] }
                == [0, nil, 1, 2].map { $0.map { .date(Date(timeIntervalSinceReferenceDate: $0 * 86_400)) } ?? .null })
        #expect(throws: ColumnError.self) {
            try Self.loaded([Self.record("a", ["d": "x"]), Self.record("b", ["d": date])])
        }
        #expect(throws: ColumnError.self) {
            try Self.loaded([Self.record("a", ["d": date]), Self.record("b", ["d": "x"])])
        }
    }
}
