// Work that waits for slow readers, apart from the threads that tasks share.

import Glibc
import HTTPServing

/// A thread for one piece of work.
enum WaitingThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Starts work on a thread of its own.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        // SAFETY: the thread takes over the object, or nobody does.
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
        if status != 0 {
            unsafe work.release()
            // Without a thread of its own it waits on one that others need, too.
            Task.detached { body() }
            return
        }
        pthread_detach(thread)
    }

    /// Does work on a thread of its own; the task waits for its end.
    static func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            start {
                body()
                continuation.resume()
            }
        }
    }

    /// Waits until a reader has read most of what was written.
    /// - Returns: Whether somebody still reads.
    static func wait(for reply: HTTPReply, _ pending: Int) -> Bool {
        if pending <= HTTPReply.mostPending { return true }
        while let pending = reply.write([]) {
            if pending <= HTTPReply.mostPending / 2 { return true }
            usleep(5000)
        }
        return false
    }
}
