// How a result was found: a value for programs, a tree for people.

public import PredicateSyntax

/// How a query ran: the plan of each segment with estimated and actual rows, what was read row by row, and which
/// indexes would help.
public struct QueryExplanation: Hashable, Sendable, CustomStringConvertible {
    /// A step of a plan, with the steps whose rows it works on.
    public struct Step: Hashable, Sendable {
        /// What the step does: `ordered index`, `token index`, `spatial index`, `trigram index`, `intersection`,
        /// `union`, `complement`, `test`, `full scan` …
        public var name: String
        /// What it looked up or tested.
        public var detail: String
        /// The field of the index that was used, with the letters of its folding; `nil` for other steps.
        public var field: String?
        /// Estimated rows.
        public var estimatedRows: Int
        /// Whether the estimate is an exact count.
        public var isExact: Bool
        /// Rows found; of a test those left after it.
        public var rows: Int
        /// How long the step took, run on its own with its inputs.
        public var time: Duration
        /// The steps whose rows it works on.
        public var inputs: [Step]
    }

    /// The plan of one segment of the records.
    public struct Plan: Hashable, Sendable {
        /// Records in the segment.
        public var records: Int
        /// The last step, with those below it.
        public var step: Step
    }

    /// A part of the predicate for which every record was read.
    public struct Scan: Hashable, Sendable {
        /// The part, canonical text.
        public var part: String
        /// Its place in the predicate's text.
        public var span: SourceSpan
        /// Why: no index applies, one is missing, or it may fail and so must run on every record.
        public var reason: String
    }

    /// The predicate, canonical text.
    public var predicate: String
    /// The predicate as it was planned, where that is shorter.
    public var simplified: String?
    /// Records of the query's type and zone.
    public var records: Int
    /// The plans of the segments that have records of the type.
    public var plans: [Plan]
    /// The parts for which every record was read; empty where indexes were enough.
    public var scans: [Scan]
    /// Indexes that would have helped.
    public var advice: [IndexAdvice]
    /// What a server did for the query; `nil` for records in this process. The plans are of the rows that it gave.
    public var pushed: Pushed?

    /// The plans as trees, the full scan and the advice, on several lines.
    public var description: String {
        var lines = plans.flatMap { Self.lines($0.step, prefix: "", childPrefix: "") }
        if let simplified { lines.insert("planned as \(simplified)", at: 0) }
        if let pushed { lines.insert(contentsOf: pushed.lines, at: 0) }
        for scan in scans { lines.append("full scan of \(records) records: \(scan.part) (\(scan.reason))") }
        lines += advice.map { "advice: \($0)" }
        return lines.map { $0 + "\n" }.joined()
    }

    private static func lines(_ step: Step, prefix: String, childPrefix: String) -> [String] {
        let detail = step.detail.isEmpty ? "" : " · \(step.detail)"
        let expected = step.isExact ? "" : "about \(step.estimatedRows) expected, "
        var lines = ["\(prefix)\(step.name)\(detail)  (\(expected)\(step.rows) found, \(step.time.text))"]
        for (number, input) in step.inputs.enumerated() {
            let isLast = number == step.inputs.count - 1
            lines += Self.lines(
                input, prefix: childPrefix + (isLast ? "└─ " : "├─ "),
                childPrefix: childPrefix + (isLast ? "   " : "│  "))
        }
        return lines
    }
}
