// How an answer is found, which index would help, and questions that are refused.

import PredicateSemantics
import QueryExecution
import QueryPlanning
import RecordModel
import RecordStore

extension RecordSet {
    /// Answers a predicate step by step and tells how.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    public func explanation(
        of predicate: RecordPredicate, variables: [String: FieldValue] = [:]
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
            advice: segments.missingIndexes.map(IndexAdvice.init))
    }

    /// The plan of a predicate as a tree: each step with the rows expected and found, and its time; what is read row by
    /// row; and the indexes that would help.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on
    ///   one.
    public func explain(
        _ predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> String {
        try explanation(of: predicate, variables: variables).description
    }

    /// The indexes that would at least halve the records read for a predicate, the greatest help first; the predicate
    /// is not answered.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields.
    /// - Complexity: That of planning, and a look at a sample of records.
    public func advice(
        for predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> [IndexAdvice] {
        try limited(predicate) { () throws(RecordPredicateError) in
            plan(try bind(predicate, variables: variables).0).segmentQueries.missingIndexes.map(IndexAdvice.init)
        }
    }

    /// Refuses a query that would read every record, where such queries are refused.
    func checkScan(_ query: SnapshotQuery, of predicate: RecordPredicate) throws(RecordPredicateError) {
        guard refusesScans, let refusal = query.scanRefusal else { return }
        throw RecordPredicateError(refusal, in: predicate.text)
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
    /// A refusal of the predicate that was parsed from a text.
    init(_ refusal: ScanRefusal, in text: String) {
        let hint: String? =
            switch refusal.reason {
            case .missing(let index):
                "an index of kind \(index.kind) would answer it: mark the field '\(index.field)' "
                    + index.mark.names.joined(separator: ", ")
            case .noIndex: "join it by AND with something that an index answers"
            case .mayFail: "it may fail, and so is asked of every record: ask for a field of one known kind"
            case .context: "it asks chance or variables, which no index knows"
            }
        self.init(
            .planning, text, refusal.span,
            message:
                "all \(refusal.rows) records would be read, which is refused here: no index answers \(refusal.part)",
            hint: hint)
    }
}
