// The end of encrypted values: a user resets their key.

import FoundationEssentials
import RecordColumns
public import RecordModel
import RecordStore

/// Why a zone is gone.
package enum ZoneDeletionReason: UInt8, Sendable {
    /// A program deleted it.
    case deleted = 0
    /// Its user deleted it, outside of the program.
    case purged = 1
    /// Its records were encrypted with a key that is gone.
    case encryptedDataReset = 2
}

extension Container {
    /// Resets the key of encrypted values, as users do who have lost theirs: what was encrypted with it is gone.
    ///
    /// In all private databases of the store, zones with a record that has encrypted values are deleted. Until an
    /// application deletes or saves such a zone, uses of it fail with `zoneNotFound`, and `isEncryptedDataReset` says
    /// why; readers of changes find it among `encryptedDataResets`. Records of the default zone, which cannot be
    /// deleted, lose their encrypted values. The next encrypted save is made with a new key.
    ///
    /// On a server the name of the new key is stored with the end of the old values, before the provider gets the key.
    /// Where the provider cannot keep it, or the process ends in between, encrypted saves fail with `permissionFailure`
    /// until the call is made again.
    ///
    /// Where the databases are on several nodes, one is reset after another: a call that failed is made again, and
    /// until then values that are encrypted with the old key are not saved on those that were.
    ///
    /// - Throws: `DatabaseError` when the store, the server or the key cannot be written.
    public func resetEncryptedData() async throws(DatabaseError) {
        try client.checkIsOpen()
        try await BackgroundThread.perform { [client] () throws(DatabaseError) in
            try client.store.resetEncryptedData(client)
        }
    }
}

extension ContainerStore {
    fileprivate func resetEncryptedData(_ client: Client) throws(DatabaseError) {
        if let remote { return try resetEncryptedData(client, on: remote) }
        try journal?.checkIsWritable()
        try writingToAll { group, databases throws(DatabaseError) in
            let types = group.schema.recordTypes.mapValues(\.encryptedKeys).filter { !$0.value.isEmpty }
            for database in databases where database.origin.scope == .private {
                let (snapshot, state) = (try group.snapshot(of: database), try group.state(of: database))
                var commit = Commit(
                    origin: database.origin, client: client.number, userName: client.account.userName,
                    date: max(client.configuration.clock(), state.lastDate))
                commit.deletionsKept = client.configuration.limits.deletionsPerZone
                commit.resetEncryptedValues(of: types, in: snapshot, after: state.lastChange)
                if !commit.isEmpty { try group.add(commit, to: database) }
            }
            try group.commit()
            // Only now: as long as values are there, so is their key.
            try client.keys.replaceKey()
        }
        events.deliver()
        checkpointIfNeeded()
    }
}

extension Commit {
    /// Takes away what is encrypted: zones, and values of the default zone.
    ///
    /// - Parameter types: The encrypted fields of each type.
    mutating func resetEncryptedValues(
        of types: [String: [String]], in snapshot: Snapshot, after lastChange: Int64
    ) {
        var (change, zones) = (lastChange, Set<RecordZone.ID>())
        for (number, stored) in snapshot.segments.enumerated() {
            guard let keys = types[stored.segment.recordType] else { continue }
            for row in 0..<stored.segment.count where stored.isLive(row) {
                let held = keys.filter { !stored.segment.value(of: $0, row: row).isNull }
                if held.isEmpty { continue }
                let id = stored.segment.recordID(row)
                guard id.zoneID.isDefault else {
                    zones.insert(id.zoneID)
                    continue
                }
                change += 1
                saves.append(
                    Save(
                        id: id, type: stored.segment.recordType,
                        fields: Dictionary(uniqueKeysWithValues: held.map { ($0, FieldValue.null) }), isNew: false,
                        change: change, parent: nil, address: RowAddress(segment: number, row: row)))
            }
        }
        for id in zones.sorted(by: { $0.zoneName < $1.zoneName }) {
            change += 1
            deletedZones.append((id, change, .encryptedDataReset))
        }
    }
}
