// Values become records and records values again; what does not fit is told with its place.

import Foundation
import Geospatial
import PredicateSemantics
import PredicateSyntax
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct RecordCodingTests {
    @Test func fieldsOfEveryKind() throws {
        let place = Place.sample("Kyiv")
        let record = try Record(place)
        #expect(record.type == "Place")
        #expect(record.id == Record.ID("Kyiv"))
        let fields: [String: FieldValue] = [
            "name": "Kyiv", "population": 1, "area": 2.5, "capital": true, "isPort": false, "tags": ["a", "b"],
            "scores": [3, 4], "founded": .date(Date(timeIntervalSinceReferenceDate: 5)),
            "location": .location(Location(latitude: 50, longitude: 30)), "status": "closed",
            "address": .object(["street": "Main", "zip": 7]),
            "items": .list([.object(["price": 9.5, "label": "x"])]), "owner": .reference(RecordReference("ann")),
            "bytes": .data(Data([1, 2])), "extra": .object(["k": 8]),
        ]
        #expect(record.fields == fields)
        #expect(try record.value(as: Place.self) == place)
    }

    @Test func optionalValuesAndOtherTypes() throws {
        var place = Place.sample("x")
        place.nickname = "n"
        place.rank = 3
        place.spot = Location(latitude: 1, longitude: 2)
        place.former = Address(street: "Old", zip: 1)
        place.mayor = RecordReference.To(Record.ID("bob"), action: .deleteSelf)
        place.seal = Asset(path: "seal.png", size: 3)
        place.page = URL(string: "https://example.org/a?b")
        place.token = UUID()
        let record = try Record(place, id: Record.ID("other"))
        #expect(record.id.recordName == "other")
        #expect(record["page"] == "https://example.org/a?b")
        #expect(record["rank"] == 3)
        place.recordID = Record.ID("other")
        #expect(try record.value() == place)
    }

    @Test func identifiers() throws {
        var owner = Owner(name: "Ann", age: 3)
        let (first, second) = (try Record(owner), try Record(owner))
        #expect(first.id != second.id)
        owner.recordID = Record.ID("ann", zoneID: RecordZone.ID("people"))
        let record = try Record(owner)
        #expect(record.id == owner.recordID)
        #expect(record.fields["recordID"] == nil)
        #expect(try record.value(as: Owner.self).recordID == owner.recordID)
    }

    /// A field's value, and the error of decoding a `Place` with it.
    static let wrong: [(field: String, value: FieldValue, kind: RecordCodingError.Kind, path: String)] = [
        ("name", .null, .missingValue, "name"),
        ("name", 3, .typeMismatch, "name"),
        ("population", "x", .typeMismatch, "population"),
        ("population", 2.5, .invalidValue, "population"),
        ("capital", 2, .typeMismatch, "capital"),
        ("founded", 3, .typeMismatch, "founded"),
        ("location", "here", .typeMismatch, "location"),
        ("owner", "ann", .typeMismatch, "owner"),
        ("tags", "a", .typeMismatch, "tags"),
        ("tags", ["a", 3], .typeMismatch, "tags[1]"),
        ("scores", [1, nil], .missingValue, "scores[1]"),
        ("status", "shut", .invalidValue, "status"),
        ("address", .object(["street": "x"]), .missingValue, "address.zip"),
        (
            "items", .list([.object(["price": 1, "label": "x"]), .object(["price": "x"])]), .typeMismatch,
            "items[1].price"
        ),
        ("extra", .object(["k": "v"]), .typeMismatch, "extra.k"),
        ("page", 4, .typeMismatch, "page"),
        ("token", "no uuid", .typeMismatch, "token"),
    ]

    @Test(arguments: wrong.indices)
    func wrongFieldsAreNamed(_ index: Int) throws {
        let (field, value, kind, path) = Self.wrong[index]
        var record = try Record(Place.sample("x"))
        record[field] = value
        let error = #expect(throws: RecordCodingError.self) { try record.value(as: Place.self) }
        #expect(error?.kind == kind)
        #expect(error?.path == path)
        #expect(error?.recordType == "Place")
        #expect(error?.description.hasPrefix("Place.\(path): ") == true)
    }

    /// A list whose elements are read one by one, those that are missing too.
    private struct Gaps: RecordConvertible, Equatable {
        struct List: Codable, Equatable {
            var elements: [Int?] = []

            init(_ elements: [Int?]) { self.elements = elements }

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                while !list.isAtEnd {
                    let isMissing = try list.decodeNil()
                    elements.append(isMissing ? nil : try list.decode(Int.self))
                }
                // Beyond the end nothing is missing.
                if try list.decodeNil() { elements.append(-1) }
            }

            func encode(to encoder: any Encoder) throws {
                var list = encoder.unkeyedContainer()
                for element in elements {
                    if let element { try list.encode(element) } else { try list.encodeNil() }
                }
            }
        }

        var list: List
    }

    @Test(arguments: [[], [1], [nil, 2], [3, nil, nil, 4], [nil]] as [[Int?]])
    func elementsOneByOne(elements: [Int?]) throws {
        let gaps = Gaps(list: Gaps.List(elements))
        let record = try Record(gaps)
        #expect(record["list"] == .list(elements.map { $0.map { .int64(Int64($0)) } ?? .null }))
        #expect(try record.value(as: Gaps.self) == gaps)
    }

    @Test func numbersOfOneFamily() throws {
        var record = try Record(Place.sample("x"))
        record["population"] = 4.0
        record["area"] = 3
        record["capital"] = 1
        let place = try record.value(as: Place.self)
        #expect(place.population == 4 && place.area == 3 && place.isCapital)
    }

    private struct Huge: RecordConvertible { var inner: [String: UInt64] }
    private struct Lone: RecordConvertible {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(3)
        }
        init() {}
        init(from decoder: any Decoder) throws {}
    }

    @Test func whatNoFieldCanHold() throws {
        let huge = #expect(throws: RecordCodingError.self) { try Record(Huge(inner: ["n": .max])) }
        #expect(huge?.kind == .unsupported && huge?.path == "inner.n")
        let lone = #expect(throws: RecordCodingError.self) { try Record(Lone()) }
        #expect(lone?.kind == .unsupported && lone?.path == "")
        let other = #expect(throws: RecordCodingError.self) {
            try Record(Owner(name: "a", age: 1)).value(as: Place.self)
        }
        #expect(other?.kind == .recordType)
    }

    private struct Child: RecordConvertible, Equatable {
        var recordName: String
        var parent: RecordReference?
        var note: String?
        var recordType: String?
        var creationDate: Date?
    }

    @Test func partsThatAreNoFields() throws {
        let child = Child(recordName: "c", parent: RecordReference("p"), creationDate: Date())
        let record = try Record(child)
        #expect(record.fields.isEmpty && record.id == Record.ID("c") && record.parent == RecordReference("p"))
        let back = try record.value(as: Child.self)
        #expect(back == Child(recordName: "c", parent: RecordReference("p"), recordType: "Child"))
    }

    private struct Outer: RecordConvertible, Equatable {
        struct Inner: Codable, Equatable {
            var a: Int?
            var b: String
        }

        var inner: Inner
        var list: [Inner]
        var none: Inner?
    }

    @Test("Objects have no members for what is missing")
    func membersWithoutValues() throws {
        let outer = Outer(inner: .init(b: "x"), list: [.init(a: 1, b: "y"), .init(b: "z")])
        let record = try Record(outer)
        let fields: [String: FieldValue] = [
            "inner": .object(["b": "x"]), "list": .list([.object(["a": 1, "b": "y"]), .object(["b": "z"])]),
        ]
        #expect(record.fields == fields)
        #expect(try record.value(as: Outer.self) == outer)
    }

    private struct Sheet: RecordConvertible {
        var metadata: RecordMetadata
        var recordName: String
    }

    @Test("A name is one of the zone that the metadata tells")
    func namesInZones() throws {
        let id = Record.ID("a", zoneID: RecordZone.ID("Z"))
        #expect(try Record(Sheet(metadata: RecordMetadata(id: id), recordName: "a")).id == id)
        let error = #expect(throws: RecordCodingError.self) {
            try Record(Sheet(metadata: RecordMetadata(id: id), recordName: "b"))
        }
        #expect(error?.kind == .conflict)
    }

    @Test func updatingARecord() throws {
        var record = try Record(Child(recordName: "c", parent: RecordReference("p"), note: "n"))
        record["other"] = 3
        try record.update(with: Child(recordName: "c", note: nil))
        #expect(record.fields == ["other": 3] && record.parent == nil)
        #expect(record.changedKeys() == ["note", "other"])
        let other = #expect(throws: RecordCodingError.self) { try record.update(with: Child(recordName: "d")) }
        #expect(other?.kind == .conflict)
        let type = #expect(throws: RecordCodingError.self) { try record.update(with: Owner(name: "a", age: 1)) }
        #expect(type?.kind == .recordType)
    }
}
