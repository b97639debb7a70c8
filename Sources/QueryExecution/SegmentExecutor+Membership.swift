// Whether one row belongs to a plan: for walks in the order of an index that stop early.

import Geospatial
import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns

extension SegmentExecutor {
    /// The plan in a form in which membership of a row costs little: stretches of an index become sets.
    /// - Throws: `EvaluationError` as `count`.
    func probe(_ node: PlanNode) throws(EvaluationError) -> PlanNode {
        switch node {
        case .none, .all, .bitmap, .rows, .scan: return node
        case .scanIfLong(_, let test, _): return .scan(PlannedTest(test))
        case .run, .near, .union:
            let set = try set(node)
            return .bitmap(set.bitmap, cardinality: set.cardinality)
        case .join(let join): return try probe(resolved(join))
        case .complement(let inner): return .complement(try probe(inner))
        case .intersection(let nodes, let tests):
            var probes: [PlanNode] = []
            for node in nodes { probes.append(try probe(node)) }
            return .intersection(probes, tests)
        }
    }

    /// Whether a row is among those of a plan made by `probe`.
    /// - Throws: `EvaluationError` when the predicate has no meaning for the row.
    func contains(_ row: Int, in node: PlanNode) throws(EvaluationError) -> Bool {
        switch node {
        case .none: return false
        case .all: return true
        case .bitmap(let bitmap, _, _): return bitmap[row]
        case .rows(let rows, _):
            let ordinal = UInt32(truncatingIfNeeded: row)
            let position = SortedOrdinals.position(of: ordinal, in: rows)
            return position < rows.count && rows[position] == ordinal
        case .complement(let inner): return try !contains(row, in: inner)
        case .scan(let scan): return try passes(row, scan.test)
        case .intersection(let nodes, let tests):
            for node in nodes where try !contains(row, in: node) { return false }
            for planned in tests where try !passes(row, planned.test) { return false }
            return true
        case .scanIfLong(_, let test, _): return try passes(row, test)
        case .run, .near, .union, .join: return try set(node).contains(row)
        }
    }

    /// Whether a row passes a test.
    func passes(_ row: Int, _ test: RowTest) throws(EvaluationError) -> Bool {
        switch test {
        case .int(let values, let presence, let low, let high, _):
            let value = values[row]
            return (presence?[row] ?? true) && value >= low && value <= high
        case .double(let values, let presence, let low, let high, _):
            let value = values[row]
            return (presence?[row] ?? true) && value >= low && value <= high
        case .member(let bitmap, _): return bitmap[row]
        case .near(let locations, let presence, let test):
            return (presence?[row] ?? true) && test.contains(locations.location(row))
        case .computed(let program): return try evaluator.holds(program.node, row: row)
        case .coded(let test): return try passes(row, test)
        case .text(let test): return try meets(test, row)
        case .phrase(let test):
            var cursor = PhraseCursor(test.words, of: test.positions)
            return cursor.count(in: UInt32(truncatingIfNeeded: row)) > 0
        case .evaluate(let node): return try evaluator.holds(node, row: row)
        }
    }

    /// Whether the row's value is one of those that pass.
    func passes(_ row: Int, _ test: DictionaryTest) throws(EvaluationError) -> Bool {
        let decision = try test.decision()
        guard test.presence?[row] ?? true else { return decision.holdsForMissing }
        return decision.codes[Int(test.codes[row])]
    }
}

extension PlanNode {
    /// Rows that are not those of an index.
    static func bitmap(_ bitmap: Bitmap, cardinality: Int) -> PlanNode {
        .bitmap(bitmap, cardinality: cardinality, IndexUse(field: "", kind: "", request: ""))
    }

    /// Whether bitmaps and columns alone decide, for many rows at once, which belong to the plan; none can fail.
    var isBlockwise: Bool {
        switch self {
        case .none, .all, .run, .bitmap: true
        case .complement(let inner): inner.isBlockwise
        case .scanIfLong(_, let test, _): test.isBlockwise
        case .scan(let scan): scan.test.isBlockwise
        case .intersection(let nodes, let tests):
            nodes.allSatisfy(\.isBlockwise) && tests.allSatisfy(\.test.isBlockwise)
        case .rows, .near, .join, .union: false
        }
    }

    /// Of a plan made by `probe`, the parts that `keep` decides for a block of rows, and what is left.
    var blockwiseParts: (filters: [PlanNode], rest: PlanNode) {
        switch self {
        case .bitmap, .complement(.bitmap): return ([self], .all)
        case .scan(let scan) where scan.test.isBlockwise: return ([self], .all)
        case .intersection(let nodes, let tests):
            var filters: [PlanNode] = []
            var others: [PlanNode] = []
            for node in nodes {
                let (parts, rest) = node.blockwiseParts
                filters += parts
                if case .all = rest { continue }
                others.append(rest)
            }
            filters += tests.filter(\.test.isBlockwise).map(PlanNode.scan)
            let rest = tests.filter { !$0.test.isBlockwise }
            return (filters, others.isEmpty && rest.isEmpty ? .all : .intersection(others, rest))
        default: return ([], self)
        }
    }
}

extension RowTest {
    fileprivate var isBlockwise: Bool {
        switch self {
        case .int, .double, .member: true
        default: false
        }
    }
}
