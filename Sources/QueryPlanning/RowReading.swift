// Where a plan reads rows one after another, and for which parts of the predicate.

package import PredicateSemantics

/// A place of a plan that looks at rows because indexes do not say enough.
package struct RowReading: Sendable {
    /// Why a part of a predicate is decided row by row.
    package enum Reason: Sendable {
        /// No index answers such a question.
        case noIndex
        /// An index would answer it that is not there, or may not be used.
        case missing(IndexCandidate)
        /// It may fail, so it is asked exactly where the evaluator would ask it.
        case mayFail
        /// It asks chance, or variables that get their values later.
        case context
    }

    /// A part of the predicate that is decided row by row.
    package struct Part: Sendable {
        package let node: BoundNode
        package let reason: Reason

        /// The index that would answer the part.
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
    package func readings(of predicate: BoundPredicate) -> [RowReading] {
        if predicate.usesContext || !predicate.openVariables.isEmpty { return [whole(predicate.root, .context)] }
        return readings(of: predicate.root)
    }

    private func readings(of node: BoundNode) -> [RowReading] {
        switch node {
        case .constant: return []
        case .not(let inner): return isTotal(inner) ? readings(of: inner) : [whole(node, .mayFail)]
        case .or(let nodes): return isTotal(node) ? nodes.flatMap { readings(of: $0) } : [whole(node, .mayFail)]
        case .and(let nodes): return readings(ofAll: Self.flattened(nodes))
        case .comparison: return readings(ofAll: [node])
        }
    }

    private func whole(_ node: BoundNode, _ reason: RowReading.Reason) -> RowReading {
        RowReading(parts: [RowReading.Part(node: node, reason: reason)], rows: rowCount, isFullScan: true)
    }

    private func readings(ofAll nodes: [BoundNode]) -> [RowReading] {
        let plan = conjunction(nodes)
        let rows: Int
        switch plan {
        case .intersection(let lookups, _) where !plan.isFullScan:
            rows = lookups.first?.estimate(rowCount: rowCount) ?? rowCount
        case _ where plan.isFullScan: rows = rowCount
        default: return []
        }
        let split = nodes.firstIndex { !isTotal($0) } ?? nodes.count
        var parts = nodes[..<split].flatMap { self.parts(of: $0) }
        parts += nodes[split...].map { RowReading.Part(node: $0, reason: .mayFail) }
        return parts.isEmpty ? [] : [RowReading(parts: parts, rows: rows, isFullScan: plan.isFullScan)]
    }

    private func parts(of node: BoundNode) -> [RowReading.Part] {
        guard case .comparison(let comparison) = node else {
            return plan(node).isScanning ? readings(of: node).flatMap(\.parts) : []
        }
        guard case .scan(let test) = plan(node) else { return [] }
        if case .member = test { return [] }
        let reason = candidate(for: comparison).map { RowReading.Reason.missing($0) } ?? .noIndex
        return [RowReading.Part(node: node, reason: reason)]
    }
}

extension PlanNode {
    /// Whether the plan looks at every row of the segment: some part scans, and no lookup before it rules rows out.
    package var isFullScan: Bool {
        switch self {
        case .none, .all, .run, .span, .bitmap, .rows, .near: false
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
