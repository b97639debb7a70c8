// What `print` shows of records and values.

import Foundation
import Geospatial
import RecordModel
import Testing

@Suite struct DescriptionTests {
    private static let zoned = Record.ID("r", zoneID: RecordZone.ID("Z"))

    private static let cases: [(any CustomStringConvertible & Sendable, String)] = [
        (FieldValue.null, "nil"), (FieldValue.bool(true), "true"), (FieldValue.int64(-3), "-3"),
        (FieldValue.double(0.5), "0.5"), (FieldValue.string("a \"b\""), "a \"b\""),
        (FieldValue.date(Date(timeIntervalSince1970: 0)), "1970-01-01T00:00:00Z"),
        (FieldValue.date(Date(timeIntervalSinceReferenceDate: -1e15)), "CAST(-1000000000000000.0, 'NSDate')"),
        (FieldValue.date(Date(timeIntervalSinceReferenceDate: 1e300)), "CAST(1e+300, 'NSDate')"),
        (FieldValue.date(Date(timeIntervalSinceReferenceDate: .nan)), "CAST(nan, 'NSDate')"),
        (FieldValue.date(Date(timeIntervalSinceReferenceDate: -.infinity)), "CAST(-inf, 'NSDate')"),
        (FieldValue.data(Data([1, 2, 3])), "3 bytes"),
        (FieldValue.location(Location(latitude: 50.5, longitude: -30)), "50.5, -30.0"),
        (FieldValue.reference(RecordReference(recordID: zoned)), "→ r in Z"),
        (FieldValue.asset(Asset(path: "p")), "\"p\""),
        (FieldValue.list(["a", 1, .list([])]), "[\"a\", 1, []]"),
        (FieldValue.object(["b": "x", "a": .null]), "[a: nil, b: \"x\"]"), (FieldValue.object([:]), "[:]"),
        (Record.ID("r"), "r"), (zoned, "r in Z"),
        (
            Record(type: "City", id: Record.ID("kyiv"), fields: ["n": 2, "name": "Київ"]),
            "City kyiv [n: 2, name: \"Київ\"]"
        ),
    ]

    @Test func descriptions() {
        for (value, text) in Self.cases { #expect(value.description == text) }
        #expect("\([FieldValue.string("a")])" == "[\"a\"]" && "\(["k": FieldValue.string("a")])" == "[\"k\": \"a\"]")
    }
}
