// Work beside the threads that run tasks: long work there would keep readers waiting.

import Dispatch
import Glibc
import Synchronization

/// A thread for one piece of work.
package enum BackgroundThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs the body on a thread of its own; false when there cannot be one.
    package static func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        // SAFETY: the thread takes over the reference, exactly once.
        let work = unsafe Unmanaged.passRetained(Work(body))
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            unsafe work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// Runs the body on a thread of lower priority than others, and waits for its end; on this one when there cannot be one.
    package static func wait<Result: Sendable>(for body: @escaping @Sendable () -> Result) -> Result {
        let outcome = Mutex<Result?>(nil)
        let done = DispatchSemaphore(value: 0)
        let isStarted = run {
            lowerPriority()
            let result = body()
            outcome.withLock { $0 = result }
            done.signal()
        }
        if isStarted { done.wait() }
        return outcome.withLock { $0 } ?? body()
    }

    /// Lets threads that somebody waits for go before the calling one: on Linux a thread has a priority of its own.
    package static func lowerPriority() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
    }
}
