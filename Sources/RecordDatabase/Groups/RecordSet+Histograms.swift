// Histograms of the numbers and dates of records.

public import PredicateSemantics
import PredicateSyntax
package import QueryExecution
public import RecordModel

extension RecordSet {
    /// How the numbers or dates of a field are spread among the records that match, in bins of equal width.
    ///
    /// As the function below with ``HistogramBins/equal(_:)``.
    public func histogram(
        of field: String, where predicate: RecordPredicate? = nil, variables: [String: FieldValue] = [:],
        bins: Int = 20, within range: ClosedRange<Double>? = nil
    ) throws(RecordPredicateError) -> Histogram {
        try histogram(of: field, where: predicate, variables: variables, bins: .equal(bins), within: range)
    }

    /// How the numbers or dates of a field are spread among the records that match.
    ///
    /// Of a list field a record counts once in each bin that one of its elements is in.
    ///
    /// - Parameters:
    ///   - field: A name as in sort keys: of a field, or a path `a.b`.
    ///   - predicate: What the records must satisfy; `nil` for all of them.
    ///   - variables: Values of the predicate's `$variables`, by name without the dollar sign.
    ///   - bins: Into which bins the range is cut. There is one bin where all values are equal.
    ///   - range: The first and the last edge, for dates in seconds since 2001-01-01T00:00:00Z; `nil` for the
    ///     smallest and the largest value of the records that match. Round bins and those of the calendar are whole
    ///     ones around it.
    /// - Returns: The histogram; without a range and without any value, one that reaches from 0 to 0.
    /// - Throws: `RecordPredicateError` when no record has the field, it is of another kind, the number of bins or the
    ///   range is no such, units of the calendar are requested of numbers, the predicate does not fit the records'
    ///   fields or cannot be evaluated on one, or the query exceeds `limits`. The error's text is the predicate, or the
    ///   field at fault.
    /// - Complexity: That of the plan, and O(matches).
    public func histogram(
        of field: String, where predicate: RecordPredicate? = nil, variables: [String: FieldValue] = [:],
        bins: HistogramBins, within range: ClosedRange<Double>? = nil
    ) throws(RecordPredicateError) -> Histogram {
        let predicate = predicate ?? "TRUEPREDICATE"
        return try limited(predicate) { () throws(RecordPredicateError) in
            let rows = try matchingRows(of: predicate, variables: variables)
            return try histogram(of: field, at: rows, bins: bins, within: range)
        }
    }

    /// As the public function, for records that were found before.
    package func histogram(
        of field: String, at rows: MatchingRows, bins: HistogramBins, within range: ClosedRange<Double>?
    ) throws(RecordPredicateError) -> Histogram {
        let kind = try histogramKind(of: field)
        try binning(field) { () throws(HistogramBins.Failure) in try bins.check() }
        if let range, !range.lowerBound.isFinite || !range.upperBound.isFinite {
            throw histogramError(field, "the edges of a histogram are finite numbers", hint: nil)
        }
        let (extent, isDate) = try reading(field) { () throws(EvaluationError) in
            try self.extent(of: field, at: rows, kind, within: range)
        }
        let edges = try binning(field) { () throws(HistogramBins.Failure) in
            try extent.flatMap { extent throws(HistogramBins.Failure) in
                try bins.edges(around: extent, areDates: isDate)
            }
        }
        let spread = try reading(field) { () throws(EvaluationError) in
            let empty = edges.map { NumberSpread(edges: $0) } ?? NumberSpread(extent ?? 0...0, bins: bins.count)
            return try snapshot.spread(of: field, at: rows, areDates: isDate, in: empty)
        }
        return Histogram(spread, isDate: isDate)
    }

    /// The range to be cut, and whether it is one of dates.
    private func extent(
        of field: String, at rows: MatchingRows, _ kind: HistogramKind, within range: ClosedRange<Double>?
    ) throws(EvaluationError) -> (ClosedRange<Double>?, isDate: Bool) {
        if let range, kind != .either { return (range, kind == .dates) }
        let found = try snapshot.extent(of: field, at: rows, areDates: kind == .dates)
        guard found == nil, kind == .either else { return (range ?? found, kind == .dates) }
        let dates = try snapshot.extent(of: field, at: rows, areDates: true)
        return (range ?? dates, dates != nil)
    }

    private func reading<Value>(
        _ field: String, _ body: () throws(EvaluationError) -> Value
    ) throws(RecordPredicateError) -> Value {
        do throws(EvaluationError) {
            return try body()
        } catch {
            throw RecordPredicateError(error, in: field)
        }
    }

    private func binning<Value>(
        _ field: String, _ body: () throws(HistogramBins.Failure) -> Value
    ) throws(RecordPredicateError) -> Value {
        do throws(HistogramBins.Failure) {
            return try body()
        } catch {
            throw histogramError(field, error.message, hint: error.hint)
        }
    }

    private func histogramError(_ field: String, _ message: String, hint: String?) -> RecordPredicateError {
        RecordPredicateError(
            .binding, field, SourceSpan(0, field.utf8.count), message: message, hint: hint)
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
            throw histogramError(
                field, "a histogram of '\(field)' needs numbers or dates, not \(OperandType(type).phrase)",
                hint: "facets count values of any kind")
        }
    }
}
