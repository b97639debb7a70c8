// Looking after a stored container: how large it is, rewriting it, copying it, checking it.

public import FoundationEssentials
public import RecordModel
import RecordStorage
import RecordStore
import Synchronization

extension Container {
    /// How much room the container takes, and for what. One in memory has no files.
    ///
    /// - Throws: `DatabaseError` when the folder cannot be read.
    public func storageStatistics() async throws(DatabaseError) -> StorageStatistics {
        try await BackgroundThread.perform { () throws(DatabaseError) in try self.statistics() }
    }

    /// As `storageStatistics()`, on this thread.
    package func statistics() throws(DatabaseError) -> StorageStatistics {
        try client.store.checkIsLocal()
        do throws(StorageError) { return try client.store.statistics() } catch { throw DatabaseError(error) }
    }

    /// Writes what is only in the log to the files of records, with all indexes that were built. This is done now and
    /// then in the background, and when the last client closes. Nothing happens to a container in memory.
    ///
    /// - Throws: `DatabaseError` when the folder cannot be written; nothing is lost then.
    public func checkpoint() async throws(DatabaseError) {
        let store = client.store
        try store.checkIsLocal()
        try await BackgroundThread.perform { () throws(DatabaseError) in
            do throws(StorageError) { try store.checkpoint(rewrites: true) } catch { throw DatabaseError(error) }
        }
    }

    /// Rewrites all records without the deleted ones, one file for each type and zone, gives back the free room of
    /// the tables, and removes the files of assets that no record names. Readers and saves go on, of other processes
    /// too: saves wait for the moment in which the last changes are copied and the new tables take their place.
    ///
    /// - Throws: `DatabaseError` when the folder cannot be written, and of code `serviceUnavailable` when another
    ///   process reads the tables for long; nothing is lost then.
    public func compact() async throws(DatabaseError) {
        try await BackgroundThread.perform { () throws(DatabaseError) in try self.compactFiles() }
    }

    /// As `compact()`, on this thread.
    package func compactFiles() throws(DatabaseError) {
        let store = client.store
        try store.checkIsLocal()
        if store.journal?.isReadOnly == true {
            throw DatabaseError(.permissionFailure, "the store is open for reading only")
        }
        do throws(StorageError) { try store.compact() } catch { throw DatabaseError(error) }
        _ = store.removeUnusedAssets()
    }

    /// Copies the container, as it is at one moment, into a new folder, which can be opened like its own. Others go on
    /// reading and writing meanwhile; unused files of assets stay until it is done. When the copy is opened for
    /// writing, change tokens that were given before have expired there: its changes are others from then on.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a container in memory and for a folder that exists; of
    ///   code `serviceUnavailable` when another process, which writes the store, removed files of assets each time that
    ///   they were to be copied.
    public func backUp(to folder: URL) async throws(DatabaseError) {
        try client.store.checkIsLocal()
        guard let journal = client.store.journal else {
            throw DatabaseError(.invalidArguments, "a container in memory has no files to copy")
        }
        try await BackgroundThread.perform { () throws(DatabaseError) in
            do throws(StorageError) {
                try self.client.store.assets.keepingFiles { () throws(StorageError) in
                    try journal.environment.backUp(to: folder.path)
                }
            } catch {
                throw DatabaseError(error)
            }
        }
    }

    /// Copies a stored container, as it is at one moment, into a new folder, which can be opened like its own. Another
    /// process may write it meanwhile.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a folder that is no store, and for a new one that
    ///   exists or that would lie in the store; of code `serviceUnavailable` when its writer removed files of assets
    ///   each time that they were to be copied.
    public static func backUp(storedAt folder: URL, to copy: URL) throws(DatabaseError) {
        do throws(StorageError) {
            let environment = try StorageEnvironment(reading: folder.path)
            try environment.backUp(to: copy.path)
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Reads all of a stored container and compares it with its checksums; indexes are compared with the records.
    ///
    /// The folder is not changed. Nobody may write it meanwhile.
    ///
    /// - Parameter progress: Told of each file before it is read, with its number and the number of all files.
    /// - Returns: What is wrong, in words; empty when all is well.
    /// - Throws: `DatabaseError` when the folder is no store, cannot be read, or is of a newer version.
    public static func verify(
        storedAt folder: URL, progress: (_ file: String, _ number: Int, _ count: Int) -> Void = { _, _, _ in }
    ) throws(DatabaseError) -> [String] {
        do throws(StorageError) {
            return try StoreVerification(path: folder.path).problems(progress)
        } catch {
            throw DatabaseError(error)
        }
    }
}

/// A store that is read to the last byte.
private struct StoreVerification {
    let path: String

    func problems(
        _ progress: (_ file: String, _ number: Int, _ count: Int) -> Void
    ) throws(StorageError) -> [String] {
        let folder = StoreFolder(path: path)
        let environment = try StorageEnvironment(reading: path)
        let contents: StoredContents
        do throws(StorageError) {
            contents = try environment.contents()
        } catch {
            if error.code == .corrupted { return ["\(error)"] }
            throw error
        }
        var problems: [String] = []
        var places: [SegmentPlace] = []
        do throws(StorageError) {
            places = try CheckpointImage.places(of: contents, path: path)
        } catch {
            problems.append("\(error)")
        }
        for (index, place) in places.enumerated() {
            let file = "\(folder.segments)/\(place.number).segment"
            progress(file, index + 1, places.count)
            do throws(StorageError) {
                try SegmentFile.verify(file, checksum: place.checksum)
            } catch {
                problems.append("\(error)")
            }
        }
        if !problems.isEmpty { return problems }
        do throws(DatabaseError) {
            var options = StorageOptions(mode: .readOnly)
            options.checkpointByteCount = .max
            let store = try ContainerStore(identifier: nil, storedAt: path, options)
            problems += store.faultsOfAssets
        } catch {
            problems.append("\(error)")
        }
        return problems
    }
}

extension ContainerStore {
    /// The paths of the assets of all records.
    private var assetPaths: Set<String> {
        var paths: Set<String> = []
        for database in databases { database.records.snapshot.collectAssets(into: &paths) }
        return paths
    }

    /// The assets of records whose files are not there.
    fileprivate var missingAssets: [String] {
        assetPaths.filter { !FileManager.default.isReadableFile(atPath: $0) }.sorted()
    }

    /// The assets of records whose files are not there, or hold other bytes than were saved.
    fileprivate var faultsOfAssets: [String] {
        assetPaths.sorted().compactMap { path in assets.fault(ofFileAt: path).map { "\(path): \($0)" } }
    }
}

extension StorageEnvironment {
    /// How often a copy is made again whose files of assets were removed meanwhile.
    private static let copyAttempts = 3

    /// Copies the store into a new folder, and opens what came of it.
    /// - Throws: `StorageError`.
    fileprivate func backUp(to path: String) throws(StorageError) {
        var lacking: Set<String> = []
        for _ in 0..<Self.copyAttempts {
            try copy(to: StoreFolder(path: path)) { contents throws(StorageError) in
                try CheckpointImage.files(of: contents, path: folder.path)
            }
            let missing: Set<String>
            do throws(DatabaseError) {
                let copy = try ContainerStore(identifier: nil, storedAt: path, StorageOptions(mode: .readOnly))
                missing = Set(copy.missingAssets)
            } catch {
                throw StorageError(.corrupted, path: path, "the copy cannot be opened: \(error.reason)")
            }
            // What the store itself lacks is missing again; what was removed meanwhile is named no more by now.
            if missing.isSubset(of: lacking) { return }
            lacking = missing
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                throw StorageError(.ioFailure, path: path, "cannot remove a copy that is not whole: \(error)")
            }
        }
        throw StorageError(
            .locked, path: folder.path, "files of assets were removed each time that they were to be copied",
            hint: "try again when nobody removes unused assets")
    }
}
