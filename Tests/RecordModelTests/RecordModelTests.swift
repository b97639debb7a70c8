// Values: their order as numbers, their coded form, dates in text.

import Foundation
import Geospatial
import RecordModel
import Testing
import _TestSupport

@Suite struct RecordModelTests {
    /// Numbers in ascending order; those in one row are equal.
    static let ladder: [[FieldValue]] = [
        [.double(-.infinity)], [.double(-1e300)], [.int64(.min), .double(-0x1p63)], [.int64(.min + 1)], [.double(-1.5)],
        [-1, -1.0], [.double(-1e-300)], [0, 0.0, -0.0, false], [1e-300], [0.5], [1, 1.0, true], [2],
        [9_007_199_254_740_992, 9_007_199_254_740_992.0], [9_007_199_254_740_993], [9_007_199_254_740_994.0],
        [.int64(.max)],
        [.double(0x1p63)], [1e300], [.double(.infinity)], [.double(.nan), .double(-.nan), .double(.signalingNaN)],
    ]

    /// Words of types come from files: lists in lists have an end.
    @Test func typesHaveWords() {
        for type in [FieldType.int64, .string, .list(nil), .list(.date), .list(.list(.list(nil)))] {
            #expect(FieldType(schemaName: type.schemaName) == type)
        }
        for word in ["", "LIST", "LIST<", "LIST<INT64", "LIST<LIST>", "INT64>", "LIST<<>>", "int64"] {
            #expect(FieldType(schemaName: word) == nil, "\(word)")
        }
        let nested = { (depth: Int) in
            String(repeating: "LIST<", count: depth) + String(repeating: ">", count: depth)
        }
        #expect(FieldType(schemaName: nested(512)) != nil)
        #expect(FieldType(schemaName: nested(513)) == nil)
        #expect(FieldType(schemaName: nested(1_000_000)) == nil)
    }

    @Test func numbersHaveOneOrder() throws {
        for (i, row) in Self.ladder.enumerated() {
            for (j, other) in Self.ladder.enumerated() {
                for a in row {
                    for b in other {
                        let (left, right) = (try #require(a.number), try #require(b.number))
                        let expected = i < j ? -1 : (i > j ? 1 : 0)
                        #expect(FieldValue.Number.compare(left, right) == expected, "\(a) and \(b)")
                    }
                }
            }
        }
        #expect(FieldValue.string("1").number == nil && FieldValue.null.number == nil)
    }

    @Test func integersAgainstDoublesAgreeWithWideArithmetic() {
        var random = SplitMix64(seed: 5)
        for _ in 0..<20_000 {
            let integer = Int64(bitPattern: random.next()) >> Int64.random(in: 0..<64, using: &random)
            let double = Double(integer) + Double(Int.random(in: -3...3, using: &random)) * 0.5
            // Both scaled by two are whole and fit Int128 exactly.
            let (a, b) = (Int128(integer) * 2, Int128(double * 2))
            #expect(NumericOrder.compare(integer, double) == (a < b ? -1 : (a > b ? 1 : 0)), "\(integer) \(double)")
        }
    }

    static let values: [FieldValue] = [
        nil, true, false, 0, -5, .int64(.max), .int64(.min), 0.5, 2.0, -0.0, 1e300, .double(.infinity),
        .double(-.infinity), "",
        "text é", .date(Date(timeIntervalSince1970: 1_700_000_000.25)), .data(Data([0, 255])), [],
        [1, [2.5, nil], "x"],
        .set([1, "a"]), .location(Location(latitude: 50.45, longitude: -30.5)), .reference(RecordReference("r")),
        .reference(RecordReference(recordID: .init("r", zoneID: .init("z", ownerName: "o")), action: .deleteSelf)),
        .asset(Asset(path: "p", size: 3)), .asset(Asset(path: "p")), .object([:]),
        .object(["a": 1, "b": .object(["c": [nil]])]),
        // Objects whose keys look like another form stay objects.
        .object(["$date": 5]), .object(["latitude": 1, "longitude": 2]), .object(["reference": "x"]),
        .object(["$set": "y"]),
        .object(["$object": .object(["$data": "AA=="])]),
    ]

    @Test func codedFormIsLossless() throws {
        for value in Self.values {
            let data = try JSONEncoder().encode([value])
            #expect(
                try JSONDecoder().decode([FieldValue].self, from: data) == [value],
                "\(String(decoding: data, as: UTF8.self))")
            let list = try PropertyListEncoder().encode(["v": [value]])
            if !value.isNull, !"\(value)".contains("null") {
                #expect(
                    try PropertyListDecoder().decode([String: [FieldValue]].self, from: list) == ["v": [value]],
                    "\(value)")
            }
        }
        let nan = try JSONDecoder().decode(FieldValue.self, from: JSONEncoder().encode(FieldValue.double(.nan)))
        #expect(nan.number?.asDouble.isNaN == true)
    }

    static let forms: [(String, FieldValue)] = [
        (#"{"$date": 0}"#, .date(Date(timeIntervalSince1970: 0))),
        (#"{"$date": "1970-01-01T00:00:01Z"}"#, .date(Date(timeIntervalSince1970: 1))),
        (#"{"$data": "YQ=="}"#, .data(Data([97]))),
        (#"{"latitude": 1, "longitude": 2.5}"#, .location(Location(latitude: 1, longitude: 2.5))),
        (#"{"latitude": 1, "longitude": 2, "name": "x"}"#, .object(["latitude": 1, "longitude": 2, "name": "x"])),
        (#"{"reference": "r"}"#, .reference(RecordReference("r"))), (#"{"reference": 5}"#, .object(["reference": 5])),
        (#"{"reference": "r", "action": "deleteSelf"}"#, .reference(RecordReference("r", action: .deleteSelf))),
        // No reference has an owner without a zone, or a zone that is no text.
        (#"{"reference": "r", "owner": "o"}"#, .object(["reference": "r", "owner": "o"])),
        (#"{"reference": "r", "zone": 5}"#, .object(["reference": "r", "zone": 5])),
        (#"{"reference": "r", "zone": "z", "owner": 5}"#, .object(["reference": "r", "zone": "z", "owner": 5])),
        (
            #"{"reference": "r", "zone": "z", "owner": "o"}"#,
            .reference(RecordReference(recordID: Record.ID("r", zoneID: RecordZone.ID("z", ownerName: "o"))))
        ),
        ("[1, 1.5]", [1, 1.5]),
    ]

    @Test func readsTheFormsOfTheLineProtocol() throws {
        for (text, value) in Self.forms {
            #expect(try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8)) == value, "\(text)")
        }
        for text in [#"{"$date": "yesterday"}"#, #"{"$data": "?"}"#, #"{"$set": 5}"#, #"{"$double": "x"}"#] {
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8)) }
        }
    }

    static let dates: [(String, Double?)] = [
        ("1970-01-01T00:00:00Z", 0), ("2001-01-01", 978_307_200), ("2024-02-29T12:30:00.5Z", 1_709_209_800.5),
        ("2024-02-29t12:30:00z", 1_709_209_800), ("2024-02-29 12:30:00+02:00", 1_709_202_600),
        ("1969-12-31T23:59:59Z", -1),
        ("2016-12-31T23:59:60Z", 1_483_228_800), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59Z", 253_402_300_799),
        ("2023-02-29", nil), ("2024-13-01", nil), ("2024-00-10", nil), ("2024-01-01T24:00:00Z", nil),
        ("2024-01-01T00:00:00", nil),
        ("2024-01-01T00:00:00.Z", nil), ("2024-1-1", nil), ("2024-01-01x", nil), ("", nil),
        ("2024-01-01T00:00:00+2:00", nil),
        ("２０２４-01-01", nil),
    ]

    @Test func readsDates() {
        for (text, seconds) in Self.dates {
            #expect(RFC3339.date(text)?.timeIntervalSince1970 == seconds, "\(text)")
        }
        var random = SplitMix64(seed: 3)
        var read = 0
        for _ in 0..<2000 {
            let seconds = Int.random(in: -60_000_000_000...250_000_000_000, using: &random)
            guard let parts = RFC3339.components(of: Date(timeIntervalSince1970: Double(seconds))), parts.year >= 0
            else { continue }
            read += 1
            func pad(_ value: Int, _ width: Int = 2) -> String {
                String(repeating: "0", count: max(0, width - "\(value)".count)) + "\(value)"
            }
            let text =
                "\(pad(parts.year, 4))-\(pad(parts.month))-\(pad(parts.day))T\(pad(parts.hour)):\(pad(parts.minute)):\(pad(parts.second))Z"
            #expect(RFC3339.date(text)?.timeIntervalSince1970 == Double(seconds), "\(text)")
        }
        #expect(read > 1900)
        #expect(RFC3339.components(of: Date(timeIntervalSince1970: .infinity)) == nil)
        #expect(RFC3339.components(of: Date(timeIntervalSince1970: .nan)) == nil)
    }

    @Test func convertsSwiftValues() {
        let converted: [any FieldValueConvertible] = [
            5, UInt8(5), UInt64.max, 2.5, Float(0.5), true, "a", "ab".dropFirst(), Date(timeIntervalSince1970: 1),
            Data([1]),
            Optional<Int>.none, Optional(3), [1, 2], Set([1]), [Optional("a"), nil], Record.ID("r"),
            Record(type: "T", id: .init("r")), FieldValue.null,
        ]
        let expected: [FieldValue] = [
            5, 5, .double(Double(UInt64.max)), 2.5, 0.5, true, "a", "b", .date(Date(timeIntervalSince1970: 1)),
            .data(Data([1])),
            nil, 3, [1, 2], .set([1]), ["a", nil], .reference(RecordReference("r")), .reference(RecordReference("r")),
            nil,
        ]
        #expect(converted.map(\.fieldValue) == expected)
    }
}
