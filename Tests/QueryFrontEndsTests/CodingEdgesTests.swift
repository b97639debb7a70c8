// Values of every width and every way of coding as fields, and the types of fields that they declare.

import Foundation
import Geospatial
import PredicateSemantics
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct CodingEdgesTests {
    private struct Widths: RecordConvertible, Equatable {
        var bool: Bool?
        var text: String?
        var double: Double?
        var float: Float?
        var int: Int?
        var int8: Int8?
        var int16: Int16?
        var int32: Int32?
        var int64: Int64?
        var uint: UInt?
        var uint8: UInt8?
        var uint16: UInt16?
        var uint32: UInt32?
        var uint64: UInt64?
        var date: Date?
    }

    @Test("Optional values of every width are fields, and none where there is no value")
    func widths() throws {
        let date = Date(timeIntervalSinceReferenceDate: 5)
        let full = Widths(
            bool: false, text: "x", double: 2.5, float: 0.5, int: -1, int8: -8, int16: -16, int32: -32, int64: -64,
            uint: 1, uint8: 8, uint16: 16, uint32: 32, uint64: 64, date: date)
        let fields: [String: FieldValue] = [
            "bool": false, "text": "x", "double": 2.5, "float": 0.5, "int": -1, "int8": -8, "int16": -16, "int32": -32,
            "int64": -64, "uint": 1, "uint8": 8, "uint16": 16, "uint32": 32, "uint64": 64, "date": .date(date),
        ]
        var record = try Record(full)
        #expect(record.fields == fields)
        #expect(try record.value(as: Widths.self) == full)
        // What has no value takes it from the record, too.
        try record.update(with: Widths())
        #expect(record.fields.isEmpty)
        #expect(try record.value(as: Widths.self) == Widths())
    }

    /// A value that is coded by itself: what a container of one value takes.
    private enum Solo: Codable, CaseIterable {
        case bool, text, double, float, int, date, nothing

        init(from decoder: any Decoder) throws { self = .nothing }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .bool: try container.encode(true)
            case .text: try container.encode("x")
            case .double: try container.encode(2.5)
            case .float: try container.encode(Float(0.5))
            case .int: try container.encode(7)
            case .date: try container.encode(Date(timeIntervalSinceReferenceDate: 5))
            case .nothing: try container.encodeNil()
            }
        }
    }

    private struct Solos: RecordConvertible { var list: [Solo] }

    @Test("Each kind of a single value is kept as what it is")
    func singleValues() throws {
        let record = try Record(Solos(list: Solo.allCases))
        let date = FieldValue.date(Date(timeIntervalSinceReferenceDate: 5))
        #expect(record["list"] == .list([true, "x", 2.5, 0.5, 7, date, .null]))
    }

    private enum Key: String, CodingKey { case a, b, object, list, tail, missing }

    /// A list of elements of all kinds, coded one by one.
    private struct Mixed: Codable, Equatable {
        var counts: [Int] = []

        init() {}

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            counts.append(list.count ?? -1)
            guard try list.decode(Bool.self), try list.decode(String.self) == "x" else { return }
            guard try list.decode(Double.self) == 2.5, try list.decode(Float.self) == 0.5 else { return }
            guard try list.decode(Int8.self) == 7 else { return }
            guard try list.decode(Date.self) == Date(timeIntervalSinceReferenceDate: 5) else { return }
            counts.append(list.currentIndex)
            let inner = try list.nestedContainer(keyedBy: Key.self)
            guard try inner.decode(Int.self, forKey: .a) == 1, try inner.decodeNil(forKey: .b) else { return }
            guard !inner.contains(.b), inner.allKeys == [.a] else { return }
            var deep = try list.nestedUnkeyedContainer()
            guard try deep.decode(Int.self) == 3, deep.isAtEnd, !list.isAtEnd else { return }
            guard try String(from: list.superDecoder()) == "tail", list.isAtEnd else { return }
            counts.append(list.currentIndex)
            // There is none more.
            if (decoder.codingPath.first?.stringValue) == "beyond" { _ = try list.decode(Int.self) }
        }

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(true)
            try list.encode("x")
            try list.encode(2.5)
            try list.encode(Float(0.5))
            try list.encode(Int8(7))
            try list.encode(Date(timeIntervalSinceReferenceDate: 5))
            var inner = list.nestedContainer(keyedBy: Key.self)
            try inner.encode(1, forKey: .a)
            try inner.encodeNil(forKey: .b)
            var deep = list.nestedUnkeyedContainer()
            try deep.encode(3)
            try "tail".encode(to: list.superEncoder())
        }
    }

    private struct Mixture: RecordConvertible, Equatable {
        var mixed: Mixed
        var beyond: Mixed?
    }

    @Test("Elements that are coded one by one come back in order, and none beyond the last")
    func elements() throws {
        var record = try Record(Mixture(mixed: Mixed()))
        let date = FieldValue.date(Date(timeIntervalSinceReferenceDate: 5))
        let list: FieldValue = .list([true, "x", 2.5, 0.5, 7, date, .object(["a": 1]), [3], "tail"])
        #expect(record["mixed"] == list)
        #expect(try record.value(as: Mixture.self).mixed.counts == [9, 6, 9])
        record["beyond"] = list
        let error = #expect(throws: RecordCodingError.self) { try record.value(as: Mixture.self) }
        #expect(error?.kind == .missingValue && error?.path == "beyond[9]")
    }

    /// Members in containers of their own.
    private struct Nested: RecordConvertible, Equatable {
        var a = 1
        var b = [2, 3]
        var c = "x"
        var d = true

        init() {}

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            a = try container.nestedContainer(keyedBy: Key.self, forKey: .object).decode(Int.self, forKey: .tail)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            b = []
            while !list.isAtEnd { b.append(try list.decode(Int.self)) }
            c = try String(from: container.superDecoder())
            d = try Bool(from: container.superDecoder(forKey: .tail))
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var object = container.nestedContainer(keyedBy: Key.self, forKey: .object)
            try object.encode(a, forKey: .tail)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            for element in b { try list.encode(element) }
            try c.encode(to: container.superEncoder())
            try d.encode(to: container.superEncoder(forKey: .tail))
            try container.encodeNil(forKey: .missing)
        }
    }

    @Test("Containers within containers are objects and lists, and what is wrong in them has its place")
    func containers() throws {
        let record = try Record(Nested())
        let fields: [String: FieldValue] = [
            "object": .object(["tail": 1]), "list": [2, 3], "super": "x", "tail": true,
        ]
        #expect(record.fields == fields)
        #expect(try record.value(as: Nested.self) == Nested())
        let faults: [(String, FieldValue, String)] = [
            ("object", .object(["tail": "x"]), "object.tail"), ("object", 3, "object"), ("list", [1, "x"], "list[1]"),
            ("list", "x", "list"), ("super", 3, "super"), ("tail", "x", "tail"),
        ]
        for (field, value, path) in faults {
            var wrong = record
            wrong[field] = value
            let error = #expect(throws: RecordCodingError.self) { try wrong.value(as: Nested.self) }
            #expect(error?.kind == .typeMismatch && error?.path == path)
        }
    }

    private struct Notes: Codable, Equatable {
        var tags: [String]?
        var seen: Date?
    }

    private struct Annotated: RecordConvertible, Equatable { var notes: Notes }

    @Test("A member that is nil is no value, as one that is not there")
    func membersWithoutValue() throws {
        var record = try Record(Annotated(notes: Notes(tags: ["a"])))
        #expect(try record.value(as: Annotated.self).notes.tags == ["a"])
        for members in [[:], ["tags": .null, "seen": .null]] as [[String: FieldValue]] {
            record["notes"] = .object(members)
            #expect(try record.value(as: Annotated.self) == Annotated(notes: Notes()))
        }
    }

    // MARK: Types of fields

    @Test("The properties of a type declare the types of its fields")
    func declaredTypes() throws {
        let types: [String: FieldType] = [
            "name": .string, "nickname": .string, "population": .int64, "area": .double, "rank": .int64,
            "capital": .bool, "isPort": .bool, "tags": .list(.string), "scores": .list(.int64), "founded": .date,
            "location": .location, "spot": .location, "status": .string, "address": .object, "former": .object,
            "items": .list(.object), "owner": .reference, "mayor": .reference, "seal": .asset, "bytes": .data,
            "page": .string, "token": .string, "extra": .object,
        ]
        // Known from the first time on.
        for _ in 0..<2 { #expect(try Record(Place.sample("x")).declaredTypes == types) }
    }

    /// A type that leaves out keys without a value, and with a value of any kind.
    private struct Loose: RecordConvertible {
        var a: Int
        var b: Set<String>?
        var any: FieldValue

        init(a: Int, b: Set<String>?, any: FieldValue) { (self.a, self.b, self.any) = (a, b, any) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Names.self)
            a = try container.decode(Int.self, forKey: .a)
            b = nil
            any = .null
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Names.self)
            try container.encode(a, forKey: .a)
            if let b { try container.encode(b, forKey: .b) }
            try container.encode(any, forKey: .any)
        }

        enum Names: String, CodingKey { case a, b, any }
    }

    @Test("Types of keys that the first value left out are learnt from a later one, and kept")
    func typesOfLaterValues() throws {
        let (few, all) = (Loose(a: 1, b: nil, any: 2), Loose(a: 1, b: ["x"], any: "y"))
        #expect(try Record(few).declaredTypes == ["a": .int64, "any": .any])
        for value in [all, few] {
            #expect(try Record(value).declaredTypes == ["a": .int64, "b": .list(.string), "any": .any])
        }
    }

    // MARK: Builders

    @Test("Of several key paths that mean no field, the first one is told, with all of its text")
    func firstFailure() throws {
        func error(_ predicate: RecordPredicate.Of<Place>) -> RecordPredicateError? {
            #expect(throws: RecordPredicateError.self) { try predicate.untyped.validated() }
        }
        let (first, second) = (
            error(Place.where { $0.shout == "X" }), error(Place.where { $0.isBoth == true })
        )
        #expect(first != nil && first != second)
        #expect(error(Place.where { $0.shout == "X" && $0.isBoth == true }) == first)
        #expect(error(Place.where { $0.isBoth == true && $0.shout == "X" }) == second)
        #expect(first?.span.lowerBound == 0 && first.map { Int($0.span.upperBound) } == first?.text.utf8.count)
    }

    @Test("Lengths are metres, and a length is not less than itself")
    func lengths() {
        let lengths = [Distance.meters(5), .kilometers(2), .nauticalMiles(1), .miles(1)]
        #expect(lengths.map(\.meters) == [5, 2000, 1852, 1609.344])
        #expect(Distance.meters(1000) < .kilometers(2) && !(Distance.kilometers(1) < .meters(1000)))
        #expect(!(Distance.kilometers(2) < .meters(1000)))
    }

    /// Fields whose names have to be quoted, and others.
    private struct Odd: RecordConvertible {
        var a, b, c, d, e, f, g: Int

        enum CodingKeys: String, CodingKey {
            case a = "A"
            case b = "zZ"
            case c = "_"
            case d = "a1"
            case e = "it's"
            case f = "a\\b"
            case g = "Self"
        }
    }

    @Test("Names of letters stand as they are; others are fields all the same")
    func names() throws {
        let plain: [(RecordPredicate, String)] = [
            ("\(\Odd.a) == \(1)", "A"), ("\(\Odd.b) == \(1)", "zZ"), ("\(\Odd.c) == \(1)", "_"),
        ]
        let quoted: [(RecordPredicate, String)] = [
            ("\(\Odd.d) == \(1)", "a1"), ("\(\Odd.e) == \(1)", "it's"), ("\(\Odd.f) == \(1)", "a\\b"),
            ("\(\Odd.g) == \(1)", "Self"),
        ]
        for (predicate, name) in plain { #expect(predicate.arguments == [.string(name), 1]) }
        for (predicate, name) in plain + quoted {
            let record = Record(type: "Odd", id: Record.ID("x"), fields: [name: 1])
            let other = Record(type: "Odd", id: Record.ID("x"), fields: [name: 2])
            #expect(try predicate.evaluate(on: record) && !predicate.evaluate(on: other), "\(name)")
        }
    }

    // MARK: Filters

    @Test("Truth values of the type INT64 are 1 and 0, and references say what they do and where they are")
    func filterValues() throws {
        func value(_ json: String) throws -> FieldValue? {
            let filter = #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":\#(json)}]"#
            return try RecordPredicate(filterBy: filter).arguments.first
        }
        for (text, number) in [("true", 1), ("false", 0)] {
            let filter = #"[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":\#(text),"type":"INT64"}}]"#
            #expect(try RecordPredicate(filterBy: filter).description == "a == \(number)")
        }
        let kept = #"{"value":{"recordName":"r","action":"DELETE_SELF","zoneID":{"zoneName":"Z"}}}"#
        let id = Record.ID("r", zoneID: RecordZone.ID("Z"))
        #expect(try value(kept) == .reference(RecordReference(recordID: id, action: .deleteSelf)))
        let plain = #"{"value":{"recordName":"r","action":"NONE"},"type":"REFERENCE"}"#
        #expect(try value(plain) == .reference(RecordReference("r")))
    }

    @Test(
        "Quantified comparisons that no filter says are written as none",
        arguments: [
            "ALL scores IN {1, 2}", "ALL scores == 3", "ALL {1, 2} == a", "ANY {1, 2} < a", "NONE {1, 2} == a",
            "ANY tokenize('x', 'cdl') IN tokenize(name, 'c')", "ALL tokenize('x', 'cdl') IN tokenize(name, 'd')",
        ])
    func unsaid(text: String) throws {
        let predicate = try RecordPredicate(format: text)
        let error = #expect(throws: FilterError.self) { try predicate.filterBy() }
        #expect(error?.kind == .unsupported)
    }
}
