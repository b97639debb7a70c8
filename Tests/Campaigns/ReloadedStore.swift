// A store that is written to a folder, closed, and opened again.

import RecordModel
import RecordStorage
import RecordStore

/// The way of records to the disk and back, as a stored container takes it.
enum ReloadedStore {
    /// Writes a store with its indexes into a folder, in place of what was written there before, and opens that.
    ///
    /// - Returns: The same records, in mapped files.
    /// Throws: `StorageError` or `BinaryError`.
    static func reload(_ store: RecordStore, in folder: String) throws -> RecordStore {
        try write(store, to: folder)
        let environment = try StorageEnvironment(reading: folder)
        let records = try StoredRecords(from: environment.contents().parts, prefix: "")
        return try records.open(in: SegmentFolder(path: environment.folder.segments, syncs: false))
    }

    private static func write(_ store: RecordStore, to folder: String) throws {
        let environment = try StorageEnvironment(
            path: folder, mode: .readWrite, durability: .off,
            new: StoreMetadata(identifier: "reloaded", assetFolder: ""))
        defer { environment.close() }
        let segments = SegmentFolder(path: environment.folder.segments, syncs: false)
        let records = try StoredRecords(store.image, in: segments, rewrites: true)
        var parts: [String: [UInt8]] = [:]
        try records.write(to: &parts, prefix: "")
        try environment.checkpoint(parts, through: environment.lastChange)
        try segments.removeFiles(except: Set(records.fileNumbers))
    }
}
