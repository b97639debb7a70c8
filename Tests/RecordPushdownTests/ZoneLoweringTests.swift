// References, of which the zone tells where they lead, and numbers that have no order.

import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct ZoneLoweringTests {
    private static let types: [String: FieldType] = [
        "owner": .reference, "friends": .list(.reference), "weight": .int64, "rate": .double, "counts": .list(.int64),
    ]
    private static let layout = ColumnLayout(types, table: "r_City")

    private static func bounds(
        _ text: String, _ arguments: [FieldValue] = [], in zoneID: RecordZone.ID? = .default
    ) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "City", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
        return Lowering(layout, zoneID: zoneID, types: [layout]).bounds(bound)
    }

    private static func words(_ condition: Condition) -> String {
        condition.text.printed().text.replacing("\"r\".", with: "")
    }

    private static func reference(_ name: String, _ zoneID: RecordZone.ID = .default) -> FieldValue {
        .reference(RecordReference(recordID: Record.ID(name, zoneID: zoneID)))
    }

    private static let zone = RecordZone.ID("Z")

    /// Users are records of the default zone, whatever zone is looked at.
    @Test(arguments: ["creatorUserRecordID", "lastModifiedUserRecordID"])
    func usersAreInTheDefaultZone(_ field: String) throws {
        let column = field.hasPrefix("creator") ? "_u0" : "_u1"
        for zoneID in [Self.zone, .default, nil] as [RecordZone.ID?] {
            let bounds = try Self.bounds("\(field) == %@", [Self.reference("u")], in: zoneID)
            #expect(Self.words(bounds.possible) == "(\"\(column)\" = $1)" && bounds.isExact)
            let elsewhere = try Self.bounds("\(field) == %@", [Self.reference("u", Self.zone)], in: zoneID)
            #expect(elsewhere.possible == .constant(false))
        }
    }

    /// Only references into the zone of the rows lead to what is there; of any zone it is not certain which.
    @Test(arguments: ["ANY friends == %@", "owner == %@", "parent == %@"])
    func referencesLeadIntoTheirZone(_ text: String) throws {
        #expect(try Self.bounds(text, [Self.reference("o")], in: Self.zone).possible == .constant(false))
        let inside = try Self.bounds(text, [Self.reference("o", Self.zone)], in: Self.zone)
        #expect(inside.isExact && inside.possible != .constant(false) && inside.possible != .constant(true))
        let anywhere = try Self.bounds(text, [Self.reference("o", Self.zone)], in: nil)
        #expect(anywhere.possible == inside.possible && anywhere.certain == .constant(false))
    }

    /// Names are looked for as they are stored; no record of a server has one with U+0000.
    @Test(
        arguments: ["recordName == %@", "owner.recordName == %@", "recordID == %@", "owner == %@", "ANY friends == %@"])
    func namesAreNotTexts(_ text: String) throws {
        func argument(_ name: String) -> FieldValue { text.contains("Name") ? .string(name) : Self.reference(name) }
        let value = FieldValue.string("a\u{1}b")
        let bounds = try Self.bounds(text, [argument("a\u{1}b")])
        #expect(bounds.isExact && bounds.printed().values == [text.hasPrefix("ANY") ? .list([value]) : value])
        let none = try Self.bounds(text, [argument("a\u{0}b")])
        #expect(none.isExact && none.possible == .constant(false))
        let order = try #require(OrderShape([SortKey(.recordName)], Self.layout))
        let behind = try #require(order.behind([value], zone: nil))
        #expect(behind.text.printed().values == [.text("a\u{1}b")])
        #expect(order.behind([.string("a\u{0}b")], zone: nil) == nil)
    }

    /// Names that may be written in other ways are looked for in all of them, or wherever there is one.
    @Test(arguments: ["owner.recordName == %@", "owner == %@", "owner IN %@", "ANY friends == %@"])
    func namesAreWrittenInOtherWays(_ text: String) throws {
        func bounds(_ name: String) throws -> Bounds {
            let value = text.contains("Name") ? FieldValue.string(name) : Self.reference(name)
            return try Self.bounds(text, [text.contains("IN") ? .list([value]) : value])
        }
        let kelvin = try bounds("\u{212A}yiv")
        #expect(kelvin.isExact && kelvin.printed().values == [.list(["Kyiv", "\u{212A}yiv"])])
        let letter = try bounds("caf\u{E9}")
        #expect(letter.certain == .constant(false) && letter.printed().values == [])
        #expect(letter.possible != .constant(true) && letter.possible != .constant(false))
    }

    /// Of what has no column nothing is known, also behind a reference.
    @Test(arguments: ["owner.recordType == 'City'", "owner.recordID == %@", "owner.creationDate == nil"])
    func partsOfOtherRecords(_ text: String) throws {
        let bounds = try Self.bounds(text, text.contains("%@") ? [Self.reference("o")] : [])
        #expect(bounds.certain == .constant(false) && bounds.possible == .constant(true))
    }

    /// What is no number is above all numbers, and equal to none.
    @Test func numbersBesideNaN() throws {
        let count = "cardinality(\"counts~I\")::bigint"
        for (text, expected) in [
            ("counts.@count < %@", "(\(count) IS NOT NULL)"), ("counts.@count <= %@", "(\(count) IS NOT NULL)"),
            ("counts.@count > %@", "FALSE"), ("counts.@count >= %@", "FALSE"), ("counts.@count == %@", "FALSE"),
            ("weight < %@", "(\"weight~i\" IS NOT NULL)"), ("weight > %@", "FALSE"),
        ] {
            let bounds = try Self.bounds(text, [.double(.nan)])
            #expect(Self.words(bounds.possible) == expected && bounds.isExact, "\(text)")
        }
    }
}
