// Where the changes of a store are written before they count.

import RecordModel
import RecordStorage
import Synchronization
import TextAnalysis

/// The folder of a stored container, as its databases use it. May be used from any thread.
final class Journal: Sendable {
    let environment: StorageEnvironment
    let segments: SegmentFolder
    /// Bytes of changes in the log, beyond which the state is written.
    let checkpointByteCount: Int
    /// Held while the state is written, files are removed, or all of the folder is copied.
    let checkpointing = Mutex<Void>(())
    /// Whether the state is being written in the background.
    let isCheckpointing = Mutex(false)

    init(_ environment: StorageEnvironment, checkpointByteCount: Int) {
        self.environment = environment
        self.checkpointByteCount = checkpointByteCount
        segments = SegmentFolder(path: environment.folder.segments, syncs: environment.durability != .off)
    }

    /// Whether the store can only be read.
    var isReadOnly: Bool { environment.mode == .readOnly }

    /// The versions by which this process orders texts and cuts them into words.
    static let textVersion = "\(TextVersions.icu) \(TextVersions.unicode)"

    /// What the store of a container says about itself when this process writes it.
    func metadata(_ identifier: String) -> StoreMetadata {
        StoreMetadata(
            identifier: identifier, textVersion: Self.textVersion, assetFolder: environment.folder.assets)
    }

    /// Ends all use of the folder, and lets another writer in.
    func close() { environment.close() }

    /// Writes a change: when this returns, it is stored.
    ///
    /// Called under the lock of what is changed, so that the log has the changes of each database in their order.
    /// Throws: `DatabaseError`; then the change is not stored.
    func write(_ change: StoreChange) throws(DatabaseError) {
        let bytes: [UInt8]
        do throws(BinaryError) {
            bytes = try change.binary()
        } catch {
            throw DatabaseError(.invalidArguments, "a value cannot be stored: \(error)")
        }
        do throws(StorageError) { try environment.append(bytes) } catch { throw DatabaseError(error) }
    }
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
