// An index that is being built, and those who wait for it.

import Deadlines
import Dispatch
import Synchronization

/// The building of one index. May be waited for on any thread.
final class IndexConstruction<Index: Sendable>: Sendable {
    private let outcome = Mutex<Index?>(nil)
    private let work = DispatchGroup()

    /// Between two looks of those who wait at their deadlines.
    private static var patience: DispatchTimeInterval { .milliseconds(2) }

    init() { work.enter() }

    /// Does work on a thread of its own. The global queues have a thread for each core, and those who wait may hold
    /// them all.
    static func start(_ body: @escaping @Sendable () -> Void) { DispatchQueue(label: "index").async(execute: body) }

    /// Hands the index to all who wait; to be called once.
    func finish(_ index: Index?) {
        outcome.withLock { $0 = index }
        work.leave()
    }

    /// What was built, once it is; `nil` where there can be no index, and where the work that waits is interrupted
    /// first.
    func result(for watch: Deadline.Watch) -> Index? {
        if watch.isLimited {
            while work.wait(timeout: .now() + Self.patience) == .timedOut {
                if watch.isOver { return nil }
            }
        } else {
            work.wait()
        }
        return outcome.withLock { $0 }
    }
}
