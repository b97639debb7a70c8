// Which index would serve a comparison, whether it is there or not.

package import Indexing
package import PredicateSemantics
import RecordColumns
package import RecordModel
package import TextAnalysis

/// An index that a field may have.
package struct IndexCandidate: Hashable, Sendable {
    /// The field; `allTokens` for the words of all texts.
    package var field: String
    package var kind: IndexKind
    /// How texts are folded.
    package var options: TextOptions

    /// What the field would have to be marked as.
    package var mark: IndexMarks { kind.mark }

    /// The field with the letters of its folding, as plans show it: `name[cd]`.
    package var fieldText: String { options.letters.isEmpty ? field : "\(field)[\(options.letters)]" }
}

extension SegmentPlanner {
    /// The index that would serve a comparison; `nil` when none could.
    package func candidate(for comparison: BoundComparison) -> IndexCandidate? {
        guard let constraint = comparison.constraint, constraint.isExact, constraint.subject.keys.isEmpty else {
            return nil
        }
        guard let field = constraint.subject.field else {
            return candidate(for: constraint.requirement, field: "allTokens", column: nil)
        }
        guard let column = segment.column(named: field.name) else { return nil }
        let isList = if case .list = column.values { true } else { false }
        switch constraint.requirement {
        case .tokens, .analyzed, .tokenPrefix: break
        default: guard isList == constraint.subject.isElementwise else { return nil }
        }
        return candidate(for: constraint.requirement, field: field.name, column: column)
    }

    private func candidate(
        for requirement: FieldConstraint.Requirement, field: String, column: Column?
    ) -> IndexCandidate? {
        func found(_ kind: IndexKind, _ options: TextOptions = []) -> IndexCandidate? {
            IndexCandidate(field: field, kind: kind, options: options)
        }
        func ordered(_ options: TextOptions) -> IndexCandidate? {
            guard let column, column.mayBeOrdered, !options.contains(.localeSensitive) else { return nil }
            return found(OrderedIndex.kind, column.mayHoldText ? options : [])
        }
        func parts(_ condition: TextCondition) -> IndexCandidate? {
            guard let column, case .text = column.values, TrigramIndex.canServe(condition.requirement) else {
                return nil
            }
            return found(TrigramIndex.kind)
        }
        switch requirement {
        case .presence: return nil
        case .equal(_, let options), .membership(_, let options), .range(_, _, let options), .prefix(_, let options):
            return ordered(options)
        case .distance, .area:
            if case .location = column?.values { return found(SpatialIndex.kind) }
            return nil
        case .tokens(_, _, let options), .tokenPrefix(_, let options):
            return column?.mayHoldText ?? true ? found(TokenIndex.kind, options) : nil
        case .analyzed(let words): return column?.mayHoldText ?? true ? found(TokenIndex.kind, words.options) : nil
        case .suffix(let text, let options): return parts(.endsWith(PreparedNeedle(text, options: options)))
        case .substring(let text, let options): return parts(.contains(PreparedNeedle(text, options: options)))
        case .pattern(.like(let pattern), let options):
            let pattern = LikePattern(pattern, options: options)
            return pattern.literalPrefix.isEmpty ? parts(.like(pattern)) : ordered(options)
        case .pattern(.regularExpression(let pattern), let options):
            return (try? RegularExpression(pattern, options: options)).flatMap { parts(.matches($0)) }
        }
    }
}

extension Column {
    /// Whether values, or elements of lists, have an order that an index can keep.
    fileprivate var mayBeOrdered: Bool {
        switch values {
        case .int64, .double, .number, .bool, .date, .text, .dictionary: true
        case .reference(let references): references.zone != nil
        case .list(let lists): lists.elements.mayBeOrdered
        case .missing, .data, .location, .any: false
        }
    }
}
