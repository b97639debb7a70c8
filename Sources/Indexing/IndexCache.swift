// Indexes of a segment: known, being built, or still in a file.

import Deadlines
import RecordColumns
import Synchronization

/// Indexes that were built or read once, or found impossible.
final class IndexCache<Index: Sendable>: Sendable {
    private enum Entry: Sendable {
        case known(Index?)
        case building(IndexConstruction<Index>)
        /// To be read from a file.
        case stored(BlockReader)
        case reading(IndexConstruction<Index>)
    }

    private let entries = Mutex<[IndexKey: Entry]>([:])

    /// The index, or that there can be none, where that is known; else `nil`. Does not allocate.
    func known(_ key: IndexKey) -> Index?? {
        entries.withLock { if case .known(let index) = $0[key] { .some(index) } else { nil } }
    }

    /// The index, which is read first where it is stored, and built where it is missing and `building` says so.
    ///
    /// Work that may be interrupted has it built on another thread, and waits for that no longer than its deadline.
    /// - Parameter read: Gives nothing when the file is damaged: then the index is missing.
    /// - Returns: `nil` where there can be none, and where the wait was interrupted.
    func value(
        _ key: IndexKey, building: Bool, read: (BlockReader) -> Index? = { _ in nil },
        build: @escaping @Sendable () -> Index?
    ) -> Index? {
        let watch = Deadline.watch
        // Nobody would wait for what is begun when the time is up.
        switch begin(key, building: building && !watch.isOver) {
        case (.known(let index), _): return index
        case (.building(let construction), _): return building ? construction.result(for: watch) : nil
        case (.reading(let construction), _):
            if let index = construction.result(for: watch) { return index }
            return watch.isOver ? nil : value(key, building: building, read: read, build: build)
        case (.stored(let reader), let construction):
            let index = read(reader)
            entries.withLock { $0[key] = index.map { .known($0) } }
            construction?.finish(index)
            return index ?? value(key, building: building, read: read, build: build)
        case (nil, let construction?):
            let finish = { @Sendable in
                let index = build()
                self.entries.withLock { $0[key] = .known(index) }
                construction.finish(index)
            }
            if watch.isLimited { IndexConstruction<Index>.start(finish) } else { finish() }
            return construction.result(for: watch)
        case (nil, nil): return nil
        }
    }

    /// What is there, and what it is now for the caller to finish: the reading of a stored index, the building of a
    /// missing one.
    private func begin(_ key: IndexKey, building: Bool) -> (Entry?, IndexConstruction<Index>?) {
        entries.withLock { entries in
            let found = entries[key]
            switch found {
            case .known, .building, .reading: return (found, nil)
            case .stored:
                let construction = IndexConstruction<Index>()
                entries[key] = .reading(construction)
                return (found, construction)
            case nil:
                guard building else { return (nil, nil) }
                let construction = IndexConstruction<Index>()
                entries[key] = .building(construction)
                return (nil, construction)
            }
        }
    }

    /// Notes that an index can be read from a file.
    func store(_ key: IndexKey, _ reader: BlockReader) { entries.withLock { $0[key] = .stored(reader) } }

    /// Takes indexes out that are there, and none that is being built or read.
    func remove(where isUnused: (IndexKey) -> Bool) {
        entries.withLock { entries in
            entries = entries.filter { key, entry in
                switch entry {
                case .known, .stored: !isUnused(key)
                case .building, .reading: true
                }
            }
        }
    }

    /// What the indexes are of, in the order in which they are stored.
    var keys: [IndexKey] { entries.withLock { $0.keys.sorted() } }

    /// Number of indexes that were built or can be read.
    var count: Int {
        entries.withLock { entries in
            entries.values.count { entry in
                switch entry {
                case .known(let index): index != nil
                case .stored, .reading: true
                case .building: false
                }
            }
        }
    }
}
