// Plans to rows, for one segment.

internal import CKernels
import Geospatial
import Indexing
package import OrdinalSets
package import PredicateSemantics
package import QueryPlanning
import RecordColumns

/// Executes plans over the rows of one segment.
package struct SegmentExecutor<Rows: RowEvaluator>: Sendable {
    /// Number of rows of the segment.
    package let rowCount: Int
    let evaluator: Rows
    /// The most threads that one query uses.
    let threads: Int

    package init(rowCount: Int, evaluator: Rows, threads: Int = 1) {
        self.rowCount = rowCount
        self.evaluator = evaluator
        self.threads = threads
    }

    /// How many rows the plan gives, without listing them where that can be avoided.
    /// - Throws: `EvaluationError` from the first row, in order, that the predicate has no meaning for.
    package func count(_ node: PlanNode) throws(EvaluationError) -> Int {
        switch node {
        case .none: return 0
        case .all: return rowCount
        case .run(let run, _) where !run.mayRepeat: return run.count
        case .scanIfLong(let run, _, _): return run.count
        case .bitmap(_, let cardinality, _): return cardinality
        case .rows(let rows, _): return rows.count
        case .near(let tree, let locations, let test, _):
            return tree.count(test) { locations.location(Int($0)) }
        case .join(let join): return try count(resolved(join))
        case .complement(let inner): return try rowCount - count(inner)
        case .intersection(let nodes, let tests):
            if let count = try countIntersection(nodes, tests) { return count }
            if let candidates = try intersectionOfFew(nodes, tests) { return candidates.count }
            return try intersection(nodes, tests).cardinality
        case .run, .union, .scan: return try set(node).cardinality
        }
    }

    /// The rows of the plan, ascending.
    /// - Throws: `EvaluationError` as `count`.
    package func rows(_ node: PlanNode) throws(EvaluationError) -> [UInt32] {
        switch node {
        case .run(let run, _) where run.isAscending: return unsafe run.withRows { unsafe Array($0) }
        case .rows(let rows, _): return rows
        case .bitmap(let bitmap, _, _): return bitmap.ordinals
        case .join(let join): return try rows(resolved(join))
        case .intersection(let nodes, let tests):
            if let candidates = try intersectionOfFew(nodes, tests) { return ascending(candidates) }
            return try intersection(nodes, tests).ordinals
        default: return try set(node).ordinals
        }
    }

    /// The rows of the plan as a set.
    /// - Throws: `EvaluationError` as `count`.
    package func set(_ node: PlanNode) throws(EvaluationError) -> OrdinalSet {
        switch node {
        case .none: return .empty(universe: rowCount)
        case .all: return .full(universe: rowCount)
        case .run(let run, _): return set(run)
        case .scanIfLong(let run, let test, _):
            // Setting a bit here and there costs as much as a look at some eight rows one after another.
            return run.count > rowCount / 8 ? OrdinalSet(try select(test, among: nil)) : set(run)
        case .bitmap(let bitmap, let cardinality, _): return OrdinalSet(bitmap: bitmap, cardinality: cardinality)
        case .rows(let rows, _): return OrdinalSet(rows, universe: rowCount)
        case .near(let tree, let locations, let test, _):
            var members = Bitmap(count: rowCount)
            tree.mark(test, location: { locations.location(Int($0)) }, in: &members.words)
            return OrdinalSet(members)
        case .join(let join): return try set(resolved(join))
        case .complement(let inner): return try set(inner).complement
        case .intersection(let nodes, let tests):
            if let candidates = try intersectionOfFew(nodes, tests) {
                return OrdinalSet(ascending(candidates), universe: rowCount)
            }
            return try intersection(nodes, tests)
        case .union(let nodes): return try union(nodes)
        case .scan(let scan): return OrdinalSet(try select(scan.test, among: nil))
        }
    }

    private func set(_ run: PostingSlice) -> OrdinalSet {
        if run.isAscending || run.count <= 256 {
            return OrdinalSet(unsafe run.withRows { unsafe Array($0) }, universe: rowCount)
        }
        return OrdinalSet(bitmap(of: run))
    }

    /// The rows of a run as a bitmap: the way to sort many rows.
    func bitmap(of run: PostingSlice) -> Bitmap {
        var bitmap = Bitmap(count: rowCount)
        unsafe run.withRows { rows in
            unsafe bitmap.words.withUnsafeMutableBufferPointer { words in
                // SAFETY: the rows of an index are below the segment's row count, which the words cover.
                unsafe kernels_list_set_bits(rows.baseAddress, rows.count, words.baseAddress)
            }
        }
        return bitmap
    }

    // MARK: Unions

    private func union(_ nodes: [PlanNode]) throws(EvaluationError) -> OrdinalSet {
        var members = Bitmap(count: rowCount)
        var scans: [PlanNode] = []
        for node in nodes {
            switch node {
            case .run(let run, _), .scanIfLong(let run, _, _):
                unsafe run.withRows { rows in
                    unsafe members.words.withUnsafeMutableBufferPointer { words in
                        // SAFETY: as in `bitmap(of:)`.
                        unsafe kernels_list_set_bits(rows.baseAddress, rows.count, words.baseAddress)
                    }
                }
            case .bitmap(let bitmap, _, _): members.formUnion(bitmap)
            case .rows(let rows, _): members.insert(rows)
            case _ where node.isScanning: scans.append(node)
            default: members.formUnion(try set(node).bitmap)
            }
        }
        // Rows that are in already are not looked at again.
        for node in scans { members.formUnion(try restrict(members.complement, to: node)) }
        return OrdinalSet(members)
    }
}
