// The comparisons of a bound predicate, wherever they appear in it.

extension BoundNode {
    /// Whether a test holds of every comparison, from left to right and up to the first where it does not; those within
    /// operands are not among them.
    package func allComparisons(_ holds: (BoundComparison) -> Bool) -> Bool {
        switch self {
        case .constant: true
        case .comparison(let comparison): holds(comparison)
        case .not(let node): node.allComparisons(holds)
        case .and(let nodes), .or(let nodes): nodes.allSatisfy { $0.allComparisons(holds) }
        }
    }

    /// The comparisons from left to right, each with whether it is under an odd number of NOTs.
    func forEachComparison(isNegated: Bool = false, _ visit: (BoundComparison, _ isNegated: Bool) -> Void) {
        switch self {
        case .constant: break
        case .comparison(let comparison): visit(comparison, isNegated)
        case .not(let node): node.forEachComparison(isNegated: !isNegated, visit)
        case .and(let nodes), .or(let nodes): for node in nodes { node.forEachComparison(isNegated: isNegated, visit) }
        }
    }
}
