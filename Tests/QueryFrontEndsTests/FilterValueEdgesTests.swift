// Values of web-service filters: what each type means, and how it is written.

import Foundation
import PredicateSemantics
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct FilterValueEdgesTests {
    private static func reference(_ name: String, _ zone: String? = nil, owner: String? = nil) -> FieldValue {
        var zoneID = RecordZone.ID.default
        if let zone { zoneID = owner.map { RecordZone.ID(zone, ownerName: $0) } ?? RecordZone.ID(zone) }
        return .reference(RecordReference(recordID: Record.ID(name, zoneID: zoneID)))
    }

    private static func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSince1970: seconds)) }

    /// A field value in JSON, what it equals, and what it does not.
    static let values: [(json: String, same: FieldValue, others: [FieldValue])] = [
        (#"{"value":true,"type":"INT64"}"#, 1, [0, 2]), (#"{"value":false,"type":"INT64"}"#, 0, [1, -1]),
        (#"{"value":3,"type":"DOUBLE"}"#, .double(3), [.double(3.5)]), (#"{"value":true}"#, true, [false]),
        (#"{"value":1500,"type":"TIMESTAMP"}"#, date(1.5), [date(1500), date(0.0015)]),
        (#"{"value":-2500.0,"type":"TIMESTAMP"}"#, date(-2.5), [date(2.5)]),
        (#"{"value":{"recordName":"r"}}"#, reference("r"), [reference("s")]),
        (
            #"{"value":{"recordName":"r","zoneID":{"zoneName":"z"}},"type":"REFERENCE"}"#, reference("r", "z"),
            [reference("s", "z")]
        ),
    ]

    @Test("A value means what its type says", arguments: values.indices)
    func meanings(index: Int) throws {
        let (json, same, others) = Self.values[index]
        let predicate = try RecordPredicate(
            filterBy: #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":\#(json)}]"#)
        func holds(_ value: FieldValue) throws -> Bool {
            try predicate.evaluate(on: Record(type: "T", id: Record.ID("x"), fields: ["a": value]))
        }
        #expect(try holds(same), "\(json)")
        for other in others { #expect(try !holds(other), "\(json) \(other)") }
    }

    private static let moment = Date(timeIntervalSince1970: 1.5)

    static let written: [(predicate: RecordPredicate, json: String)] = [
        ("a == FALSE", #"{"value":0,"type":"INT64"}"#), ("a == TRUE", #"{"value":1,"type":"INT64"}"#),
        ("a == \(moment)", #"{"value":1500,"type":"TIMESTAMP"}"#),
        (
            "a == \(reference("r", "z", owner: "o"))",
            #"{"value":{"recordName":"r","action":"NONE","zoneID":{"zoneName":"z","ownerRecordName":"o"}},"#
                + #""type":"REFERENCE"}"#
        ),
        ("a == \(reference("r"))", #"{"value":{"recordName":"r","action":"NONE"},"type":"REFERENCE"}"#),
    ]

    @Test("A value is written with its type", arguments: written.indices)
    func forms(index: Int) throws {
        let (predicate, json) = Self.written[index]
        #expect(
            try predicate.filterBy() == #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":\#(json)}]"#)
    }
}
