// The rows of a server as what this module works with: a snapshot of a few records, and the state of a database.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStore

extension ServerRow {
    /// The row as predicates read it.
    package var record: Record {
        var metadata = Record.Metadata()
        metadata.creationDate = creationDate
        metadata.modificationDate = modificationDate
        metadata.creatorUserRecordID = creator.map { Record.ID($0) }
        metadata.lastModifiedUserRecordID = lastModifier.map { Record.ID($0) }
        return Record(
            type: type, id: id, version: HeldVersion(metadata: metadata, parent: parent, fields: fields))
    }

    /// Adds the records above the row: its parent, and the root of a share.
    package func collectAbove(into targets: inout Set<Record.ID>) {
        if let parent { targets.insert(parent.recordID) }
        guard type == NameRules.shareType, case .reference(let root)? = fields[NameRules.ShareKey.root] else { return }
        targets.insert(root.recordID)
    }

    /// Adds what the references of the row lead to.
    package func collectTargets(into targets: inout Set<Record.ID>) {
        for value in fields.values {
            switch value {
            case .reference(let reference): targets.insert(reference.recordID)
            case .list(let elements):
                for case .reference(let reference) in elements { targets.insert(reference.recordID) }
            default: break
            }
        }
        if let parent { targets.insert(parent.recordID) }
        for user in [creator, lastModifier] { if let user { targets.insert(Record.ID(user)) } }
    }
}

extension ServerMoment {
    /// The rows as records of a store.
    /// - Throws: `DatabaseError` for rows that are no records.
    /// - Complexity: O(values).
    func snapshot() throws(DatabaseError) -> Snapshot {
        var batch = RecordBatch()
        for row in rows {
            var entries: [FieldEntry] = [
                (MetadataColumn.creationDate, .date(row.creationDate)),
                (MetadataColumn.modificationDate, .date(row.modificationDate)),
                (MetadataColumn.changeTag, .int64(row.change)),
            ]
            for (column, user) in [
                (MetadataColumn.creator, row.creator), (MetadataColumn.lastModifier, row.lastModifier),
            ] {
                if let user { entries.append((column, .reference(RecordReference(recordID: Record.ID(user))))) }
            }
            if let parent = row.parent { entries.append((MetadataColumn.parent, .reference(parent))) }
            if let share = row.share { entries.append((MetadataColumn.share, .reference(share))) }
            batch.insert(Record(type: row.type, id: row.id, fields: row.fields), beside: entries)
        }
        let records = RecordStore()
        if rows.isEmpty { return records.snapshot }
        do throws(CommitError) {
            try records.commit(batch)
        } catch {
            throw DatabaseError(.internalError, "the rows of the server do not fit together", hint: "\(error)")
        }
        return records.snapshot
    }

    /// What the database knows besides its records.
    ///
    /// - Parameter batch: The batch that is looked at, whose repetitions the state tells.
    func state(for batch: SentBatch? = nil, of client: Int = 0) -> DatabaseState {
        var state = DatabaseState()
        for zone in zones {
            var made = ZoneState(id: RecordZone.ID(zone.name), made: zone.made, capabilities: .ofCustomZones)
            (made.lastChange, made.nodeChange, made.clientToken) = (zone.lastChange, zone.nodeChange, zone.clientToken)
            made.restore(
                deletions.map {
                    (Tombstone(recordName: $0.name, recordType: $0.type, change: $0.change), isCurrent: true)
                }, forgotten: (zone.forgottenThrough, 0))
            made.moves = ShareMoves(
                moves.filter { $0.id.zoneID == made.id }, forgottenThrough: zone.movesForgottenThrough)
            state.zones[zone.name] = made
        }
        for zone in goneZones {
            state.deletedZones[zone.name] = zone.change
            switch zone.reason {
            case .deleted: break
            case .purged: state.purgedZones.insert(zone.name)
            case .encryptedDataReset: state.resetZones.insert(zone.name)
            }
        }
        var graph = ReferenceGraph()
        for link in links {
            let links =
                link.isOwning
                ? ReferenceGraph.Links(owners: [link.target]) : ReferenceGraph.Links(parent: link.target)
            graph.replace(link.holder, ReferenceGraph.Links(), by: links)
        }
        state.graph = graph
        (state.lastChange, state.lastDate) = (lastChange, lastDate)
        if let ownBatch {
            state.presentClients = [client]
            state.sentBatches[client] = ownBatch.digest.map { SentBatch(token: ownBatch.token, digest: $0) }
        } else if isSentBefore, let batch {
            state.sentBatches[-1] = batch
        }
        return state
    }
}

extension ServerShare {
    /// What a row says of a share; `nil` for another record.
    fileprivate init?(_ row: ServerRow) {
        guard row.type == NameRules.shareType, case .string(let token)? = row.fields[NameRules.ShareKey.token] else {
            return nil
        }
        let all = Share.Participant.participants(of: row.fields[NameRules.ShareKey.participants] ?? .null) ?? []
        let accepted = all.filter { $0.role != .owner && $0.acceptanceStatus == .accepted }
        self.init(id: row.id, token: token, participants: Set(accepted.map(\.userRecordID.recordName)))
    }
}

extension ServerCommit {
    /// A commit with each record as it is afterwards.
    ///
    /// - Parameters:
    ///   - snapshot: The records that the commit was made on.
    ///   - state: The state that it was made on.
    init(_ commit: Commit, on snapshot: Snapshot, _ state: DatabaseState) {
        self.init(
            userName: commit.userName, client: commit.client, date: commit.date, after: state.lastChange,
            deletionsKept: commit.deletionsKept)
        for save in commit.saves {
            let row = Self.row(save, commit, snapshot)
            saves.append((row, save.isNew))
            if let share = ServerShare(row) { shares.append(share) }
            lastChange = max(lastChange, save.change)
        }
        moves = commit.sharing.moves
        for move in moves { lastChange = max(lastChange, move.change) }
        for deletion in commit.deletions {
            deletions.append(Deletion(id: deletion.id, type: deletion.type, change: deletion.change))
            lastChange = max(lastChange, deletion.change)
        }
        for zone in commit.madeZones {
            madeZones.append((zone.id.zoneName, zone.change))
            lastChange = max(lastChange, zone.change)
        }
        for zone in commit.deletedZones {
            deletedZones.append((zone.id.zoneName, zone.change, zone.reason))
            lastChange = max(lastChange, zone.change)
        }
        let types = Dictionary(commit.saves.map { ($0.id, $0.type) } + commit.deletions.map { ($0.id, $0.type) }) { $1 }
        for (holder, links) in commit.links {
            let type = types[holder] ?? ""
            removedLinks += Self.links(links.old, holder, type, besides: links.new)
            addedLinks += Self.links(links.new, holder, type, besides: links.old)
        }
        (schema, keyName) = (commit.schema, commit.keyName)
        if let token = commit.clientToken {
            batch = ServerBatch(client: commit.client, token: token, digest: commit.sentBatch?.digest)
        }
    }

    private static func row(_ save: Commit.Save, _ commit: Commit, _ snapshot: Snapshot) -> ServerRow {
        let changed = (date: commit.date, user: commit.userName, number: save.change)
        guard !save.isNew, let found = snapshot.find(save.id) else {
            let parent = save.parent ?? nil
            var row = ServerRow(
                save.id, type: save.type, fields: save.fields, parent: parent, made: (commit.date, commit.userName),
                changed: changed)
            row.share = save.share ?? nil
            return row
        }
        let version = RowVersion(found.segment, found.row)
        let metadata = version.metadata
        var row = ServerRow(
            save.id, type: save.type, fields: version.fields.merging(save.fields) { $1 }.filter { !$0.value.isNull },
            parent: save.parent ?? version.parent,
            made: (metadata.creationDate ?? commit.date, metadata.creatorUserRecordID?.recordName), changed: changed)
        row.share = save.share ?? version.share
        return row
    }

    /// The links of a record that other links of it do not have.
    static func links(
        _ links: ReferenceGraph.Links, _ holder: Record.ID, _ type: String, besides others: ReferenceGraph.Links
    ) -> [ServerLink] {
        var found = links.owners.subtracting(others.owners).map {
            ServerLink(target: $0, holder: holder, holderType: type, isOwning: true)
        }
        if let parent = links.parent, parent != others.parent {
            found.append(ServerLink(target: parent, holder: holder, holderType: type, isOwning: false))
        }
        return found
    }
}
