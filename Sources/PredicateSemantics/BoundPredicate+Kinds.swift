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
    package var kindClash: KindClash? {
        var clash: KindClash?
        _ = root.allComparisons { comparison in
            clash = comparison.kindClash
            return clash == nil
        }
        return clash
    }
}

extension BoundComparison {
    fileprivate var kindClash: KindClash? {
        guard let sides = comparisonOperator.semantics.equated(testedType, rhs.type), !sides.0.mayEqual(sides.1) else {
            return nil
        }
        return KindClash(span: span, message: "\(sides.0.phrase) is never equal to \(sides.1.phrase)")
    }
}

extension OperandType {
    /// Whether some value of this kind is equal to one of the other: of the elements of a list nothing may be known, as
    /// of one that is empty.
    fileprivate func mayEqual(_ other: OperandType) -> Bool {
        switch (self, other) {
        case (.list(let a), .list(let b)), (.set(let a), .set(let b)): a.mayEqual(b)
        default: fits(other)
        }
    }
}
