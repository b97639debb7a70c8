// Parts of a bound predicate, decided on their own: for plans that take the rest from indexes.

extension BoundPredicate {
    /// A record as the predicate and the nodes of its tree read it.
    package func source(_ record: RecordFields) -> RecordFields { RecordFields(record, names) }
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
