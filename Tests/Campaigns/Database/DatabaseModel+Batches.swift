// What must become of a batch.

import PredicateSemantics
import RecordDatabase
import RecordModel

/// What a batch does to a database.
struct BatchPrediction {
    /// Why the call as a whole fails.
    var error: DatabaseError.Code?
    /// The error of each save, `nil` where it succeeds.
    var saves: [DatabaseError.Code?] = []
    var deletes: [DatabaseError.Code?] = []
    /// The records saved and still there afterwards, with what they hold, in the order of the request.
    var saved: [(id: Record.ID, type: String, fields: [String: FieldValue], parent: Record.ID?)] = []
    /// The records that were there before and no longer are.
    var deleted: Set<Record.ID> = []

    var isEmpty: Bool { saved.isEmpty && deleted.isEmpty }
}

extension DatabaseModel {
    /// A save while it is judged.
    private struct Save {
        let record: Record
        let id: Record.ID
        /// What is sent, as its fields store it.
        var sent: [String: FieldValue]
        let setsParent: Bool
        let parent: Record.ID?
        let stored: SeenRecord?
        var failure: DatabaseError.Code?
        /// Whether it is wrong in itself.
        var isMalformed = false

        mutating func fail(_ code: DatabaseError.Code, isMalformed: Bool = false) {
            if failure == nil || (isMalformed && !self.isMalformed) {
                (failure, self.isMalformed) = (code, isMalformed)
            }
        }

        /// The record as it is afterwards.
        var result: (fields: [String: FieldValue], parent: Record.ID?) {
            let fields = (stored?.fields ?? [:]).merging(sent) { $1 }.filter { !$0.value.isNull }
            return (fields, setsParent ? parent : stored?.parent)
        }
    }

    private struct Delete {
        let id: Record.ID
        var failure: DatabaseError.Code?
    }

    /// What a batch of a user must do.
    func predict(_ request: ModifyRequest, by user: String) -> BatchPrediction {
        var saves = request.saves.map { save($0, request.policy, user) }
        var seen: Set<Record.ID> = []
        var deletes = request.deletes.filter { seen.insert($0).inserted }.map { Delete(id: Self.known($0, to: user)) }
        let names = Set(saves.map(\.id))
        if names.count < saves.count || deletes.contains(where: { names.contains($0.id) }) {
            return BatchPrediction(error: .invalidArguments)
        }
        for index in saves.indices { judge(&saves[index], request.policy, user) }
        for index in deletes.indices {
            let id = deletes[index].id
            if zones[id.zoneID] == nil {
                deletes[index].failure = .zoneNotFound
            } else if let stored = records[id]?.seen, !mayWrite(stored, user) {
                deletes[index].failure = .permissionFailure
            }
        }
        // What depends on the other items, until no more of them fail.
        while true {
            let failures = Self.failureCount(saves, deletes)
            judgeReferences(&saves)
            // Deletions are judged by the saves that are made, once no more of these fail.
            if Self.failureCount(saves, deletes) == failures { judgeDeletions(saves, &deletes) }
            failGroups(request, &saves, &deletes)
            if Self.failureCount(saves, deletes) == failures { break }
        }
        return result(saves, deletes)
    }

    private static func failureCount(_ saves: [Save], _ deletes: [Delete]) -> Int {
        saves.count { $0.failure != nil } + deletes.count { $0.failure != nil }
    }

    // MARK: One item

    private func save(_ record: Record, _ policy: SavePolicy, _ user: String) -> Save {
        let id = Self.known(record.id, to: user)
        let stored = records[id]?.seen
        var values = record.changes
        if policy == .allKeys, let version = record.version { values = version.fields.merging(values) { $1 } }
        // All there is of a record that is gone has its parent with it.
        let setsParent = record.hasParentChange || (stored == nil && policy == .allKeys)
        return Save(
            record: record, id: id, sent: values, setsParent: setsParent,
            parent: record.parent.map { Self.known($0.recordID, to: user) }, stored: stored)
    }

    /// Judges a save by itself.
    private func judge(_ save: inout Save, _ policy: SavePolicy, _ user: String) {
        var isFitting = true
        defer { if !isFitting { save.fail(.invalidArguments) } }
        if save.id.recordName.hasPrefix("_") { save.fail(.invalidArguments, isMalformed: true) }
        for (field, sent) in save.sent {
            let value = sent.known(to: user)
            save.sent[field] = value
            guard let type = DatabaseScene.fields[field] else { continue }
            switch (value, type) {
            case (.bool(let value), .int64): save.sent[field] = .int64(value ? 1 : 0)
            case (.int64(let value), .double): save.sent[field] = .double(Double(value))
            case (.double(let value), .int64):
                if let whole = Int64(exactly: value) { save.sent[field] = .int64(whole) } else { isFitting = false }
            case (.double(let value), .double) where !value.isFinite: save.fail(.invalidArguments, isMalformed: true)
            case (.string, .int64): isFitting = false
            case (.reference, _), (.list, .list(.reference)):
                for case .reference(let reference) in value.parts where reference.recordID.zoneID != save.id.zoneID {
                    isFitting = false
                }
            default: break
            }
        }
        if zones[save.id.zoneID] == nil { return save.fail(.zoneNotFound) }
        guard let stored = save.stored else {
            if policy == .ifServerRecordUnchanged, save.record.recordChangeTag != nil { save.fail(.unknownItem) }
            return
        }
        if !mayWrite(stored, user) { save.fail(.permissionFailure) }
        if stored.type != save.record.type { save.fail(.invalidArguments) }
        if policy == .ifServerRecordUnchanged, save.record.recordChangeTag != stored.tag {
            save.fail(.serverRecordChanged)
        }
    }

    // MARK: Items together

    private func failGroups(_ request: ModifyRequest, _ saves: inout [Save], _ deletes: inout [Delete]) {
        guard request.isAtomic else { return }
        func isWhole(_ zoneID: RecordZone.ID) -> Bool { zoneID != .default && zones[zoneID] != nil }
        var failed = Set(saves.filter { $0.isMalformed }.map(\.id.zoneID))
        failed.formUnion(saves.filter { $0.failure != nil && isWhole($0.id.zoneID) }.map(\.id.zoneID))
        failed.formUnion(deletes.filter { $0.failure != nil && isWhole($0.id.zoneID) }.map(\.id.zoneID))
        for index in saves.indices where failed.contains(saves[index].id.zoneID) {
            saves[index].fail(.batchRequestFailed)
        }
        for index in deletes.indices where failed.contains(deletes[index].id.zoneID) {
            deletes[index].failure = deletes[index].failure ?? .batchRequestFailed
        }
    }

    private func judgeReferences(_ saves: inout [Save]) {
        for index in saves.indices where saves[index].failure == nil && saves[index].setsParent {
            guard let parent = saves[index].parent, parent.zoneID != saves[index].id.zoneID else { continue }
            saves[index].fail(.invalidArguments)
        }
        var isChanging = true
        while isChanging {
            isChanging = false
            let there = Set(records.keys).union(saves.filter { $0.failure == nil }.map(\.id))
            for index in saves.indices where saves[index].failure == nil {
                let save = saves[index]
                var targets = SeenRecord(Record(type: "", id: save.id, fields: save.sent), id: save.id).owners
                if save.setsParent, let parent = save.parent { targets.insert(parent) }
                guard !targets.isSubset(of: there) else { continue }
                saves[index].fail(.referenceViolation)
                isChanging = true
            }
        }
    }

    private func judgeDeletions(_ saves: [Save], _ deletes: inout [Delete]) {
        let after = self.after(saves)
        while true {
            let closures = deletes.map { $0.failure == nil ? after.closure(of: $0.id) : [] }
            let all = closures.reduce(into: Set()) { $0.formUnion($1) }
            let left = all.filter { after.leavesChildren($0, outside: all) }
            if left.isEmpty { return }
            for index in deletes.indices where !closures[index].isDisjoint(with: left) {
                deletes[index].failure = .referenceViolation
            }
        }
    }

    /// The database with the saves that do not fail.
    private func after(_ saves: [Save]) -> DatabaseModel {
        var after = self
        for save in saves where save.failure == nil {
            var seen = save.stored ?? SeenRecord(Record(type: save.record.type, id: save.id), id: save.id)
            (seen.fields, seen.parent) = save.result
            after.records[save.id] = Stored(seen: seen, change: 0)
        }
        return after
    }

    private func result(_ saves: [Save], _ deletes: [Delete]) -> BatchPrediction {
        let after = self.after(saves)
        var gone: Set<Record.ID> = []
        for delete in deletes where delete.failure == nil { gone.formUnion(after.closure(of: delete.id)) }
        var result = BatchPrediction(saves: saves.map(\.failure), deletes: deletes.map(\.failure))
        for save in saves where save.failure == nil && !gone.contains(save.id) {
            let (fields, parent) = save.result
            result.saved.append((save.id, save.record.type, fields, parent))
        }
        result.deleted = gone.intersection(records.keys)
        return result
    }
}

extension FieldValue {
    /// The value with the identifiers that the store knows records by.
    func known(to user: String) -> FieldValue {
        switch self {
        case .reference(let reference):
            .reference(
                RecordReference(recordID: DatabaseModel.known(reference.recordID, to: user), action: reference.action))
        case .list(let elements): .list(elements.map { $0.known(to: user) })
        default: self
        }
    }
}
