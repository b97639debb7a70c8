// A predicate ready to meet records: the meaning of the language.

package import RecordModel

/// A predicate whose fields, arguments and constants are resolved.
///
/// It is a plain value: planners inspect `root`, and `evaluate` decides one record at a time. What `evaluate` says is
/// the meaning of the language; everything faster must agree with it.
package struct BoundPredicate: Sendable {
    /// The tree.
    package let root: BoundNode
    let names: FieldNames
    /// Whether it calls `now()` or `random`, so that evaluation needs a context of its moment.
    package let usesContext: Bool
    /// Variables without a value: the evaluation context must have them.
    package let openVariables: [String]

    init(root: BoundNode, fieldNames: [String], usesContext: Bool, openVariables: [String]) {
        self.init(root: root, names: FieldNames(fieldNames), usesContext: usesContext, openVariables: openVariables)
    }

    init(root: BoundNode, names: FieldNames, usesContext: Bool, openVariables: [String]) {
        self.root = root
        self.names = names
        self.usesContext = usesContext
        self.openVariables = openVariables
    }

    /// The fields it reads, by slot, in order of first use.
    package var fieldNames: [String] { names.names }

    /// Whether the predicate holds for a record.
    ///
    /// - Parameters:
    ///   - source: The record; its slots are numbered as `fieldNames`.
    ///   - context: Clock, chance and late variables; by default those of this moment.
    /// - Throws: `EvaluationError` at the first operand that has no meaning for the record.
    /// - Complexity: O(n) in the nodes of the tree and the elements of the lists they iterate.
    package func evaluate<Source: RecordSource>(
        on source: consuming Source, context: EvaluationContext? = nil
    ) throws(EvaluationError) -> Bool {
        var evaluator = Evaluator(
            source: source, context: context ?? (usesContext ? .current() : EvaluationContext.unused))
        return try evaluator.holds(root)
    }

    /// Whether the predicate holds for a record.
    ///
    /// - Throws: `EvaluationError` at the first operand that has no meaning for the record.
    package func evaluate(on record: Record, context: EvaluationContext? = nil) throws(EvaluationError) -> Bool {
        try evaluate(on: RecordFields(record, names, nil), context: context)
    }

    /// Whether the predicate holds for a plain value: SELF is the value, keys are looked up in it.
    ///
    /// - Throws: `EvaluationError` at the first operand that has no meaning for the value.
    package func evaluate(onValue value: FieldValue, context: EvaluationContext? = nil) throws(EvaluationError) -> Bool
    {
        try evaluate(on: PlainValue(value, names), context: context)
    }
}

extension BoundPredicate: CustomStringConvertible {
    /// The canonical text of what is left after binding.
    package var description: String { root.description }
}
