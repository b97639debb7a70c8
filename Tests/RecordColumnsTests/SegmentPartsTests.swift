// Segments under other names and with other values, rows as records, and what a type learns of its fields.

import RecordModel
import Testing

@testable import RecordColumns

@Suite struct SegmentPartsTests {
    private static func segment(_ rows: [[String: FieldValue]], type: String = "T") throws -> Segment {
        let records = rows.enumerated().map { Record(type: type, id: Record.ID("r\($0)"), fields: $1) }
        return try TypeInference(recordType: type).segment(of: records, zoneID: .default, origin: 1)
    }

    private static func reference(
        _ name: String, _ zone: RecordZone.ID = .default, action: RecordReference.Action = .none
    ) -> FieldValue { .reference(RecordReference(recordID: Record.ID(name, zoneID: zone), action: action)) }

    private static let bob = RecordZone.ID("_defaultZone", ownerName: "bob")

    /// The owner's own zones get the owner's name, wherever they are named; those of others keep theirs.
    @Test func othersNameZonesByTheirOwner() throws {
        let carol = RecordZone.ID("z", ownerName: "carol")
        let own: [FieldValue] = [
            Self.reference("a", action: .deleteSelf), Self.reference("a", RecordZone.ID("z")),
            Self.reference("a", carol),
        ]
        let named: [FieldValue] = [
            Self.reference("a", Self.bob, action: .deleteSelf),
            Self.reference("a", RecordZone.ID("z", ownerName: "bob")), Self.reference("a", carol),
        ]
        func fields(_ links: [FieldValue], kept: FieldValue) -> [String: FieldValue] {
            [
                "link": links[1], "list": .list(links + [.null]), "lists": [.list(links), []],
                "object": .object(["inner": .list(links), "n": 1]), "kept": kept, "text": "a", "words": ["a"],
            ]
        }
        let segment = try Self.segment([
            fields(own, kept: own[0]), ["link": own[0], "kept": own[2]], ["link": own[2], "text": "b"],
        ])
        let seen = segment.named(inZonesOf: "bob", keeping: ["kept"])
        #expect(seen.zoneID == Self.bob && seen.schema == segment.schema && seen.count == 3)
        #expect(seen.record(0).fields == fields(named, kept: own[0]))
        #expect(seen.record(1).fields == ["link": named[0], "kept": own[2]])
        #expect(seen.record(2).fields == ["link": named[2], "text": "b"])
        #expect(seen.record(0).id == Record.ID("r0", zoneID: Self.bob) && seen.storedID(0) == Record.ID("r0"))
        #expect(segment.record(0).fields == fields(own, kept: own[0]))
        // A column of references to the default zone alone holds no zones.
        let plain = try Self.segment([["link": Self.reference("x")]]).named(inZonesOf: "bob", keeping: [])
        #expect(plain.record(0).fields == ["link": Self.reference("x", Self.bob)])
    }

    @Test func rowsGetOtherNamesAndValues() throws {
        let segment = try Self.segment([["a": 1, "b": "x"], ["b": "y"]])
        let renamed = segment.renamed(["p", "q"])
        #expect(renamed.row(named: "q") == 1 && renamed.row(named: "r1") == nil)
        #expect(renamed.record(1) == Record(type: "T", id: Record.ID("q"), fields: ["b": "y"]))
        let replaced = try segment.replacing("a", with: [.null, "text"])
        #expect(replaced.record(0).fields == ["b": "x"] && replaced.record(1).fields == ["a": "text", "b": "y"])
        #expect(replaced.schema.type(of: "a") == .string && replaced.schema.fields.map(\.name) == ["a", "b"])
        #expect(replaced.row(named: "r1") == 1 && segment.record(0).fields == ["a": 1, "b": "x"])
        #expect(try segment.replacing("none", with: [1, 2]).record(0) == segment.record(0))
        #expect(throws: ColumnError(.mixture(existing: .number, found: .string, first: 0), field: "a")) {
            try segment.replacing("a", with: [1, "text"])
        }
    }

    /// A field goes before a part of the record of that name.
    @Test func rowsAreReadByTheirKeys() throws {
        let segment = try Self.segment([["type": 5, "a": .null], ["a": 1]], type: "Kind")
        let keys = RecordKeys()
        let first = RowView(segment: segment, row: 0, keys: keys)
        #expect(first["id"] == "r0" && first["type"] == 5 && first["a"] == .null && first["none"] == .null)
        // The segment has the field, the row has no value of it.
        #expect(RowView(segment: segment, row: 1, keys: keys)["type"] == .null)
        let other = RowView(segment: segment, row: 1, keys: RecordKeys(id: "name", type: nil))
        #expect(other["name"] == "r1" && other["id"] == .null && other["a"] == 1)
        let types = RowView(segment: try Self.segment([["a": 1]], type: "Kind"), row: 0, keys: keys)
        #expect(types["type"] == "Kind" && types.record.type == "Kind" && types.recordName == "r0")
        for name in ["id", "type", "recordName", "recordType", "recordID"] { #expect(keys.isPartOfRecord(name)) }
        #expect(!keys.isPartOfRecord("name") && !RecordKeys(id: "name", type: nil).isPartOfRecord("id"))
        #expect(RecordKeys.ofTable.areForeign && !keys.areForeign)
    }

    /// A record that no database wrote is new, and all of its values count as set.
    @Test func loadedRowsAreNewRecords() throws {
        let rows = LoadedRows(try Self.segment([["a": 1], ["a": 2, "b": "x"]]))
        var record = rows.record(1)
        #expect(record.version == nil && record.recordChangeTag == nil && record.parent == nil && record.share == nil)
        #expect(record.id == Record.ID("r1") && record.fields == ["a": 2, "b": "x"])
        #expect(record.changes == record.fields && record.changedKeys() == ["a", "b"] && record.ancestor == nil)
        record["a"] = FieldValue.null
        record["c"] = 3
        #expect(record.fields == ["b": "x", "c": 3] && record.changedKeys() == ["b", "c"])
        #expect(rows.record(0) == Record(type: "T", id: Record.ID("r0"), fields: ["a": 1]))
        #expect(rows.value(of: "b", row: 0) == .null && rows.fields(row: 0) == ["a": 1])
    }

    /// A type that was there before takes values of the kinds that its fields have; a field of any values learns one.
    @Test func fieldsOfASchemaKeepTheirKinds() throws {
        let fields: [(String, FieldType)] = [
            ("n", .int64), ("s", .string), ("l", .list(.double)), ("open", .any), ("o", .object), ("e", .list(nil)),
        ]
        func shape() -> TypeInference {
            let fields = fields.map { FieldDefinition(name: $0.0, type: $0.1) }
            return TypeInference(RecordSchema(recordType: "T", fields: fields))
        }
        func add(_ value: [String: FieldValue], to shape: TypeInference) throws {
            let record = Record(type: "T", id: Record.ID("r"), fields: value)
            _ = try shape.segment(of: [record], zoneID: .default, origin: 5)
        }
        let known = shape()
        #expect(known.schema.fields.map(\.name) == fields.map(\.0))
        #expect(known.schema.fields.map(\.type) == fields.map(\.1))
        let wrong: [(String, FieldValue)] = [("n", "x"), ("s", 1), ("l", ["x"]), ("l", 1), ("o", 5), ("e", "x")]
        for (field, value) in wrong {
            let error = #expect(throws: ColumnError.self, "\(field)") { try add([field: value], to: shape()) }
            #expect(error?.field == field)
        }
        try add(["n": 0.5, "open": true, "e": ["x"], "l": [1], "new": "y"], to: known)
        let types = ["n", "open", "e", "l", "new", "s"].map { known.schema.type(of: $0) }
        #expect(types == [.number, .bool, .list(.string), .list(.number), .string, .string])
        // What was not accepted is forgotten, and the fields are open again.
        known.rollBack(origin: 5)
        #expect(known.schema == shape().schema)
        try add(["open": "text", "e": [1], "new": 5], to: known)
        #expect(known.schema.type(of: "open") == .string && known.schema.type(of: "e") == .list(.int64))
        #expect(known.schema.type(of: "new") == .int64 && known.schema.fields.count == fields.count + 1)
    }

    /// What was accepted stays when a later record is taken back.
    @Test func acceptedFieldsStay() throws {
        let shape = TypeInference(recordType: "T")
        func add(_ value: [String: FieldValue], origin: Int) throws {
            let record = Record(type: "T", id: Record.ID("r\(origin)"), fields: value)
            _ = try shape.segment(of: [record], zoneID: .default, origin: origin)
        }
        try add(["a": 1], origin: 1)
        shape.accept()
        try add(["a": 0.5, "b": "x", "c": true], origin: 2)
        #expect(shape.schema.type(of: "a") == .number && shape.schema.fields.count == 3)
        shape.rollBack(origin: 2)
        #expect(shape.schema.fields == [FieldDefinition(name: "a", type: .int64)])
        try add(["c": "now a text", "d": 1], origin: 3)
        shape.accept()
        #expect(shape.schema.fields.map(\.name) == ["a", "c", "d"])
        #expect(throws: ColumnError.self) { try add(["c": true], origin: 4) }
        shape.rollBack(origin: 4)
        #expect(shape.schema.type(of: "c") == .string && shape.schema.fields.count == 3)
    }
}
