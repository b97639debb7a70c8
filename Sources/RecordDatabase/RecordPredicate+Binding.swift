// A predicate's way from text to something that can be evaluated, with errors that keep the text.

package import PredicateSemantics
package import PredicateSyntax
import RecordColumns
package import RecordModel

extension RecordPredicate {
    /// The syntax tree of a text, checked against a dialect; placeholders stay unbound.
    /// - Throws: `PredicateError` of the syntax stage.
    package static func tree(of text: String, _ dialect: Dialect) throws(PredicateError) -> SyntaxTree {
        do throws(SyntaxError) {
            let tree = try SyntaxTree(parsing: text)
            try tree.validate(for: dialect)
            return tree
        } catch {
            throw PredicateError(error, in: text)
        }
    }

    /// The predicate of a text with its arguments, checked against a dialect.
    /// - Throws: `PredicateError` of the syntax or the binding stage.
    package static func parsed(
        _ text: String, _ arguments: [FieldValue], dialect: Dialect
    ) throws(PredicateError) -> RecordPredicate {
        let tree = try tree(of: text, dialect)
        return RecordPredicate(stringLiteral: tree.text)
    }
}

/// A predicate ready for plain values, as the line protocol evaluates them: SELF is the value.
package struct ValueTest: Sendable {
    private let bound: BoundPredicate
    private let text: String

    /// A test without a schema.
    /// - Throws: `PredicateError` of the binding stage.
    package init(_ predicate: RecordPredicate, variables: [String: FieldValue] = [:]) throws(PredicateError) {
        text = predicate.text
        do throws(BindingError) {
            bound = try Binder(schema: nil).bind(predicate, variables: variables)
        } catch {
            throw PredicateError(error, in: predicate.text)
        }
    }

    /// Whether the predicate holds for a value.
    /// - Throws: `PredicateError` of the evaluation stage.
    package func evaluate(on value: FieldValue) throws(PredicateError) -> Bool {
        do throws(EvaluationError) {
            return try bound.evaluate(onValue: value)
        } catch {
            throw PredicateError(error, in: text)
        }
    }
}

extension RecordSet {
    /// The predicate bound to the fields of the records that questions are about.
    func bind(
        _ predicate: RecordPredicate, variables: [String: FieldValue]
    ) throws(PredicateError) -> BoundPredicate {
        do throws(BindingError) {
            return try Binder(schema: bindingSchema).bind(predicate, variables: variables)
        } catch {
            throw PredicateError(error, in: predicate.text)
        }
    }

    /// All fields of all types asked about, and the names of the record's own parts. A field that types disagree about
    /// may be anything. `nil` for a set without records, which has no fields to compare with.
    private var bindingSchema: RecordSchema? {
        if count == 0 { return nil }
        var merged = RecordSchema(recordType: recordType ?? "")
        for field in schemas.flatMap(\.fields) {
            let known = merged.type(of: field.name)
            merged.define(known == nil || known == field.type ? field : FieldDefinition(name: field.name, type: .any))
        }
        for name in [table.keys.id, table.keys.type, "recordName", "recordType"] {
            if let name, merged.position(of: name) == nil { merged.define(FieldDefinition(name: name, type: .string)) }
        }
        if merged.position(of: "recordID") == nil {
            merged.define(FieldDefinition(name: "recordID", type: .reference))
        }
        return merged
    }
}
