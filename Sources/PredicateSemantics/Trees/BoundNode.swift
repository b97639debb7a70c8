// The bound tree: truth. Predicates over resolved operands.

/// A truth-valued node of a bound predicate.
package indirect enum BoundNode: Sendable {
    /// True or false whatever the record.
    case constant(Bool)
    case not(BoundNode)
    /// All of two or more.
    case and([BoundNode])
    /// One of two or more.
    case or([BoundNode])
    case comparison(BoundComparison)
}
