// Records that are taken back while they are loaded: nothing of them stays, whatever kind of values they had.

import FoundationEssentials
import Geospatial
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct TakenBackTests {
    /// Values of a field: of records that stay, of one that is taken back, and of those that come behind it.
    private struct Scene: Sendable, CustomStringConvertible {
        var description: String
        var before: [FieldValue]
        var gone: FieldValue
        var after: [FieldValue]
        var type: FieldType
    }

    private static func place(_ latitude: Double, _ altitude: Double? = nil) -> FieldValue {
        let details = altitude.map { Location.Details(altitude: $0) }
        return .location(Location(latitude: latitude, longitude: 1, details: details))
    }

    private static let scenes: [Scene] = [
        Scene(description: "whole", before: [1, .null], gone: 2, after: [3], type: .int64),
        Scene(description: "fractions", before: [0.5], gone: 0.25, after: [.null, 0.75], type: .double),
        Scene(description: "mixed", before: [1, 0.5], gone: 0.25, after: [7, 0.75, .null, 8], type: .number),
        Scene(description: "mixed, whole gone", before: [0.5, 1], gone: 2, after: [0.75, 8, 0.5], type: .number),
        Scene(description: "mixed by what is gone", before: [1], gone: 0.5, after: [2, .null, 3], type: .int64),
        Scene(description: "whole among fractions", before: [0.5], gone: 1, after: [0.25, .null], type: .double),
        Scene(description: "truth", before: [true, .null], gone: true, after: [false, true], type: .bool),
        Scene(description: "texts", before: ["a", ""], gone: "bcd", after: ["", "e", .null], type: .string),
        Scene(
            description: "bytes", before: [.data(Data([1]))], gone: .data(Data([2, 3])), after: [.data(Data())],
            type: .data),
        Scene(description: "dates", before: [date(1)], gone: date(2), after: [.null, date(3)], type: .date),
        Scene(
            description: "places", before: [place(1)], gone: place(2, 20), after: [place(3), place(4, 40)],
            type: .location),
        Scene(
            description: "places with more", before: [place(1, 10), place(2)], gone: place(3, 30),
            after: [place(4), .null, place(5, 50)], type: .location),
        Scene(
            description: "references", before: [reference("a")], gone: reference("b", action: .deleteSelf),
            after: [reference("a"), reference("b", action: .deleteSelf), reference("b")], type: .reference),
        Scene(
            description: "zones of references", before: [reference("a")], gone: reference("a", "z"),
            after: [reference("a"), reference("b"), reference("a", "y")], type: .reference),
        Scene(
            description: "lists", before: [[1], []], gone: [2, 3], after: [[], [4, .null], .null, [5]],
            type: .list(.int64)),
        Scene(description: "elements", before: [[]], gone: ["a"], after: [[1], []], type: .list(.int64)),
        Scene(description: "nulls in lists", before: [[.null]], gone: ["a"], after: [[1]], type: .list(.int64)),
        Scene(
            description: "lists in lists", before: [[[]], []], gone: [["a"]], after: [[[1], [2, 3]]],
            type: .list(.list(.int64))),
        Scene(
            description: "objects", before: [.object(["a": 1])], gone: .object(["b": 2]), after: [.object([:]), .null],
            type: .object),
        Scene(
            description: "assets", before: [.asset(Asset(path: "a"))], gone: .asset(Asset(path: "b")),
            after: [.asset(Asset(path: "c", size: 1))], type: .asset),
        Scene(description: "a kind of its own", before: [], gone: "text", after: [5, .null], type: .int64),
        Scene(description: "a list of its own", before: [.null], gone: ["a"], after: ["b"], type: .string),
        Scene(description: "a date of its own", before: [], gone: date(1), after: ["x"], type: .string),
    ]

    @Test(arguments: scenes.indices) func nothingOfTheRecordStays(_ index: Int) throws {
        let scene = Self.scenes[index]
        let loader = RecordLoader()
        var expected: [Record] = []
        func add(_ value: FieldValue) throws {
            let record = Record(type: "T", id: Record.ID("r\(expected.count)"), fields: ["v": value, "z": 1])
            try loader.append(record, origin: expected.count + 1)
            expected.append(record)
        }
        // A record that fixes what `z` is.
        try add(.null)
        for value in scene.before { try add(value) }
        let failing = Record(
            type: "T", id: Record.ID("r\(expected.count)"), fields: ["v": scene.gone, "new": 1, "z": "text"])
        #expect(throws: ColumnError(.mixture(existing: .number, found: .string, first: 1), field: "z")) {
            try loader.append(failing, origin: 100)
        }
        for value in scene.after { try add(value) }
        let loaded = loader.finish()
        #expect(loaded.count == expected.count)
        for (position, record) in expected.enumerated() {
            #expect(loaded[position].record == record, "\(scene) \(position)")
        }
        #expect(loaded.schemas.map(\.recordType) == ["T"])
        #expect(loaded.schemas[0].type(of: "v") == scene.type, "\(scene)")
        #expect(loaded.schemas[0].type(of: "new") == nil)
        #expect(loaded.schemas[0].fields.map(\.name).sorted() == ["v", "z"])
    }

    /// A segment whose only record is taken back says nothing of the types of its fields.
    @Test func segmentsWithoutRecordsSayNothing() throws {
        var limits = RecordLoader.Limits()
        limits.segmentRows = 2
        let loader = RecordLoader(limits: limits)
        for (line, value) in [0.5, 0.25].enumerated() {
            let fields: [String: FieldValue] = ["v": .double(value), "z": 1]
            try loader.append(Record(type: "T", id: Record.ID("r\(line)"), fields: fields), origin: line + 1)
        }
        let failing = Record(type: "T", id: Record.ID("r2"), fields: ["v": 2, "z": "text"])
        #expect(throws: ColumnError(.mixture(existing: .number, found: .string, first: 1), field: "z")) {
            try loader.append(failing, origin: 3)
        }
        let loaded = loader.finish()
        #expect(loaded.segments.map(\.count) == [2])
        let schema = try #require(loaded.schemas.first)
        #expect(schema.type(of: "v") == .double && schema.type(of: "z") == .int64)
    }

    /// The limit of types counts types: one that is known has room in another zone.
    @Test func aKnownTypeHasRoomInOtherZones() throws {
        var limits = RecordLoader.Limits()
        limits.maximumTypes = 1
        let loader = RecordLoader(limits: limits)
        for (line, zone) in ["x", "y", "x", "z"].enumerated() {
            let id = Record.ID("r\(line)", zoneID: RecordZone.ID(zone))
            try loader.append(Record(type: "T", id: id, fields: ["n": 1]), origin: line + 1)
        }
        #expect(throws: ColumnError(.tooManyTypes(limit: 1))) {
            try loader.append(Record(type: "U", id: Record.ID("u")), origin: 9)
        }
        let loaded = loader.finish()
        #expect(loaded.count == 4 && loaded.segments.count == 3 && loaded.schemas.count == 1)
    }

    /// One schema over the zones of a type: its fields in order of appearance, each of a type that covers all zones.
    @Test func aSchemaCoversAllZones() throws {
        let loader = RecordLoader()
        let records: [(zone: String, fields: [String: FieldValue])] = [
            ("x", ["a": 1, "b": "text", "c": [1]]), ("y", ["a": 0.5, "b": 1, "c": [], "d": true]),
            ("z", ["a": 2, "c": [0.5], "d": false, "e": [[]]]),
        ]
        for (line, record) in records.enumerated() {
            let id = Record.ID("r", zoneID: RecordZone.ID(record.zone))
            try loader.append(Record(type: "T", id: id, fields: record.fields), origin: line + 1)
        }
        let schema = try #require(loader.finish().schemas.first)
        #expect(schema.fields.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(schema.fields.map(\.type) == [.number, .any, .list(.number), .bool, .list(.list(nil))])
    }
}
