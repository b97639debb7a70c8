// Paths through references: `owner.name == 'x'` finds the owners first, then the rows that lead to them.

import Indexing
import OrdinalSets
import PredicateSemantics
import PredicateSyntax
import RecordColumns
import RecordModel
package import RecordStore
import Synchronization

/// Plans what one query requires of the records behind references.
///
/// All segments of a query share a planner, so that records are looked for once. Rejected: following each row's
/// reference where there is an index behind it, and deciding a predicate for each distinct reference by the evaluator,
/// which costs the more the fewer rows share a reference.
package final class JoinPlanner: Sendable {
    let snapshot: Snapshot
    private let usage: SegmentPlanner.IndexUsage
    private let known = Mutex<[Key: Known]>([:])

    /// Which records are meant: those for which what is behind so many steps of a comparison holds, or does not.
    private struct Key: Hashable {
        var comparison: ObjectIdentifier
        /// What is left of the comparison behind a reference: a field that the records there lack is nil, so that it
        /// differs by where the reference was followed from.
        var text: String
        var depth: Int
        var isOverLeaves: Bool
        var isNegated: Bool
        var isComplement: Bool
        /// The segment whose references are followed, where only records that they lead to are looked at.
        var source: ObjectIdentifier?
    }

    private struct Known {
        var targets: TargetSet?
        /// Keeps the key's identity from being given to another comparison.
        var comparison: BoundComparison
    }

    /// - Parameter usage: Which indexes may be used or built.
    package init(_ snapshot: Snapshot, usage: SegmentPlanner.IndexUsage) {
        (self.snapshot, self.usage) = (snapshot, usage)
    }

    /// The records for which a condition holds, or does not; `nil` when only the evaluator knows.
    func targets(
        of condition: JoinCondition, isComplement: Bool, from source: SegmentIndexes, _ column: Int,
        _ references: ReferenceColumn
    ) -> TargetSet? {
        var key = Key(
            comparison: condition.origin.identity,
            text: condition.depth == 0 ? "" : condition.operandsLeft, depth: condition.depth,
            isOverLeaves: condition.isOverLeaves, isNegated: condition.isNegated, isComplement: isComplement)
        if let targets = targets(key, condition, among: { _ in false }) { return targets }
        // Types that references do not lead to need not make sense of the condition.
        key.source = ObjectIdentifier(source)
        return targets(key, condition) { number in
            !snapshot.addresses.leads(of: references, column, of: source, in: snapshot).segments.contains(number)
        }
    }

    private func targets(
        _ key: Key, _ condition: JoinCondition, among isUnreachable: (Int) -> Bool
    ) -> TargetSet? {
        if let known = known.withLock({ $0[key] }) { return known.targets }
        let targets = plan(condition, isComplement: key.isComplement, isUnreachable)
        known.withLock { $0[key] = Known(targets: targets, comparison: condition.origin) }
        return targets
    }

    private func plan(
        _ condition: JoinCondition, isComplement: Bool, _ isUnreachable: (Int) -> Bool
    ) -> TargetSet? {
        var parts: [TargetSet.Part] = []
        var tested = condition.node(isComplement: isComplement)
        for (number, target) in snapshot.segments.enumerated() {
            let planner = SegmentPlanner(
                target.indexes, keys: snapshot.keys, usage: snapshot.isIndexed(target) ? usage : usage.withoutBuilding,
                joins: self)
            guard let (behind, names) = condition.behindReference(target.indexes.segment, snapshot.keys),
                let node = planner.targetRows(behind, names)
            else {
                if isUnreachable(number) { continue }
                return nil
            }
            let plan = isComplement ? SegmentPlanner.complement(node) : node
            if case .none = plan { continue }
            tested = behind.node(isComplement: isComplement)
            let estimate = plan.estimate(rowCount: target.indexes.segment.count)
            parts.append(TargetSet.Part(segment: number, plan: plan, names: names, estimate: estimate))
        }
        return TargetSet(parts, in: snapshot, condition: tested)
    }
}

/// A condition on records, seen from where the path to them begins.
struct JoinCondition {
    /// The comparison in terms of the record at hand.
    var comparison: BoundComparison
    /// The comparison in the query.
    let origin: BoundComparison
    /// Number of references behind us.
    var depth = 0
    /// Whether a list of references was met: then the values at all ends of the path count, each on its own, and the
    /// condition is that there is one for which the comparison holds (or does not, when negated).
    var isOverLeaves = false
    var isNegated = false

    init(_ comparison: BoundComparison) {
        self.comparison = comparison
        origin = comparison
    }

    /// The condition that there is an end of the path for which the comparison holds, or does not.
    func overLeaves(isNegated: Bool) -> JoinCondition {
        var condition = self
        condition.comparison = comparison.quantified(by: nil)
        condition.isOverLeaves = true
        condition.isNegated = isNegated
        return condition
    }

    /// Whether the condition holds where the path ends in nothing; `nil` when that has no meaning.
    func holdsForMissing(_ slot: Int) -> Bool? {
        guard let holds = try? SingleValue.holds(.comparison(comparison), slot: slot, .null) else { return nil }
        return holds != isNegated
    }

    /// The condition in terms of the records of a segment, and the names of its fields by slot.
    func behindReference(_ segment: Segment, _ keys: RecordKeys) -> (JoinCondition, [String])? {
        var systemFields: [String: FieldType] = [
            "recordID": .reference, "recordName": .string, "recordType": .string,
        ]
        systemFields[keys.id] = .string
        if let type = keys.type { systemFields[type] = .string }
        guard let (comparison, names) = comparison.behindReference(segment.schema, systemFields: systemFields) else {
            return nil
        }
        var condition = self
        condition.comparison = comparison
        condition.depth += 1
        return (condition, names)
    }

    /// What is left of the operands that are no constants of the query: those are the same on every way to a record.
    var operandsLeft: String {
        [(comparison.lhs, origin.lhs), (comparison.rhs, origin.rhs)].map { now, first in
            first.constant == nil ? now.description : ""
        }.joined(separator: "\0")
    }

    /// The condition on a record, or its contrary, for people.
    func node(isComplement: Bool) -> BoundNode {
        let node = BoundNode.comparison(comparison)
        return isNegated != isComplement ? .not(node) : node
    }
}

extension SegmentPlanner {
    /// The rows for which a comparison holds that goes through references of one field; `nil` for other comparisons,
    /// and where only the evaluator knows, or has something to complain about.
    func join(_ comparison: BoundComparison) -> PlanNode? {
        guard usage != .none, joins != nil, comparison.leadingField != nil else { return nil }
        return join(JoinCondition(comparison))
    }

    private func join(_ condition: JoinCondition) -> PlanNode? {
        guard let field = condition.comparison.leadingField else { return nil }
        guard let position = segment.schema.position(of: field.name) else {
            return keys.isPartOfRecord(field.name) ? nil : missing(condition, field.slot)
        }
        let column = segment.columns[position]
        switch column.values {
        case .missing: return missing(condition, field.slot)
        case .reference(let references):
            guard let missing = condition.holdsForMissing(field.slot),
                let targets = joins?.targets(
                    of: condition, isComplement: missing, from: indexes, position, references)
            else { return nil }
            // References that lead nowhere are on the side of those that the condition does not single out.
            let node = BoundNode.comparison(condition.comparison)
            return ReferenceJoin(
                position, of: self, to: targets,
                condition: condition.isOverLeaves ? nil : missing ? .not(node) : node
            ).map { missing ? .complement(.join($0)) : .join($0) }
        case .list(let lists):
            guard case .reference(let references) = lists.elements.values, condition.comparison.isPathWithConstant
            else { return nil }
            return elements(condition, position, field.slot, references)
        default: return nil
        }
    }

    /// No row has a reference.
    private func missing(_ condition: JoinCondition, _ slot: Int) -> PlanNode? {
        condition.holdsForMissing(slot).map { $0 ? .all : .none }
    }

    /// The rows with a list of references.
    private func elements(
        _ condition: JoinCondition, _ position: Int, _ slot: Int, _ references: ReferenceColumn
    ) -> PlanNode? {
        guard !condition.isOverLeaves else {
            // A record without the list is an end of the path.
            guard let missing = condition.holdsForMissing(slot),
                let node = leaves(condition, position, slot, references, nil)
            else { return nil }
            return missing ? withMissing(node, position) : node
        }
        let node = BoundNode.comparison(condition.comparison)
        switch condition.comparison.quantifier {
        case nil: return nil
        case .some(.any): return leaves(condition.overLeaves(isNegated: false), position, slot, references, node)
        case .some(.none):
            return leaves(condition.overLeaves(isNegated: false), position, slot, references, .not(node))
                .map(Self.complement)
        case .some(.all):
            return leaves(condition.overLeaves(isNegated: true), position, slot, references, .not(node))
                .map(Self.complement)
        }
    }

    private func leaves(
        _ condition: JoinCondition, _ position: Int, _ slot: Int, _ references: ReferenceColumn, _ node: BoundNode?
    ) -> PlanNode? {
        guard let missing = condition.holdsForMissing(slot),
            let targets = joins?.targets(of: condition, isComplement: missing, from: indexes, position, references)
        else { return nil }
        return ReferenceJoin(position, of: self, to: targets, isOutside: missing, condition: node).map { .join($0) }
    }

    /// A node's rows and those without a value in a column.
    private func withMissing(_ node: PlanNode, _ column: Int) -> PlanNode {
        guard let presence = segment.columns[column].presence else { return node }
        let use = IndexUse(field: segment.schema.fields[column].name, kind: "presence", request: "== nil")
        let missing = presence.complement
        return .union([node, .bitmap(missing, cardinality: missing.cardinality, use)])
    }

    /// The rows of this segment for which a condition holds that a path leads to; `nil` when only the evaluator knows.
    func targetRows(_ condition: JoinCondition, _ names: [String]) -> PlanNode? {
        let comparison = condition.comparison
        // No record of the segment has any of the fields.
        if names.isEmpty { return missing(condition, -1) }
        if comparison.leadingField != nil, let node = join(condition) { return node }
        guard condition.isOverLeaves else { return total(.comparison(comparison)) }
        switch comparison.lhs.type {
        case .any, .null, .object, .set: return nil
        case .list:
            guard let field = comparison.lhs.listField, let position = segment.schema.position(of: field.name),
                let missing = condition.holdsForMissing(field.slot),
                let node = total(
                    condition.isNegated
                        ? .not(.comparison(comparison.quantified(by: .all)))
                        : .comparison(comparison.quantified(by: .any)))
            else { return nil }
            return missing ? withMissing(node, position) : node
        default: return total(condition.isNegated ? .not(.comparison(comparison)) : .comparison(comparison))
        }
    }

    /// The plan of a node that cannot fail.
    private func total(_ node: BoundNode) -> PlanNode? { canThrow(node) ? nil : plan(node) }
}

extension Operand {
    /// The field of a list, or of what is in a list.
    fileprivate var listField: FieldReference? {
        switch kind {
        case .field(let field): field
        case .path(let base, _): base.listField
        default: nil
        }
    }
}
