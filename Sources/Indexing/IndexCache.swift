// Indexes of one kind: known, being built, or still in a file.

import Deadlines
import Synchronization

/// Indexes that were built or read once, or found impossible.
final class IndexCache<Index: Sendable>: Sendable {
    private enum Entry: Sendable {
        case known(Index?)
        case building(IndexConstruction<Index>)
        /// To be read from a file; gives nothing when the file is damaged.
        case stored(@Sendable () -> Index?)
    }

    private enum Finding {
        case index(Index?)
        /// Somebody builds it.
        case pending(IndexConstruction<Index>)
        /// It is for this call to build it.
        case missing(IndexConstruction<Index>)
    }

    private let entries = Mutex<[IndexKey: Entry]>([:])

    /// The index, which is built first where it is missing and `building` says so.
    ///
    /// Work that may be interrupted has it built on another thread, and waits for that no longer than its deadline.
    /// - Returns: `nil` where there can be none, and where the wait was interrupted.
    func value(_ key: IndexKey, building: Bool, _ build: @escaping @Sendable () -> Index?) -> Index? {
        switch find(key, building: building) {
        case .index(let index): return index
        case .pending(let construction): return construction.result(for: Deadline.watch)
        case .missing(let construction):
            let watch = Deadline.watch
            let finish = { @Sendable in
                let index = build()
                self.entries.withLock { $0[key] = .known(index) }
                construction.finish(index)
            }
            guard watch.isLimited else {
                finish()
                return construction.result(for: watch)
            }
            IndexConstruction<Index>.start(finish)
            return construction.result(for: watch)
        }
    }

    private func find(_ key: IndexKey, building: Bool) -> Finding {
        entries.withLock { entries in
            switch entries[key] {
            case .known(let index): return .index(index)
            case .building(let construction): return building ? .pending(construction) : .index(nil)
            case .stored(let read):
                if let index = read() {
                    entries[key] = .known(index)
                    return .index(index)
                }
                entries[key] = nil
            case nil: break
            }
            // Nobody would wait for what is begun when the time is up.
            guard building, !Deadline.watch.isOver else { return .index(nil) }
            let construction = IndexConstruction<Index>()
            entries[key] = .building(construction)
            return .missing(construction)
        }
    }

    /// Notes that an index can be read from a file.
    func store(_ key: IndexKey, _ read: @escaping @Sendable () -> Index?) {
        entries.withLock { $0[key] = .stored(read) }
    }

    var keys: [IndexKey] { entries.withLock { Array($0.keys) } }

    /// Number of indexes that were built or can be read.
    var count: Int {
        entries.withLock { entries in
            entries.values.count { entry in
                switch entry {
                case .known(let index): index != nil
                case .stored: true
                case .building: false
                }
            }
        }
    }

    /// The indexes with what they are of; those that were stored and not asked for yet are read.
    var built: [(IndexKey, Index)] {
        keys.compactMap { key in value(key, building: false) { nil }.map { (key, $0) } }
    }

    /// The indexes that are at hand.
    var values: [Index] {
        entries.withLock { entries in
            entries.values.compactMap { entry in
                if case .known(let index) = entry { index } else { nil }
            }
        }
    }
}
