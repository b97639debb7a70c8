// What a plan did, for people: every step with the rows that were expected and the rows that came.

package import PredicateSemantics
import QueryPlanning
import TextAnalysis

/// A step of an executed plan.
package struct PlanReport: Sendable {
    /// What the step does: `intersection`, `ordered index`, `full scan` …
    package var step: String
    /// What it was asked: field and request, or the condition.
    package var detail: String
    /// Rows expected when the plan was made.
    package var estimate: Int
    /// Rows that came.
    package var rows: Int
    package var time: Duration
    package var inputs: [PlanReport]
}

extension TableQuery {
    /// Executes every step of the plan on its own and reports it, one report per segment.
    ///
    /// Steps of an intersection are shown as if each were asked alone; the intersection's own time is that of all.
    /// - Throws: `EvaluationError` as `count`.
    package func report() throws(EvaluationError) -> [PlanReport] {
        var reports: [PlanReport] = []
        for part in parts { reports.append(try part.query.executor.report(part.query.plan)) }
        return reports
    }

    /// Whether some segment is read row by row.
    package var isScanning: Bool { parts.contains { $0.query.plan.isScanning } }
}

extension SegmentExecutor {
    func report(_ node: PlanNode) throws(EvaluationError) -> PlanReport {
        let clock = ContinuousClock()
        let start = clock.now
        let rows = try count(node)
        let time = clock.now - start
        let (step, detail) = words(node)
        var inputs: [PlanReport] = []
        switch node {
        case .join(let join): inputs = try reports(of: join.targets)
        case .complement(let inner): inputs = [try report(inner)]
        case .union(let nodes):
            for node in nodes { inputs.append(try report(node)) }
        case .intersection(let nodes, let tests):
            for node in nodes { inputs.append(try report(node)) }
            for test in tests {
                inputs.append(
                    PlanReport(
                        step: "test", detail: words(test), estimate: test.estimate(rowCount: rowCount), rows: rows,
                        time: .zero, inputs: []))
            }
        default: break
        }
        return PlanReport(
            step: step, detail: detail, estimate: node.estimate(rowCount: rowCount), rows: rows, time: time,
            inputs: inputs)
    }

    private func words(_ node: PlanNode) -> (String, String) {
        switch node {
        case .none: ("nothing", "no record can match")
        case .all: ("everything", "every record matches")
        case .run(_, let use), .span(_, _, let use), .bitmap(_, _, let use), .rows(_, let use), .near(_, _, _, let use):
            ("\(use.kind) index", "\(use.field) \(use.request)")
        case .join(let join): ("semi-join", "\(join.field) leads to a record with \(join.targets.condition)")
        case .complement: ("complement", "")
        case .intersection(let nodes, _): (nodes.isEmpty ? "full scan" : "intersection", "")
        case .union: ("union", "")
        case .scan(let test): ("full scan", words(test))
        }
    }

    private func words(_ test: RowTest) -> String {
        switch test {
        case .whole, .fractional: "column within bounds"
        case .member: "column is true or false"
        case .near: "distance of a column"
        case .computed(let program): "compute \(program.node)"
        case .coded(let test): "decide by value \(test.node)"
        case .text(let test): "text of a column, \(words(test.condition))"
        case .phrase(let test): "words side by side \(test.comparison)"
        case .evaluate(let node): "evaluate \(node)"
        }
    }

    private func words(_ condition: TextCondition) -> String {
        switch condition {
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .isAny: "=="
        case .like: "LIKE"
        case .matches: "MATCHES"
        }
    }
}
