// Rewriting a store without what was deleted, beside those who change it.
//
// All that is long is done on a snapshot: merging segments, building their indexes, writing their files, copying the
// tables. What changes meanwhile is caught up with, first beside further changes and at last in a moment for which they
// have to wait.

import Indexing
import RecordColumns
import RecordModel
import RecordStorage
import RecordStore
import Synchronization

/// How far the compacting of a store has come.
enum CompactionStep: Hashable, Sendable {
    /// Segments of one type and zone are merged, with their indexes, and written to a file that nothing names yet.
    case merged
    case tables(StorageEnvironment.CompactionStep)
}

extension ContainerStore {
    /// Merges all segments, without indexes of analyzers that the schema has no more, writes them and the state, and
    /// puts tables without free room in the place of the old ones.
    /// - Throws: `StorageError`; then nothing is lost.
    func compact() throws(StorageError) {
        let types = schema.current.recordTypes
        for stored in databases.flatMap(\.records.snapshot.segments) {
            stored.indexes.removeAnalyzed(except: types[stored.segment.recordType]?.analyzers)
        }
        guard let journal else {
            for database in databases { database.records.merge() }
            return
        }
        try compact(journal)
        FreedMemory.giveBack()
        // Of files that were open until here.
        journal.segments.giveBackRoom()
    }

    private func compact(_ journal: Journal) throws(StorageError) {
        try journal.compacting.withLock { _ throws(StorageError) in
            let reached: @Sendable (CompactionStep) -> Void = { step in journal.compactionSteps.withLock { $0 }?(step) }
            // Let go at the end, and here: to free what was merged would delay the save that is the last to see it.
            let replaced = databases.map(\.records.snapshot)
            defer { withExtendedLifetime(replaced) {} }
            // Whoever writes a state meanwhile knows nothing of the files of merged segments.
            journal.segments.beginKeeping()
            defer { journal.segments.endKeeping() }
            for database in databases {
                try database.records.merge { stored throws(StorageError) in
                    try journal.environment.checkWritable()
                    _ = try journal.segments.place(of: stored, rewrites: true)
                    reached(.merged)
                }
            }
            try journal.checkpointing.withLock { _ throws(StorageError) in
                journal.segments.endKeeping()
                try journal.environment.writing { () throws(StorageError) in
                    try writeState(journal, rewrites: false)
                }
            }
            try journal.environment.compactTables { reached(.tables($0)) }
        }
    }
}
