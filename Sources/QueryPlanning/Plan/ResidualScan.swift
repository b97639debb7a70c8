// Where a plan reads rows one after another, and for which parts of the predicate: a fold over the plan.

/// A place of a plan that looks at rows because indexes do not say enough.
package struct ResidualScan: Sendable {
    package let parts: [UnservedPart]
    /// Rows that are looked at.
    package let rows: Int
    /// Whether these are all rows of the segment.
    package let isFullScan: Bool
}

extension PlanNode {
    /// Where the plan reads rows of a segment of `rowCount`. Complexity: O(nodes).
    package func residualScans(rowCount: Int) -> [ResidualScan] {
        switch self {
        case .none, .all, .run, .scanIfLong, .bitmap, .rows, .near, .join: return []
        case .complement(let node): return node.residualScans(rowCount: rowCount)
        case .union(let nodes): return nodes.flatMap { $0.residualScans(rowCount: rowCount) }
        case .scan(let scan): return Self.scans(scan.unserved, rowCount, isFullScan: true)
        case .intersection(let nodes, let tests):
            let parts =
                nodes.flatMap { $0.residualScans(rowCount: rowCount).flatMap(\.parts) } + tests.flatMap(\.unserved)
            let isFullScan = nodes.allSatisfy(\.readsAllRows)
            let rows = isFullScan ? rowCount : nodes.first?.estimate(rowCount: rowCount) ?? rowCount
            return Self.scans(parts, rows, isFullScan: isFullScan)
        }
    }

    private static func scans(_ parts: [UnservedPart], _ rows: Int, isFullScan: Bool) -> [ResidualScan] {
        parts.isEmpty ? [] : [ResidualScan(parts: parts, rows: rows, isFullScan: isFullScan)]
    }

    /// As `isFullScan`, whatever is read elsewhere to find where references lead.
    private var readsAllRows: Bool { if case .join = self { false } else { isFullScan } }

    /// Whether the plan looks at every row of the segment: some part scans, and no lookup before it rules rows out.
    package var isFullScan: Bool {
        switch self {
        case .none, .all, .run, .scanIfLong, .bitmap, .rows, .near: false
        case .join(let join): join.resolved == nil && join.targets.isFullScan
        case .complement(let node): node.isFullScan
        case .intersection(let nodes, let tests):
            nodes.isEmpty ? tests.contains { !$0.test.isMember } : nodes.allSatisfy(\.isFullScan)
        case .union(let nodes): nodes.contains(where: \.isFullScan)
        case .scan(let scan): !scan.test.isMember
        }
    }
}

extension RowTest {
    /// Whether the rows are there already.
    fileprivate var isMember: Bool { if case .member = self { true } else { false } }
}
