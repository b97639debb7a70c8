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

    /// What a server was told of the predicate, and what it gave.
    public struct Pushed: Hashable, Sendable {
        /// The condition of the rows where the predicate may hold, with its constants as `$1`, `$2`, …
        public var condition: String
        /// The condition of the rows where it certainly holds; `nil` where the server decides each row by itself.
        public var certain: String?
        /// The indexes that the server looked up, by their names there; empty where it read the table.
        public var indexes: [String]
        /// Rows that the server gave.
        public var rows: Int
        /// Of these, rows that were not certain, and that the evaluator decided.
        public var rechecked: Int
        /// Names of records on other nodes that references may lead to, which were looked up before.
        public var names: Int
        /// The numbers of the nodes that gave rows; empty where the container is on one server.
        public var nodes: [Int] = []
        /// Whether the server told no more of texts than that they are there: its columns were derived from them with
        /// another version of ICU.
        public var readsTextsByPresence = false

        /// What was pushed; none of it is checked.
        package init(condition: String, certain: String?, indexes: [String], rows: Int, rechecked: Int, names: Int = 0)
        {
            (self.condition, self.certain, self.indexes) = (condition, certain, indexes)
            (self.rows, self.rechecked, self.names) = (rows, rechecked, names)
        }
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

extension QueryExplanation.Pushed {
    /// The lines of the explanation about the server.
    fileprivate var lines: [String] {
        var lines = ["server: \(condition)"]
        if let certain { lines.append("certain: \(certain)") }
        let access = indexes.isEmpty ? "the table was read" : "by \(indexes.joined(separator: ", "))"
        let place = nodes.isEmpty ? "the server" : "node \(nodes.map { "\($0)" }.joined(separator: ", "))"
        if readsTextsByPresence {
            lines.append(
                "texts by presence alone: they were folded by another version of ICU; "
                    + "predicate nodes ADDRESS rebuild derives them again")
        }
        if names > 0 { lines.append("\(names) names that references may lead to were looked up before") }
        lines.append("\(rows) rows from \(place), \(rechecked) of them rechecked; \(access)")
        return lines
    }
}
