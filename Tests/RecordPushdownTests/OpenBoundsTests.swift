// Alternatives of which one may fail, and fractions beside whole numbers that are none of them.

import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct OpenBoundsTests {
    private static let types: [String: FieldType] = ["name": .string, "weight": .int64, "rate": .double]
    private static let layout = ColumnLayout(types, table: "r_City")

    private static func bounds(_ text: String) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "City", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: []))
        return Lowering(layout, zoneID: .default, types: [layout]).bounds(bound)
    }

    @Test(
        "Where one of several parts may fail, all rows come to those behind it",
        arguments: [
            "(weight > 1 AND CAST(name, 'NSNumber') > 2) OR rate < 2",
            "weight == 7 OR (weight > 1 AND CAST(name, 'NSNumber') > 2) OR rate < 2",
        ])
    func alternatives(_ predicate: String) throws {
        let bounds = try Self.bounds(predicate)
        #expect(bounds.mayFail && !bounds.isExact)
        #expect(bounds.possible == .constant(true))
    }

    @Test(
        "The neighbour of a whole number that is no fraction is on one side of it, whether or not the bound counts",
        arguments: [
            ("rate < 9007199254740993", "<= 9007199254740992.0"), ("rate <= 9007199254740993", "<= 9007199254740992.0"),
            ("rate > 9007199254740993", "> 9007199254740992.0"), ("rate >= 9007199254740993", "> 9007199254740992.0"),
            ("rate < 9007199254740995", "< 9.007199254740996e+15"),
            ("rate <= 9007199254740995", "< 9.007199254740996e+15"),
            ("rate > 9007199254740995", ">= 9.007199254740996e+15"),
            ("rate >= 9007199254740995", ">= 9.007199254740996e+15"),
        ])
    func fractions(_ predicate: String, _ comparison: String) throws {
        let bounds = try Self.bounds(predicate)
        #expect(bounds.isExact && bounds.possible.withConstants == "(\"rate~d\" \(comparison))")
    }
}
