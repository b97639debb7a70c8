// Parts of predicates evaluated on their own, for tools that judge predicates instead of running them.

package import PredicateSemantics
import QueryExecution
import QueryPlanning
package import RecordModel
import RecordStore

extension BoundPredicate {
    /// The same predicate in fewer parts, as it is before it is planned.
    package var simplest: BoundPredicate { simplified() }
}

extension RecordSet {
    /// The fields that predicates about these records may name.
    package var fields: RecordSchema { mergedSchema }

    /// A binder of the records' fields, and of further ones that may hold anything.
    package func binder(alsoKnowing names: [String] = []) -> Binder {
        var schema = mergedSchema
        for name in names where schema.position(of: name) == nil {
            schema.define(FieldDefinition(name: name, type: .any))
        }
        return Binder(schema: schema, settings: binderSettings)
    }

    /// How many records a bound part matches.
    /// - Throws: `EvaluationError` at the first record that an operand has no meaning for.
    package func count(matching part: BoundPredicate) throws(EvaluationError) -> Int { try plan(part).count() }
}
