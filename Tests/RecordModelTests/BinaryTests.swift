// Values as bytes: what goes in comes out, and bytes that are no value are refused.

import FoundationEssentials
import Geospatial
import RecordModel
import Testing
import _TestSupport

@Suite struct BinaryTests {
    private static let details = Location.Details(
        altitude: 1, horizontalAccuracy: nil, verticalAccuracy: -0.0, course: 359.5, speed: .infinity,
        timestamp: Date(timeIntervalSinceReferenceDate: 1e9))

    /// Every kind of value, at its edges.
    private static let values: [FieldValue] = [
        .null, true, false, 0, -1, 63, 64, -64, -65, .int64(.max), .int64(.min), 0.5, .double(-0.0),
        .double(.infinity), .double(.leastNonzeroMagnitude), "", "é", "e\u{301}", "👩‍👩‍👧", "\u{0}",
        .string(String(repeating: "long ", count: 100)), .date(Date(timeIntervalSinceReferenceDate: -0.25)),
        .date(.distantPast), .data(Data()), .data(Data((0...255).map { UInt8($0) })),
        .location(Location(latitude: 91, longitude: -180)),
        .location(Location(latitude: 1, longitude: 2, details: details)), .reference(RecordReference("r")),
        .reference(RecordReference(recordID: Record.ID("é", zoneID: RecordZone.ID("z")), action: .deleteSelf)),
        .reference(RecordReference(recordID: Record.ID("", zoneID: RecordZone.ID("_defaultZone", ownerName: "o")))),
        .asset(Asset(path: "a/b")), .asset(Asset(path: "", size: -1)), [], [[], [.null, ["deep"]]],
        .set([1, "a"]), .object([:]), .object(["b": 1, "a": .object(["": .null])]),
    ]

    @Test func valuesComeBack() throws {
        for value in Self.values + [.list(Self.values)] {
            #expect(try FieldValue(binary: value.binary()) == value, "\(value)")
        }
        // `==` is blind to the sign of zero and to how a text is composed, and not a number is equal to nothing.
        for bits in [0x8000_0000_0000_0000, 0x7FF8_0000_0000_0001, 0xFFF0_0000_DEAD_BEEF] as [UInt64] {
            let value = try FieldValue(binary: FieldValue.double(Double(bitPattern: bits)).binary())
            guard case .double(let number) = value else {
                Issue.record("\(value)")
                continue
            }
            #expect(number.bitPattern == bits)
        }
        for text in ["é", "e\u{301}"] {
            let value = try FieldValue(binary: FieldValue.string(text).binary())
            if case .string(let back) = value {
                #expect(Array(back.utf8) == Array(text.utf8))
            } else {
                Issue.record("\(value)")
            }
        }
    }

    @Test func equalObjectsHaveEqualBytes() throws {
        let keys = (0..<40).map { "key \($0)" }
        let values = [keys, keys.reversed()].map { keys in
            FieldValue.object(Dictionary(uniqueKeysWithValues: keys.map { ($0, FieldValue.string($0)) }))
        }
        #expect(try values[0].binary() == values[1].binary())
    }

    @Test func schemasAndIdentifiersComeBack() throws {
        let types: [FieldType] = [
            .int64, .double, .number, .bool, .string, .date, .data, .location, .reference, .asset, .list(nil),
            .list(.list(.string)), .object, .any,
        ]
        let fields = types.enumerated().map { FieldDefinition(name: "field \($0)", type: $1) }
        let schema = RecordSchema(recordType: "Тип", fields: fields)
        #expect(try RecordSchema(binary: schema.binary()) == schema)
        for zone in [RecordZone.ID.default, RecordZone.ID("a"), RecordZone.ID("a", ownerName: "b")] {
            let id = Record.ID("name", zoneID: zone)
            #expect(try Record.ID(binary: id.binary()) == id)
        }
        // A field that is there twice.
        var writer = BinaryWriter()
        writer.write("T")
        try writer.write(list: [fields[0], fields[0]])
        #expect(throws: BinaryError.self) { try RecordSchema(binary: writer.bytes) }
    }

    @Test func nestingHasALimit() throws {
        func nested(_ levels: Int) -> FieldValue { (0..<levels).reduce(.null) { value, _ in .list([value]) } }
        let deepest = nested(BinaryWriter.maximumDepth)
        #expect(try FieldValue(binary: deepest.binary()) == deepest)
        #expect(throws: BinaryError.self) { try nested(BinaryWriter.maximumDepth + 1).binary() }
        // The head of a list of one element, again and again.
        let bytes = Array(repeatElement([11, 1] as [UInt8], count: 100_000).joined())
        #expect(throws: BinaryError.self) { try FieldValue(binary: bytes) }
    }

    /// Every beginning of a value is refused, and so is everything behind it.
    @Test func cutOffValuesAreRejected() throws {
        let bytes = try FieldValue.list(Self.values).binary()
        for count in 0..<bytes.count {
            #expect(throws: BinaryError.self, "\(count)") { try FieldValue(binary: Array(bytes[..<count])) }
        }
        #expect(throws: BinaryError(.goesOn, offset: bytes.count)) { try FieldValue(binary: bytes + [0]) }
    }

    /// Changed bytes are another value or none, and never the end of the process.
    @Test func anyBytesAreAValueOrAnError() throws {
        let bytes = try FieldValue.list(Self.values).binary()
        var random = SplitMix64(seed: 7)
        var (values, errors) = (0, 0)
        for _ in 0..<20_000 {
            var changed = bytes
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                changed[Int.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
            }
            do {
                _ = try FieldValue(binary: changed)
                values += 1
            } catch { errors += 1 }
        }
        #expect(values > 100 && errors > 100)
    }

    /// What was written stays readable: the bytes of some values, as they were when the form was fixed.
    @Test(
        arguments: [
            (.null, [0]), (true, [2]), (-3, [3, 5]), (300, [3, 0xD8, 0x04]), ("ab", [5, 2, 0x61, 0x62]),
            (0.5, [4, 0, 0, 0, 0, 0, 0, 0xE0, 0x3F]), ([1, .null], [11, 2, 3, 2, 0]),
            (.reference(RecordReference("r")), [9, 0, 1, 0x72, 0]), (.object(["k": false]), [13, 1, 1, 0x6B, 1]),
        ] as [(FieldValue, [UInt8])])
    func formIsFixed(value: FieldValue, bytes: [UInt8]) throws { #expect(try value.binary() == bytes) }
}
