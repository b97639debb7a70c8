// Comparisons that go through a reference: which field leads, and what is read of the record behind it.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct ReferenceStepEdgesTests {
    private struct NoComparison: Error { let text: String }

    private static func comparison(_ text: String) throws -> BoundComparison {
        let root = try Binder().bind(SyntaxTree(parsing: text)).root
        guard case .comparison(let comparison) = root else { throw NoComparison(text: text) }
        return comparison
    }

    /// Comparisons, and the field whose reference decides them alone; nil where there is none.
    @Test(arguments: [
        ("owner.name == 'x'", "owner"), ("owner.tags[0] == 'x'", "owner"), ("owner.boss.name == 'x'", "owner"),
        // The identifier is the reference's own, whether or not there is such a record.
        ("owner.recordID == nil", nil),
        // An index of the record's own: the record behind the reference does not have it.
        ("owner.tags[n] == 'x'", nil),
    ])
    func leadingFields(text: String, field: String?) throws {
        #expect(try Self.comparison(text).leadingField?.name == field)
    }

    /// Comparisons, and the fields that are read of the record behind the reference.
    @Test(arguments: [
        ("owner.name == 'x'", ["name"]),
        // What every record knows of itself is no field of a schema.
        ("owner.creationDate == nil", ["creationDate"]),
        ("owner.nothing == nil", []),
    ])
    func fieldsBehindReferences(text: String, names: [String]) throws {
        let schema = RecordSchema(recordType: "Owner", fields: [.init(name: "name", type: .string)])
        let found = try Self.comparison(text).behindReference(schema, systemFields: Binder.Settings.recordFields)
        #expect(found?.names == names)
    }
}
