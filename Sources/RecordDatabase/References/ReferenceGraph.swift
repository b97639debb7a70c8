// Who is deleted with whom, and who is below whom.

import RecordColumns
import RecordModel
import RecordStore

/// The references of a database that matter when records are deleted, from the records they lead to.
struct ReferenceGraph {
    /// Records with a reference of action `deleteSelf`, by its target.
    private(set) var holders: [Record.ID: Set<Record.ID>] = [:]
    /// Records with a parent, by their parent.
    private(set) var children: [Record.ID: Set<Record.ID>] = [:]

    /// The references of one record.
    struct Links: Hashable {
        var owners: Set<Record.ID> = []
        var parent: Record.ID?

        var isEmpty: Bool { owners.isEmpty && parent == nil }

        /// Adds the records that a value holds on to: with them its record goes.
        mutating func insertOwners(in value: FieldValue) {
            value.forEachReference { reference in
                if reference.action == .deleteSelf { owners.insert(reference.recordID) }
            }
        }
    }

    /// A graph without references.
    init() {}

    /// The references of the records of a snapshot. Complexity: O(rows with references).
    init(of snapshot: Snapshot, _ schema: ContainerSchema) {
        for stored in snapshot.segments {
            let segment = stored.segment
            let keys = schema.recordTypes[segment.recordType]?.referenceKeys ?? []
            for key in keys {
                visit(segment.column(named: key), of: stored) { graph, id, reference in
                    guard reference.action == .deleteSelf else { return }
                    graph.holders[reference.recordID, default: []].insert(id)
                }
            }
            visit(segment.column(named: MetadataColumn.parent), of: stored) { graph, id, reference in
                graph.children[reference.recordID, default: []].insert(id)
            }
        }
    }

    /// Visits the references of the live rows of a column.
    private mutating func visit(
        _ column: Column?, of stored: StoredSegment, _ body: (inout ReferenceGraph, Record.ID, RecordReference) -> Void
    ) {
        guard let column else { return }
        for row in 0..<stored.segment.count where column.isPresent(row) && stored.isLive(row) {
            column.value(row).forEachReference { body(&self, stored.segment.recordID(row), $0) }
        }
    }

    /// Takes in that a record's references became others. Complexity: O(references of the record).
    mutating func replace(_ id: Record.ID, _ old: Links, by new: Links) {
        for target in old.owners.subtracting(new.owners) { Self.remove(id, from: target, in: &holders) }
        for target in new.owners.subtracting(old.owners) { holders[target, default: []].insert(id) }
        if old.parent == new.parent { return }
        if let parent = old.parent { Self.remove(id, from: parent, in: &children) }
        if let parent = new.parent { children[parent, default: []].insert(id) }
    }

    private static func remove(_ id: Record.ID, from target: Record.ID, in edges: inout [Record.ID: Set<Record.ID>]) {
        edges[target]?.remove(id)
        if edges[target]?.isEmpty == true { edges[target] = nil }
    }

    /// Forgets the records of a zone. Complexity: O(references).
    mutating func removeZone(_ zoneID: RecordZone.ID) {
        holders = holders.filter { $0.key.zoneID != zoneID }
        children = children.filter { $0.key.zoneID != zoneID }
    }
}

/// The changes of a batch to a graph, which count only when it is saved.
///
/// The graph itself is passed in: a copy held here would make every change copy all of it.
struct ReferenceGraphDraft {
    /// The records whose references change: before and after.
    private(set) var changes: [Record.ID: (old: ReferenceGraph.Links, new: ReferenceGraph.Links)] = [:]
    private var addedHolders: [Record.ID: Set<Record.ID>] = [:]
    private var removedHolders: [Record.ID: Set<Record.ID>] = [:]
    private var addedChildren: [Record.ID: Set<Record.ID>] = [:]
    private var removedChildren: [Record.ID: Set<Record.ID>] = [:]

    /// Takes in that a record's references become others; once for each record.
    mutating func replace(_ id: Record.ID, _ old: ReferenceGraph.Links, by new: ReferenceGraph.Links) {
        if old == new { return }
        changes[id] = (old, new)
        for target in new.owners.subtracting(old.owners) { addedHolders[target, default: []].insert(id) }
        for target in old.owners.subtracting(new.owners) { removedHolders[target, default: []].insert(id) }
        if old.parent == new.parent { return }
        if let parent = new.parent { addedChildren[parent, default: []].insert(id) }
        if let parent = old.parent { removedChildren[parent, default: []].insert(id) }
    }

    /// The records that are deleted with a record.
    func holders(of target: Record.ID, in graph: ReferenceGraph) -> Set<Record.ID> {
        Self.combine(graph.holders[target], addedHolders[target], removedHolders[target])
    }

    /// The records below a record.
    func children(of parent: Record.ID, in graph: ReferenceGraph) -> Set<Record.ID> {
        Self.combine(graph.children[parent], addedChildren[parent], removedChildren[parent])
    }

    private static func combine(
        _ base: Set<Record.ID>?, _ added: Set<Record.ID>?, _ removed: Set<Record.ID>?
    ) -> Set<Record.ID> {
        if added == nil, removed == nil { return base ?? [] }
        return (base ?? []).subtracting(removed ?? []).union(added ?? [])
    }

    /// All records that go when one is deleted, itself included, in order of distance. Complexity: O(references).
    func closure(of id: Record.ID, in graph: ReferenceGraph) -> [Record.ID] {
        var found: Set<Record.ID> = [id]
        var order = [id]
        var next = 0
        while next < order.count {
            for holder in holders(of: order[next], in: graph).sorted(by: { $0.recordName < $1.recordName })
            where found.insert(holder).inserted {
                order.append(holder)
            }
            next += 1
        }
        return order
    }
}
