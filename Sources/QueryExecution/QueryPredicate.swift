// The predicate of a query, bound or still to be.

package import PredicateSemantics

/// The predicate of a query.
package enum QueryPredicate: Sendable {
    case bound(BoundPredicate)
    /// Bound when somebody needs it as a predicate.
    case template(FilledTemplate)

    var bound: BoundPredicate {
        switch self {
        case .bound(let bound): bound
        case .template(let template): template.bound
        }
    }
}
