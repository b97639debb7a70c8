// What a plan did, for people: every step with the rows that were expected and the rows that came.

import Geospatial
import Indexing
import OrdinalSets
package import PredicateSemantics
package import QueryPlanning
import RecordColumns
import TextAnalysis

/// A step of an executed plan.
package struct PlanReport: Sendable {
    /// What the step does: `intersection`, `ordered index`, `full scan` …
    package var step: String
    /// What it looks up or tests: field and request, or the condition.
    package var detail: String
    /// The index that it looks up, where it does.
    package var use: IndexUse?
    /// Rows expected before the step ran.
    package var estimate: Int
    /// Whether the expectation is a count: lookups know what they find. Else it comes from a sample of rows, or from
    /// the shares of the inputs taken as independent.
    package var isExact: Bool
    /// Rows that came.
    package var rows: Int
    package var time: Duration
    package var inputs: [PlanReport]
}

extension SnapshotQuery {
    /// Executes every step of the plan on its own and reports it, one report per segment.
    ///
    /// Inputs of an intersection are shown as if each ran alone, its tests as they follow each other; the
    /// intersection's own time is that of all.
    /// - Throws: `EvaluationError` as `count`.
    package func report() throws(EvaluationError) -> [PlanReport] {
        var reports: [PlanReport] = []
        for part in parts { reports.append(try part.query.executor.report(part.query.plan)) }
        return reports
    }
}

extension SegmentExecutor {
    func report(_ node: PlanNode) throws(EvaluationError) -> PlanReport {
        let clock = ContinuousClock()
        let start = clock.now
        let rows = try count(node)
        let time = clock.now - start
        var report = PlanReport(
            step: "", detail: "", use: nil, estimate: node.estimate(rowCount: rowCount), isExact: true, rows: rows,
            time: time, inputs: [])
        (report.step, report.detail, report.use) = words(node)
        switch node {
        case .join(let join):
            report.inputs = try reports(of: join.targets)
            report.isExact = false
        case .none, .all, .bitmap, .rows: break
        case .run(let run, _), .scanIfLong(let run, _, _): report.isExact = !run.mayRepeat
        case .near: report.isExact = false
        case .complement(let inner):
            let input = try self.report(inner)
            report.inputs = [input]
            report.estimate = rowCount - input.estimate
            report.isExact = input.isExact
        case .union(let nodes):
            for node in nodes { report.inputs.append(try self.report(node)) }
            let missed = report.inputs.reduce(1) { $0 * (1 - share($1.estimate)) }
            report.estimate = Int((Double(rowCount) * (1 - missed)).rounded())
            report.isExact = false
        case .intersection(let nodes, let tests): try reportInputs(nodes, tests, of: &report)
        case .scan(let scan): (report.estimate, report.isExact) = estimate(scan.test)
        }
        return report
    }

    private func share(_ rows: Int) -> Double { rowCount == 0 ? 0 : min(1, Double(rows) / Double(rowCount)) }

    private func reportInputs(
        _ nodes: [PlanNode], _ tests: [PlannedTest], of report: inout PlanReport
    ) throws(EvaluationError) {
        var members: Bitmap?
        for node in nodes {
            report.inputs.append(try self.report(node))
            members = try restrict(members, to: node)
        }
        var expected = report.inputs.reduce(Double(rowCount)) { $0 * share($1.estimate) }
        let clock = ContinuousClock()
        for test in tests.lazy.map(\.test) {
            let start = clock.now
            let passed = try select(test, among: members)
            let time = clock.now - start
            members = passed
            let (estimate, isExact) = estimate(test)
            expected *= share(estimate)
            report.inputs.append(
                PlanReport(
                    step: "test", detail: words(test), use: nil, estimate: Int(expected.rounded()),
                    isExact: isExact && report.inputs.isEmpty, rows: passed.cardinality, time: time, inputs: []))
        }
        report.estimate = Int(expected.rounded())
        report.isExact = false
    }

    // MARK: Expectations

    /// About how many rows pass a test: counted where that is known, else by a sample.
    private func estimate(_ test: RowTest) -> (rows: Int, isExact: Bool) {
        switch test {
        case .member(_, let cardinality): return (cardinality, true)
        case .int(_, _, _, _, let known?), .double(_, _, _, _, let known?): return (known, true)
        default:
            let rows = sample { (row) throws(EvaluationError) in try passes(row, test) }
            return (rows, false)
        }
    }

    /// About how many rows are meant, by rows at even distances; one that fails counts as not meant.
    func sample(_ holds: (Int) throws(EvaluationError) -> Bool) -> Int {
        let size = min(rowCount, 512)
        guard size > 0 else { return 0 }
        var found = 0
        for number in 0..<size {
            let row = number * rowCount / size
            do throws(EvaluationError) { if try holds(row) { found += 1 } } catch {}
        }
        // None of so many: half of one stands for what may have been missed.
        let share = found == 0 && size < rowCount ? 0.5 : Double(found)
        return Int((share * Double(rowCount) / Double(size)).rounded())
    }

    // MARK: Words

    private func words(_ node: PlanNode) -> (String, String, IndexUse?) {
        switch node {
        case .none: ("nothing", "no record can match", nil)
        case .all: ("everything", "every record matches", nil)
        case .run(_, let use), .scanIfLong(_, _, let use), .bitmap(_, _, let use), .rows(_, let use),
            .near(_, _, _, let use):
            ("\(use.kind) index", "\(use.field) \(use.request)", use)
        case .join(let join): ("semi-join", "\(join.field) leads to a record with \(join.targets.condition)", nil)
        case .complement: ("complement", "", nil)
        case .intersection(let nodes, _): (nodes.isEmpty ? "full scan" : "intersection", "", nil)
        case .union: ("union", "", nil)
        case .scan(let scan): ("full scan", words(scan.test), nil)
        }
    }

    private func words(_ test: RowTest) -> String {
        switch test {
        case .int, .double: "column within bounds"
        case .member: "column is true or false"
        case .near(_, presence: _, .distance(_)): "distance of a column"
        case .near(_, presence: _, .area(_)): "place of a column in an area"
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
