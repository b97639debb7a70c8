// Rows of several segments put together: every value, and where each row has gone.

import FoundationEssentials
import Geospatial
import OrdinalSets
import RecordModel
import Testing

@testable import RecordColumns

@Suite struct GatheringTests {
    private static func place(_ latitude: Double, _ altitude: Double? = nil) -> FieldValue {
        let details = altitude.map { Location.Details(altitude: $0) }
        return .location(Location(latitude: latitude, longitude: -1, details: details))
    }

    /// The values of a field by segment; no values for a segment that has no such field.
    private static let fields: [String: [[FieldValue]]] = [
        "whole": [[1, 2, 3], [4, .int64(.max)], [.int64(.min), 5]],
        "fraction": [[0.5], [.double(-0.0), 1e300], [2.0]],
        "mixed": [[1, 2], [0.5, 3.0], [4, 0.25]], "truth": [[true, false], [true], [false]],
        "date": [[date(0.5), date(-1)], [date(7)], [date(1e9)]],
        "few": [["a", "b"], ["b", "c", ""], ["d", "a"]], "late": [[], [], ["x", "y"]], "early": [[1], [], []],
        "middle": [[], [[1], []], []], "bytes": [[.data(Data([1]))], [.data(Data())], [.data(Data([2, 3]))]],
        "place": [[place(1)], [place(2, 20), place(3)], [place(4)]],
        "link": [
            [reference("a"), reference("b", action: .deleteSelf)], [reference("a", "z"), reference("a")],
            [reference("a", "z", action: .deleteSelf), reference("c", "y")],
        ],
        "links": [[[reference("a", action: .deleteSelf)], []], [[reference("b"), .null]], [[reference("a", "z")]]],
        "words": [[["a", "b"], []], [[.null, "a"]], [["c"], [.null]]],
        "nested": [[[[1], []]], [[]], [[[2, 3], [4]]]],
        "object": [[.object(["k": 1])], [.object([:])], [.object(["k": []])]],
        "asset": [[.asset(Asset(path: "p", size: 1))], [.asset(Asset(path: "q"))], []],
    ]

    private static let rowCount = 90

    /// Texts that are all different in one segment, and few in the others.
    private static func text(_ part: Int, _ row: Int) -> FieldValue {
        .string("text \(part == 1 ? row : row % 3)")
    }

    private static func record(_ part: Int, _ row: Int) -> Record {
        var record = Record(type: "T", id: Record.ID("\(part) \(row)"))
        for (number, (name, parts)) in fields.sorted(by: { $0.key < $1.key }).enumerated()
        where !parts[part].isEmpty && (row + number) % 5 != 0 {
            record[name] = parts[part][(row / 2 + number) % parts[part].count]
        }
        record["text"] = text(part, row)
        return record
    }

    @Test(arguments: [1, 7, 1000]) func everyValueComesAlong(stretch: Int) throws {
        let shape = TypeInference(recordType: "T")
        let records = (0..<3).map { part in (0..<Self.rowCount).map { Self.record(part, $0) } }
        var segments: [Segment] = []
        var sources: [RowGather.Source] = []
        var expected: [(number: Int, part: Int, row: Int)] = []
        for part in records.indices {
            segments.append(try shape.segment(of: records[part], zoneID: .default, origin: part + 1))
            shape.accept()
            let numbers = RunLengthMap()
            var deleted = Bitmap(count: Self.rowCount)
            for row in 0..<Self.rowCount {
                // In turns of so many rows.
                let number = (row / stretch * 3 + part) * stretch + row % stretch
                numbers.append(number)
                deleted[row] = part != 1 && (row + part) % 4 == 0
                if !deleted[row] { expected.append((number, part, row)) }
            }
            sources.append(RowGather.Source(numbers: numbers, deleted: part == 1 ? nil : deleted))
        }
        expected.sort { $0.number < $1.number }
        let (rows, numbers) = RowGather.merging(sources)
        let merged = try Segment.gathered(rows, of: segments, schema: shape.schema, zoneID: .default)
        #expect(merged.count == expected.count && rows.count == expected.count && numbers.count == expected.count)
        let destinations = segments.indices.map { rows.destinations(of: $0, count: Self.rowCount) }
        #expect(destinations.reduce(0) { $0 + $1.count { $0 != .max } } == expected.count)
        for (position, (number, part, row)) in expected.enumerated() {
            #expect(numbers[position] == number && destinations[part][row] == UInt32(position))
            #expect(merged.record(position) == records[part][row], "\(part) \(row)")
        }
        #expect(merged.schema.type(of: "mixed") == .number && merged.column(named: "whole")?.type == .int64)
        #expect(merged.column(named: "early")?.type == .int64 && merged.column(named: "text")?.type == .string)
    }

    /// What all rows have is marked for none, also where it came from columns with gaps.
    @Test func gapsThatAreLeftOutLeaveNone() throws {
        let shape = TypeInference(recordType: "T")
        let values: [FieldValue] = [1, .null, 3, .null]
        let records = values.enumerated().map { Record(type: "T", id: Record.ID("\($0)"), fields: ["n": $1]) }
        let segment = try shape.segment(of: records, zoneID: .default, origin: 1)
        var rows = RowGather()
        rows.append(source: 0, rows: 2..<3)
        rows.append(source: 0, rows: 0..<1)
        rows.append(source: 0, rows: 4..<4)
        #expect(rows.count == 2 && rows.stretches.count == 2)
        let merged = try Segment.gathered(rows, of: [segment], schema: shape.schema, zoneID: .default)
        let column = try #require(merged.column(named: "n"))
        #expect(column.presence == nil && [column.value(0), column.value(1)] == [3, 1])
        var none = RowGather()
        none.append(source: 0, rows: 1..<2)
        none.append(source: 0, rows: 3..<4)
        let missing = try Segment.gathered(none, of: [segment], schema: shape.schema, zoneID: .default)
        #expect(missing.column(named: "n")?.presentCount == 0 && missing.record(1).fields == [:])
    }

    /// Files that were exchanged may have rows of one number: all come along, those of the first source first.
    @Test(.timeLimit(.minutes(1))) func rowsOfOneNumber() {
        let sources = [2..<4, 3..<5, 3..<4].map { RowGather.Source(numbers: RunLengthMap($0), deleted: nil) }
        let (rows, numbers) = RowGather.merging(sources)
        #expect(rows.stretches.map(\.source) == [0, 1, 2, 1] && rows.count == 5)
        #expect((0..<numbers.count).map { numbers[$0] } == [2, 3, 3, 3, 4])
    }

    /// Neighbours of one source are one stretch; rows that turn back, and those of another source, begin a new one.
    @Test func stretchesAreOfNeighbours() {
        var rows = RowGather()
        for (source, range) in [(0, 0..<2), (0, 2..<3), (1, 3..<5), (0, 5..<6), (0, 5..<7), (0, 1..<2)] {
            rows.append(source: source, rows: range)
        }
        #expect(rows.stretches.map(\.source) == [0, 1, 0, 0, 0])
        #expect(rows.stretches.map(\.rows) == [0..<3, 3..<5, 5..<6, 5..<7, 1..<2] && rows.count == 9)
        #expect(rows.destinations(of: 1, count: 6) == [.max, .max, .max, 3, 4, .max])
        #expect(rows.destinations(of: 2, count: 2) == [.max, .max])
    }

    /// Values of some rows change, each row's other fields stay; a field that all rows get is made anew.
    @Test func rowsChangeFieldByField() throws {
        let shape = TypeInference(recordType: "T")
        let records = (0..<3).map { row in
            Record(
                type: "T", id: Record.ID("\(row)"),
                fields: ["a": .int64(Int64(row)), "b": .string("b\(row)"), "c": .bool(row == 1)])
        }
        let segment = try shape.segment(of: records, zoneID: .default, origin: 1)
        shape.accept()
        var rows = RowGather()
        for row in [2, 0, 1] { rows.append(source: 0, rows: row..<row + 1) }
        let changed = try shape.segment(
            gathering: rows, of: [segment],
            changes: [["a": 20, "c": true], ["b": .null, "c": false, "new": "x"], ["c": .null, "a": 0.5]],
            zoneID: .default, origin: 2)
        let expected: [[String: FieldValue]] = [
            ["a": 20, "b": "b2", "c": true], ["a": 0, "c": false, "new": "x"], ["a": 0.5, "b": "b1"],
        ]
        for (row, fields) in expected.enumerated() { #expect(changed.record(row).fields == fields, "\(row)") }
        #expect((0..<3).map { changed.names.string($0) } == ["2", "0", "1"])
        #expect(changed.schema.type(of: "a") == .number && changed.schema.type(of: "new") == .string)
        shape.accept()
        // A kind that does not mix is refused, and what came with it is forgotten.
        #expect(throws: ColumnError(.mixture(existing: .string, found: .number, first: 1), field: "b")) {
            try shape.segment(
                gathering: rows, of: [segment], changes: [["b": 1], ["more": 1], [:]], zoneID: .default, origin: 3)
        }
        shape.rollBack(origin: 3)
        #expect(shape.schema.fields.map(\.name) == ["a", "b", "c", "new"])
    }
}
