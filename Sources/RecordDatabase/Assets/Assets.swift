// Assets of records: taken into the folder when they are saved, looked after when they are fetched.

import FoundationEssentials
import RecordColumns
import RecordModel
import RecordStorage
import RecordStore
import Synchronization

extension FieldValue {
    /// Whether the value is an asset, or a list with one.
    package var holdsAssets: Bool {
        switch self {
        case .asset: true
        case .list(let elements): elements.contains(where: \.holdsAssets)
        default: false
        }
    }

    /// The assets of the value.
    package var assets: [Asset] {
        switch self {
        case .asset(let asset): [asset]
        case .list(let elements): elements.flatMap(\.assets)
        default: []
        }
    }

    /// The value with other assets.
    package func mapAssets(_ transform: (Asset) throws(DatabaseError) -> Asset) throws(DatabaseError) -> FieldValue {
        switch self {
        case .asset(let asset): return .asset(try transform(asset))
        case .list(let elements):
            var mapped: [FieldValue] = []
            for element in elements { mapped.append(try element.mapAssets(transform)) }
            return .list(mapped)
        default: return self
        }
    }
}

extension [String: FieldValue] {
    /// Copies the files of a record's assets into the folder; `held` are those to release when they are stored.
    /// - Throws: `DatabaseError` for an asset of another record, and for a file that cannot be copied.
    mutating func takeAssets(
        of id: Record.ID, into folder: AssetFolder, holding held: inout [Asset]
    ) throws(DatabaseError) {
        for (key, value) in self where value.holdsAssets {
            self[key] = try value.mapAssets { asset throws(DatabaseError) in
                guard asset.claim(for: id) else {
                    throw DatabaseError(
                        .invalidArguments, "field \(key): the asset belongs to another record",
                        hint: "make an asset for each record")
                }
                let stored = try folder.store(asset)
                held.append(stored)
                return stored
            }
        }
    }
}

extension SaveItem {
    /// Copies the files of the record's assets into the folder; `held` are those to release when the save is done.
    mutating func takeAssets(into folder: AssetFolder, holding held: inout [Asset]) {
        do throws(DatabaseError) {
            try values.takeAssets(of: id, into: folder, holding: &held)
        } catch {
            failure = ItemFailure(error, isMalformed: error.code == .invalidArguments)
        }
    }
}

extension Record {
    /// The stored record without the files of its assets: what errors carry.
    static func withoutFiles(_ record: Record, assetKeys: [String]) -> Record {
        guard !assetKeys.isEmpty, let version = record.version else { return record }
        let fields = version.fields.mapValues { value in
            (try? value.mapAssets { _ throws(DatabaseError) in Asset(path: "") }) ?? value
        }
        let held = HeldVersion(
            metadata: version.metadata, parent: version.parent, share: version.share, fields: fields)
        var shown = Record(type: record.type, id: record.id, version: held)
        shown.encryptedValues = record.encryptedValues
        return shown
    }
}

extension RecordOpener {
    /// Makes sure that the files of the requested assets are there.
    /// - Throws: `DatabaseError` of code `assetNotAvailable`.
    func checkAssets(_ keys: [String], of version: RecordVersion) throws(DatabaseError) {
        for key in keys {
            for asset in version.value(of: key).assets { try assets?.checkIsReadable(asset, key: key) }
        }
    }
}

extension Container {
    /// Removes the files of assets that no record of the store names any more: those of fields that were set to other
    /// values, and of records that were deleted. Fetched records may still name them. Files that the store did not
    /// make stay.
    ///
    /// - Returns: How many files were removed: none when the container was closed, or its folder moved or replaced, and
    ///   while it is backed up.
    @discardableResult
    public func removeUnusedAssets() async -> Int {
        await BackgroundThread.perform { [store = client.store] in store.removeUnusedAssets() }
    }
}

extension ContainerStore {
    /// - Parameter isWriting: Whether the caller writes: then nothing is removed during a checkpoint, which waits for
    ///   the caller.
    func removeUnusedAssets(isWriting: Bool = false) -> Int {
        if let remote { return removeUnusedAssets(on: remote.server) }
        guard let journal else { return (try? sweepAssets()) ?? 0 }
        if journal.isReadOnly { return 0 }
        if isWriting { return journal.checkpointing.withLockIfAvailable { _ in sweepAssets(journal) } ?? 0 }
        return journal.checkpointing.withLock { _ in sweepAssets(journal) }
    }

    private func sweepAssets(_ journal: Journal) -> Int {
        // Nobody may come back to a state that names a file which is gone.
        let removed = try? journal.environment.writing { () throws(StorageError) in
            try journal.environment.syncState()
            return try sweepAssets()
        }
        return removed ?? 0
    }

    private func sweepAssets() throws(StorageError) -> Int {
        // A save under way holds its files; what was saved before this moment is in the snapshots.
        try assets.sweep { _ in
            var paths: Set<String> = []
            for database in databases { database.records.snapshot.collectAssets(into: &paths) }
            return paths
        }
    }
}

extension ContainerStore {
    /// Removes bytes that no record names from a server, and from the copies that this process has.
    private func removeUnusedAssets(on server: any RecordServer) -> Int {
        let removed = Set((try? server.removeUnusedAssets()) ?? [])
        let copies = try? assets.sweep { names in
            // What cannot be told stays.
            let live = (try? server.assetsInUse(among: names)) ?? Set(names)
            return Set(live.map { assets.path + "/" + $0 })
        }
        return max(removed.count, copies ?? 0)
    }
}

extension Snapshot {
    /// Adds the paths of all assets of records. Complexity: O(rows with assets).
    func collectAssets(into paths: inout Set<String>) {
        for stored in segments {
            for column in stored.segment.columns where column.type == .asset || column.type == .list(.asset) {
                for row in 0..<stored.segment.count where stored.isLive(row) {
                    for asset in column.value(row).assets { paths.insert(asset.path) }
                }
            }
        }
    }
}
