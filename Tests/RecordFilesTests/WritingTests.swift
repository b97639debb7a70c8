// Values as JSON text and back.

import FoundationEssentials
import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct WritingTests {
    private static let values: [FieldValue] = [
        .null, .bool(true), .bool(false), .int64(0), .int64(.min), .int64(.max), .double(0), .double(-0.0),
        .double(1e21), .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .double(0.1),
        .double(.infinity),
        .double(-.infinity), .string(""), .string("a\"\\/\u{0}\u{1F}\n\r\t\u{8}\u{C}é水😀\u{2028}"),
        .date(Date(timeIntervalSinceReferenceDate: 0)), .date(Date(timeIntervalSinceReferenceDate: 773_280_000.123)),
        .date(Date(timeIntervalSinceReferenceDate: -1e11)), .date(Date(timeIntervalSinceReferenceDate: 1e15)),
        .data(Data()), .data(Data([0])), .data(Data([0, 255])), .data(Data([1, 2, 3])),
        .location(Location(latitude: -90, longitude: 180)), .reference(RecordReference("x", action: .deleteSelf)),
        .reference(RecordReference(recordID: Record.ID("x", zoneID: RecordZone.ID("z", ownerName: "o")))),
        .asset(Asset(path: "p", size: 3)), .list([]), .list([.int64(1), .null, .list([.string("x")])]),
        .set([.int64(1)]), .object([:]), .object(["a": .object(["b": .list([.double(2)])])]),
        .object(["latitude": .int64(1), "longitude": .int64(2)]), .object(["$date": .int64(1)]),
        .object(["reference": .string("x")]), .set([.date(Date(timeIntervalSinceReferenceDate: 5)), .string("5")]),
        // As many members as the longest form has, one more, and such as no form has.
        .object(["reference": "x", "action": "none", "zone": "z", "owner": "o"]),
        .object(["reference": "x", "action": "none", "zone": "z", "owner": "o", "more": "m"]),
        .object(["type": "Point", "coordinates": [1, 2]]), .object(["type": "Point", "coordinates": "here"]),
    ]

    @Test func valuesComeBack() throws {
        for value in Self.values {
            var writer = JSONWriter()
            writer.write(.list([value]), isNested: true)
            let text = String(decoding: writer.bytes, as: UTF8.self)
            #expect(try JSONReader.value(text) == .list([value]), "\(text)")
        }
        var writer = JSONWriter()
        writer.write(.double(.nan))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"$double":"NaN"}"#)
    }

    @Test func texts() {
        let cases: [(FieldValue, String)] = [
            (.double(2), "2.0"), (.double(0.1), "0.1"), (.int64(-5), "-5"),
            (.date(Date(timeIntervalSinceReferenceDate: 0)), "\"2001-01-01T00:00:00Z\""),
            (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "\"2001-01-01T00:00:00.5Z\""),
            (.list([.date(Date(timeIntervalSinceReferenceDate: -1))]), "[\"2000-12-31T23:59:59Z\"]"),
            (.string("\u{1}\"é"), "\"\\u0001\\\"é\""), (.object(["b": 1, "a": []]), "{\"a\":[],\"b\":1}"),
            (.location(Location(latitude: 1, longitude: 2.5)), "{\"latitude\":1.0,\"longitude\":2.5}"),
            (.reference(RecordReference("r")), "{\"reference\":\"r\",\"action\":\"none\"}"),
            (.data(Data("any carnal pleas".utf8)), "{\"$data\":\"YW55IGNhcm5hbCBwbGVhcw==\"}"),
        ]
        for (value, text) in cases {
            var writer = JSONWriter()
            writer.write(value)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == text)
        }
    }

    @Test func smallTexts() throws {
        let cases: [(String, FieldValue)] = [
            ("1", 1), ("1.0", .double(1)), ("1e2", .double(100)), (" [ ] ", []), ("-0", 0),
            (#"{"$date":0}"#, .date(Date(timeIntervalSince1970: 0))),
            (#"{"$date":"1970-01-01T00:00:00Z"}"#, .date(Date(timeIntervalSince1970: 0))),
            (#"{"$set":[1,2]}"#, .set([1, 2])), (#"{"lat":1,"lng":2}"#, .location(Location(latitude: 1, longitude: 2))),
            (
                #"{"latitude":1,"longitude":2,"details":{"altitude":3}}"#,
                .location(Location(latitude: 1, longitude: 2, details: Location.Details(altitude: 3)))
            ),
            (#"{"latitude":1,"longitude":2,"other":3}"#, .object(["latitude": 1, "longitude": 2, "other": 3])),
            (#"{"a":{"$data":"AQ"}}"#, .object(["a": .data(Data([1]))])),
            (#"{"lat":1}"#, .object(["lat": 1])), (#"{"lat":"1","lon":2}"#, .object(["lat": "1", "lon": 2])),
            (#"{"reference":"r","owner":"o"}"#, .object(["reference": "r", "owner": "o"])),
            (
                #"{"reference":"r","zone":"z"}"#,
                .reference(RecordReference(recordID: Record.ID("r", zoneID: RecordZone.ID("z"))))
            ),
            (
                #"{"type":"Point","coordinates":[2,1,3]}"#,
                .location(Location(latitude: 1, longitude: 2, details: Location.Details(altitude: 3)))
            ),
            (#"{"$date":0,"since":2001}"#, .date(Date(timeIntervalSinceReferenceDate: 0))),
            (#"{"$date":0,"since":2000}"#, .object(["$date": 0, "since": 2000])),
            (#"{"$asset":"p","size":2.5}"#, .object(["$asset": "p", "size": .double(2.5)])),
            (#"{"lat":1,"latitude":2}"#, .object(["lat": 1, "latitude": 2])),
            (#""\ud83d\ude00""#, "😀"), (#""\ud800\udc00""#, "\u{10000}"), (#""\udbff\udfff""#, "\u{10FFFF}"),
        ]
        for (text, value) in cases { #expect(try JSONReader.value(text) == value, "\(text)") }
        let bad: [(String, Int?)] = [
            ("", 0), ("[1,]", 3), ("{\"a\" 1}", 5), ("1 2", 2), ("{\"a\":1,\"a\":2}", nil), ("\"\u{7}\"", 1),
            ("tru", 0),
            ("[1", 2), ("-", 1), ("1.", 2), ("1e", 2), ("\"\\u12", 1),
            (#""\ud800""#, 1), (#""\udc00""#, 1), (#""\udbff\udbff""#, 1), (#""\ud800\u0041""#, 1),
            (#""\ud800\ue000""#, 1), (#""\udbff\udbff""#, 1), (#""\ud800\ud7ff""#, 1), (#""\ud800x""#, 1),
        ]
        for (text, offset) in bad {
            let error = #expect(throws: JSONError.self, "\(text)") { try JSONReader.tree(text) }
            #expect(error?.offset == offset, "\(text)")
        }
    }

    /// Keys that differ in spelling alone, a letter or the same with its mark apart, are one key.
    @Test func keysThatLookAlike() throws {
        let (one, two) = ("\u{E9}", "e\u{301}")
        for keys in [[one, two], [two, one], [one, one], [one, "x", two], ["K", "\u{212A}", "x"]] {
            let text = "{" + keys.map { "\"\($0)\":1" }.joined(separator: ",") + "}"
            let error = #expect(throws: JSONError.self, "\(text)") { try JSONReader.tree(text) }
            #expect(error?.kind == .repeatedKey, "\(text)")
        }
        let apart = try JSONReader.tree("{\"\(two)\":1,\"e\":2,\"x\":3}")
        #expect(apart[one] == .int64(1))
    }
}
