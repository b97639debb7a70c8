// Looking after a stored container: how large it is, writing it anew, copying it, checking it.

public import FoundationEssentials
import QueryExecution
public import RecordModel
import RecordStorage
import Synchronization

extension Container {
    /// How much room the container takes, and for what. One in memory has no files.
    ///
    /// - Throws: `DatabaseError` when the folder cannot be read.
    public func storageStatistics() async throws(DatabaseError) -> StorageStatistics {
        try statistics()
    }

    /// As `storageStatistics()`, on this thread.
    package func statistics() throws(DatabaseError) -> StorageStatistics {
        do throws(StorageError) { return try client.store.statistics() } catch { throw DatabaseError(error) }
    }

    /// Writes what is only in the log to the files of records, with all indexes that were built. This is done now and
    /// then in the background, and when the last client closes. Nothing happens to a container in memory.
    ///
    /// - Throws: `DatabaseError` when the folder cannot be written; nothing is lost then.
    public func checkpoint() async throws(DatabaseError) {
        do throws(StorageError) { try client.store.checkpoint(rewrites: true) } catch { throw DatabaseError(error) }
    }

    /// Writes all records anew without what was deleted, one file for each type and zone, and removes the files of
    /// assets that no record names.
    ///
    /// - Throws: `DatabaseError` when the folder cannot be written; nothing is lost then.
    public func compact() async throws(DatabaseError) { try compactFiles() }

    /// As `compact()`, on this thread.
    package func compactFiles() throws(DatabaseError) {
        let store = client.store
        if store.journal?.isReadOnly == true {
            throw DatabaseError(.permissionFailure, "the store is open for reading only")
        }
        for database in store.databases { database.records.merge() }
        do throws(StorageError) { try store.checkpoint(rewrites: true) } catch { throw DatabaseError(error) }
        _ = store.removeUnusedAssets()
    }

    /// Copies the container, as it is at one moment, into a new folder, which can be opened like its own. Others go on
    /// reading and writing meanwhile.
    ///
    /// - Throws: `DatabaseError` of code `invalidArguments` for a container in memory and for a folder that exists.
    public func backUp(to folder: URL) async throws(DatabaseError) { try copyFiles(to: folder) }

    /// As `backUp(to:)`, on this thread.
    package func copyFiles(to folder: URL) throws(DatabaseError) {
        guard let journal = client.store.journal else {
            throw DatabaseError(.invalidArguments, "a container in memory has no files to copy")
        }
        do throws(StorageError) {
            try journal.checkpointing.withLock { _ throws(StorageError) in
                try journal.environment.copy(to: StoreFolder(path: folder.path))
            }
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
        let environment = try StorageEnvironment(
            path: path, mode: .readOnly,
            new: StoreMetadata(identifier: "", textVersion: Journal.textVersion, assetFolder: folder.assets))
        let contents: StoredContents
        do throws(StorageError) {
            contents = try environment.contents()
        } catch {
            if error.code == .corrupted { return ["\(error)"] }
            throw error
        }
        var problems: [String] = []
        var records: [StoredRecords] = []
        do throws(StorageError) {
            records = try StoreImage.storedRecords(in: contents.parts, path: path)
        } catch {
            problems.append("\(error)")
        }
        let places = records.flatMap(\.places)
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
            problems += store.missingAssets
        } catch {
            problems.append("\(error)")
        }
        return problems
    }
}

extension ContainerStore {
    /// The assets of records whose files are not there.
    fileprivate var missingAssets: [String] {
        var paths: Set<String> = []
        for database in databases { database.records.snapshot.collectAssets(into: &paths) }
        return paths.filter { !FileManager.default.isReadableFile(atPath: $0) }.sorted().map {
            "\($0): the file of an asset is not there"
        }
    }
}
