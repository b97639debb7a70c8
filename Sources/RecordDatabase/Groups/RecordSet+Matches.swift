// What one query found, kept for several summaries and for pages of results.

package import PredicateSemantics
import PredicateSyntax
package import QueryExecution
package import RecordModel

extension RecordSet {
    /// The records that match, by segment: for `facets(_:at:limit:)`, `histogram(of:at:bins:within:)`,
    /// `cells(of:at:in:)`.
    ///
    /// - Throws: `RecordPredicateError` as `select`.
    package func matchingRows(
        of predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> MatchingRows {
        try limited(predicate) { () throws(RecordPredicateError) in
            let query = try query(for: predicate, variables: variables)
            return try located(in: predicate) { () throws(EvaluationError) in try query.matchingRows() }
        }
    }

    /// The ordinals of records that were found, ascending: the order of loading.
    package func ordinals(at rows: MatchingRows) -> [UInt32] { snapshot.numbers(of: rows) }

    /// The places of records that were found, by the cells of a grid.
    /// - Throws: `RecordPredicateError` for a field that no record has, and when the query was interrupted.
    package func cells(
        of field: String, at rows: MatchingRows, in grid: PlaceGrid
    ) throws(RecordPredicateError) -> [PlaceCell] {
        try checkKnown([.field(field)])
        do throws(EvaluationError) {
            return try snapshot.cells(of: field, at: rows, in: grid)
        } catch {
            throw RecordPredicateError(error, in: field)
        }
    }
}
