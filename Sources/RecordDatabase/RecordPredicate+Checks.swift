// A predicate's way from text to something that can be evaluated, as the command and its line protocol take it.

package import PredicateSemantics
package import PredicateSyntax
package import RecordModel

extension RecordPredicate {
    /// The syntax tree of a text, checked against a dialect; placeholders stay unbound.
    /// - Throws: `RecordPredicateError` of the syntax stage.
    package static func tree(of text: String, _ dialect: Dialect) throws(RecordPredicateError) -> SyntaxTree {
        do throws(SyntaxError) {
            let tree = try SyntaxTree(parsing: text)
            try tree.validate(for: dialect)
            return tree
        } catch {
            throw RecordPredicateError(error, in: text)
        }
    }

    /// The predicate of a text with its arguments, checked against a dialect.
    /// - Throws: `RecordPredicateError` of the syntax or the binding stage.
    package init(_ text: String, _ arguments: [FieldValue], dialect: Dialect) throws(RecordPredicateError) {
        try self.init(try Self.tree(of: text, dialect), arguments: arguments)
    }

    /// A test of plain values without a schema: SELF is the value.
    /// - Throws: `RecordPredicateError` of the binding stage.
    package func valueTest(
        variables: [String: FieldValue]
    ) throws(RecordPredicateError) -> (FieldValue) throws(RecordPredicateError) -> Bool {
        let bound = try Binder().bind(self, variables: variables)
        let context = EvaluationContext.current()
        return { value throws(RecordPredicateError) in
            do throws(EvaluationError) {
                return try bound.evaluate(onValue: value, context: context)
            } catch {
                throw RecordPredicateError(error, in: text)
            }
        }
    }
}
