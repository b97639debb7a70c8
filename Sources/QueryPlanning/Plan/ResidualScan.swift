// Where a plan reads rows one after another, and for which parts of the predicate.

package import PredicateSemantics

/// A place of a plan that looks at rows because indexes do not say enough.
package struct ResidualScan: Sendable {
    /// Why a part of a predicate is decided row by row.
    package enum Reason: Sendable {
        /// No index serves such a condition.
        case noIndex
        /// The index that would serve it is not there, or may not be used.
        case missing(IndexCandidate)
        /// It may fail, so it runs exactly where the evaluator would run it.
        case mayFail
        /// It depends on chance, or on variables that get their values later.
        case context
    }

    /// A part of the predicate that is decided row by row.
    package struct Part: Sendable {
        package let node: BoundNode
        package let reason: Reason

        /// The index that would serve the part.
        package var index: IndexCandidate? { if case .missing(let index) = reason { index } else { nil } }
    }

    package let parts: [Part]
    /// Rows that are looked at.
    package let rows: Int
    /// Whether these are all rows of the segment.
    package let isFullScan: Bool
}

extension SegmentPlanner {
    /// Where the plan of a predicate reads rows. Complexity: that of planning, for every group of the predicate.
    package func residualScans(of predicate: BoundPredicate) -> [ResidualScan] {
        if predicate.usesContext || !predicate.openVariables.isEmpty { return [entire(predicate.root, .context)] }
        return residualScans(of: predicate.root)
    }

    private func residualScans(of node: BoundNode) -> [ResidualScan] {
        switch node {
        case .constant: return []
        case .not(let inner): return canThrow(inner) ? [entire(node, .mayFail)] : residualScans(of: inner)
        case .or(let nodes): return canThrow(node) ? [entire(node, .mayFail)] : nodes.flatMap { residualScans(of: $0) }
        case .and(let nodes): return residualScans(ofAll: Self.flattened(nodes))
        case .comparison: return residualScans(ofAll: [node])
        }
    }

    private func entire(_ node: BoundNode, _ reason: ResidualScan.Reason) -> ResidualScan {
        ResidualScan(parts: [ResidualScan.Part(node: node, reason: reason)], rows: rowCount, isFullScan: true)
    }

    private func residualScans(ofAll nodes: [BoundNode]) -> [ResidualScan] {
        let plan = conjunction(nodes)
        let rows: Int
        switch plan {
        case .intersection(let lookups, _) where !plan.isFullScan:
            rows = lookups.first?.estimate(rowCount: rowCount) ?? rowCount
        case _ where plan.isFullScan: rows = rowCount
        default: return []
        }
        let split = nodes.firstIndex(where: canThrow) ?? nodes.count
        var parts = nodes[..<split].flatMap { self.parts(of: $0) }
        parts += nodes[split...].map { ResidualScan.Part(node: $0, reason: .mayFail) }
        return parts.isEmpty ? [] : [ResidualScan(parts: parts, rows: rows, isFullScan: plan.isFullScan)]
    }

    private func parts(of node: BoundNode) -> [ResidualScan.Part] {
        guard case .comparison(let comparison) = node else {
            return plan(node).isScanning ? residualScans(of: node).flatMap(\.parts) : []
        }
        guard case .scan(let test) = plan(node) else { return [] }
        if case .member = test { return [] }
        let reason = candidate(for: comparison).map { ResidualScan.Reason.missing($0) } ?? .noIndex
        return [ResidualScan.Part(node: node, reason: reason)]
    }
}

extension PlanNode {
    /// Whether the plan looks at every row of the segment: some part scans, and no lookup before it rules rows out.
    package var isFullScan: Bool {
        switch self {
        case .none, .all, .run, .scanIfLong, .bitmap, .rows, .near: false
        case .join(let join): join.resolved == nil && join.targets.isFullScan
        case .complement(let node): node.isFullScan
        case .intersection(let nodes, let tests):
            nodes.isEmpty ? tests.contains { !$0.isMember } : nodes.allSatisfy(\.isFullScan)
        case .union(let nodes): nodes.contains(where: \.isFullScan)
        case .scan(let test): !test.isMember
        }
    }
}

extension RowTest {
    /// Whether the rows are there already.
    fileprivate var isMember: Bool { if case .member = self { true } else { false } }
}
