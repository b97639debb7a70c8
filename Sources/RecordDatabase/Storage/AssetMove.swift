// A store that was moved or copied to another folder: the paths of its assets follow.

import RecordColumns
import RecordModel
import RecordStorage
import RecordStore

/// The way of asset files from one folder to another.
struct AssetMove {
    private let old: String
    private let new: String

    /// `nil` when there is nothing to move.
    init?(from old: String, to new: String) {
        if old == new { return nil }
        (self.old, self.new) = (old + "/", new + "/")
    }

    private func applied(to value: FieldValue) -> FieldValue {
        let moved = try? value.mapAssets { asset throws(DatabaseError) in
            guard asset.path.hasPrefix(old) else { return asset }
            return Asset(path: new + asset.path.dropFirst(old.count), size: asset.size)
        }
        return moved ?? value
    }

    /// The change with the paths that its assets have now.
    func applied(to change: StoreChange) -> StoreChange {
        guard case .commit(var commit) = change else { return change }
        commit.saves = commit.saves.map { save in
            guard save.fields.values.contains(where: \.holdsAssets) else { return save }
            return Commit.Save(
                id: save.id, type: save.type, fields: save.fields.mapValues(applied), isNew: save.isNew,
                change: save.change, parent: save.parent, share: save.share, isRewritten: save.isRewritten)
        }
        return .commit(commit)
    }

    /// Gives the records with assets their new paths. Complexity: O(rows with assets).
    /// - Throws: `StorageError` when the records do not take them.
    func apply(to records: RecordStore, path: String) throws(StorageError) {
        var batch = RecordBatch()
        for stored in records.snapshot.segments {
            let segment = stored.segment
            for (field, column) in zip(segment.schema.fields, segment.columns)
            where column.type == .asset || column.type == .list(.asset) {
                for row in 0..<segment.count where stored.isLive(row) && column.isPresent(row) {
                    batch.change(segment.recordID(row), [field.name: applied(to: column.value(row))])
                }
            }
        }
        if batch.count == 0 { return }
        do throws(CommitError) {
            try records.commit(batch)
        } catch {
            throw StorageError(.corrupted, path: path, "the assets of the store cannot be moved: \(error)")
        }
    }
}
