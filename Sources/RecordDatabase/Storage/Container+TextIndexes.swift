// Stored indexes of text that were made with other tables of Unicode.

import Indexing
public import RecordModel
import RecordStorage
import RecordStore

extension Container {
    /// Number of stored indexes of text that were made with other versions of ICU and Unicode than those of this
    /// process.
    ///
    /// Their order may be another one by now, so they are not used. Opening a container for writing rebuilds them;
    /// in one that is open for reading each is built when a query first needs it, or all at once by
    /// `rebuildTextIndexes(progress:)`. Zero for a container in memory.
    public var outdatedTextIndexCount: Int { client.store.outdatedIndexes.reduce(0) { $0 + $1.outdatedCount } }

    /// Rebuilds all outdated indexes of text and writes them, where the container is open for writing.
    ///
    /// - Parameter progress: Called after each index, on a thread of the database's own, with the number of those that
    ///   are done, and of all.
    /// - Throws: `DatabaseError` when the folder cannot be written; the indexes are built all the same.
    public func rebuildTextIndexes(
        progress: @escaping @Sendable (_ done: Int, _ count: Int) -> Void = { _, _ in }
    ) async throws(DatabaseError) {
        let store = client.store
        try await BackgroundThread.perform { () throws(DatabaseError) in
            do throws(StorageError) { try store.rebuildTextIndexes(progress) } catch { throw DatabaseError(error) }
        }
    }
}

extension ContainerStore {
    fileprivate var outdatedIndexes: [SegmentIndexes] {
        databases.flatMap { $0.records.snapshot.segments.map(\.indexes) }.filter { $0.outdatedCount > 0 }
    }

    /// Rebuilds outdated indexes of text and writes them, if the store may be written.
    /// - Throws: `StorageError`.
    func rebuildTextIndexes(_ progress: (_ done: Int, _ count: Int) -> Void) throws(StorageError) {
        let outdated = outdatedIndexes
        let count = outdated.reduce(0) { $0 + $1.outdatedCount }
        var done = 0
        for indexes in outdated {
            indexes.buildOutdated {
                done += 1
                progress(done, max(done, count))
            }
        }
        guard done > 0, journal?.isReadOnly == false else { return }
        try checkpoint(rewrites: true)
    }
}
