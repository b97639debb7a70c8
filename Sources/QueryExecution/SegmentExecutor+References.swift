// Semi-joins: from records that satisfy a condition to the rows whose references lead to them.

internal import CKernels
import Indexing
import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore

extension SegmentExecutor {
    /// The lookup that a join comes to.
    /// - Throws: `EvaluationError` when the task was cancelled.
    func resolved(_ join: ReferenceJoin) throws(EvaluationError) -> PlanNode {
        if let known = join.resolved { return known }
        let targets = try targets(of: join)
        let node = listed(join, targets) ?? coded(join, targets)
        try QueryDeadline.watch.check()
        join.resolved = node
        return node
    }

    /// The records that satisfy the condition, by segment, as far as references lead to them.
    private func targets(of join: ReferenceJoin) throws(EvaluationError) -> [Int: OrdinalSet] {
        let targets = join.targets
        var rows = targets.rows
        for part in targets.parts(behind: join.references, join.column, of: join.indexes)
        where rows[part.segment] == nil {
            let members = try executor(for: part, of: targets).set(part.plan)
            let deleted = targets.snapshot.segments[part.segment].deleted
            let live = deleted.map { members.subtracting(OrdinalSet(bitmap: $0.rows, cardinality: $0.count)) }
            // Interrupted work may have found anything: that is no result, and must not be kept as one.
            try QueryDeadline.watch.check()
            rows[part.segment] = live ?? members
            targets.keep(live ?? members, of: part.segment)
        }
        return rows
    }

    private func executor(for part: TargetSet.Part, of targets: TargetSet) -> SegmentExecutor<EvaluatedRows> {
        let target = targets.snapshot.segments[part.segment]
        let segment = target.indexes.segment
        // Predicates that read the clock or chance have no joins.
        let rows = EvaluatedRows(
            segment, of: targets.snapshot, names: part.names, deleted: target.deleted?.rows, context: .unused)
        return SegmentExecutor<EvaluatedRows>(rowCount: segment.count, evaluator: rows, threads: threads)
    }

    /// The plans of the records that a join leads to, executed and reported.
    func reports(of targets: TargetSet) throws(EvaluationError) -> [PlanReport] {
        var reports: [PlanReport] = []
        let found = targets.rows
        for part in targets.parts where found[part.segment] != nil {
            var report = try executor(for: part, of: targets).report(part.plan)
            let type = targets.snapshot.segments[part.segment].indexes.segment.recordType
            report.detail = report.detail.isEmpty ? type : "\(type): \(report.detail)"
            reports.append(report)
        }
        return reports
    }

    // MARK: Few records

    /// The rows by looking each record up in the index of the references; `nil` where that is the longer way.
    private func listed(_ join: ReferenceJoin, _ targets: [Int: OrdinalSet]) -> PlanNode? {
        guard !join.isOutside else { return nil }
        let count = targets.values.reduce(0) { $0 + $1.cardinality }
        if count == 0 { return PlanNode.none }
        let isKnown = join.targets.snapshot.addresses.isKnown(join.column, of: join.indexes)
        guard count < join.distinctCount / (isKnown ? 128 : 2),
            let index = join.indexes.ordered(column: join.column, building: join.buildsIndex)
        else { return nil }
        var runs: [PostingSlice] = []
        for (number, members) in targets {
            let segment = join.targets.snapshot.segments[number].indexes.segment
            for row in members.ordinals {
                let id = RecordReference(recordID: segment.recordID(Int(row)))
                guard let distinct = index.distinct(equalTo: .reference(id)) else { continue }
                runs.append(index.run(ofDistinct: distinct..<distinct + 1))
            }
        }
        let use = IndexUse(field: join.field, kind: "reference", request: "to \(count) records")
        if runs.count == 1 { return .run(runs[0], use) }
        let total = runs.reduce(0) { $0 + $1.count }
        if total == 0 { return PlanNode.none }
        var members = Bitmap(count: rowCount)
        for run in runs { unsafe run.withRows { unsafe members.insert(Array($0)) } }
        return total < rowCount / 32
            ? .rows(members.ordinals, use) : .bitmap(members, cardinality: members.cardinality, use)
    }

    // MARK: Many records

    /// The rows by a look at the reference of each.
    private func coded(_ join: ReferenceJoin, _ targets: [Int: OrdinalSet]) -> PlanNode {
        let codes = codes(join, targets)
        let use = IndexUse(field: join.field, kind: "reference", request: "to some of all records")
        let column = join.indexes.segment.columns[join.column]
        var members = Bitmap(count: rowCount)
        if let lists = join.lists {
            for row in 0..<rowCount {
                members[row] = lists.range(row).contains { position in
                    let isMember = lists.elements.isPresent(position) && codes[Int(join.references.codes[position])]
                    return isMember != join.isOutside
                }
            }
        } else {
            unsafe join.references.codes.withElements { rows in
                unsafe members.words.withUnsafeMutableBufferPointer { words in
                    // SAFETY: the column has a code for each row, the words cover the rows, the bitmap all codes.
                    unsafe kernels_select_codes(rows.baseAddress, rowCount, codes.words, words.baseAddress)
                }
            }
        }
        if let presence = column.presence { _ = members.formIntersection(presence) }
        return .bitmap(members, cardinality: members.cardinality, use)
    }

    /// The codes of the references that lead to one of the records.
    private func codes(_ join: ReferenceJoin, _ targets: [Int: OrdinalSet]) -> Bitmap {
        let snapshot = join.targets.snapshot
        let addresses = snapshot.addresses.leads(
            of: join.references, join.column, of: join.indexes, in: snapshot
        ).addresses
        var bitmaps = [Bitmap?](repeating: nil, count: snapshot.segments.count)
        for (number, members) in targets where !members.isEmpty { bitmaps[number] = members.bitmap }
        var codes = Bitmap(count: addresses.count)
        for (code, address) in addresses.enumerated() {
            if let address, let members = bitmaps[address.segment], members[address.row] { codes[code] = true }
        }
        return codes
    }
}
