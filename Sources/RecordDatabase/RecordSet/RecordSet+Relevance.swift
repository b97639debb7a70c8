// Results by relevance.

import PredicateSemantics
import PredicateSyntax
import QueryExecution
public import RecordModel

extension RecordSet {
    /// What an order by relevance needs; `nil` for other orders.
    /// - Throws: `RecordPredicateError` of the binding stage when the predicate looks for no words.
    func relevance(
        of query: SnapshotQuery, for keys: [SortKey], in predicate: RecordPredicate
    ) throws(RecordPredicateError) -> QueryRelevance? {
        guard keys.contains(where: { $0.criterion == .relevance }) else { return nil }
        if let relevance = query.relevance() { return relevance }
        throw .noWords(in: predicate)
    }

    /// The ordinals of the records that match and their scores, best match first; records of one score keep their
    /// order.
    ///
    /// Scores compare the records of one result. They change with the records of the set, since rare words weigh more.
    ///
    /// - Parameters:
    ///   - predicate: What the records must satisfy, with a token comparison that is not under NOT.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - limit: At most so many, the best.
    /// - Throws: `RecordPredicateError` when the predicate looks for no words, does not fit the records' fields, or
    ///   cannot be evaluated on one.
    /// - Complexity: That of the plan, and O(matches · searches).
    public func ordinalsByRelevance(
        matching predicate: RecordPredicate, variables: [String: FieldValue] = [:], limit: Int? = nil
    ) throws(RecordPredicateError) -> [(ordinal: Int, score: Double)] {
        let selection = try select(predicate, variables: variables, sortedBy: [.relevance], limit: limit)
        return zip(selection.ordinals, selection.scores ?? []).map { (ordinal: $0, score: $1) }
    }
}

extension RecordPredicateError {
    /// Relevance was requested, and the predicate looks for no words.
    static func noWords(in predicate: RecordPredicate) -> RecordPredicateError {
        RecordPredicateError(
            .binding, predicate.text, SourceSpan(0, predicate.text.utf8.count),
            message: "an order by relevance needs a token comparison, not under NOT",
            hint: "for example: allTokens TOKENMATCHES[cd] 'words'")
    }
}
