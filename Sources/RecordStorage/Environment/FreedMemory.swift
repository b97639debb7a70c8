// What was freed goes back to the system after work that needed much.

import CMemory
import Synchronization

/// Memory that the allocator keeps though nothing uses it.
///
/// Threads that write states and merge records allocate and free much more than a store holds, and the allocator keeps
/// what they freed, in a part for each of them: a store of 50 MB had a process of 800 MB after three minutes of saves.
package enum FreedMemory {
    /// Less than this is left to the allocator.
    private static let least = 64 << 20
    /// How long other threads are not bothered again.
    private static let rest = Duration.seconds(15)

    private static let last = Mutex<ContinuousClock.Instant?>(nil)

    /// Gives it back where that is much, and was not done just now. Called by threads in the background, since it takes
    /// a while.
    package static func giveBack() {
        let now = ContinuousClock.now
        let isDue = last.withLock { last in
            if let last, now - last < rest { return false }
            last = now
            return true
        }
        if isDue { _ = cmemory_give_back(least) }
    }
}
