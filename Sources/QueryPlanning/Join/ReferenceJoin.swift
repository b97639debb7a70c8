// Semi-joins: the rows whose references lead to records that satisfy a condition.

package import Indexing
package import OrdinalSets
package import PredicateSemantics
package import RecordColumns
import RecordModel
package import RecordStore
import Synchronization

/// The records that satisfy a condition, in all segments that references may lead to.
///
/// Planned once for a query; its segments share what is found.
package final class TargetSet: Sendable {
    /// The records of one segment.
    package struct Part: Sendable {
        /// The segment's number in the snapshot.
        package let segment: Int
        package let plan: PlanNode
        /// The fields that the plan reads, by slot.
        package let names: [String]
        /// Rows expected.
        package let estimate: Int
    }

    package let snapshot: Snapshot
    /// Segments of which no row is meant are left out.
    package let parts: [Part]
    /// The condition on the records.
    package let condition: BoundNode
    private let found = Mutex<[Int: OrdinalSet]>([:])

    init(_ parts: [Part], in snapshot: Snapshot, condition: BoundNode) {
        (self.parts, self.snapshot, self.condition) = (parts, snapshot, condition)
    }

    /// Rows expected.
    var estimate: Int { parts.reduce(0) { $0 + $1.estimate } }

    var isScanning: Bool { parts.contains { $0.plan.isScanning } }

    /// Whether all records of a segment are looked at.
    var isFullScan: Bool { parts.contains { $0.plan.isFullScan } }

    /// The rows by segment, as far as they were looked for.
    package var rows: [Int: OrdinalSet] { found.withLock { $0 } }

    /// Keeps the rows of a segment.
    package func keep(_ rows: OrdinalSet, of segment: Int) { found.withLock { $0[segment] = rows } }

    /// Number of rows that are looked at one by one.
    private var scannedCount: Int {
        parts.reduce(0) { count, part in
            part.plan.isScanning ? count + snapshot.segments[part.segment].indexes.segment.count : count
        }
    }

    /// The parts in whose segments references of a column may lead; all where telling them apart costs more.
    package func parts(behind references: ReferenceColumn, _ column: Int, of indexes: SegmentIndexes) -> [Part] {
        guard snapshot.addresses.isKnown(column, of: indexes) || scannedCount > references.names.count else {
            return parts
        }
        let segments = snapshot.addresses.leads(of: references, column, of: indexes, in: snapshot).segments
        return parts.filter { segments.contains($0.segment) }
    }
}

/// The rows of a segment with a reference, or a list with a reference, to one of some records.
package final class ReferenceJoin: Sendable {
    package let indexes: SegmentIndexes
    /// Position of the column in the segment.
    package let column: Int
    package let references: ReferenceColumn
    /// The lists that the references are elements of; `nil` for a column of references.
    package let lists: ListColumn?
    package let targets: TargetSet
    /// Whether lists are meant that have an element which is no reference to one of the records.
    package let isOutside: Bool
    /// The same in terms of the row, for single rows; `nil` when there are none.
    package let condition: BoundNode?
    /// Whether the index of the references may be built.
    package let buildsIndex: Bool
    private let found = Mutex<PlanNode?>(nil)
    /// Nanoseconds spent on following references of single rows.
    private let spent = Atomic<Int>(0)

    init?(
        _ column: Int, of planner: SegmentPlanner, to targets: TargetSet, isOutside: Bool = false,
        condition: BoundNode?
    ) {
        switch planner.segment.columns[column].values {
        case .reference(let references): (self.references, lists) = (references, nil)
        case .list(let lists):
            guard case .reference(let references) = lists.elements.values else { return nil }
            (self.references, self.lists) = (references, lists)
        default: return nil
        }
        (self.column, indexes) = (column, planner.indexes)
        let field = planner.segment.schema.fields[column].name
        buildsIndex = planner.usage.building(OrderedIndex.kind, of: field) ?? false
        (self.targets, self.isOutside, self.condition) = (targets, isOutside, condition)
    }

    /// The lookup that the join came to, once it has.
    package var resolved: PlanNode? {
        get { found.withLock { $0 } }
        set { found.withLock { $0 = newValue } }
    }

    /// The field of the references.
    package var field: String { indexes.segment.schema.fields[column].name }

    /// Number of distinct references.
    package var distinctCount: Int { references.names.count }

    /// About how many of `rowCount` rows the join gives.
    func estimate(rowCount: Int) -> Int {
        if let resolved { return resolved.estimate(rowCount: rowCount) }
        let entries = Double(lists?.elements.count ?? rowCount)
        let share = min(1, Double(targets.estimate) / Double(max(1, distinctCount)))
        return min(rowCount, Int(entries * (isOutside ? 1 - share : share)))
    }

    /// Nanoseconds to find the rows of the join; nothing once they are found.
    private var cost: Double {
        if resolved != nil { return 0 }
        let targetCost = targets.parts.reduce(0.0) { cost, part in
            let rows = targets.snapshot.segments[part.segment].indexes.segment.count
            return cost + (part.plan.isScanning ? 20 * Double(rows) : 1000)
        }
        let isKnown = targets.snapshot.addresses.isKnown(column, of: indexes)
        return targetCost + min(Double(targets.estimate) * 400, Double(distinctCount) * (isKnown ? 2 : 150))
    }

    /// Whether to follow the references of some rows one by one and leave the join undone.
    ///
    /// That cost adds up: a query that runs often makes the join before it has cost twice as much without.
    package func follows(_ count: Int) -> Bool {
        guard condition != nil, resolved == nil else { return false }
        let price = count.multipliedReportingOverflow(by: 3000).partialValue
        guard price >= 0, Double(spent.load(ordering: .relaxed)) + Double(price) < cost else { return false }
        spent.wrappingAdd(price, ordering: .relaxed)
        return true
    }
}
