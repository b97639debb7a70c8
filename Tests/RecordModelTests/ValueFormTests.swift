// Coded forms as other programs see them, values as types of Swift, and what schemas and errors are made of.

import Foundation
import Geospatial
import RecordModel
import Testing

@Suite struct ValueFormTests {
    private static func coded<Form: Decodable>(_ value: FieldValue, as _: Form.Type = Form.self) throws -> Form {
        try JSONDecoder().decode(Form.self, from: JSONEncoder().encode(value))
    }

    private static func seconds(_ number: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: number)) }

    /// Read by a decoder that knows nothing of values.
    @Test func codedFormsAreThoseOfTheTable() throws {
        #expect(try Self.coded(.double(2)) == ["$double": 2.0] && Self.coded(.double(0)) == ["$double": 0.0])
        #expect(try Self.coded(.double(0.5), as: Double.self) == 0.5)
        #expect(try Self.coded(.double(1e300), as: Double.self) == 1e300)
        for (number, word) in [(Double.nan, "NaN"), (.infinity, "Infinity"), (-.infinity, "-Infinity")] {
            #expect(try Self.coded(.double(number)) == ["$double": word])
        }
        #expect(try Self.coded(.data(Data([0, 255]))) == ["$data": "AP8="])
        #expect(try Self.coded(.set([1])) == ["$set": [1]])
        #expect(try Self.coded(.reference(RecordReference("r"))) == ["reference": "r", "action": "none"])
        let other = Record.ID("r", zoneID: RecordZone.ID("z", ownerName: "o"))
        #expect(
            try Self.coded(.reference(RecordReference(recordID: other, action: .deleteSelf)))
                == ["reference": "r", "action": "deleteSelf", "zone": "z", "owner": "o"])
        #expect(try Self.coded(.asset(Asset(path: "p"))) == ["$asset": "p"])
        #expect(
            try Self.coded(.location(Location(latitude: 1.5, longitude: -2.5)))
                == ["latitude": 1.5, "longitude": -2.5])
        #expect(try Self.coded(.object(["a": 1])) == ["a": 1])
        for mark in ["$double", "$date", "$data", "$set", "$asset", "$object", "reference", "latitude"] {
            #expect(try Self.coded(.object([mark: 1, "b": 2])) == ["$object": [mark: 1, "b": 2]])
        }
    }

    /// No form has more than four members: an object with more is itself, whatever its keys.
    @Test(arguments: ["$double", "$set", "$asset", "$date", "latitude", "reference"])
    func largeObjectsAreThemselves(_ mark: String) throws {
        let members: [String: FieldValue] = [mark: 1, "a": 1, "b": "x", "c": 3, "d": [4]]
        let text = #"{"\#(mark)": 1, "a": 1, "b": "x", "c": 3, "d": [4]}"#
        #expect(try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8)) == .object(members))
    }

    /// A date counts from 1970 where that gives the same date again; else from 2001.
    @Test func datesCountFromWhereTheyAreExact() throws {
        #expect(try Self.coded(Self.seconds(0)) == ["$date": 978_307_200.0])
        #expect(try Self.coded(Self.seconds(-978_307_200)) == ["$date": 0.0])
        #expect(try Self.coded(Self.seconds(0.1)) == ["$date": 0.1, "since": 2001.0])
        for seconds in [0, 0.1, -0.1, 1e-300, 86_400.25, 1e300, .infinity, -.infinity] {
            #expect(try Self.coded(Self.seconds(seconds)) == Self.seconds(seconds), "\(seconds)")
        }
        let read: [(String, FieldValue?)] = [
            (#"{"$date": 1.5, "since": 2001}"#, Self.seconds(1.5)), (#"{"$date": 1, "since": 2001}"#, Self.seconds(1)),
            (#"{"$date": {"$double": "Infinity"}, "since": 2001}"#, Self.seconds(.infinity)),
            (#"{"$date": 1, "since": 1970}"#, nil), (#"{"$date": "x", "since": 2001}"#, nil),
            (#"{"$date": "2001-01-01"}"#, Self.seconds(0)),
        ]
        for (text, value) in read {
            #expect((try? JSONDecoder().decode(FieldValue.self, from: Data(text.utf8))) == value, "\(text)")
        }
    }

    private static let whole: Location.Details = .init(altitude: 3, speed: 0.5)
    /// Objects that are almost of another form, and forms whose parts are left out.
    private static let almost: [(text: String, value: FieldValue)] = [
        (#"{"reference": "r", "more": 1}"#, .object(["reference": "r", "more": 1])),
        (#"{"reference": "r", "action": "x"}"#, .object(["reference": "r", "action": "x"])),
        (#"{"reference": "r", "action": null}"#, .reference(RecordReference("r"))),
        (
            #"{"reference": "r", "zone": "z"}"#,
            .reference(RecordReference(recordID: Record.ID("r", zoneID: RecordZone.ID("z"))))
        ),
        (#"{"latitude": 1}"#, .object(["latitude": 1])),
        (#"{"latitude": 1, "longitude": "x"}"#, .object(["latitude": 1, "longitude": "x"])),
        (
            #"{"latitude": 1, "longitude": 2, "details": {"altitude": 3, "speed": 0.5}}"#,
            .location(Location(latitude: 1, longitude: 2, details: whole))
        ),
        (
            #"{"latitude": 1, "longitude": 2, "details": 5}"#,
            .object(["latitude": 1, "longitude": 2, "details": 5])
        ),
        (#"{"$asset": "p", "size": 7}"#, .asset(Asset(path: "p", size: 7))), (#"{"$object": {}}"#, .object([:])),
        (#"{"longitude": 1, "zone": "z"}"#, .object(["longitude": 1, "zone": "z"])),
    ]

    @Test(arguments: almost.indices) func formsAreReadForWhatTheyAre(_ index: Int) throws {
        let (text, value) = Self.almost[index]
        #expect(try JSONDecoder().decode(FieldValue.self, from: Data(text.utf8)) == value, "\(text)")
    }

    /// A value is read as a type that holds it exactly, or not at all.
    @Test func valuesAreReadAsTypesThatHoldThem() {
        #expect(Int8(fieldValue: 127) == 127 && Int8(fieldValue: 128) == nil && Int8(fieldValue: -128) == -128)
        #expect(UInt64(fieldValue: -1) == nil && UInt8(fieldValue: 255) == 255 && UInt8(fieldValue: 256) == nil)
        #expect(Int(fieldValue: 2.0) == 2 && Int(fieldValue: 2.5) == nil && Int(fieldValue: .double(.nan)) == nil)
        #expect(Int(fieldValue: true) == 1 && Int(fieldValue: false) == 0 && Int(fieldValue: "1") == nil)
        #expect(UInt64(fieldValue: .double(0x1p63)) == 1 << 63 && Int64(fieldValue: .double(0x1p63)) == nil)
        #expect(Double(fieldValue: 3) == 3 && Double(fieldValue: true) == nil && Float(fieldValue: 0.5) == 0.5)
        #expect(Bool(fieldValue: true) == true && Bool(fieldValue: 1) == true && Bool(fieldValue: 0) == false)
        #expect(Bool(fieldValue: 2) == nil && Bool(fieldValue: 1.0) == nil && Bool(fieldValue: .null) == nil)
        #expect([Int](fieldValue: [1, 2]) == [1, 2] && [Int](fieldValue: [1, "a"]) == nil)
        #expect([Int](fieldValue: .set([1])) == nil && [Int](fieldValue: 1) == nil && [Int](fieldValue: []) == [])
        let id = Record.ID("r", zoneID: RecordZone.ID("z"))
        #expect(Record.ID(fieldValue: .reference(RecordReference(recordID: id, action: .deleteSelf))) == id)
        #expect(Record.ID(fieldValue: "r") == nil && Date(fieldValue: 1) == nil && Data(fieldValue: "") == nil)
        let uuid = UUID()
        #expect(UUID(fieldValue: .string(uuid.uuidString.lowercased())) == uuid && UUID(fieldValue: "x") == nil)
        #expect(URL(fieldValue: "https://a.b/c")?.absoluteString == "https://a.b/c" && URL(fieldValue: 1) == nil)
        #expect(Int64.min.fieldValue == .int64(.min) && UInt64(1 << 62).fieldValue == .int64(1 << 62))
    }

    @Test func fieldsAreMarkedByTheirTypes() {
        let ordered: IndexMarks = [.queryable, .sortable]
        let marks: [(FieldType, IndexMarks)] = [
            (.string, [.queryable, .sortable, .searchable]), (.int64, ordered), (.double, ordered), (.date, ordered),
            (.location, ordered), (.reference, .queryable), (.object, .queryable), (.data, []), (.asset, []),
            (.any, []), (.list(.string), [.queryable, .searchable]), (.list(.int64), .queryable), (.list(nil), []),
            (.list(.data), []), (.list(.reference), .queryable), (.list(.list(.string)), .queryable),
        ]
        for (type, expected) in marks { #expect(IndexMarks.all(for: type) == expected, "\(type)") }
        #expect(IndexMarks(rawValue: 15).names == ["queryable", "sortable", "searchable", "substring"])
        #expect(IndexMarks([.substring, .sortable]).names == ["sortable", "substring"])
        #expect(!IndexMarks.automatic.contains(.substring) && IndexMarks.automatic.names.count == 3)
        var declaration = IndexDeclaration(["a": []], others: .queryable)
        #expect(declaration["a"] == [] && declaration["b"] == .queryable)
        declaration["b"] = .sortable
        #expect(declaration.fields == ["a": [], "b": .sortable] && IndexDeclaration()["x"] == [])
    }

    /// Few fields are found by comparing, many by a table; one that is defined again stays where it is.
    @Test(arguments: [0, 3, 15, 16, 17, 40]) func fieldsAreFoundByName(count: Int) {
        var schema = RecordSchema(recordType: "T")
        for number in 0..<count { schema.define(FieldDefinition(name: "f\(number)", type: .string)) }
        schema.define(FieldDefinition(name: "é", type: .int64))
        schema.define(FieldDefinition(name: "last", type: .int64))
        for number in 0..<count { #expect(schema.position(of: "f\(number)") == number) }
        // Names that are equal to Swift are one, however long they are.
        #expect(schema.position(of: "é") == count && schema.position(of: "e\u{301}") == count)
        #expect(schema.position(of: "f") == nil && schema.position(of: "f99") == nil && schema.type(of: "no") == nil)
        schema.define(FieldDefinition(name: "é", type: .double))
        #expect(schema.type(of: "e\u{301}") == .double && schema.type(of: "last") == .int64)
        #expect(schema.fields.count == count + 2 && schema.position(of: "last") == count + 1)
    }

    @Test func errorsSayWhatBelongsToTheirCode() {
        let pause = Duration.seconds(3)
        for code in DatabaseError.Code.allCases {
            let may = [.serviceUnavailable, .requestRateLimited, .zoneBusy].contains(code)
            #expect(DatabaseError(code, "r", retryAfter: pause).retryAfter == (may ? pause : nil), "\(code)")
        }
        let (gone, other) = (DatabaseError(.unknownItem, "gone"), DatabaseError(.batchRequestFailed, "other"))
        let (a, b) = (DatabaseError.Item.record(Record.ID("a")), DatabaseError.Item.record(Record.ID("b")))
        #expect(DatabaseError(partialErrors: [a: gone, b: other]).reason == "2 items failed, one because gone")
        #expect(DatabaseError(partialErrors: [b: other]).reason == "1 item failed, one because other")
        #expect(DatabaseError(partialErrors: [:]).reason == "0 items failed")
        #expect(DatabaseError(partialErrors: [a: gone]) != DatabaseError(partialErrors: [b: gone]))
        #expect(DatabaseError(.zoneBusy, "r", retryAfter: pause) != DatabaseError(.zoneBusy, "r"))
        #expect(DatabaseError(.zoneBusy, "r", hint: "h") != DatabaseError(.zoneBusy, "r"))
        #expect(gone != DatabaseError(.zoneNotFound, "gone") && gone != DatabaseError(.unknownItem, "lost"))
        #expect(gone == DatabaseError(.unknownItem, "gone") && DatabaseError.unknownItem ~= gone)
        #expect(!(DatabaseError.zoneBusy ~= gone) && !(DatabaseError.unknownItem ~= CancellationError()))
        let record = Record(type: "T", id: Record.ID("a"))
        let made = DatabaseError(DatabaseError.Conflict(server: record, client: record, ancestor: nil))
        let changed = DatabaseError(DatabaseError.Conflict(server: record, client: record, ancestor: record))
        #expect(made.reason == "a record of this name exists already" && made.ancestorRecord == nil)
        #expect(changed.reason == "the record was changed since it was fetched" && changed.ancestorRecord == record)
        #expect(made.code == .serverRecordChanged && made.serverRecord == record && gone.serverRecord == nil)
        let reset = DatabaseError(ofResetZone: "z")
        #expect(reset.code == .zoneNotFound && reset.isEncryptedDataReset && !gone.isEncryptedDataReset)
        #expect("\(gone)" == "unknownItem: gone" && "\(DatabaseError(.zoneBusy, "r", hint: "h"))" == "zoneBusy: r (h)")
    }
}
