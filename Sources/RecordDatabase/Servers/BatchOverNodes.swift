// A batch whose records are on several nodes, in parts that each are about one.

import RecordModel

/// The parts of a batch, and their order.
struct BatchOverNodes {
    private let request: ModifyRequest
    private let nodes: [Record.ID: Int32]
    private let caller: Caller
    /// Records that are saved side by side, before those behind them. Zones of their own are in one part each, with
    /// their deletions.
    private(set) var saves: [Set<Record.ID>] = []
    /// Records of default zones that are deleted, when the others are saved.
    private(set) var deletes: Set<Record.ID> = []

    /// - Parameter nodes: Those of all records of the batch.
    init(_ request: ModifyRequest, _ nodes: [Record.ID: Int32], _ caller: Caller) {
        (self.request, self.nodes, self.caller) = (request, nodes, caller)
        let saved = request.saves.map { caller.normalized($0.id) }
        let deleted = request.deletes.map(caller.normalized)
        deletes = Set(deleted.filter(\.zoneID.isDefault))
        saves = waves(of: Set(saved + deleted.filter { !$0.zoneID.isDefault }))
    }

    /// The parts of some records, in the order of the request.
    ///
    /// - Parameter counts: How many parts there were on each node before.
    func parts(_ ids: Set<Record.ID>, _ counts: [Int32: Int]) -> [ModifyRequest] {
        var (parts, order): ([Int32: ModifyRequest], [Int32]) = ([:], [])
        func add(_ id: Record.ID, _ body: (inout ModifyRequest) -> Void) {
            let id = caller.normalized(id)
            guard ids.contains(id), let node = nodes[id] else { return }
            if parts[node] == nil {
                order.append(node)
                var part = request
                (part.saves, part.deletes, part.part, part.node) = ([], [], counts[node] ?? 0, node)
                parts[node] = part
            }
            if var part = parts.removeValue(forKey: node) {
                body(&part)
                parts[node] = part
            }
        }
        for record in request.saves { add(record.id) { $0.saves.append(record) } }
        for id in request.deletes { add(id) { $0.deletes.append(id) } }
        return order.compactMap { parts[$0] }
    }

    // MARK: Order

    /// Records in an order in which targets that have to be there come before those that refer to them, as far as there
    /// is one.
    private func waves(of ids: Set<Record.ID>) -> [Set<Record.ID>] {
        if ids.isEmpty { return [] }
        let needed = neededUnits(ids)
        if needed.isEmpty { return [ids] }
        var (waves, left) = ([Set<Record.ID>](), ids)
        while !left.isEmpty {
            let units = Set(left.map(Self.unit))
            var next = left
            var isChanged = true
            while isChanged {
                let together = Set(next.map(Self.unit))
                let blocked = next.filter { id in
                    needed[Self.unit(id)]?.contains { other in
                        units.contains(other.unit) && (other.node != nodes[id] || !together.contains(other.unit))
                    } ?? false
                }
                next.subtract(blocked)
                isChanged = !blocked.isEmpty
            }
            // Records that need each other, on different nodes: those that find nothing say so.
            if next.isEmpty { next = left }
            waves.append(next)
            left.subtract(next)
        }
        return waves
    }

    /// What is saved together: a record, or a zone of its own.
    private static func unit(_ id: Record.ID) -> Record.ID {
        id.zoneID.isDefault ? id : Record.ID("", zoneID: id.zoneID)
    }

    private struct Needed: Hashable {
        let unit: Record.ID
        let node: Int32?
    }

    /// What each has to find, where that is saved with the batch, too; nothing where all is on the same node.
    private func neededUnits(_ ids: Set<Record.ID>) -> [Record.ID: Set<Needed>] {
        let isStrict = caller.configuration.requiresReferenceTargets
        var (needed, leadsOver): ([Record.ID: Set<Needed>], Bool) = ([:], false)
        for record in request.saves {
            let id = caller.normalized(record.id)
            func add(_ target: Record.ID) {
                let target = caller.normalized(target)
                guard ids.contains(target), Self.unit(target) != Self.unit(id) else { return }
                needed[Self.unit(id), default: []].insert(Needed(unit: Self.unit(target), node: nodes[target]))
                if nodes[target] != nodes[id] { leadsOver = true }
            }
            for value in record.fields.values {
                value.forEachReference { if isStrict || $0.action == .deleteSelf { add($0.recordID) } }
            }
            if let parent = record.parent { add(parent.recordID) }
        }
        return leadsOver ? needed : [:]
    }
}

extension ModifyRequest {
    /// Whether a schema has not all fields of the records.
    func teaches(_ schema: ContainerSchema) -> Bool {
        saves.contains { record in
            guard let type = schema.recordTypes[record.type] else { return true }
            return record.changes.contains { !$0.value.isNull && type.fields[$0.key] == nil }
                || record.encryptedValues.edits.contains { type.fields[$0.key] == nil }
        }
    }
}

/// What became of the parts of a batch.
struct PartOutcome {
    private var saved: [Record.ID: Result<Record, DatabaseError>] = [:]
    private var deleted: [Record.ID: Result<Void, DatabaseError>] = [:]
    /// Records that were not deleted because of what is below them, which may be deleted by now.
    private(set) var blocked: Set<Record.ID> = []
    /// An error that a node had with a whole part.
    private(set) var failure: DatabaseError?
    /// Whether some part was made.
    private(set) var isStored = false
    /// How many parts there were on each node.
    private(set) var partCounts: [Int32: Int] = [:]

    /// Takes in what became of a part. Once another one was made, an error is that of the part alone.
    /// - Throws: `DatabaseError` that is about the whole batch.
    mutating func take(
        _ part: ModifyRequest, _ result: Result<ModifyResult, DatabaseError>, _ caller: Caller
    ) throws(DatabaseError) {
        partCounts[part.node ?? 0, default: 0] += 1
        switch result {
        case .success(let result):
            for (id, outcome) in result.saves { saved[id] = outcome }
            for (id, outcome) in result.deletes { note(id, outcome, caller) }
            isStored = true
        case .failure(let error):
            guard isStored || error.isOfServer || error.code == .serverResponseLost else { throw error }
            for record in part.saves { saved[record.id] = .failure(error) }
            for id in part.deletes { note(id, .failure(error), caller) }
            failure = error
        }
    }

    private mutating func note(_ id: Record.ID, _ outcome: Result<Void, DatabaseError>, _ caller: Caller) {
        deleted[id] = outcome
        if case .failure(let error) = outcome, error.code == .referenceViolation {
            blocked.insert(caller.normalized(id))
        } else {
            blocked.remove(caller.normalized(id))
        }
    }

    /// In the order of the request.
    func result(_ request: ModifyRequest) -> ModifyResult {
        var (result, deleted) = (ModifyResult(), deleted)
        for record in request.saves { if let outcome = saved[record.id] { result.saves.append((record.id, outcome)) } }
        // A record that is named twice is deleted once.
        for id in request.deletes {
            if let outcome = deleted.removeValue(forKey: id) { result.deletes.append((id, outcome)) }
        }
        return result
    }
}
