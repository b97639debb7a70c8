// Deciding single rows: the way back from plans to the meaning of the language.

package import PredicateSemantics

/// Decides parts of a predicate on rows of one segment, by the per-record evaluator.
package protocol RowEvaluator: Sendable {
    /// Whether the node holds for the record of a row below the segment's count.
    func holds(_ node: BoundNode, row: Int) throws(EvaluationError) -> Bool
}
