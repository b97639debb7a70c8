// Histograms of the numbers and dates of records.

public import PredicateSemantics
import PredicateSyntax
package import QueryExecution
public import RecordModel

extension RecordSet {
    /// How the numbers or dates of a field are spread among the records that match.
    ///
    /// Of a list field a record counts once in each bin that one of its elements is in.
    ///
    /// - Parameters:
    ///   - field: A name as in sort keys: of a field, or a path `a.b`.
    ///   - predicate: What the records must satisfy; `nil` for all of them.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - bins: Number of bins, 1 to 65,536. There is one bin where all values are equal.
    ///   - range: The first and the last edge, for dates in seconds since 2001-01-01T00:00:00Z; `nil` for the
    ///     smallest and the largest value of the records that match.
    /// - Returns: The histogram; without a range and without any value, one that reaches from 0 to 0.
    /// - Throws: `RecordPredicateError` when no record has the field, it is of another kind, the number of bins or the
    ///   range is no such, the predicate does not fit the records' fields or cannot be evaluated on one, or the query
    ///   exceeds `limits`. The error's text is the predicate, or the field at fault.
    /// - Complexity: That of the plan, and O(matches).
    public func histogram(
        of field: String, where predicate: RecordPredicate? = nil, variables: [String: FieldValue] = [:],
        bins: Int = 20, within range: ClosedRange<Double>? = nil
    ) throws(RecordPredicateError) -> Histogram {
        let predicate = predicate ?? "TRUEPREDICATE"
        return try limited(predicate) { () throws(RecordPredicateError) in
            let rows = try matchingRows(of: predicate, variables: variables)
            return try histogram(of: field, at: rows, bins: bins, within: range)
        }
    }

    /// As the public function, for records that were found before.
    package func histogram(
        of field: String, at rows: MatchingRows, bins: Int, within range: ClosedRange<Double>?
    ) throws(RecordPredicateError) -> Histogram {
        let kind = try histogramKind(of: field)
        try check(bins, range, of: field)
        do throws(EvaluationError) {
            var isDate = kind == .dates
            var extent = range
            if extent == nil || kind == .either {
                var found = try snapshot.extent(of: field, at: rows, areDates: isDate)
                if found == nil, kind == .either {
                    found = try snapshot.extent(of: field, at: rows, areDates: true)
                    isDate = found != nil
                }
                extent = extent ?? found
            }
            let spread = try snapshot.spread(
                of: field, at: rows, areDates: isDate, within: extent ?? 0...0, bins: bins)
            return Histogram(spread, isDate: isDate)
        } catch {
            throw RecordPredicateError(error, in: field)
        }
    }

    private enum HistogramKind {
        case numbers, dates
        /// The schema does not tell: of paths, of parts of the record, of fields with values of several kinds.
        case either
    }

    /// - Throws: `RecordPredicateError` for a field that no record has, and for one of another kind.
    private func histogramKind(of field: String) throws(RecordPredicateError) -> HistogramKind {
        try checkKnown([.field(field)])
        switch mergedSchema.type(of: field) {
        case .date, .list(.date): return .dates
        case .int64, .double, .number, .list(.int64), .list(.double), .list(.number): return .numbers
        case .any, .list(.any), .list(nil), nil: return .either
        case let type?:
            throw RecordPredicateError(
                .binding, field, SourceSpan(0, field.utf8.count),
                message: "a histogram of '\(field)' needs numbers or dates, not \(OperandType(type).phrase)",
                hint: "facets count values of any kind")
        }
    }

    private func check(
        _ bins: Int, _ range: ClosedRange<Double>?, of field: String
    ) throws(RecordPredicateError) {
        let span = SourceSpan(0, field.utf8.count)
        guard (1...1 << 16).contains(bins) else {
            throw RecordPredicateError(
                .binding, field, span, message: "a histogram has 1 to 65536 bins, not \(bins)", hint: nil)
        }
        guard let range, !range.lowerBound.isFinite || !range.upperBound.isFinite else { return }
        throw RecordPredicateError(
            .binding, field, span, message: "the edges of a histogram are finite numbers", hint: nil)
    }
}
