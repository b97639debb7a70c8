// How an answer is found, for people.

import PredicateSemantics
import QueryExecution
import RecordModel

extension RecordSet {
    /// The plan of a predicate as a tree: each step with the rows expected and found, and its time.
    ///
    /// - Throws: `RecordPredicateError` when the predicate does not fit the records' fields or cannot be evaluated on one.
    public func explain(
        _ predicate: RecordPredicate, variables: [String: FieldValue] = [:]
    ) throws(RecordPredicateError) -> String {
        let query = plan(try bind(predicate, variables: variables).0)
        let reports = try located(in: predicate) { () throws(EvaluationError) -> [PlanReport] in try query.report() }
        return reports.map { Self.lines($0, prefix: "", childPrefix: "").joined(separator: "\n") + "\n" }.joined()
    }

    private static func lines(_ report: PlanReport, prefix: String, childPrefix: String) -> [String] {
        let detail = report.detail.isEmpty ? "" : " · \(report.detail)"
        let rows = report.step == "test" ? "" : ", \(report.rows) found, \(text(report.time))"
        var lines = ["\(prefix)\(report.step)\(detail)  (\(report.estimate) expected\(rows))"]
        for (number, input) in report.inputs.enumerated() {
            let isLast = number == report.inputs.count - 1
            lines += Self.lines(
                input, prefix: childPrefix + (isLast ? "└─ " : "├─ "),
                childPrefix: childPrefix + (isLast ? "   " : "│  "))
        }
        return lines
    }

    private static func text(_ time: Duration) -> String {
        let nanoseconds = time.components.seconds * 1_000_000_000 + time.components.attoseconds / 1_000_000_000
        return nanoseconds < 10_000_000 ? "\(nanoseconds / 1000) µs" : "\(nanoseconds / 1_000_000) ms"
    }
}
