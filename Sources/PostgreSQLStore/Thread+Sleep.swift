// Waiting on a thread that is allowed to.

import Glibc

/// The thread that runs.
enum Thread {
    /// Waits on a thread that may: never one of those that tasks run on.
    static func sleep(microseconds: Int) { _ = usleep(UInt32(clamping: microseconds)) }
}
