// Keys in the places of values: where a text without its quotes is taken for a key.

extension SyntaxTree {
    /// Plain keys that appear alone right of an operator, or in a list there: `CH` in `country == CH`.
    package var bareValueKeys: Set<String> {
        var keys: Set<String> = []
        Self.collect(root, into: &keys)
        return keys
    }

    private static func collect(_ node: PredicateNode, into keys: inout Set<String>) {
        switch node.kind {
        case .constant: break
        case .not(let term): collect(term, into: &keys)
        case .and(let terms), .or(let terms): for term in terms { collect(term, into: &keys) }
        case .comparison(let comparison): keys.formUnion(comparison.bareValues.map(\.name))
        }
    }
}

extension Comparison {
    /// The plain keys right of the operator, or in a list there, with their places.
    package var bareValues: [(name: String, span: SourceSpan)] {
        switch rhs.kind {
        case .key(let name): [(name, rhs.span)]
        case .aggregate(let elements):
            elements.compactMap { if case .key(let name) = $0.kind { (name, $0.span) } else { nil } }
        default: []
        }
    }
}
