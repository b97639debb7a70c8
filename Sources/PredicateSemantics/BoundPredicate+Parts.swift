// Parts of a bound predicate, decided on their own: for plans that answer the rest from indexes.

package import RecordModel

extension BoundPredicate {
    /// A record as nodes of the predicate's tree read it.
    ///
    /// - Parameter resolver: Finds the record behind a reference; without one, paths through references are nil.
    package func source(_ record: Record, resolver: (@Sendable (Reference) -> Record?)? = nil) -> RecordFields {
        RecordFields(record, names, resolver)
    }
}

extension BoundNode {
    /// Whether a node of a predicate's tree, or one made of its nodes, holds for a record.
    ///
    /// - Throws: `EvaluationError` at the first operand that has no meaning for the record.
    package func evaluate<Source: RecordSource>(
        on source: Source, context: EvaluationContext
    ) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(source: source, context: context)
        return try evaluator.holds(self)
    }
}
