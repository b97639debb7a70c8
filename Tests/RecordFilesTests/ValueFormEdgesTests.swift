// Forms of values in JSON and in cells: which are taken for what, and how each is written.

import Foundation
import Geospatial
import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct ValueFormEdgesTests {
    private static func place(_ details: Location.Details? = nil) -> FieldValue {
        .location(Location(latitude: 1, longitude: 2, details: details))
    }

    private static func reference(_ zone: RecordZone.ID, _ action: RecordReference.Action = .none) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID("r", zoneID: zone), action: action))
    }

    private static let zero = Date(timeIntervalSince1970: 0)

    /// Texts of JSON, and their values.
    static let forms: [(text: String, value: FieldValue)] = [
        // A mark with other members than its form has is an object's key.
        (#"{"$date":1,"since":2001,"x":1}"#, .object(["$date": 1, "since": 2001, "x": 1])),
        (#"{"$date":1,"since":"2001"}"#, .object(["$date": 1, "since": "2001"])),
        (#"{"since":2001,"$date":1.5}"#, .date(Date(timeIntervalSinceReferenceDate: 1.5))),
        (#"{"$data":1}"#, .object(["$data": 1])), (#"{"$data":"AQ==","x":1}"#, .object(["$data": "AQ==", "x": 1])),
        (#"{"$string":"2001-01-01T00:00:00Z"}"#, "2001-01-01T00:00:00Z"), (#"{"$string":1}"#, .object(["$string": 1])),
        (#"{"$set":1}"#, .object(["$set": 1])), (#"{"$set":[],"x":1}"#, .object(["$set": [], "x": 1])),
        (#"{"$list":[1],"of":"INT64"}"#, [1]), (#"{"$list":[1]}"#, .object(["$list": [1]])),
        (#"{"$list":[1],"off":"INT64"}"#, .object(["$list": [1], "off": "INT64"])),
        (#"{"$double":1}"#, .double(1)), (#"{"$double":"Infinity"}"#, .double(.infinity)),
        (#"{"$double":"-Infinity"}"#, .double(-.infinity)), (#"{"$double":"x"}"#, .object(["$double": "x"])),
        (#"{"$double":1,"x":2}"#, .object(["$double": 1, "x": 2])),
        (#"{"$object":{"$date":1}}"#, .object(["$date": 1])), (#"{"$object":1}"#, .object(["$object": 1])),
        (#"{"$asset":"p"}"#, .asset(Asset(path: "p"))),
        (#"{"$asset":"p","size":3}"#, .asset(Asset(path: "p", size: 3))),
        (#"{"$asset":1}"#, .object(["$asset": 1])), (#"{"$asset":"p","sise":3}"#, .object(["$asset": "p", "sise": 3])),
        // Places.
        (#"{"lon":2,"lat":1}"#, place()), (#"{"latitude":1,"lng":2}"#, place()),
        (#"{"lat":1,"latitude":2}"#, .object(["lat": 1, "latitude": 2])),
        (#"{"lon":1,"lng":2}"#, .object(["lon": 1, "lng": 2])),
        (#"{"lat":1,"lon":null}"#, .object(["lat": 1, "lon": nil])),
        (#"{"lat":1,"lot":2}"#, .object(["lat": 1, "lot": 2])), (#"{"let":1,"lon":2}"#, .object(["let": 1, "lon": 2])),
        (#"{"latitude":1,"longitudo":2}"#, .object(["latitude": 1, "longitudo": 2])),
        (#"{"lat":1,"lon":2,"latitude":1}"#, .object(["lat": 1, "lon": 2, "latitude": 1])),
        (#"{"latitude":90,"longitude":-180}"#, .location(Location(latitude: 90, longitude: -180))),
        (
            #"{"lat":1,"lon":2,"details":{"altitude":1,"horizontalAccuracy":2,"verticalAccuracy":3,"course":4,"#
                + #""speed":5,"timestamp":0}}"#,
            place(
                Location.Details(
                    altitude: 1, horizontalAccuracy: 2, verticalAccuracy: 3, course: 4, speed: 5, timestamp: zero))
        ),
        (
            #"{"lat":1,"lon":2,"details":{"timestamp":{"$date":"1970-01-01T00:00:00Z"},"speed":{"$double":1.5}}}"#,
            place(Location.Details(speed: 1.5, timestamp: zero))
        ),
        (
            #"{"lat":1,"lon":2,"details":{"timestamp":"1970-01-01T00:00:00Z"}}"#,
            place(Location.Details(timestamp: zero))
        ),
        (#"{"type":"Point","coordinates":[2,1]}"#, place()),
        (#"{"type":"Point","coordinates":[2]}"#, .object(["type": "Point", "coordinates": [2]])),
        (#"{"type":"Point","coordinates":[2,1,3,4]}"#, .object(["type": "Point", "coordinates": [2, 1, 3, 4]])),
        (#"{"type":"Point","coordinates":["2",1]}"#, .object(["type": "Point", "coordinates": ["2", 1]])),
        (#"{"type":"point","coordinates":[2,1]}"#, .object(["type": "point", "coordinates": [2, 1]])),
        (
            #"{"type":"Point","coordinates":[2,1],"x":1}"#,
            .object(["type": "Point", "coordinates": [2, 1], "x": 1])
        ),
        // References.
        (#"{"reference":"r"}"#, reference(.default)), (#"{"reference":1}"#, .object(["reference": 1])),
        (#"{"action":"deleteSelf","reference":"r"}"#, reference(.default, .deleteSelf)),
        (#"{"reference":"r","action":1}"#, .object(["reference": "r", "action": 1])),
        (#"{"reference":"r","other":"x"}"#, .object(["reference": "r", "other": "x"])),
        (
            #"{"reference":"r","zone":"z","owner":"o","action":"none"}"#,
            reference(RecordZone.ID("z", ownerName: "o"))
        ),
        (
            #"{"reference":"r","zone":"z","owner":"o","action":"none","x":"y"}"#,
            .object(["reference": "r", "zone": "z", "owner": "o", "action": "none", "x": "y"])
        ),
    ]

    @Test("Objects are values where all of them has the form, and objects otherwise")
    func formsOfJSON() throws {
        for (text, value) in Self.forms { #expect(try JSONReader.value(text) == value, "\(text)") }
        guard case .double(let number) = try JSONReader.value(#"{"$double":"NaN"}"#) else {
            Issue.record("NaN is a double")
            return
        }
        #expect(number.isNaN)
    }

    @Test(
        "Forms whose contents make no sense are errors",
        arguments: [
            (#"{"$date":"yesterday"}"#, "not a date"), (#"{"$date":[]}"#, "not a date"),
            (#"{"$data":"A"}"#, "not base64"),
            (#"{"$list":[],"of":"STRNG"}"#, "unknown type of a list's elements"),
            (#"{"$list":[],"of":1}"#, "unknown type of a list's elements"),
            (#"{"lat":90.5,"lon":0}"#, "a location lies outside of the Earth's degrees"),
            (#"{"lat":0,"lon":180.5}"#, "a location lies outside of the Earth's degrees"),
            (#"{"type":"Point","coordinates":[0,91]}"#, "a location lies outside of the Earth's degrees"),
            (#"{"lat":1,"lon":2,"details":3}"#, "the details of a location are no object"),
            (#"{"lat":1,"lon":2,"details":{"height":3}}"#, "unknown detail of a location"),
            (#"{"lat":1,"lon":2,"details":{"course":"x"}}"#, "not a number"),
            (#"{"lat":1,"lon":2,"details":{"timestamp":"x"}}"#, "not a date"),
            (#"{"reference":"r","action":"delete"}"#, "unknown action of a reference"),
        ])
    func formsWithoutSense(_ text: String, _ message: String) {
        let error = #expect(throws: JSONError.self) { try JSONReader.value(text) }
        #expect(error?.kind == .value && error?.message == message, "\(text)")
    }

    // MARK: Writing

    private static func json(_ value: FieldValue, marksTexts: Bool = false, isNested: Bool = false) -> String {
        var writer = JSONWriter(marksTexts: marksTexts)
        writer.write(value, isNested: isNested)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Control characters have their escapes, and other characters none")
    func escapes() {
        let short: [UInt8: String] = [8: #"\b"#, 9: #"\t"#, 10: #"\n"#, 12: #"\f"#, 13: #"\r"#]
        for byte in UInt8(0)..<0x20 {
            let digits = String(UInt32(byte) + 0x10000, radix: 16).suffix(4)
            #expect(Self.json(.string("a\(Unicode.Scalar(byte))b")) == "\"a\(short[byte] ?? "\\u" + digits)b\"")
        }
        #expect(Self.json(" \"\\/\u{7F}é") == "\" \\\"\\\\/\u{7F}é\"")
        #expect(Self.json(.object(["\n\"": 1])) == #"{"\n\"":1}"#)
    }

    @Test("Dates and texts that look like them are told from each other where that is asked for")
    func datesAndTexts() {
        let (date, text) = (Date(timeIntervalSinceReferenceDate: 0), "2001-01-01T00:00:00Z")
        #expect(Self.json(.date(date)) == "\"\(text)\"" && Self.json(.string(text)) == "\"\(text)\"")
        #expect(Self.json(.date(date), isNested: true) == "{\"$date\":\"\(text)\"}")
        #expect(Self.json(.string(text), marksTexts: true) == "{\"$string\":\"\(text)\"}")
        #expect(Self.json("2001", marksTexts: true) == "\"2001\"")
        #expect(Self.json([.date(date)]) == "[\"\(text)\"]")
        #expect(Self.json(.set([.date(date)])) == "{\"$set\":[{\"$date\":\"\(text)\"}]}")
        #expect(Self.json(.object(["d": .date(date)])) == "{\"d\":{\"$date\":\"\(text)\"}}")
        // No text has all of its digits.
        let third = Date(timeIntervalSinceReferenceDate: 1e15)
        #expect(Self.json(.date(third)) == "{\"$date\":1000000000000000.0,\"since\":2001}")
    }

    @Test("What a receiver said of a place is written in order, and what it did not say is left out")
    func detailsOfPlaces() {
        let details = Location.Details(altitude: 1, course: 4, timestamp: Date(timeIntervalSinceReferenceDate: 0))
        #expect(
            Self.json(Self.place(details))
                == #"{"latitude":1.0,"longitude":2.0,"details":{"altitude":1.0,"course":4.0,"#
                + #""timestamp":{"$date":"2001-01-01T00:00:00Z"}}}"#)
        let moment = Location.Details(timestamp: Date(timeIntervalSinceReferenceDate: 0))
        #expect(Self.json(Self.place(moment)).contains(#""details":{"timestamp":"#))
        #expect(
            Self.json(Self.reference(RecordZone.ID("z", ownerName: "o"), .deleteSelf))
                == #"{"reference":"r","action":"deleteSelf","zone":"z","owner":"o"}"#)
        #expect(Self.json(.asset(Asset(path: "p"))) == #"{"$asset":"p"}"#)
        #expect(Self.json(.double(-.infinity)) == #"{"$double":"-Infinity"}"#)
        var writer = JSONWriter()
        writer.write(emptyListOf: .list(.int64))
        #expect(String(decoding: writer.bytes, as: UTF8.self) == #"{"$list":[],"of":"LIST<INT64>"}"#)
        var tree = JSONWriter()
        tree.write(
            JSONValue.array([
                .null, .bool(true), .bool(false),
                .object([.init(key: "a", value: .int64(1)), .init(key: "b", value: .array([]))]),
            ]))
        #expect(String(decoding: tree.bytes, as: UTF8.self) == #"[null,true,false,{"a":1,"b":[]}]"#)
    }

    @Test("Cells of a type are plain, and JSON where the value is of another")
    func cellsOfTypes() {
        let date = Date(timeIntervalSinceReferenceDate: 0)
        let cells: [(value: FieldValue, type: FieldType, cell: String)] = [
            (.double(1.5), .double, "1.5"), (.double(.nan), .double, "NaN"), (.double(.infinity), .number, "Infinity"),
            (.double(-.infinity), .number, "-Infinity"), (3, .number, "3"), (3, .int64, "3"), (3, .double, "3"),
            (.double(2), .any, "2.0"), (.null, .any, ""), (.null, .string, ""), (true, .bool, "true"),
            ("x", .string, "x"), ("", .string, "\"\""), ("x", .any, "\"\"\"x\"\"\""), (1, .string, "1"),
            (.date(date), .date, "2001-01-01T00:00:00Z"), (.date(date), .any, "\"\"\"2001-01-01T00:00:00Z\"\"\""),
            ("2001-01-01T00:00:00Z", .any, "\"{\"\"$string\"\":\"\"2001-01-01T00:00:00Z\"\"}\""),
            (
                .date(Date(timeIntervalSinceReferenceDate: 1e15)), .date,
                "\"{\"\"$date\"\":1000000000000000.0,\"\"since\"\":2001}\""
            ),
            (.data(Data([1])), .data, "AQ=="), ([1, 2], .list(.int64), "\"[1,2]\""), ([1], .list(.int64), "[1]"),
        ]
        for (value, type, cell) in cells {
            var writer = CSVWriter()
            writer.write(value, as: type)
            #expect(String(decoding: writer.bytes, as: UTF8.self) == cell, "\(value) \(type)")
        }
        var writer = CSVWriter(separator: ";")
        writer.write(title: "a", of: .list(.date))
        writer.write("x;y")
        writer.write("x,y")
        writer.endLine()
        writer.write(.null)
        writer.write(.null)
        writer.endLine()
        #expect(String(decoding: writer.bytes, as: UTF8.self) == "a:LIST<TIMESTAMP>;\"x;y\";x,y\n;\n")
    }

    // MARK: Base64

    @Test("Base64 is that of RFC 4648, with padding or without")
    func base64() {
        for (text, code) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(String(decoding: Base64.encode(Array(text.utf8)), as: UTF8.self) == code)
            #expect(Base64.decode(code) == Array(text.utf8))
            #expect(Base64.decode(code.replacing("=", with: "")) == Array(text.utf8))
        }
        #expect(Base64.encode([0xFB, 0xFF, 0xBF, 0, 0x10, 0x83]) == Array("+/+/ABCD".utf8))
        #expect(Base64.decode("+/+/ABCD") == [0xFB, 0xFF, 0xBF, 0, 0x10, 0x83])
        for wrong in ["A", "AAAAA", "AA=", "AAA==", "A===", "====", "=", "AA=A", "A A=", "AA-_", "AAÄ"] {
            #expect(Base64.decode(wrong) == nil, "\(wrong)")
        }
    }
}
