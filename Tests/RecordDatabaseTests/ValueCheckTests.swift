// What a database stores of values: their types, what becomes of them, how large they are.

import Foundation
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ValueCheckTests {
    private static let zone = RecordZone.ID("Z")
    private static let check = ValueCheck(zoneID: zone, userName: "u")
    private static let strict = ValueCheck(zoneID: zone, userName: "u", dialect: .cloudKit)

    private static func link(_ zone: RecordZone.ID, _ action: RecordReference.Action = .none) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID("r", zoneID: zone), action: action))
    }

    /// What a check makes of a value: the type or the value that is stored, or whether the fault is of the value alone.
    private enum Outcome<Value: Equatable & Sendable>: Equatable, Sendable {
        case value(Value)
        case malformed
        case unsuitable
    }

    private static func outcome<Value>(_ body: () throws(ValueFault) -> Value) -> Outcome<Value> {
        do throws(ValueFault) {
            return .value(try body())
        } catch {
            return error.isMalformed ? .malformed : .unsuitable
        }
    }

    private static let types: [(value: FieldValue, type: Outcome<FieldType>)] = [
        (.list([1, .double(2.5)]), .value(.list(.double))), (.list([.double(2.5), 1]), .value(.list(.double))),
        (.list([1, 2]), .value(.list(.int64))), (.list([true, 1]), .value(.list(.int64))),
        (.list([1, .double(2.5), 3]), .value(.list(.double))), (.list([1, "a"]), .malformed),
        (.list(["a", 1]), .malformed), (.list([1, .double(2.5), "a"]), .malformed), (.list([[1]]), .malformed),
        (.list([1, [1]]), .malformed), (.list(["a", .null]), .malformed), (.list([]), .unsuitable), (.null, .malformed),
        (.set([1]), .malformed), (.object([:]), .value(.object)), (.list([.object([:])]), .value(.list(.object))),
    ]

    @Test(arguments: types.indices) func typesOfValues(_ number: Int) {
        let (value, type) = Self.types[number]
        #expect(Self.outcome { () throws(ValueFault) in try Self.check.type(of: value) } == type, "\(value)")
    }

    /// `nil` where the value is stored as it is.
    private static let values: [(value: FieldValue, type: FieldType, stored: Outcome<FieldValue?>)] = [
        (.bool(true), .int64, .value(.int64(1))), (.bool(false), .int64, .value(.int64(0))),
        (.bool(true), .double, .value(.double(1))), (.bool(false), .double, .value(.double(0))),
        (.int64(3), .double, .value(.double(3))), (.double(3), .int64, .value(.int64(3))),
        (.double(2.5), .int64, .unsuitable), (.double(0x1p63), .int64, .unsuitable),
        (.double(-0x1p63), .int64, .value(.int64(.min))), (.double(.nan), .int64, .malformed),
        (.double(-.infinity), .double, .malformed), (.double(.nan), .string, .malformed),
        (.double(1), .double, .value(nil)), (.double(1), .string, .unsuitable), (.null, .int64, .value(nil)),
        ("1", .int64, .unsuitable), (.list(["1"]), .string, .unsuitable), ("1", .list(.string), .unsuitable),
        (.date(Date(timeIntervalSinceReferenceDate: .infinity)), .date, .malformed),
        (.date(Date(timeIntervalSinceReferenceDate: 1)), .date, .value(nil)),
        (.location(Location(latitude: 90.5, longitude: 0)), .location, .malformed),
        (.location(Location(latitude: -90, longitude: 180)), .location, .value(nil)),
        (.list([1, .double(2.5)]), .list(.double), .value(.list([.double(1), .double(2.5)]))),
        (.list([.double(1), 2, 3]), .list(.double), .value(.list([.double(1), .double(2), .double(3)]))),
        (.list([.double(2)]), .list(.int64), .value(.list([.int64(2)]))), (.list([]), .list(.int64), .value(nil)),
        (.list([1, .double(2.5)]), .list(.int64), .unsuitable), (.list([.null]), .list(.int64), .malformed),
        (.list([.double(.nan)]), .list(.double), .malformed),
        // References lead to records of the same zone, by whatever name of its owner.
        (link(zone, .deleteSelf), .reference, .value(nil)),
        (link(RecordZone.ID("Z", ownerName: "u"), .deleteSelf), .reference, .value(link(zone, .deleteSelf))),
        (link(RecordZone.ID("Z", ownerName: "v")), .reference, .unsuitable),
        (link(RecordZone.ID("Y", ownerName: "u")), .reference, .unsuitable),
        (link(RecordZone.ID("Y")), .reference, .unsuitable),
        (.list([link(zone), link(RecordZone.ID("Y"))]), .list(.reference), .unsuitable),
    ]

    @Test(arguments: values.indices) func valuesOfTypes(_ number: Int) {
        let (value, type, stored) = Self.values[number]
        let found = Self.outcome { () throws(ValueFault) in try Self.check.stored(value, as: type) }
        #expect(found == stored, "\(value) as \(type)")
    }

    /// Members of objects, in them and in lists of them.
    private static let members: [(value: FieldValue, stored: Outcome<FieldValue?>)] = [
        (.double(1.5), .value(nil)), (.double(.infinity), .malformed), (.bool(true), .value(nil)),
        (.date(Date(timeIntervalSinceReferenceDate: .nan)), .malformed),
        (.location(Location(latitude: 0, longitude: 181)), .malformed), (link(zone), .value(nil)),
        (link(zone, .deleteSelf), .malformed), (link(RecordZone.ID("Y")), .unsuitable),
        (.asset(Asset(path: "/f")), .malformed), (.set([1]), .malformed), (.list([[1], "a"]), .value(nil)),
        (.list([1, .null]), .value(nil)),
    ]

    @Test(arguments: members.indices) func membersOfObjects(_ number: Int) {
        let (value, stored) = Self.members[number]
        let deep = FieldValue.object(["a": 1, "b": .object(["c": .list([1, value])])])
        for object in [.object(["a": value]), deep] {
            let found = Self.outcome { () throws(ValueFault) in try Self.check.stored(object, as: .object) }
            #expect(found == stored, "\(object)")
        }
    }

    @Test func membersThatChange() throws {
        let object: FieldValue = .object([
            "a": .null, "b": .list([.null, 1]), "c": .object(["d": .null, "e": 2]),
            "f": .list([1, Self.link(RecordZone.ID("Z", ownerName: "u"))]),
        ])
        let stored: FieldValue = .object([
            "b": .list([.null, 1]), "c": .object(["e": 2]), "f": .list([1, Self.link(Self.zone)]),
        ])
        #expect(try Self.check.stored(object, as: .object) == stored)
        let list = try Self.check.stored(.list([.object([:]), object]), as: .list(.object))
        #expect(list == .list([.object([:]), stored]))
    }

    @Test(arguments: [false, true]) func objectsHaveSoManyLevels(inLists: Bool) throws {
        func nested(_ count: Int) -> FieldValue {
            let inner = (1..<count).reduce(FieldValue.int64(1)) { value, _ in
                inLists ? .list([value]) : .object(["a": value])
            }
            return .object(["a": inner])
        }
        let found = Self.outcome { () throws(ValueFault) in try Self.check.stored(nested(99), as: .object) }
        #expect(found == .value(nil))
        let error = #expect(throws: ValueFault.self) { try Self.check.stored(nested(100), as: .object) }
        #expect(error?.isMalformed == true)
    }

    @Test func cloudKitHasNoObjects() throws {
        for value in [FieldValue.object([:]), .list([.object([:])])] {
            #expect(throws: ValueFault.self) { try Self.strict.type(of: value) }
        }
        for type in [FieldType.object, .list(.object)] {
            #expect(throws: ValueFault.self) { try Self.strict.storable(type) }
            #expect(try Self.check.storable(type) == type)
        }
        for check in [Self.check, Self.strict] {
            #expect(try check.storable(.list(.bool)) == .list(.int64))
            #expect(try check.storable(.number) == .double)
            #expect(try check.storable(.any) == nil && check.storable(nil) == nil)
        }
    }

    @Test func sizesOfValues() {
        let sizes: [(value: FieldValue, bytes: Int)] = [
            (.null, 0), (.asset(Asset(path: "/file", size: 9)), 0), (.bool(true), 1), (.int64(1), 8), (.double(1), 8),
            (.date(Date(timeIntervalSince1970: 0)), 8), (.location(Location(latitude: 1, longitude: 2)), 16),
            (.string("\u{E9}\u{20AC}"), 5), (.data(Data([1, 2, 3])), 3),
            (.reference(RecordReference("n\u{E9}")), 3), (.list(["ab", 1]), 10), (.set(["ab", "c"]), 3),
            (.object(["key": "ab", "n": .list([1, 2])]), 18),
        ]
        for (value, bytes) in sizes { #expect(ValueCheck.byteCount(value) == bytes, "\(value)") }
    }
}
