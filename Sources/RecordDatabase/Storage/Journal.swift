// Where the changes of a store are written before they count.

import RecordModel
import RecordStorage

/// The log of a stored container. May be used from any thread.
final class Journal: Sendable {
    let environment: StorageEnvironment

    init(_ environment: StorageEnvironment) { self.environment = environment }

    /// Whether the store can only be read.
    var isReadOnly: Bool { environment.mode == .readOnly }

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
