// References of a batch: do they lead somewhere, and who is deleted with whom.

import RecordModel
import RecordStore

extension BatchPlan {
    /// Fails items whose references lead nowhere, and those whose deletion would leave children behind; finds all
    /// records that are deleted.
    ///
    /// A step that makes saves fail is the last: those after it judge by the links of the saves that are made.
    mutating func checkReferences(_ snapshot: Snapshot, _ base: ReferenceGraph, _ schema: ContainerSchema) {
        let accepted = failureCount
        let linked = saves.indices.filter { index in
            saves[index].failure == nil && (saves[index].setsParent || !referenceKeys(index, schema).isEmpty)
        }
        checkTargets(linked, snapshot, schema)
        guard failureCount == accepted else { return }
        graph = ReferenceGraphDraft()
        for index in linked { link(index, referenceKeys(index, schema), base) }
        guard failureCount == accepted else { return }
        checkDeletions(snapshot, base, schema)
    }

    /// Whether the result of the batch may depend on some records: it saves one of them or refers to it, or it deletes
    /// records and what belongs to them.
    func mayRead(_ ids: Set<Record.ID>) -> Bool {
        if !deletes.isEmpty { return true }
        return saves.contains { item in
            var isOne = ids.contains(item.id)
            func look(_ target: RecordReference) {
                if ids.contains(caller.normalized(target.recordID)) { isOne = true }
            }
            if let parent = item.record.parent { look(parent) }
            for value in item.values.values { value.forEachReference(look) }
            return isOne
        }
    }

    /// The fields of a save's type that may hold references.
    private func referenceKeys(_ index: Int, _ schema: ContainerSchema) -> [String] {
        schema.recordTypes[saves[index].record.type]?.referenceKeys ?? []
    }

    private func targetsThatMustExist(_ item: SaveItem, _ keys: [String]) -> [Record.ID] {
        let isStrict = caller.configuration.requiresReferenceTargets
        var targets: [Record.ID] = []
        for key in keys {
            item.values[key]?.forEachReference { reference in
                if isStrict || reference.action == .deleteSelf { targets.append(reference.recordID) }
            }
        }
        if item.setsParent, let parent = item.record.parent {
            targets.append(caller.normalized(parent.recordID))
        }
        return targets
    }

    /// Notes the references of a saved record that matter for deletions; fails it when a target has too many of them.
    private mutating func link(_ index: Int, _ keys: [String], _ base: ReferenceGraph) {
        let item = saves[index]
        let old = item.stored.map { links(of: $0, keys) } ?? ReferenceGraph.Links()
        var new = ReferenceGraph.Links(
            parent: item.parent.map { $0.map { caller.normalized($0.recordID) } } ?? old.parent)
        for key in keys {
            if let value = item.values[key] ?? item.stored?.value(of: key) { new.insertOwners(in: value) }
        }
        let crowded = new.owners.subtracting(old.owners).first { target in
            graph.holders(of: target, in: base).count >= limits.ownersPerRecord
        }
        guard let crowded else { return graph.replace(item.id, old, by: new) }
        saves[index].failure = ItemFailure(
            DatabaseError(
                .limitExceeded,
                "more than \(limits.ownersPerRecord) records would be deleted with \(crowded.recordName)"))
    }

    /// The references of a stored record that matter for deletions.
    func links(of stored: RowVersion, _ keys: [String]) -> ReferenceGraph.Links {
        var links = ReferenceGraph.Links(parent: stored.parent?.recordID)
        for key in keys { links.insertOwners(in: stored.value(of: key)) }
        return links
    }

    /// Fails records below one of another zone, and holders of references to records that are neither stored nor saved
    /// with them.
    private mutating func checkTargets(_ linked: [Int], _ snapshot: Snapshot, _ schema: ContainerSchema) {
        var required: [(index: Int, targets: [Record.ID])] = []
        for index in linked {
            let item = saves[index]
            if item.setsParent, let parent = item.record.parent,
                caller.normalized(parent.recordID).zoneID != item.id.zoneID
            {
                saves[index].failure = ItemFailure(
                    DatabaseError(.invalidArguments, "the parent is a record of another zone"))
                continue
            }
            let targets = targetsThatMustExist(item, referenceKeys(index, schema))
            if !targets.isEmpty { required.append((index, targets)) }
        }
        if required.isEmpty { return }
        var saved = Set(saves.filter { $0.failure == nil }.map(\.id))
        var isChanged = true
        while isChanged {
            isChanged = false
            for (index, targets) in required where saves[index].failure == nil {
                let missing = targets.first { !saved.contains($0) && snapshot.find($0) == nil }
                guard let missing else { continue }
                saves[index].failure = ItemFailure(
                    DatabaseError(
                        .referenceViolation, "a reference leads to record \(missing.recordName), which does not exist",
                        hint: "save the target before, or in the same batch"))
                // A new record that fails is no target for others.
                if saves[index].stored == nil { saved.remove(saves[index].id) }
                isChanged = true
            }
        }
    }

    // MARK: Deletions

    /// Finds the records that are deleted, and fails deletions that would leave children behind.
    /// - Complexity: O(records that go with each deletion, and their children).
    private mutating func checkDeletions(_ snapshot: Snapshot, _ base: ReferenceGraph, _ schema: ContainerSchema) {
        var closures: [(index: Int, records: [Record.ID])] = []
        for (index, item) in deletes.enumerated() where item.failure == nil && item.effect == .deleted {
            closures.append((index, graph.closure(of: item.id, in: base)))
        }
        deleted = Self.order(of: closures)
        if followsTargets || !failLeavers(closures, base) { return }
        closures.removeAll { deletes[$0.index].failure != nil }
        deleted = Self.order(of: closures)
    }

    /// The records that go, each once.
    private static func order(of closures: [(index: Int, records: [Record.ID])]) -> [Record.ID] {
        var found: Set<Record.ID> = []
        var order: [Record.ID] = []
        for closure in closures { for id in closure.records where found.insert(id).inserted { order.append(id) } }
        return order
    }

    /// Fails deletions that leave children behind by themselves or through what goes with them, and those whose
    /// children stay because these fail; whether there are any.
    private mutating func failLeavers(
        _ closures: [(index: Int, records: [Record.ID])], _ base: ReferenceGraph
    ) -> Bool {
        let all = Set(deleted)
        // Records whose children are not all deleted. Most batches have none, and need to know no more.
        var leavers = deleted.filter { !graph.children(of: $0, in: base).isSubset(of: all) }
        if leavers.isEmpty { return false }
        var deleters: [Record.ID: [Int]] = [:]
        for (position, closure) in closures.enumerated() {
            for id in closure.records { deleters[id, default: []].append(position) }
        }
        var parents: [Record.ID: Record.ID] = [:]
        for id in deleted { for child in graph.children(of: id, in: base) { parents[child] = id } }
        var open = deleters.mapValues(\.count)
        var next = 0
        while next < leavers.count {
            let left = leavers[next]
            next += 1
            for position in deleters[left] ?? [] where deletes[closures[position].index].failure == nil {
                deletes[closures[position].index].failure = ItemFailure(
                    DatabaseError(
                        .referenceViolation, "record \(left.recordName) has children that would be left behind",
                        hint: "delete the children in the same batch"))
                for id in closures[position].records {
                    open[id, default: 0] -= 1
                    // It stays now, and its parent with it.
                    if open[id] == 0, let parent = parents[id] { leavers.append(parent) }
                }
            }
        }
        return true
    }
}

extension FieldValue {
    /// Visits a reference, or the references of a list.
    func forEachReference(_ body: (RecordReference) -> Void) {
        switch self {
        case .reference(let reference): body(reference)
        case .list(let elements): for case .reference(let reference) in elements { body(reference) }
        default: break
        }
    }
}
