// Parts of a predicate that may fail, under a negation, and words of which one is enough.

import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct FailingPartTests {
    private static let types: [String: FieldType] = ["name": .string, "weight": .int64, "rate": .double]
    private static let layout = ColumnLayout(types, table: "r_City")

    private static func bounds(_ text: String) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "City", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: []))
        return Lowering(layout, zoneID: .default, types: [layout]).bounds(bound)
    }

    @Test(
        "What may fail may fail under a negation, too, and no row is kept from it",
        arguments: [
            "NOT CAST(name, 'NSNumber') > 2 AND weight > 1",
            "NOT (CAST(name, 'NSNumber') > 2 AND rate < 2) AND weight > 1",
            "NOT (CAST(name, 'NSNumber') > 2 OR rate < 2) AND weight > 1",
            "NOT (NOT (CAST(name, 'NSNumber') > 2 AND rate < 2)) AND weight > 1",
        ])
    func negations(_ predicate: String) throws {
        let bounds = try Self.bounds(predicate)
        #expect(bounds.mayFail && !bounds.isExact)
        #expect(bounds.possible == .constant(true) && bounds.certain == .constant(false))
    }

    @Test("What is before a part that may fail keeps rows from it, also under a negation")
    func partsBefore() throws {
        let bounds = try Self.bounds("weight > 1 AND NOT (CAST(name, 'NSNumber') > 2 AND rate < 2)")
        #expect(bounds.mayFail && bounds.possible.withConstants == "(\"weight~i\" > 1)")
        #expect(bounds.certain == .constant(false))
    }

    @Test("One of several words is enough where any of them is looked for")
    func anyWord() throws {
        let bounds = try Self.bounds("ANY allTokens IN[cd] {'two', 'words'}")
        let found = #"("_w" @@ ''two' | 'words''::tsquery)"#
        #expect(bounds.possible.withConstants == "(\(found) OR (\"_odd\"))")
        #expect(bounds.certain.withConstants == "(\(found) AND (\"_x\" & 8 = 0))")
    }
}
