// Records that come one by one: where segments end, what texts are read as, and what kinds of values may meet.

import FoundationEssentials
import Geospatial
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct LoadingEdgesTests {
    private static func begin(_ loader: RecordLoader, _ line: Int, type: String = "T") throws {
        try Array(type.utf8).withUnsafeBufferPointer { type in
            try Array("\(line)".utf8).withUnsafeBufferPointer {
                try loader.begin(type: type, name: $0, origin: line + 1)
            }
        }
    }

    private static func load(_ loader: RecordLoader, _ values: [FieldValue]) throws {
        for (line, value) in values.enumerated() {
            let record = Record(type: "T", id: Record.ID("\(line)"), fields: ["v": value])
            try loader.append(record, origin: line + 1)
        }
    }

    // MARK: Segments

    /// A segment is full at so many rows, or with so many bytes of names, texts or bytes, or elements of lists.
    @Test func segmentsEndWhereTheyAreFull() throws {
        let five: [FieldValue] = ["12345", .data(Data([1, 2, 3, 4, 5])), [1, 2, 3, 4, 5], ["a", "b", "cde"]]
        for value in five {
            for (extent, counts) in [(10, [2, 2]), (11, [3, 1]), (9, [2, 2]), (5, [1, 1, 1, 1]), (21, [4])] {
                var limits = RecordLoader.Limits()
                limits.segmentExtent = extent
                let loader = RecordLoader(limits: limits)
                try Self.load(loader, Array(repeating: value, count: 4))
                let loaded = loader.finish()
                #expect(loaded.segments.map(\.count) == counts, "\(value) \(extent)")
                #expect((0..<4).allSatisfy { loaded[$0]["v"] == value })
            }
        }
        for (rows, counts) in [(1, [1, 1, 1, 1]), (2, [2, 2]), (3, [3, 1]), (4, [4]), (5, [4])] {
            var limits = RecordLoader.Limits()
            limits.segmentRows = rows
            let loader = RecordLoader(limits: limits)
            try Self.load(loader, [1, 0.5, 2, .null])
            let loaded = loader.finish()
            #expect(loaded.segments.map(\.count) == counts && loaded.schemas.map(\.recordType) == ["T"])
            #expect(loaded.schemas[0].type(of: "v") == .number)
            #expect((0..<4).map { loaded[$0]["v"] } == [1, 0.5, 2, .null])
            #expect(loaded.namedSegments == Set(counts.indices))
        }
        var limits = RecordLoader.Limits()
        limits.segmentExtent = 4
        let loader = RecordLoader(limits: limits)
        for name in ["ab", "cd", "ef"] { try loader.append(Record(type: "T", id: Record.ID(name)), origin: 1) }
        #expect(loader.finish().segments.map(\.count) == [2, 1])
    }

    /// A type whose only record was taken back leaves nothing; the records of others are where they were.
    @Test func typesWithoutRecordsLeaveNothing() throws {
        let loader = RecordLoader()
        let bad = Record(type: "U", id: Record.ID("x"), fields: ["v": ["a", 1]])
        #expect(throws: ColumnError(.mixture(existing: .string, found: .number, first: 1), field: "v")) {
            try loader.append(bad, origin: 1)
        }
        try Self.load(loader, [1, 2])
        try loader.append(Record(type: "W", id: Record.ID("w"), fields: ["v": "w"]), origin: 9)
        let loaded = loader.finish()
        #expect(loaded.schemas.map(\.recordType) == ["T", "W"] && loaded.segments.map(\.recordType) == ["T", "W"])
        #expect(loaded.count == 3 && (0..<3).map { loaded[$0]["v"] } == [1, 2, "w"])
        #expect(loaded.addresses[2] == RowAddress(segment: 1, row: 0) && loaded.namedSegments == [0, 1])
        #expect(loaded.hasNames && loaded.hasTypes)
    }

    /// Names are those of records only where they are said to be.
    @Test func namesOfLinesAreNotThoseOfRecords() throws {
        let loader = RecordLoader()
        #expect(loader.row == 0 && loader.columnsByKey.isEmpty)
        try Self.begin(loader, 0)
        loader.commit(bytes: 1)
        try Self.begin(loader, 1, type: "U")
        loader.noteName()
        loader.commit(bytes: 1)
        // What is not begun is not ended.
        loader.commit(bytes: 1)
        try Self.begin(loader, 2)
        #expect(loader.row == 1)
        _ = loader.column(forKey: try loader.fieldNames.number(of: "a"))
        #expect(loader.columnsByKey.count == 1 && loader.columnsByKey[0] != nil)
        loader.rollBack()
        #expect(loader.count == 2 && loader.byteCount == 2 * 32 + 2 * (1 + 4))
        let loaded = loader.finish()
        #expect(loaded.hasNames && !loaded.hasTypes && loaded.namedSegments == [1] && loaded.count == 2)
        #expect(loaded.schemas.map { $0.fields.count } == [0, 0])
        #expect(RecordLoader().finish().count == 0)
    }

    @Test func zonesHaveALimit() throws {
        var limits = RecordLoader.Limits()
        limits.maximumSegmentTypes = 2
        let loader = RecordLoader(limits: limits)
        func add(_ zone: String) throws {
            let id = Record.ID("r\(loader.count)", zoneID: RecordZone.ID(zone))
            try loader.append(Record(type: "T", id: id), origin: 1)
        }
        for zone in ["x", "y", "x"] { try add(zone) }
        #expect(throws: ColumnError(.tooManyZones(limit: 2))) { try add("z") }
        try add("y")
        #expect(loader.finish().segments.map(\.count) == [2, 2])
    }

    /// The limit of fields of a type of a store is 4,096, however they come.
    @Test func typesHaveALimitOfFields() throws {
        let shape = TypeInference(recordType: "T")
        let fields = Dictionary(uniqueKeysWithValues: (0..<4096).map { ("f\($0)", FieldValue.int64(1)) })
        func add(_ fields: [String: FieldValue], origin: Int) throws -> Segment {
            try shape.segment(
                of: [Record(type: "T", id: Record.ID("r"), fields: fields)], zoneID: .default, origin: origin)
        }
        let segment = try add(fields, origin: 1)
        shape.accept()
        let error = ColumnError(.tooManyFields(limit: 4096))
        #expect(throws: error) { try add(["new": 1], origin: 2) }
        shape.rollBack(origin: 2)
        let column = try Column.of("v", count: 1) { _ in 2 }
        let names = TextColumn(["r"])
        #expect(throws: error) {
            try shape.segment(columns: [("f7", column), ("new", column)], names: names, zoneID: .default, origin: 3)
        }
        shape.rollBack(origin: 3)
        var rows = RowGather()
        rows.append(source: 0, rows: 0..<1)
        #expect(throws: error) {
            try shape.segment(gathering: rows, of: [segment], changes: [["new": 1]], zoneID: .default, origin: 4)
        }
        shape.rollBack(origin: 4)
        let known = try shape.segment(columns: [("f7", column)], names: names, zoneID: .default, origin: 5)
        #expect(known.record(0).fields == ["f7": 2] && shape.schema.fields.count == 4096)
    }

    // MARK: Texts

    private static func cells(_ texts: [String?], commas: Bool = false) throws -> (FieldType?, [FieldValue]) {
        let loader = RecordLoader()
        for (line, text) in texts.enumerated() {
            try begin(loader, line)
            let column = loader.column(forKey: try loader.fieldNames.number(of: "v"))
            (column.shape.infersFromText, column.shape.readsDecimalCommas) = (true, commas)
            if let text {
                try Array(text.utf8).withUnsafeBufferPointer {
                    try column.append(cell: $0, row: loader.row, origin: line + 1)
                }
            }
            loader.commit(bytes: 1)
        }
        let loaded = loader.finish()
        return (loaded.schemas.first?.type(of: "v"), (0..<loaded.count).map { loaded[$0]["v"] })
    }

    /// Cells are what all of them read as; an empty one is no evidence, and nothing where the others are something.
    @Test func cellsAreWhatAllOfThemAre() throws {
        let day = "2001-01-02T00:00:00Z"
        let cases: [(cells: [String?], commas: Bool, type: FieldType, values: [FieldValue])] = [
            (["1", "", nil, "2"], false, .int64, [1, .null, .null, 2]),
            (["", nil, ""], false, .string, ["", .null, ""]),
            (["", "7"], false, .int64, [.null, 7]), ([nil, nil], false, .string, [.null, .null]),
            (["1", "0.5", nil], false, .number, [1, 0.5, .null]), (["1", "x"], false, .string, ["1", "x"]),
            (["true", nil, "FALSE", ""], false, .bool, [true, .null, false, .null]),
            (["true", "1"], false, .string, ["true", "1"]),
            ([day, nil, ""], false, .date, [date(86400), .null, .null]),
            ([day, "1"], false, .string, [.string(day), "1"]), (["1,5", nil, "2"], true, .number, [1.5, .null, 2]),
            (["1,5", "2"], false, .string, ["1,5", "2"]), (["1.5", "2"], true, .number, [1.5, 2]),
            (["1.5", "2,5"], true, .string, ["1.5", "2,5"]), (["1,5", "true"], true, .string, ["1,5", "true"]),
            (["true"], true, .bool, [true]),
        ]
        for (cells, commas, type, values) in cases {
            let found = try Self.cells(cells, commas: commas)
            #expect(found.0 == type && found.1 == values, "\(cells) \(commas)")
        }
    }

    /// Texts of files that are no cells are dates where all of them are, an empty one being none.
    @Test func textsAreDatesWhereAllAre() throws {
        let (first, second): (FieldValue, FieldValue) = ("2001-01-01T00:00:00Z", "2001-01-02T00:00:00Z")
        let cases: [(values: [FieldValue], type: FieldType, read: [FieldValue])] = [
            ([first, .null, second], .date, [date(0), .null, date(86400)]), ([first, ""], .string, [first, ""]),
            (["", ""], .string, ["", ""]), (["12", "3"], .string, ["12", "3"]), (["true"], .string, ["true"]),
            ([[second], [.null], []], .list(.date), [[date(86400)], [.null], []]),
            ([[first], ["x"]], .list(.string), [[first], ["x"]]),
            ([[[second]], [[]]], .list(.list(.date)), [[[date(86400)]], [[]]]),
            // A date that is one by itself tells what the texts before it are, with gaps between them.
            ([first, .null, second, date(5), first], .date, [date(0), .null, date(86400), date(5), date(0)]),
        ]
        for (values, type, read) in cases {
            let loader = RecordLoader()
            try Self.load(loader, values)
            let loaded = loader.finish()
            #expect(loaded.schemas[0].type(of: "v") == type, "\(values)")
            #expect(values.indices.map { loaded[$0]["v"] } == read, "\(values)")
        }
    }

    /// Texts and dates do not meet where texts stay what they are, nor behind a segment that is complete.
    @Test func textsThatStayDoNotBecomeDates() throws {
        let text: FieldValue = "2001-01-01T00:00:00Z"
        func error(_ existing: ValueKind, _ found: ValueKind) -> ColumnError {
            ColumnError(.mixture(existing: existing, found: found, first: 1), field: "v")
        }
        func of(_ values: [FieldValue]) throws { _ = try Column.of("v", count: values.count) { values[$0] } }
        #expect(throws: error(.string, .date)) { try of([text, date(1)]) }
        #expect(throws: error(.date, .string)) { try of([date(1), text]) }
        for rows in [2, 10] {
            var limits = RecordLoader.Limits()
            limits.segmentRows = rows
            let loader = RecordLoader(limits: limits)
            let values = [text, text, text, date(1)]
            if rows == 2 {
                #expect(throws: error(.string, .date)) { try Self.load(loader, values) }
            } else {
                try Self.load(loader, values)
            }
        }
        let builder = ColumnBuilder(shape: FieldInference(name: "v"))
        try Array("2001-01-01T00:00:00Z".utf8).withUnsafeBufferPointer {
            try builder.append(literal: $0, row: 0, origin: 1)
        }
        #expect(throws: error(.string, .date)) { try builder.append(date(1), row: 1, origin: 2) }
        // What only a record that is taken back marked is open again.
        builder.rollBack(to: 0, origin: 1)
        try builder.append(text, row: 0, origin: 3)
        try builder.append(date(1), row: 1, origin: 4)
        #expect(builder.finish(rows: 2, texts: .texts).type == .date)
    }

    /// A cell becomes what the field is already, or does not belong there.
    @Test func cellsJoinTheValuesOfAField() throws {
        func append(_ cell: String, after first: FieldValue) throws -> FieldValue {
            let builder = ColumnBuilder(shape: FieldInference(name: "v"))
            try builder.append(first, row: 0, origin: 1)
            try Array(cell.utf8).withUnsafeBufferPointer { try builder.append(cell: $0, row: 1, origin: 2) }
            return builder.finish(rows: 2, texts: .texts).value(1)
        }
        #expect(try append("7", after: 1) == 7 && append("0.5", after: 1) == 0.5)
        #expect(try append("FALSE", after: true) == false)
        #expect(try append("7", after: "x") == "7" && append("2001-01-01T00:00:01Z", after: date(5)) == date(1))
        for (cell, first) in [("x", 1), ("1", true), ("", true), ("7", date(1))] as [(String, FieldValue)] {
            #expect(throws: ColumnError.self, "\(cell)") { try append(cell, after: first) }
        }
    }

    /// A number ends with its text, whatever lies behind it in memory.
    @Test func numbersEndWithTheirText() {
        let cases: [(text: String, numbers: [TextNumber?])] = [
            ("-12.5e+3", [nil, nil, .int(-1), .int(-12), nil, .double(-12.5), nil, nil, .double(-12_500)]),
            ("1e5", [nil, .int(1), nil, .double(100_000)]), ("0.07", [nil, .int(0), nil, .double(0), .double(0.07)]),
            ("305", [nil, .int(3), .int(30), .int(305)]),
        ]
        for (text, numbers) in cases {
            Array(text.utf8).withUnsafeBufferPointer { bytes in
                for (length, number) in numbers.enumerated() {
                    #expect(TextNumber(UnsafeBufferPointer(rebasing: bytes[..<length])) == number, "\(text) \(length)")
                }
            }
        }
    }

    // MARK: Kinds

    /// Every value of a field that takes kinds that do not mix stays as it is; the first mixture is known.
    @Test func aWideningFieldKeepsEveryValue() throws {
        let place = Location(latitude: 1, longitude: 2, details: Location.Details(altitude: 3))
        let values: [FieldValue] = [
            .null, 1, "x", .null, true, date(5), .data(Data([1, 2])), .location(place),
            reference("a", "z", action: .deleteSelf), reference("b"), [1, "a", .null, [true]], [],
            .object(["k": 1]), .asset(Asset(path: "p", size: 1)), 0.5, .null,
        ]
        // Whatever kind comes first.
        for turn in values.indices {
            let turned = Array(values[turn...] + values[..<turn])
            let loader = RecordLoader(isWidening: true)
            try Self.load(loader, turned)
            let mixtures = loader.mixtures
            let loaded = loader.finish()
            for (row, value) in turned.enumerated() {
                #expect(try loaded[row]["v"].binary() == value.binary(), "\(turn) \(row)")
            }
            #expect(loaded.schemas[0].type(of: "v") == .any && mixtures.count == 1)
        }
        let loader = RecordLoader(isWidening: true)
        try Self.load(loader, [.null, 1, 2, "x", true])
        #expect(loader.mixtures == [KindMixture(field: "v", existing: .number, found: .string, origin: 4)])
        let lists = RecordLoader(isWidening: true)
        try Self.load(lists, [[1], [.null, "a"], ["b"]])
        #expect(lists.mixtures == [KindMixture(field: "v", existing: .number, found: .string, origin: 2)])
        let loaded = lists.finish()
        #expect((0..<3).map { loaded[$0]["v"] } == [[1], [.null, "a"], ["b"]])
        // A record that is taken back takes its mixture along.
        let shape = FieldInference(name: "v", isWidening: true)
        #expect(!shape.widens(to: .number, origin: 1))
        try shape.adopt(.number, origin: 1)
        #expect(!shape.widens(to: .number, origin: 2) && shape.widens(to: .bool, origin: 3))
        #expect(shape.widens(to: .date, origin: 4) && shape.anyMixture?.found == .bool)
        shape.forget(origin: 4)
        #expect(shape.anyMixture?.origin == 3 && shape.kind == .number)
        shape.forget(origin: 3)
        #expect(shape.anyMixture == nil && shape.kind == .number)
        shape.forget(origin: 1)
        #expect(shape.kind == nil)
    }
}
