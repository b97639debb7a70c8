// The end of encrypted values on a server.

import FoundationEssentials
import RecordModel
import RecordStore
import Synchronization

extension ContainerStore {
    /// Resets the key of encrypted values, and takes away what was encrypted with it.
    ///
    /// The server notes the new key together with the end of the old values, so that no commit brings more of them.
    func resetEncryptedData(_ client: Client, on remote: RemoteStore) throws(DatabaseError) {
        let key = EncryptionKey()
        // Nothing but the records changes: the schema stays what it is.
        try remote.server.changeSchema { schema throws(DatabaseError) in
            let reset = EncryptedReset(schema, client, self, remote)
            return ServerSchemaChange(schema: schema) { ground throws(DatabaseError) in
                try reset.perform(on: ground, key.name)
            }
        }
        remote.keyName.withLock { $0 = nil }
        // Only now: as long as values are there, so is their key.
        try client.keys.replaceKey(by: key)
    }
}

/// What a reset changes in the databases of a server.
private struct EncryptedReset {
    private let schema: ContainerSchema
    /// The encrypted fields of each type.
    private let types: [String: [String]]
    private let client: Client
    private let store: ContainerStore
    private let remote: RemoteStore

    init(_ schema: ContainerSchema, _ client: Client, _ store: ContainerStore, _ remote: RemoteStore) {
        (self.schema, self.client, self.store, self.remote) = (schema, client, store, remote)
        types = schema.recordTypes.mapValues(\.encryptedKeys).filter { !$0.value.isEmpty }
    }

    func perform(on ground: any MigrationGround, _ keyName: String) throws(DatabaseError) {
        for part in ground.parts {
            for origin in part.origins where origin.scope == .private { try change(origin, on: part) }
            try part.noteEncryptionKey(keyName)
        }
    }

    private func change(_ origin: DatabaseOrigin, on ground: any MigrationGround) throws(DatabaseError) {
        if types.isEmpty { return }
        var moment = try ground.read(origin, ServerNeed())
        moment.rows = try rows(of: origin, ground)
        if moment.rows.isEmpty { return }
        let base = try ServerGround.Base(moment)
        var commit = Commit(
            origin: origin, client: client.number, userName: client.account.userName,
            date: max(client.configuration.clock(), base.state.lastDate))
        commit.deletionsKept = client.configuration.limits.deletionsPerZone
        commit.resetEncryptedValues(of: types, in: base.records, after: base.state.lastChange)
        let reading = try ground.reading(origin)
        var need = ServerNeed()
        (need.subscribers, need.watchers) = (.everyone, [])
        let told = try reading.read(need)
        let table = SubscriptionTable(told.subscriptions, schema)
        moment.watchers = told.watchers
        let database = RemoteDatabase(store: store, remote: remote, origin: origin)
        var stored = ServerCommit(commit, on: base.records, base.state)
        let percolation = CommitPercolation(database: database, reading: reading)
        try percolation.add(to: &stored, of: commit, on: moment, table)
        try percolation.addShared(to: &stored, of: commit, on: moment)
        try ground.store(stored, on: moment.rows, origin)
    }

    /// The records of the default zone with encrypted values, and one of each other zone that has such records.
    private func rows(
        of origin: DatabaseOrigin, _ ground: any MigrationGround
    ) throws(DatabaseError) -> [ServerRow] {
        var (found, zones): ([ServerRow], Set<RecordZone.ID>) = ([], [])
        try ground.forEachPortion(of: types.keys.sorted(), origin) { rows throws(DatabaseError) in
            for row in rows {
                let keys = types[row.type] ?? []
                guard keys.contains(where: { row.fields[$0].map { !$0.isNull } ?? false }) else { continue }
                if row.id.zoneID.isDefault || zones.insert(row.id.zoneID).inserted { found.append(row) }
            }
        }
        return found
    }
}
