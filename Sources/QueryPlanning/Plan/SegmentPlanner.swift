// From a bound predicate to a plan for one segment.

package import Indexing
import OrdinalSets
package import PredicateSemantics
package import RecordColumns
import RecordModel

/// Plans predicates over the rows of one segment.
///
/// Segments are planned one by one: the lookups that find rows are also the best estimates of how many there are, and
/// cost less than a microsecond. Rejected: histograms per field and a plan for the whole table; estimates were worse
/// and a plan had to be resolved against each segment all the same.
package final class SegmentPlanner: Sendable {
    let indexes: SegmentIndexes
    let keys: RecordKeys
    package let usage: IndexUsage
    /// Plans the conditions on records behind references; without one, each row's reference is followed.
    let joins: JoinPlanner?

    /// - Parameter keys: What identifier and type are called where they are seen as fields.
    package init(_ indexes: SegmentIndexes, keys: RecordKeys, usage: IndexUsage = .all, joins: JoinPlanner? = nil) {
        self.indexes = indexes
        self.keys = keys
        self.usage = usage
        self.joins = joins
    }

    var segment: Segment { indexes.segment }
    var rowCount: Int { segment.count }

    /// A plan for the rows that satisfy the predicate. Complexity: O(conjuncts · log rows), plus building of indexes.
    package func plan(_ predicate: BoundPredicate) -> PlanNode {
        // Chance gives each row another number: nothing may be skipped or evaluated twice.
        predicate.usesContext || !predicate.openVariables.isEmpty
            ? .scan(.evaluate([predicate.root], .context)) : plan(predicate.root)
    }

    func plan(_ node: BoundNode) -> PlanNode {
        switch node {
        case .constant(let value): value ? .all : .none
        case .not(let inner): canThrow(inner) ? .scan(.evaluate([node], .mayFail)) : Self.complement(plan(inner))
        case .and(let nodes): conjunction(nodes)
        case .or(let nodes): disjunction(nodes, whole: node)
        case .comparison(let comparison): plan(comparison)
        }
    }

    private func plan(_ comparison: BoundComparison) -> PlanNode {
        let node = BoundNode.comparison(comparison)
        if canThrow(node) { return .scan(.evaluate([node], .mayFail)) }
        if let known = known(comparison) { return known }
        switch comparison.constraint.map({ access($0, of: [comparison]) })?.first {
        case .lookup(let node), .either(let node, _): return node
        case .test(let test): return .scan(test)
        case nil: return .scan(test(comparison))
        }
    }

    /// The rows of a comparison that is about records elsewhere, or about all rows at once.
    private func known(_ comparison: BoundComparison) -> PlanNode? {
        if let join = join(comparison) { return join }
        // All rows of a segment are of one type.
        guard usage != .none, let field = comparison.soleField,
            field.name == "recordType" || field.name == keys.type, segment.schema.position(of: field.name) == nil,
            let holds = try? SingleValue.holds(
                .comparison(comparison), slot: field.slot, .string(segment.recordType))
        else { return nil }
        return holds ? PlanNode.all : PlanNode.none
    }

    /// Whether the predicate may fail for a row of this segment.
    func canThrow(_ node: BoundNode) -> Bool {
        node.canThrow { usage != .none && ProgramCompiler.compile($0, over: segment) != nil || join($0) != nil }
    }

    // MARK: Conjunctions

    func conjunction(_ nodes: [BoundNode]) -> PlanNode {
        let flat = Self.flattened(nodes)
        // What may fail keeps its place, and so does all behind it.
        let split = flat.firstIndex(where: canThrow) ?? flat.count
        return joined(conjuncts(Array(flat[..<split])), then: Array(flat[split...]))
    }

    /// The rows of several conditions: lookups first, in order of estimate, then tests, then what may fail.
    private func joined(_ accesses: [Access], then rest: [BoundNode] = []) -> PlanNode {
        var accesses = accesses
        accesses.sort { a, b in
            // What looks at rows comes last: it runs on those that are left.
            if a.isScanning != b.isScanning { return b.isScanning }
            return a.estimate(rowCount: rowCount) < b.estimate(rowCount: rowCount)
        }
        var lookups: [PlanNode] = []
        var tests: [PlannedTest] = []
        for access in accesses {
            switch access {
            case .lookup(.none): return .none
            case .lookup(.all): continue
            case .lookup(.intersection(let nodes, let inner)) where !access.isScanning:
                lookups += nodes
                tests += inner
            case .lookup(let node): lookups.append(node)
            case .test(let test): tests.append(test)
            case .either(let node, let test):
                // The fewest rows drive; for the others a look at the column is cheaper than a set of rows.
                if lookups.isEmpty { lookups.append(node) } else { tests.append(PlannedTest(test)) }
            }
        }
        lookups.sort { a, b in
            if a.isScanning != b.isScanning { return b.isScanning }
            return a.estimate(rowCount: rowCount) < b.estimate(rowCount: rowCount)
        }
        tests.sort { $0.test.cost < $1.test.cost }
        if !rest.isEmpty { tests.append(.evaluate(rest, .mayFail)) }
        return Self.intersection(lookups, tests)
    }

    private static func intersection(_ lookups: [PlanNode], _ tests: [PlannedTest]) -> PlanNode {
        switch (lookups.count, tests.count) {
        case (0, 0): .all
        case (1, 0): lookups[0]
        case (0, 1): .scan(tests[0])
        default: .intersection(lookups, tests)
        }
    }

    static func flattened(_ nodes: [BoundNode]) -> [BoundNode] {
        nodes.flatMap { node in
            if case .and(let inner) = node { flattened(inner) } else { [node] }
        }
    }

    /// The ways to each conjunct; ranges of one field are one conjunct.
    private func conjuncts(_ nodes: [BoundNode]) -> [Access] {
        var ranges = RangeMerge()
        var accesses: [Access] = []
        for node in nodes {
            guard case .comparison(let comparison) = node else {
                accesses.append(.lookup(plan(node)))
                continue
            }
            if let known = known(comparison) {
                accesses.append(.lookup(known))
                continue
            }
            guard let constraint = comparison.constraint else {
                accesses.append(.test(test(comparison)))
                continue
            }
            if !ranges.add(constraint, of: comparison) { accesses += access(constraint, of: [comparison]) }
        }
        return accesses + ranges.merged.flatMap { access($0.constraint, of: $0.comparisons) }
    }

    /// The ways to the comparisons that a constraint stands for.
    private func access(_ constraint: FieldConstraint, of comparisons: [BoundComparison]) -> [Access] {
        let nodes = comparisons.map(BoundNode.comparison)
        let lookup = ConstraintLookup(planner: self, comparison: nodes.count == 1 ? nodes[0] : .and(nodes))
        guard constraint.isExact, let access = lookup.access(constraint) else {
            return comparisons.map { .test(test($0)) }
        }
        let planned = access.reading(nodes)
        return [constraint.isNegated ? planned.complement : planned]
    }

    /// The cheapest test of a comparison without an index.
    private func test(_ comparison: BoundComparison) -> PlannedTest {
        PlannedTest(
            rowTest(comparison), unserved: [UnservedPart(node: .comparison(comparison), reason: .noIndex)])
    }

    private func rowTest(_ comparison: BoundComparison) -> RowTest {
        guard usage != .none else { return .evaluate(.comparison(comparison)) }
        if let program = ProgramCompiler.compile(comparison, over: segment) { return .computed(program) }
        return valueTest(comparison) ?? .evaluate(.comparison(comparison))
    }

    /// A test by the distinct values of the one column that the comparison reads, where they are few.
    private func valueTest(_ comparison: BoundComparison) -> RowTest? {
        guard let field = comparison.soleField, let column = segment.column(named: field.name) else { return nil }
        let node = BoundNode.comparison(comparison)
        switch column.values {
        case .dictionary(let dictionary):
            return .coded(DictionaryTest(dictionary, presence: column.presence, slot: field.slot, node: node))
        case .bool(let bits):
            var rows = Bitmap(count: rowCount)
            for (value, among) in [(FieldValue.bool(true), bits), (.bool(false), bits.complement)] {
                guard let holds = try? SingleValue.holds(node, slot: field.slot, value) else { return nil }
                if holds { rows.formUnion(among) }
            }
            if let presence = column.presence {
                guard let holds = try? SingleValue.holds(node, slot: field.slot, .null) else { return nil }
                _ = rows.formIntersection(presence)
                if holds { rows.formUnion(presence.complement) }
            }
            return .member(rows, cardinality: rows.cardinality)
        default: return nil
        }
    }

    // MARK: Constraints without their comparisons

    /// The rows that meet all constraints, each exact and not negated; `nil` where only a comparison itself would tell.
    ///
    /// - Complexity: O(constraints · log rows), plus building of indexes.
    package func plan(_ constraints: [FieldConstraint]) -> PlanNode? {
        let lookup = ConstraintLookup(planner: self, comparison: nil)
        if constraints.count == 1 {
            switch lookup.access(constraints[0]) {
            case .lookup(let node), .either(let node, _): return node
            case .test(let test): return .scan(test)
            case nil: return nil
            }
        }
        var ranges = RangeMerge()
        var accesses: [Access] = []
        for constraint in constraints where !ranges.add(constraint, of: nil) {
            guard let access = lookup.access(constraint) else { return nil }
            accesses.append(access)
        }
        for range in ranges.merged {
            guard let access = lookup.access(range.constraint) else { return nil }
            accesses.append(access)
        }
        return joined(accesses)
    }

    // MARK: Disjunctions

    private func disjunction(_ nodes: [BoundNode], whole: BoundNode) -> PlanNode {
        if canThrow(whole) { return .scan(.evaluate([whole], .mayFail)) }
        var lookups: [PlanNode] = []
        var tests: [BoundNode] = []
        var unserved: [UnservedPart] = []
        for node in nodes {
            switch plan(node) {
            case .all: return .all
            case .none: continue
            case .union(let inner): lookups += inner
            case .scan(let scan) where !scan.test.isKernel:
                tests.append(node)
                unserved += scan.unserved
            case let node: lookups.append(node)
            }
        }
        // What has no index is evaluated once per row, for all such terms together.
        if !tests.isEmpty {
            let test = RowTest.evaluate(tests.count == 1 ? tests[0] : .or(tests))
            lookups.append(.scan(PlannedTest(test, unserved: unserved)))
        }
        return lookups.count == 1 ? lookups[0] : lookups.isEmpty ? .none : .union(lookups)
    }

    static func complement(_ node: PlanNode) -> PlanNode {
        switch node {
        case .none: .all
        case .all: .none
        case .complement(let inner): inner
        default: .complement(node)
        }
    }
}

/// A way, or two, to the rows of one conjunct.
enum Access {
    case lookup(PlanNode)
    case test(PlannedTest)
    /// A lookup gives the rows, and a test checks a row without it.
    case either(PlanNode, RowTest)

    func estimate(rowCount: Int) -> Int {
        switch self {
        case .lookup(let node), .either(let node, _): node.estimate(rowCount: rowCount)
        case .test(let planned): planned.test.estimate(rowCount: rowCount)
        }
    }

    var isScanning: Bool { if case .lookup(let node) = self { node.isScanning } else { false } }

    /// The same way, where a test reads rows for want of an index that serves conditions.
    func reading(_ nodes: [BoundNode]) -> Access {
        guard case .test(let planned) = self else { return self }
        return .test(
            PlannedTest(planned.test, unserved: nodes.map { UnservedPart(node: $0, reason: .noIndex) }))
    }

    var complement: Access {
        switch self {
        case .lookup(let node), .either(let node, _): .lookup(SegmentPlanner.complement(node))
        case .test(let test): .lookup(.complement(.scan(test)))
        }
    }
}

/// Ranges of one field that are looked up at once: `a >= 1 AND a < 5` is one range.
private struct RangeMerge {
    private(set) var merged: [(constraint: FieldConstraint, comparisons: [BoundComparison])] = []

    /// Takes a range of a field's own value in; false for anything else.
    ///
    /// - Parameter comparison: What the constraint stands for, where that is at hand.
    mutating func add(_ constraint: FieldConstraint, of comparison: BoundComparison?) -> Bool {
        guard case .range(let lower, let upper, let options) = constraint.requirement, constraint.isExact,
            !constraint.isNegated, !constraint.subject.isElementwise
        else { return false }
        for position in merged.indices where merged[position].constraint.subject == constraint.subject {
            // The simplifier has joined what comparing tells; opposite sides are all that is left.
            guard case .range(let low, let high, options) = merged[position].constraint.requirement,
                let both = Interval(lower: lower, upper: upper)
                    .intersection(Interval(lower: low, upper: high), by: { _, _ in nil })
            else { continue }
            merged[position].constraint.requirement = .range(lower: both.lower, upper: both.upper, options)
            if let comparison { merged[position].comparisons.append(comparison) }
            return true
        }
        merged.append((constraint, comparison.map { [$0] } ?? []))
        return true
    }
}
