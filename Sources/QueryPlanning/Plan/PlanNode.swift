// How the rows of one segment that satisfy a predicate are found.

package import Geospatial
package import Indexing
package import OrdinalSets
package import RecordColumns

/// A way to the rows of a segment, with the lookups already made: a plan is as good as its estimates, and the
/// estimates of lookups are their results.
package indirect enum PlanNode: Sendable {
    /// No row.
    case none
    /// Every row.
    case all
    /// A stretch of an index.
    case run(PostingSlice, IndexUse)
    /// A slice of an index; where it is long, a scan of the column is faster.
    case scanIfLong(PostingSlice, RowTest, IndexUse)
    /// The rows of a value that many rows hold.
    case bitmap(Bitmap, cardinality: Int, IndexUse)
    /// A few rows, ascending.
    case rows([UInt32], IndexUse)
    /// The rows whose place is within a range of distances, or in an area.
    case near(SpatialTree, LocationColumn, PlaceTest, IndexUse)
    /// The rows that lead to records which satisfy a condition.
    case join(ReferenceJoin)
    /// The rows that the other node does not give.
    case complement(PlanNode)
    /// The rows of all nodes that also pass the tests. The nodes are in order of estimate, the tests in order of cost.
    case intersection([PlanNode], [PlannedTest])
    /// The rows of any node.
    case union([PlanNode])
    /// The rows that pass the test: every row is looked at.
    case scan(PlannedTest)
}

/// What is looked up in which index, for people.
package struct IndexUse: Hashable, Sendable {
    /// The field, with the folding where there is one: `name[cd]`.
    package var field: String
    /// The name of the kind of index, or what a segment knows without one: `presence`, `reference`, `record name`.
    package var kind: String
    /// What is looked up, in words without values: `==`, `range`, `prefix`.
    package var request: String

    package init(field: String, kind: String, request: String) {
        self.field = field
        self.kind = kind
        self.request = request
    }

    init(field: String, kind: IndexKind, request: String) {
        self.init(field: field, kind: kind.name, request: request)
    }
}

extension PlanNode {
    /// About how many rows the node gives, of `rowCount`. Exact for lookups.
    package func estimate(rowCount: Int) -> Int {
        switch self {
        case .none: 0
        case .all: rowCount
        case .run(let run, _), .scanIfLong(let run, _, _): min(run.count, rowCount)
        case .bitmap(_, let cardinality, _): cardinality
        case .rows(let rows, _): rows.count
        case .near(let tree, _, let test, _):
            // The boxes bound the number from both sides; the truth lies somewhere between.
            (tree.countBounds(test).lowerBound + tree.countBounds(test).upperBound) / 2
        case .join(let join): join.estimate(rowCount: rowCount)
        case .complement(let node): rowCount - node.estimate(rowCount: rowCount)
        case .intersection(let nodes, let tests):
            // Independent conditions; a test lets a third through where nothing better is known.
            Self.product(
                nodes.map { $0.estimate(rowCount: rowCount) } + tests.map { $0.test.estimate(rowCount: rowCount) },
                rowCount)
        case .union(let nodes): min(rowCount, nodes.reduce(0) { $0 + $1.estimate(rowCount: rowCount) })
        case .scan(let scan): scan.test.estimate(rowCount: rowCount)
        }
    }

    private static func product(_ estimates: [Int], _ rowCount: Int) -> Int {
        guard rowCount > 0 else { return 0 }
        return Int(estimates.reduce(Double(rowCount)) { $0 * Double($1) / Double(rowCount) })
    }

    /// The values of an index that the rows of the plan have, and what else they must satisfy; `nil` where the plan
    /// does not say.
    ///
    /// - Parameter column: What the index is over; `nil` for the names of records.
    package func stretch(of index: OrderedIndex, over column: Column?) -> (values: Range<Int>, rest: PlanNode)? {
        switch self {
        case .none: return (0..<0, .none)
        case .run(let run, _), .scanIfLong(let run, _, _):
            return run.order === index.order ? (index.distinct(atPositions: run.range), .all) : nil
        case .scan(let scan): return scan.test.values(of: index, over: column).map { ($0, self) }
        case .intersection(var nodes, let tests):
            for (place, node) in nodes.enumerated() {
                guard let (values, rest) = node.stretch(of: index, over: column) else { continue }
                nodes[place] = rest
                return (values, .intersection(nodes, tests))
            }
            // A test costs little for each row: it stays.
            return tests.lazy.compactMap { $0.test.values(of: index, over: column) }.first.map { ($0, self) }
        default: return nil
        }
    }

    /// Whether some part looks at every row of the segment.
    package var isScanning: Bool {
        switch self {
        case .none, .all, .run, .scanIfLong, .bitmap, .rows, .near: false
        case .join(let join): join.resolved == nil && join.targets.isScanning
        case .complement(let node): node.isScanning
        case .intersection(let nodes, _): nodes.isEmpty || nodes.contains(where: \.isScanning)
        case .union(let nodes): nodes.contains(where: \.isScanning)
        case .scan: true
        }
    }
}
