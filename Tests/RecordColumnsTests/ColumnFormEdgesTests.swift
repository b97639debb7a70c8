// The forms of columns: blank rows, when texts are a dictionary, how much room all of it takes.

import FoundationEssentials
import Geospatial
import OrdinalSets
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct ColumnFormEdgesTests {
    private static func place(_ latitude: Double, _ altitude: Double? = nil) -> FieldValue {
        let details = altitude.map { Location.Details(altitude: $0) }
        return .location(Location(latitude: latitude, longitude: 1, details: details))
    }

    private static func bytes(_ count: Int) -> FieldValue { .data(Data(repeating: 7, count: count)) }

    private static func column(_ values: [FieldValue]) throws -> Column {
        try Column.of("v", count: values.count) { values[$0] }
    }

    /// Whether a row holds what rows without a value hold: a zero, or an empty run.
    private static func isBlank(_ column: Column, _ row: Int) -> Bool {
        switch column.values {
        case .missing: true
        case .int64(let numbers): numbers[row] == 0
        case .double(let numbers), .date(let numbers): numbers[row] == 0
        case .number(let numbers): numbers.payload[row] == 0 && !numbers.isDouble[row]
        case .bool(let bits): !bits[row]
        case .text(let texts), .data(let texts): texts.range(row).isEmpty
        case .dictionary(let dictionary): dictionary.codes[row] == 0
        case .location(let places): places.latitudes[row] == 0 && places.longitudes[row] == 0
        case .reference(let links): links.codes[row] == 0 && !links.deletesSelf[row]
        case .list(let lists): lists.range(row).isEmpty
        case .any(let values): values[row].isNull
        }
    }

    private static let long = String(repeating: "long ", count: 40)

    /// Two values of each kind.
    private static let pairs: [(FieldValue, FieldValue)] = [
        (1, 2), (0.5, 0.25), (1, 0.5), (true, true), (date(5), date(6)), ("a", "b"),
        (.string(long + "a"), .string(long + "b")), (bytes(2), bytes(1)), (place(1), place(2, 20)),
        (reference("a", action: .deleteSelf), reference("b", "z", action: .deleteSelf)), ([1], [2, 3]),
        ([["a"]], [[], ["b"]]), (.object(["a": 1]), .object([:])),
    ]

    /// Rows without a value at the beginning, in between, at the end, and of a source that has no such field.
    @Test(arguments: pairs.indices) func rowsWithoutAValueAreBlank(_ number: Int) throws {
        let (first, second) = Self.pairs[number]
        let values: [FieldValue] = [.null, .null, first, .null, second, .null]
        let column = try Self.column(values)
        var rows = RowGather()
        for (source, range) in [(0, 0..<3), (1, 0..<2), (0, 3..<6), (0, 0..<2), (1, 0..<1)] {
            rows.append(source: source, rows: range)
        }
        let gathered = try Column.gathered([column, nil], rows)
        let none: [FieldValue] = [.null, .null]
        let expected = Array(values[0..<3]) + none + Array(values[3..<6]) + none + [.null]
        for (column, values) in [(column, values), (gathered, expected)] {
            #expect(column.count == values.count && column.presentCount == 2)
            for (row, value) in values.enumerated() {
                #expect(try column.value(row).binary() == value.binary(), "\(row)")
                #expect(column.isPresent(row) == !value.isNull)
                if value.isNull { #expect(Self.isBlank(column, row), "\(row)") }
            }
            // No row is there before the first one and behind the last.
            #expect(column.value(-1) == .null && column.value(values.count) == .null)
            #expect(column.double(0) == nil && column.withText(0) { _ in true } == nil)
        }
        #expect(gathered.type == column.type)
    }

    /// Rows that are left out leave no texts, names or details behind.
    @Test func gatheredColumnsHoldWhatTheirRowsHave() throws {
        func gathered(_ values: [FieldValue], _ range: Range<Int>) throws -> Column {
            var rows = RowGather()
            rows.append(source: 0, rows: range)
            return try Column.gathered([try Self.column(values)], rows)
        }
        func link(_ name: String?) -> FieldValue { name.map { reference($0) } ?? .null }
        guard case .dictionary(let words) = try gathered(["a", .null, "b", "c", "b"], 1..<5).values,
            case .reference(let links) = try gathered(["a", nil, "b", "c", "b"].map(link), 1..<5).values
        else { return #expect(Bool(false), "of other kinds") as Void }
        for texts in [words.values, links.names] {
            #expect((0..<texts.count).map { texts.string($0) } == ["b", "c"])
        }
        for codes in [words.codes, links.codes] { #expect(codes.withElements { Array($0) } == [0, 0, 1, 0]) }
        #expect(links.zones == nil)
        // A column of long texts none of whose rows with a text is taken.
        let none = try gathered([.string(Self.long), .null, .null], 1..<3)
        #expect(none.presentCount == 0 && none.count == 2 && none.value(0) == .null && none.value(1) == .null)
        for altitude in [nil, 3.0] {
            let values = [Self.place(1), Self.place(2, altitude)]
            guard case .location(let places) = try gathered(values, 0..<2).values else {
                return #expect(Bool(false), "no places") as Void
            }
            #expect((places.details == nil) == (altitude == nil))
            #expect(places.location(1) == Location(latitude: 2, longitude: 1))
        }
    }

    /// The codes of a source are found out once, where there are about as many rows as codes.
    @Test func codesAreFoundOnce() {
        var maps = CodeMaps(sources: 2, rowCount: 100)
        var asked: [Int] = []
        func code(_ source: Int, _ old: Int, _ new: UInt32?) -> UInt32? {
            maps.code(source, old, of: 3) {
                asked.append(source * 10 + old)
                return new
            }
        }
        #expect(code(0, 2, nil) == nil && code(0, 2, 9) == 9 && code(0, 2, 8) == 9 && code(0, 0, 5) == 5)
        #expect(code(1, 2, 4) == 4 && code(0, 2, 7) == 9 && asked == [2, 2, 0, 12])
    }

    // MARK: Dictionaries

    /// A dictionary has at most a quarter as many texts as rows with one, or 16, and texts of less than 128 bytes each.
    @Test func fewDistinctTextsAreADictionary() throws {
        func isDictionary(_ count: Int, _ text: (Int) -> FieldValue) throws -> Bool {
            if case .dictionary = try Column.of("v", count: count, text).values { true } else { false }
        }
        let cases: [(rows: Int, distinct: Int, gaps: Int, isDictionary: Bool)] = [
            (16, 16, 0, true), (17, 17, 0, false), (17, 16, 0, true), (67, 16, 0, true), (67, 17, 0, false),
            (68, 17, 0, true), (68, 18, 0, false), (100, 25, 0, true), (100, 26, 0, false), (68, 17, 100, true),
            (64, 17, 4, false), (1, 1, 0, true), (1, 1, 50, true),
        ]
        for (rows, distinct, gaps, expected) in cases {
            let found = try isDictionary(rows + gaps) { $0 < rows ? .string("t\($0 % distinct)") : .null }
            #expect(found == expected, "\(rows) \(distinct) \(gaps)")
        }
        for (length, expected) in [(127, true), (128, false)] {
            let text = FieldValue.string(String(repeating: "x", count: length))
            #expect(try isDictionary(20) { _ in text } == expected, "\(length)")
            // Rows without a text do not count.
            #expect(try isDictionary(40) { $0 % 2 == 0 ? text : .null } == expected, "\(length)")
        }
        // The first 4,096 texts have at most 2,048 different ones.
        for (sample, next, expected) in [(2048, 0, true), (2048, 2048, true), (2049, 0, false)] {
            let found = try isDictionary(9000) { row in
                .string("t\(row < 4096 ? row % sample : row == 4096 ? next : 0)")
            }
            #expect(found == expected, "\(sample) \(next)")
        }
    }

    @Test func textsOfADictionaryHaveCodes() throws {
        guard case .dictionary(let words) = try Self.column(["b", "", "ab", "b", .null, "a"]).values else {
            return #expect(Bool(false), "no dictionary") as Void
        }
        for (text, code) in [("b", 0), ("", 1), ("ab", 2), ("a", 3), ("abc", nil), ("c", nil)] as [(String, UInt32?)] {
            #expect(Array(text.utf8).withUnsafeBufferPointer { words.code(of: $0) } == code, "\(text)")
        }
        #expect([0, 1, 2, 3, 5].map { words.string($0) } == ["b", "", "ab", "b", "a"])
    }

    /// A name occurs once for each zone that it is used with.
    @Test func referencesShareNames() throws {
        let cases: [(links: [FieldValue], names: [String], zone: RecordZone.ID?)] = [
            ([reference("a"), reference("b"), reference("a")], ["a", "b"], .default),
            ([reference("a", "z"), reference("b", "z"), reference("a", "z")], ["a", "b"], RecordZone.ID("z")),
            ([reference("a"), reference("a", "z"), reference("a"), reference("a", "z")], ["a", "a"], nil),
            ([reference("a", "z"), reference("a"), reference("b"), reference("b")], ["a", "a", "b"], nil),
            ([reference("a", "z"), reference("a", "y"), reference("a", "z")], ["a", "a"], nil),
        ]
        for (links, names, zone) in cases {
            guard case .reference(let column) = try Self.column(links).values else {
                return #expect(Bool(false), "no references") as Void
            }
            #expect((0..<column.names.count).map { column.names.string($0) } == names, "\(links)")
            #expect(column.zone == zone, "\(links)")
            #expect(links.indices.map { .reference(column.reference($0)) } == links)
        }
    }

    /// One record of a known field is stored as it would be among others: zone, action and details with it.
    @Test func oneRowIsStoredAsAmongOthers() throws {
        let shape = TypeInference(recordType: "T")
        let rows: [[String: FieldValue]] = [
            ["link": reference("a"), "place": Self.place(1)], ["link": reference("b", "z", action: .deleteSelf)],
            ["place": Self.place(2, 20)], ["link": reference("c", "y"), "place": Self.place(3)],
            ["link": reference("d", action: .deleteSelf)],
        ]
        for (number, fields) in rows.enumerated() {
            let record = Record(type: "T", id: Record.ID("r"), fields: fields)
            let segment = try shape.segment(of: [record], zoneID: .default, origin: number + 1)
            for name in ["link", "place"] {
                let (stored, value) = (segment.value(of: name, row: 0), fields[name] ?? .null)
                #expect(try stored.binary() == value.binary(), "\(number) \(name)")
            }
        }
    }

    // MARK: Types and room

    @Test func typesOfColumnsAreThoseOfTheirValues() throws {
        let asset = FieldValue.asset(Asset(path: "p"))
        let object = FieldValue.object([:])
        let boxed: [(values: [FieldValue], type: FieldType)] = [
            ([object, .null, object], .object), ([.null, asset], .asset), ([object, asset], .any), ([.null], .any),
            ([asset, object], .any), ([.null, 1], .any), ([], .any),
        ]
        for (values, type) in boxed {
            #expect(Column(values: .any(values), presence: nil, count: values.count).type == type, "\(values)")
        }
        let cases: [(value: FieldValue, type: FieldType, double: Double?, text: String?)] = [
            (5, .int64, 5, nil), (0.5, .double, 0.5, nil), (true, .bool, 1, nil), (false, .bool, 0, nil),
            (date(7), .date, 7, nil), ("a", .string, nil, "a"), (.string(Self.long), .string, nil, Self.long),
            (Self.bytes(1), .data, nil, nil), (Self.place(1), .location, nil, nil),
            (reference("a"), .reference, nil, nil), ([], .list(nil), nil, nil), ([1], .list(.int64), nil, nil),
            ([.null], .list(nil), nil, nil), ([[]], .list(.list(nil)), nil, nil), (.null, .any, nil, nil),
            (.set([1, 2]), .list(.int64), nil, nil),
        ]
        for (value, type, double, text) in cases {
            let column = try Self.column([value])
            #expect(column.type == type && column.double(0) == double, "\(value)")
            #expect(column.withText(0) { String(decoding: $0, as: UTF8.self) } == text, "\(value)")
        }
        let mixed = try Self.column([1, 0.5])
        #expect(mixed.type == .number && mixed.double(0) == 1 && mixed.double(1) == 0.5)
    }

    /// Seventy rows, the fourth without a value: 16 bytes tell which have one.
    @Test func columnsTakeTheRoomOfTheirRows() throws {
        let cases: [(value: (Int) -> FieldValue, bytes: Int)] = [
            ({ .int64(Int64($0)) }, 70 * 8), ({ .double(Double($0)) }, 70 * 8), ({ date(Double($0)) }, 70 * 8),
            ({ $0 % 2 == 0 ? .int64(1) : .double(0.5) }, 70 * 8 + 16), ({ .bool($0 % 2 == 0) }, 16),
            ({ .string("t\($0 + 100)") }, 69 * 4 + 71 * 4), ({ _ in Self.bytes(3) }, 69 * 3 + 71 * 4),
            ({ .string(["a", "bb", "ccc"][$0 % 3]) }, 70 * 4 + 6 + 4 * 4), ({ Self.place(Double($0)) }, 70 * 16),
            ({ reference($0 % 2 == 0 ? "a" : "b") }, 70 * 4 + 2 + 3 * 4 + 16), ({ _ in [1, 2] }, 71 * 4 + 69 * 2 * 8),
            ({ _ in .object([:]) }, 70 * 128), ({ _ in .null }, 0),
        ]
        for (number, (value, bytes)) in cases.enumerated() {
            let column = try Column.of("v", count: 70) { $0 == 3 ? .null : value($0) }
            #expect(column.byteCount == bytes + 16, "\(number)")
            let whole = try Column.of("v", count: 2) { value($0) }
            #expect((whole.presence == nil) == (number < cases.count - 1))
        }
        let schema = RecordSchema(recordType: "T", fields: [FieldDefinition(name: "n", type: .int64)])
        let segment = Segment(
            schema: schema, zoneID: .default, columns: [try Self.column([1, 2])], names: TextColumn(["ab", "c"]))
        #expect(segment.byteCount == 2 * 8 + 3 + 3 * 4)
    }

    /// What rows take while columns are filled, and what of it counts against 32-bit offsets.
    @Test func buildersKnowTheirRoom() throws {
        let cases: [(value: FieldValue, perRow: Int, values: Int, extent: Int)] = [
            (.null, 0, 0, 0), (1, 8, 0, 0), (0.5, 8, 0, 0), (true, 1, 0, 0), (date(1), 8, 0, 0), ("abc", 4, 3, 3),
            (Self.bytes(5), 4, 5, 5), (Self.place(1), 16, 0, 0), (reference("abc"), 5, 0, 0),
            ([1, 2], 4, 2 * 8, 2), (["ab", "c"], 4, 2 * 4 + 3, 3), ([["a"], [], []], 4, 3 * 4 + 4 + 1, 3),
            ([], 4, 0, 0), (.object([:]), MemoryLayout<FieldValue>.stride, 0, 0),
        ]
        for (value, perRow, values, extent) in cases {
            let builder = ColumnBuilder(shape: FieldInference(name: "v"))
            try builder.append(value, row: 0, origin: 1)
            #expect(builder.room == (perRow, values) && builder.extent == extent, "\(value)")
        }
        let segment = SegmentBuilder(index: 0, zoneID: .default)
        #expect(["ab", "c"].allSatisfy { Array($0.utf8).withUnsafeBufferPointer { segment.names.append($0) } })
        segment.count = 2
        let texts = ColumnBuilder(shape: FieldInference(name: "v"))
        try texts.append("abcde", row: 0, origin: 1)
        segment.columns = [nil, texts]
        #expect(segment.byteCount == 3 + 2 * 4 + 2 * 4 + 5)
    }
}
