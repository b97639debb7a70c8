// From the items that passed all checks to one commit, and back to results.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

extension BatchPlan {
    /// The commit of the items that did not fail.
    func commit(_ state: DatabaseState, _ snapshot: Snapshot, _ draft: SchemaDraft, date: Date) -> Commit {
        var commit = Commit(
            origin: origin, client: caller.client, userName: caller.userName, date: max(date, state.lastDate))
        commit.clientToken = request.clientToken
        commit.sentBatch = failureCount == 0 ? sentBatch : nil
        commit.keyName = keyName
        commit.deletionsKept = limits.deletionsPerZone
        var change = state.lastChange
        let gone = Set(deleted)
        commit.saves.reserveCapacity(saves.count)
        for item in saves where item.failure == nil && !gone.contains(item.id) {
            change += 1
            commit.saves.append(
                Commit.Save(
                    id: item.id, type: item.record.type, fields: item.stored == nil ? item.newFields : item.values,
                    isNew: item.stored == nil, change: change,
                    parent: item.parent.map { $0.map { RecordReference(recordID: caller.normalized($0.recordID)) } },
                    address: item.address))
        }
        for id in deleted where !apart.contains(id) {
            guard let found = snapshot.find(id) else { continue }
            change += 1
            let type = found.segment.recordType
            commit.deletions.append(Commit.Deletion(id: id, type: type, change: change))
        }
        if draft.hasGrown { commit.schema = draft.schema }
        if draft.schema.hasShares {
            addSharing(to: &commit, SharingMoment(snapshot, state.graph ?? ReferenceGraph()), change)
        }
        commit.links = links(gone, snapshot, draft.schema)
        return commit
    }

    /// What the references of saved and deleted records were and will be.
    private func links(
        _ gone: Set<Record.ID>, _ snapshot: Snapshot, _ schema: ContainerSchema
    ) -> [Record.ID: (old: ReferenceGraph.Links, new: ReferenceGraph.Links)] {
        var links = graph.changes
        for id in gone {
            guard !apart.contains(id), let found = snapshot.find(id) else {
                links[id] = nil
                continue
            }
            let keys = schema.recordTypes[found.segment.recordType]?.referenceKeys ?? []
            let old = links[id]?.old ?? self.links(of: RowVersion(found.segment, found.row), keys)
            links[id] = old.isEmpty ? nil : (old, ReferenceGraph.Links())
        }
        return links
    }

    /// What became of each item, given the commit.
    func result(_ commit: Commit) -> ModifyResult {
        var (result, opener) = (ModifyResult(), RecordOpener(caller.keys))
        var next = 0
        let user = commit.userName.map { Record.ID($0) }
        for item in saves {
            if let failure = item.failure {
                result.saves.append((item.record.id, .failure(failure.error)))
                continue
            }
            guard next < commit.saves.count, commit.saves[next].id == item.id else {
                // Saved, and deleted with its owner in the same batch.
                result.saves.append((item.record.id, .success(item.record)))
                continue
            }
            var record = saved(item, commit.saves[next], commit.date, user)
            if let version = record.version, !item.encryptedKeys.isEmpty {
                record.encryptedValues.stored = opener.shownValues(item.encryptedKeys, of: item.id) {
                    version.value(of: $0)
                }
            }
            result.saves.append((item.record.id, .success(record)))
            next += 1
        }
        for item in deletes {
            let outcome: Result<Void, DatabaseError> = item.failure.map { .failure($0.error) } ?? .success(())
            result.deletes.append((item.requested, outcome))
        }
        return result
    }

    private func saved(_ item: SaveItem, _ save: Commit.Save, _ date: Date, _ user: Record.ID?) -> Record {
        var metadata = Record.Metadata(
            creationDate: date, creatorUserRecordID: user, modificationDate: date,
            lastModifiedUserRecordID: user, recordChangeTag: ChangeTag.text(save.change))
        guard let stored = item.stored else {
            let version = HeldVersion(
                metadata: metadata, parent: save.parent ?? nil, share: save.share ?? nil, fields: save.fields)
            return Record(type: save.type, id: item.record.id, version: version)
        }
        let old = stored.metadata
        (metadata.creationDate, metadata.creatorUserRecordID) = (old.creationDate, old.creatorUserRecordID)
        let version = AmendedVersion(stored, save, metadata: metadata)
        return Record(type: save.type, id: item.record.id, version: RecordVersion(rows: version, row: 0))
    }
}

extension SaveItem {
    /// The values of a new record.
    fileprivate var newFields: [String: FieldValue] {
        values.values.contains(where: \.isNull) ? values.filter { !$0.value.isNull } : values
    }
}
