// Rows that meet several conditions.

internal import CKernels
import Geospatial
import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns

extension SegmentExecutor {
    /// The number of rows of an intersection of sets that are there already; `nil` when they have to be computed.
    func countIntersection(_ nodes: [PlanNode], _ tests: [PlannedTest]) throws(EvaluationError) -> Int? {
        guard tests.isEmpty, nodes.count >= 2 else { return nil }
        var bitmaps: [Bitmap] = []
        for node in nodes.dropFirst() {
            guard case .bitmap(let bitmap, _, _) = node else { return nil }
            bitmaps.append(bitmap)
        }
        guard var last = bitmaps.popLast() else { return nil }
        for bitmap in bitmaps { _ = last.formIntersection(bitmap) }
        switch nodes[0] {
        case .bitmap(let first, _, _): return first.intersectionCount(last)
        case .run(let run, _) where !run.mayRepeat, .scanIfLong(let run, _, _):
            return unsafe run.withRows { rows in
                unsafe last.words.withUnsafeBufferPointer { words in
                    // SAFETY: the rows of an index are below the segment's row count, which the words cover.
                    unsafe kernels_list_filter_count(rows.baseAddress, rows.count, words.baseAddress)
                }
            }
        default: return nil
        }
    }

    /// The rows of all nodes that pass all tests. Nodes come in order of estimate, tests in order of cost; a test
    /// sees no row that a test before it has ruled out.
    func intersection(_ nodes: [PlanNode], _ tests: [PlannedTest]) throws(EvaluationError) -> OrdinalSet {
        var members: Bitmap?
        for node in nodes where !node.isScanning {
            let rows = try bitmap(node)
            if members == nil { members = rows } else { members?.formIntersection(rows) }
        }
        let kernels = tests.prefix { $0.test.isKernel }
        for planned in kernels { members = try select(planned.test, among: members) }
        for node in nodes where node.isScanning { members = try restrict(members, to: node) }
        for planned in tests[kernels.count...] { members = try select(planned.test, among: members) }
        return members.map { OrdinalSet($0) } ?? .full(universe: rowCount)
    }

    /// The rows among some, or among all, that a node gives; nothing else is looked at.
    func restrict(_ rows: Bitmap?, to node: PlanNode) throws(EvaluationError) -> Bitmap {
        switch node {
        case .scan(let scan): return try select(scan.test, among: rows)
        case .join(let join):
            if let condition = join.condition, join.follows(rows?.cardinality ?? rowCount) {
                return try evaluate(condition, among: rows)
            }
            return try restrict(rows, to: resolved(join))
        case .complement(let inner) where node.isScanning:
            var others = rows ?? Bitmap(count: rowCount, repeating: true)
            others.subtract(try restrict(rows, to: inner))
            return others
        case .union(let nodes) where node.isScanning:
            var rest = rows ?? Bitmap(count: rowCount, repeating: true)
            var members = Bitmap(count: rowCount)
            for node in nodes {
                let found = try restrict(rest, to: node)
                members.formUnion(found)
                rest.subtract(found)
            }
            return members
        case .intersection(let nodes, let tests) where node.isScanning:
            var members = rows
            for node in nodes { members = try restrict(members, to: node) }
            for planned in tests { members = try select(planned.test, among: members) }
            return members ?? Bitmap(count: rowCount, repeating: true)
        default:
            var members = try bitmap(node)
            if let rows { members.formIntersection(rows) }
            return members
        }
    }

    /// The same where the first node has few rows: each once, ascending or not; `nil` where it has many.
    func intersectionOfFew(_ nodes: [PlanNode], _ tests: [PlannedTest]) throws(EvaluationError) -> [UInt32]? {
        guard let first = nodes.first, !first.isScanning, first.estimate(rowCount: rowCount) <= rowCount / 32 else {
            return nil
        }
        var candidates = try candidates(first)
        var rest = tests[...]
        for node in nodes.dropFirst() {
            // What rules out more goes first, if a look at a column decides it.
            while let test = rest.first?.test, test.isKernel,
                node.isScanning || test.estimate(rowCount: rowCount) < node.estimate(rowCount: rowCount)
            {
                candidates = try keep(candidates, test)
                rest = rest.dropFirst()
            }
            candidates = try keep(candidates, in: node)
        }
        for planned in rest { candidates = try keep(candidates, planned.test) }
        return candidates
    }

    private func bitmap(_ node: PlanNode) throws(EvaluationError) -> Bitmap {
        switch node {
        case .bitmap(let bitmap, _, _): return bitmap
        case .complement(.bitmap(let bitmap, _, _)): return bitmap.complement
        case .run(let run, _): return bitmap(of: run)
        case .scanIfLong(let run, _, _) where run.count <= rowCount / 8: return bitmap(of: run)
        default: return try set(node).bitmap
        }
    }

    // MARK: Few candidates

    /// The rows of a node, ascending or not, each once.
    private func candidates(_ node: PlanNode) throws(EvaluationError) -> [UInt32] {
        if case .scanIfLong(let run, _, _) = node { return unsafe run.withRows { unsafe Array($0) } }
        if case .run(let run, _) = node, !run.mayRepeat { return unsafe run.withRows { unsafe Array($0) } }
        if case .near(let tree, let locations, let test, _) = node {
            var rows: [UInt32] = []
            tree.select(test, location: { locations.location(Int($0)) }, into: &rows)
            return rows
        }
        return try rows(node)
    }

    /// The candidates in order.
    func ascending(_ candidates: [UInt32]) -> [UInt32] {
        if SortedOrdinals.isAscending(candidates) { return candidates }
        // A bitmap is the way to sort many rows.
        return candidates.count > 256
            ? Bitmap(ordinals: candidates, count: rowCount).ordinals : candidates.sorted()
    }

    /// The candidates that a node gives; in their order, where the node decides blocks.
    func keep(_ candidates: [UInt32], in node: PlanNode) throws(EvaluationError) -> [UInt32] {
        switch node {
        case .bitmap(let bitmap, _, _): return keep(candidates, in: bitmap, wanted: true)
        case .complement(.bitmap(let bitmap, _, _)): return keep(candidates, in: bitmap, wanted: false)
        case .scan(let scan): return try keep(candidates, scan.test)
        case .join(let join):
            if let condition = join.condition, join.follows(candidates.count) {
                return try keep(candidates, evaluating: condition)
            }
            return try keep(candidates, in: resolved(join))
        case .complement(.join(let join)):
            let candidates = ascending(candidates)
            return SortedOrdinals.subtracting(candidates, try keep(candidates, in: .join(join)))
        case .complement(let inner) where node.isScanning:
            let candidates = ascending(candidates)
            return SortedOrdinals.subtracting(candidates, try keep(candidates, in: inner))
        case .union(let nodes) where node.isScanning:
            var rest = ascending(candidates)
            for node in nodes { rest = SortedOrdinals.subtracting(rest, try keep(rest, in: node)) }
            return SortedOrdinals.subtracting(ascending(candidates), rest)
        case .intersection(let nodes, let tests) where node.isScanning:
            var kept = candidates
            for node in nodes { kept = try keep(kept, in: node) }
            for planned in tests { kept = try keep(kept, planned.test) }
            return kept
        case .run(let run, _) where run.isAscending && SortedOrdinals.isAscending(candidates):
            return unsafe run.withRows { unsafe SortedOrdinals.intersection(candidates, Array($0)) }
        case .run(let run, _) where run.count + rowCount / 64 < 16 * candidates.count:
            // A look for each candidate among sorted rows takes as long as setting a dozen bits.
            return keep(candidates, in: bitmap(of: run), wanted: true)
        default:
            let set = try set(node)
            return candidates.filter { set.contains(Int($0)) }
        }
    }

    private func keep(_ candidates: [UInt32], in bitmap: Bitmap, wanted: Bool) -> [UInt32] {
        // Of no capacity it would be the empty array that all threads share, and its count would be written.
        if candidates.isEmpty { return [] }
        return unsafe [UInt32](unsafeUninitializedCapacity: candidates.count) { kept, count in
            count = unsafe bitmap.words.withUnsafeBufferPointer { words in
                // SAFETY: candidates are rows of the segment, which the words cover; there is room for all of them.
                unsafe kernels_list_filter(
                    candidates, candidates.count, words.baseAddress, wanted ? 1 : 0, kept.baseAddress)
            }
        }
    }

    private func keep(_ candidates: [UInt32], _ test: RowTest) throws(EvaluationError) -> [UInt32] {
        switch test {
        case .int(let values, let presence, let low, let high, _):
            let kept = presence.map { keep(candidates, in: $0, wanted: true) } ?? candidates
            if kept.isEmpty { return [] }
            return unsafe [UInt32](unsafeUninitializedCapacity: kept.count) { out, count in
                count = unsafe values.withElements { values in
                    // SAFETY: candidates are rows of the segment, and the column has a value for each row.
                    unsafe kernels_list_filter_range_i64(
                        kept, kept.count, values.baseAddress, low, high, out.baseAddress)
                }
            }
        case .double(let values, let presence, let low, let high, _):
            let kept = presence.map { keep(candidates, in: $0, wanted: true) } ?? candidates
            if kept.isEmpty { return [] }
            return unsafe [UInt32](unsafeUninitializedCapacity: kept.count) { out, count in
                count = unsafe values.withElements { values in
                    // SAFETY: as above.
                    unsafe kernels_list_filter_range_f64(
                        kept, kept.count, values.baseAddress, low, high, out.baseAddress)
                }
            }
        case .member(let bitmap, _): return keep(candidates, in: bitmap, wanted: true)
        case .near(let locations, let presence, let test):
            return candidates.filter { row in
                (presence?[Int(row)] ?? true) && test.contains(locations.location(Int(row)))
            }
        case .computed(let program): return try keep(candidates, program)
        case .coded(let test):
            // Values are all decided at once, which is worth it for rows enough.
            if candidates.count < test.valueCount, !test.isDecided {
                return try keep(candidates, evaluating: test.node)
            }
            var kept: [UInt32] = []
            for row in candidates where try passes(Int(row), test) { kept.append(row) }
            return kept
        case .text(let test):
            // A set of all rows costs as much as a look at a few texts.
            if candidates.count > max(8, rowCount / 16_384) {
                return try select(test, among: Bitmap(ordinals: candidates, count: rowCount)).ordinals
            }
            return try keep(candidates) { row throws(EvaluationError) in try meets(test, row) }
        case .phrase(let test): return keep(candidates, test)
        case .evaluate(let node): return try keep(candidates, evaluating: node)
        }
    }

    private func keep(_ candidates: [UInt32], evaluating node: BoundNode) throws(EvaluationError) -> [UInt32] {
        try keep(candidates) { row throws(EvaluationError) in try evaluator.holds(node, row: row) }
    }

    /// In row order, so that the error of the first row is the one that is told.
    private func keep(
        _ candidates: [UInt32], where passes: (Int) throws(EvaluationError) -> Bool
    ) throws(EvaluationError) -> [UInt32] {
        let watch = QueryDeadline.watch
        var kept: [UInt32] = []
        for row in SortedOrdinals.isAscending(candidates) ? candidates : candidates.sorted() {
            try watch.checkTime()
            if try passes(Int(row)) { kept.append(row) }
        }
        return kept
    }
}
