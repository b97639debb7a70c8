// Where the changes of a store are written before they count.

import RecordModel
import RecordStorage
import RecordStore
import Synchronization

/// The folder of a stored container, as its databases use it. May be used from any thread.
final class Journal: Sendable {
    let environment: StorageEnvironment
    let segments: SegmentFolder
    /// Bytes of changes in the log, beyond which the state is written.
    let checkpointByteCount: Int
    /// Held while the state is written or files are removed.
    let checkpointing = Mutex<Void>(())
    /// Held while all is compacted; changes and the writing of states go on beside that.
    let compacting = Mutex<Void>(())
    /// Told how far compacting has come, before anything is locked that a save needs: for tests.
    let compactionSteps = Mutex<(@Sendable (CompactionStep) -> Void)?>(nil)
    /// Whether the state is being written in the background.
    let isCheckpointing = Mutex(false)

    init(_ environment: StorageEnvironment, _ options: StorageOptions) {
        self.environment = environment
        checkpointByteCount = options.checkpointByteCount
        segments = SegmentFolder(
            path: environment.folder.segments, owner: environment.owner, syncs: environment.durability != .off,
            textVersion: options.textVersion)
    }

    /// Whether the store can only be read.
    var isReadOnly: Bool { environment.mode == .readOnly }

    /// - Throws: `DatabaseError` of code `permissionFailure`.
    func checkIsWritable() throws(DatabaseError) { if isReadOnly { throw DatabaseError(environment.readOnlyError) } }

    /// What the store of a container says about itself when this process writes it.
    func metadata(_ identifier: String) -> StoreMetadata {
        StoreMetadata(identifier: identifier, assetFolder: environment.folder.assets)
    }

    /// Ends all use of the folder, and lets another writer in.
    func close() { environment.close() }

    /// A change as the log keeps it.
    struct Entry {
        var bytes: [UInt8]
        /// Size of the files that the change names.
        var fileByteCount = 0
    }

    /// A commit as the log keeps it. Records that came as columns are written to a file first.
    ///
    /// - Parameter added: The segments of the commit, those of columns last.
    /// - Throws: `DatabaseError` when the commit cannot be stored.
    func entry(of commit: Commit, _ added: [StoredSegment]) throws(DatabaseError) -> Entry {
        guard commit.rows != nil, let stored = added.last else { return try entry(of: .commit(commit)) }
        let place: SegmentPlace
        do throws(StorageError) {
            place = try environment.writing { () throws(StorageError) in
                try segments.place(of: stored, rewrites: false)
            }
        } catch {
            throw DatabaseError(error)
        }
        return Entry(bytes: try Self.bytes(.load(commit, place)), fileByteCount: place.byteCount)
    }

    /// A change without files of its own as the log keeps it.
    /// - Throws: `DatabaseError` for a value that no file can keep.
    func entry(of change: StoreChange) throws(DatabaseError) -> Entry { Entry(bytes: try Self.bytes(change)) }

    private static func bytes(_ change: StoreChange) throws(DatabaseError) -> [UInt8] {
        do throws(BinaryError) {
            return try change.binary()
        } catch {
            throw DatabaseError(.invalidArguments, "a value cannot be stored: \(error)")
        }
    }

    /// Writes changes together: when this returns, they are stored.
    ///
    /// Called by whoever may write the store, so that the log has the changes in the order in which they count.
    /// - Throws: `DatabaseError`; then none of the changes is stored.
    func write(_ entries: [Entry]) throws(DatabaseError) {
        do throws(StorageError) {
            try environment.append(
                entries.map(\.bytes), beside: entries.reduce(0) { $0 + $1.fileByteCount })
        } catch {
            throw DatabaseError(error)
        }
    }

    /// Writes a change that is no commit.
    /// - Throws: `DatabaseError`; then the change is not stored.
    func write(_ change: StoreChange) throws(DatabaseError) { try write([entry(of: change)]) }
}

extension DatabaseError {
    /// A failure of the files of a store, as callers of a database see it.
    init(_ error: StorageError) {
        let code: Code =
            switch error.code {
            case .incompatibleVersion: .incompatibleVersion
            case .quotaExceeded: .quotaExceeded
            case .limitExceeded: .limitExceeded
            case .readOnly, .noPermission: .permissionFailure
            case .notAStore: .invalidArguments
            case .corrupted: .internalError
            case .locked, .missing, .diskFull, .ioFailure: .serviceUnavailable
            }
        self.init(code, "\(error.path): \(error.reason)", hint: error.hint)
    }
}
