// Where nothing matched: the same predicate without regard to letter case and marks.

package import PredicateSyntax
import RecordDatabase

extension Linter {
    /// The predicate with `[cd]` behind each comparison of texts, and how many records match that; `nil` where none
    /// does, or nothing would be different.
    package func relaxed(_ text: String) -> (text: String, count: Int)? {
        (try? RecordPredicate.tree(of: text, dialect)).flatMap { relaxed($0.root) }
    }

    /// What is said of such a predicate.
    package static func note(_ relaxed: (text: String, count: Int)) -> String {
        let count = relaxed.count == 1 ? "1 record matches" : "\(relaxed.count.grouped) records match"
        return "ignoring case and marks, \(count): \(relaxed.text)"
    }

    /// As `relaxed(_:)` of a text.
    package func relaxed(_ node: PredicateNode) -> (text: String, count: Int)? {
        guard var records else { return nil }
        let root = Self.relaxed(node)
        guard root != node else { return nil }
        let text = SyntaxTree(root).description
        // Runs once, and nobody requested it: an index would cost more than it saves, and nobody waits long for it.
        records.buildsIndexes = false
        records.limits.time = .milliseconds(200)
        guard
            let predicate = try? RecordPredicate(text, arguments, dialect: dialect),
            let count = try? records.count(matching: predicate, variables: variables), count > 0
        else { return nil }
        return (text, count)
    }

    /// Of several conditions the one without which most records match, and how many those are; `nil` for a predicate
    /// that is no conjunction, and where none matches either.
    package func decisive(_ text: String) -> (condition: String, count: Int)? {
        guard var records, let tree = try? RecordPredicate.tree(of: text, dialect),
            case .and(let terms) = tree.root.kind,
            terms.count <= 8, arguments.isEmpty
        else { return nil }
        records.buildsIndexes = false
        records.limits.time = .milliseconds(200)
        var best: (index: Int, count: Int)?
        for index in terms.indices {
            var others = terms
            others.remove(at: index)
            let rest = SyntaxTree(others.count == 1 ? others[0] : PredicateNode(.and(others))).description
            guard let predicate = try? RecordPredicate(rest, arguments, dialect: dialect),
                let count = try? records.count(matching: predicate, variables: variables)
            else { return nil }
            if count > best?.count ?? 0 { best = (index, count) }
        }
        return best.map { (SyntaxTree(terms[$0.index]).description, $0.count) }
    }

    private static func relaxed(_ node: PredicateNode) -> PredicateNode {
        switch node.kind {
        case .constant, .not: return node
        case .and(let terms): return PredicateNode(.and(terms.map(relaxed)))
        case .or(let terms): return PredicateNode(.or(terms.map(relaxed)))
        case .comparison(var comparison):
            guard comparesText(comparison), comparison.options.isDisjoint(with: [.normalized, .localeSensitive]) else {
                return node
            }
            comparison.options.formUnion([.caseInsensitive, .diacriticInsensitive])
            return PredicateNode(.comparison(comparison))
        }
    }

    private static func comparesText(_ comparison: Comparison) -> Bool {
        switch comparison.comparisonOperator {
        case .equal, .contains, .beginsWith, .endsWith, .like, .matches, .in, .tokenMatches: break
        default: return false
        }
        switch comparison.rhs.kind {
        case .literal(.string): return true
        case .aggregate(let elements):
            return elements.allSatisfy { if case .literal(.string) = $0.kind { true } else { false } }
        default: return false
        }
    }
}
