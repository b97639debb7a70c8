// Predicates as the filters of CloudKit's web service.

import RecordDatabase

/// Writes the `filterBy` of a web-service query.
struct FilterTranslator {
    /// The filters as JSON.
    /// - Throws: `TranslationRejection` for a part that no filter says, at its place in the text.
    func filters(of predicate: RecordPredicate, _ root: BoundNode) throws(TranslationRejection) -> String {
        do {
            return try predicate.filterBy()
        } catch let error as FilterError {
            throw TranslationRejection(
                Self.span(of: error.place, in: root) ?? Self.span(of: root),
                "CloudKit's web service has no counterpart: \(error.message)", hint: error.hint)
        } catch {
            throw TranslationRejection(Self.span(of: root), "\(error)")
        }
    }

    /// The place of the part with a canonical text.
    private static func span(of part: String, in node: BoundNode) -> SourceSpan? {
        if node.description == part { return span(of: node) }
        switch node {
        case .constant, .comparison: return nil
        case .not(let term): return span(of: part, in: term)
        case .and(let terms), .or(let terms): return terms.lazy.compactMap { span(of: part, in: $0) }.first
        }
    }

    /// From the first comparison to the last.
    private static func span(of node: BoundNode) -> SourceSpan {
        switch node {
        case .constant: return .none
        case .comparison(let comparison): return comparison.span
        case .not(let term): return span(of: term)
        case .and(let terms), .or(let terms):
            let spans = terms.map { span(of: $0).range }
            return SourceSpan(spans.map(\.lowerBound).min() ?? 0, spans.map(\.upperBound).max() ?? 0)
        }
    }
}
