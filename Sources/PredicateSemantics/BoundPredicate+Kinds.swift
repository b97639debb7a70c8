// Comparisons that can never hold, for databases, where a field is of one kind for good.

package import PredicateSyntax

/// An equality or membership between kinds that are never equal.
package struct KindClash: Hashable, Sendable {
    package let span: SourceSpan
    package let message: String
}

extension BoundPredicate {
    /// The first comparison whose sides are of kinds that are never equal. The language lets it be false; a database
    /// takes it for a mistake. Complexity: O(nodes).
    package var kindClash: KindClash? { root.kindClash }
}

extension BoundNode {
    fileprivate var kindClash: KindClash? {
        switch self {
        case .constant: return nil
        case .not(let term): return term.kindClash
        case .and(let terms), .or(let terms):
            for term in terms { if let clash = term.kindClash { return clash } }
            return nil
        case .comparison(let comparison): return comparison.kindClash
        }
    }
}

extension BoundComparison {
    fileprivate var kindClash: KindClash? {
        let left = quantifier == nil ? lhs.type : (lhs.type.element ?? .any)
        let sides: (OperandType, OperandType)? =
            switch comparisonOperator {
            case .equal, .notEqual: (left, rhs.type)
            case .in: rhs.type.element.map { (left, $0) }
            case .contains: left.element.map { ($0, rhs.type) }
            default: nil
            }
        guard let sides, !sides.0.fits(sides.1) else { return nil }
        return KindClash(span: span, message: "\(sides.0.phrase) is never equal to \(sides.1.phrase)")
    }
}
