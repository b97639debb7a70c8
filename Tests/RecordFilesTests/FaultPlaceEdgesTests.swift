// Where it is told that a file is wrong, and what of a file is read under which name.

import Foundation
import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct FaultPlaceEdgesTests {
    // MARK: Bytes

    @Test("A mark that tells the order of bytes is no part of the text", arguments: [true, false])
    func marksOfUTF16(isLittleEndian: Bool) throws {
        let text = "a,b\n1,x\n"
        let data = try #require(text.data(using: isLittleEndian ? .utf16LittleEndian : .utf16BigEndian))
        let mark: [UInt8] = isLittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]
        let file: [UInt8] = mark + data
        let source = try ByteSource(bytes: file, name: "f.csv")
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try bytes.withUnsafeMutableBufferPointer { try source.read(into: $0) }
        #expect(Array(bytes.prefix(count)) == Array(text.utf8))
        #expect(source.storedRead == file.count && source.storedSize == file.count && source.isCompressed)
        let loaded = try load(file, name: "f.csv")
        #expect(loaded.records.count == 1 && loaded.report.bytes == text.utf8.count)
    }

    @Test("A line of more than a megabyte with a zero in it is no text; a shorter one is told as what it is")
    func zerosInLines() {
        let half = [UInt8](repeating: UInt8(ascii: "x"), count: 600_000)
        let (before, zero): ([UInt8], [UInt8]) = (Array("{}\n".utf8), [0])
        let long = #expect(throws: FileError.self) { try load([before, half, zero, half].flatMap(\.self)) }
        #expect(long?.kind == .limit && long?.file == "f.ndjson" && long?.line == 2)
        #expect(long?.message == "a line of more than 1048576 bytes, with zeros among them")
        for line in [half + half, half + zero] {
            let error = #expect(throws: FileError.self) { try load(before + line) }
            #expect(error?.kind == .malformed && error?.line == 2 && error?.column == 1, "\(line.count)")
        }
    }

    // MARK: Cells

    @Test("Quotes that are not closed for longer than a record may be are told where they begin")
    func longQuotes() throws {
        let cell = String(repeating: "xx\n", count: 20)
        let text = "b,a\n1,\"\(cell)\"\n"
        let error = #expect(throws: FileError.self) {
            try load(text, name: "f.csv") { $0.limits.maximumRecordBytes = 10 }
        }
        #expect(error?.line == 2 && error?.column == 3 && error?.message == "the quotes are not closed")
        #expect(try load(text, name: "f.csv") { $0.limits.maximumRecordBytes = 100 }.records[0]["a"] == .string(cell))
    }

    /// What comes before a byte that is no UTF-8, and its place.
    static let wrongBytes: [(before: String, line: Int, column: Int)] = [
        ("a,", 1, 3), ("a,b\n1,", 2, 3), ("a,b\n1,\"x\ny", 3, 2), ("a,b\n\n\n1,\"x\n\n", 6, 1),
    ]

    @Test("Cells that are not UTF-8 are told with line and column, also within quotes over several lines")
    func cellsThatAreNotUTF8() {
        for (before, line, column) in Self.wrongBytes {
            // No encoding that is known has that byte.
            let bytes = Array(before.utf8) + [0x81] + Array("\"\n".utf8)
            for linesBefore in [0, 40] {
                let error = #expect(throws: FileError.self) {
                    try load(bytes, name: "f.csv") { $0.linesBefore = linesBefore }
                }
                #expect(error?.kind == .encoding && error?.file == "f.csv" && error?.column == column, "\(before)")
                // The titles are those of the whole file.
                #expect(error?.line == (line == 1 ? 1 : line + linesBefore), "\(before)")
            }
        }
    }

    @Test("A record that is left out takes its lines with it, and the next one is read")
    func linesOfARecordLeftOut() throws {
        let bytes = Array("a,b\n1,\"x\ny".utf8) + [0x81] + Array("\"\n2,z\n".utf8)
        let loaded = try load(bytes, name: "f.csv") { $0.skipBadLines = true }
        #expect(loaded.records.count == 1 && loaded.records[0]["b"] == "z")
        #expect(loaded.report.skippedCount == 1 && loaded.report.skippedLineCount == 2)
        #expect(loaded.report.errors.map(\.line) == [3])
    }

    // MARK: JSON

    @Test(
        "What is wrong with a document is told with line and column, in characters",
        arguments: [
            ("[\n{\"é\":1,\"b\":}]", 2, 12), ("[1,\n\n  2", 3, 4), ("[{\"a\":1}] x", 1, 11),
            ("{\n\"é\" 1}", 2, 5),
        ])
    func placesInDocuments(text: String, line: Int, column: Int) {
        let error = #expect(throws: FileError.self) { try load(text, name: "f.json") }
        #expect(error?.kind == .malformed && error?.file == "f.json")
        #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
    }

    @Test("Elements of an array are told by their numbers")
    func elementsOfArrays() throws {
        let text = "[{\"a\":1},\n5, {\"a\":2},\n{\"a\":\"x\"}, {\"a\":3}]"
        let error = #expect(throws: FileError.self) { try load(text, name: "f.json") }
        #expect(error?.kind == .notARecord && error?.line == 2 && error?.file == "f.json")
        let loaded = try load(text, name: "f.json") { $0.skipBadLines = true }
        #expect(loaded.report.errors.map(\.line) == [2, 4] && loaded.report.skippedLineCount == 2)
        #expect(loaded.report.errors.map(\.kind) == [.notARecord, .mixture])
        #expect(loaded.report.errors.map(\.earlierLine) == [nil, 1])
        #expect((0..<loaded.records.count).map { loaded.records[$0].record.id.recordName } == ["1", "3", "5"])
    }

    @Test("A zone is a text")
    func zones() {
        let error = #expect(throws: FileError.self) { try load(#"{"a":1,"$zone":5}"#) }
        #expect(error?.kind == .value && error?.field == "$zone" && error?.line == 1 && error?.column == 16)
        #expect(error?.message == "expected the name of a zone")
    }

    @Test("Of fields that are not wanted nothing is read; names, types and zones always are")
    func wantedFields() throws {
        func wanted(_ text: String) throws -> LoadedRecords { try load(text) { $0.wantedFields = ["a"] } }
        let records = try wanted(#"{"b":2,"id":"x","type":"T","$zone":"Z","a":1}"#).records
        let expected = Record(
            type: "T", id: Record.ID("x", zoneID: RecordZone.ID("Z")), fields: ["a": 1])
        #expect(records[0].record == expected)
        #expect(records.schemas.map { $0.fields.map(\.name) } == [["a"]])
        // A field that is there twice is an error all the same.
        let error = #expect(throws: FileError.self) { try wanted(#"{"b":1,"a":1,"b":2}"#) }
        #expect(error?.kind == .duplicate && error?.field == "b" && error?.column == 18)
    }

    @Test("Parts of features have a number behind their names where properties have these")
    func namesOfFeatures() throws {
        let features = [
            #"{"type":"Feature","id":7,"properties":{"id":"p","location":1,"location_1":2},"#
                + #""geometry":{"type":"Point","coordinates":[2,1]}}"#,
            #"{"type":"Feature","id":null,"properties":{"id":"q"},"geometry":null}"#,
            #"{"type":"Feature","properties":{"geometry":"g"},"#
                + #""geometry":{"type":"LineString","coordinates":[[0,1],[2,3]]}}"#,
        ]
        let spaced = features.map { $0.replacing(":", with: " : ").replacing(",", with: " ,\n") }
        let text =
            #"{ "type" : "FeatureCollection", "name" : "x y", "bbox" : [1, 2], "features" : [ "#
            + spaced.joined(separator: " , ") + #" ], "crs" : {"a" : "b c"} }"#
        let loaded = try load(text, name: "f.geojson") { $0.keepsSource = true }
        let records = (0..<loaded.records.count).map { loaded.records[$0].record }
        try #require(records.count == 3)
        #expect(records.map(\.id.recordName) == ["p", "q", "3"])
        let place = FieldValue.location(Location(latitude: 1, longitude: 2))
        #expect(records[0].fields == ["id_1": 7, "location": 1, "location_1": 2, "location_2": place])
        #expect(records[1].fields == [:])
        let line = FieldValue.object(["type": "LineString", "coordinates": [[0, 1], [2, 3]]])
        #expect(records[2].fields == ["geometry": "g", "geometry_1": line])
        // What is beside the features, and their texts, are without blanks.
        #expect(String(decoding: loaded.report.collectionMembers, as: UTF8.self) == #""name":"x y","crs":{"a":"b c"}"#)
        let source = try #require(loaded.source)
        for (place, feature) in features.enumerated() {
            #expect(try source.text(place, asFeature: true) == Array(feature.utf8))
            #expect(try source.text(place) == nil)
        }
    }
}
