// How a result is found, which index would help, and queries that are rejected.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordModel
import RecordStore

extension RecordSet {
    /// Runs a query and reports its plan, which prints as a tree: each step with the rows expected and found, and its
    /// time; what is read row by row; and the indexes that would help.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    public func explain(
        _ predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> QueryExplanation {
        try limited(predicate) { () throws(RecordPredicateError) in
            try explained(predicate, try bind(predicate, variables: variables).0)
        }
    }

    private func explained(
        _ predicate: RecordPredicate, _ bound: BoundPredicate
    ) throws(RecordPredicateError) -> QueryExplanation {
        let query = plan(bound)
        let reports = try located(in: predicate) { () throws(EvaluationError) -> [PlanReport] in try query.report() }
        let segments = query.segmentQueries
        let planned = bound.simplified().description
        let written = bound.description
        return QueryExplanation(
            predicate: predicate.description, simplified: planned == written ? nil : planned, records: count,
            plans: zip(segments, reports).map { QueryExplanation.Plan(records: $0.rowCount, step: .init($1)) },
            scans: segments.scannedParts.map {
                QueryExplanation.Scan(part: $0.node.description, span: $0.node.span, reason: $0.reasonText)
            },
            advice: advice(of: segments.missingIndexes), pushed: source.pushed)
    }

    /// The indexes that are missing here, and on the server that has the records.
    private func advice(of missing: [MissingIndex]) -> [IndexAdvice] {
        missing.map(IndexAdvice.init).filter { source.serverIndexes?.lacks($0) ?? true }
    }

    /// The indexes that would at least halve the records read for a predicate, the greatest help first; the query is
    /// not run.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields.
    /// - Complexity: That of planning, and a look at a sample of records.
    public func advice(
        for predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> [IndexAdvice] {
        try limited(predicate) { () throws(RecordPredicateError) in
            advice(of: plan(try bind(predicate, variables: variables).0).segmentQueries.missingIndexes)
        }
    }

    /// Rejects a query that would read every record, where `refusesScans` is set.
    func checkScan(_ query: SnapshotQuery, of predicate: RecordPredicate) throws(RecordPredicateError) {
        guard refusesScans, let rejection = query.scanRejection else { return }
        throw RecordPredicateError(rejection, in: predicate.text)
    }
}

extension QueryExplanation.Step {
    fileprivate init(_ report: PlanReport) {
        self.init(
            name: report.step, detail: report.detail, field: report.use?.field, estimatedRows: report.estimate,
            isExact: report.isExact, rows: report.rows, time: report.time, inputs: report.inputs.map { Self($0) })
    }
}

extension RecordPredicateError {
    /// The error for a rejected predicate that was parsed from a text.
    init(_ rejection: ScanRejection, in text: String) {
        let hint: String? =
            switch rejection.part.reason {
            case .noIndex where rejection.part.index != nil:
                rejection.part.index.map { index in
                    "an index of kind \(index.kind) would serve it: mark the field '\(index.field)' "
                        + index.mark.names.joined(separator: ", ")
                }
            case .noIndex: "join it by AND with a condition that uses an index"
            case .mayFail: "it may fail, so it runs on every record: use a field of one known kind"
            case .context: "it depends on chance or variables, which no index holds"
            }
        self.init(
            .planning, text, rejection.part.node.span,
            message: "all \(rejection.rows) records would be read, which is refused here: "
                + "no index serves \(rejection.part.node)",
            hint: hint)
    }
}
