// Work beside the threads that run tasks: long work, and waiting for a disk, would keep others from them.

import Dispatch
import Glibc
import Synchronization

/// Threads for work that takes long. A thread that is done waits for a while for more work before it ends.
package enum BackgroundThread {
    package typealias Work = @Sendable () -> Void

    /// One thread, and what it is to do next.
    private final class Worker: Sendable {
        private let next: Mutex<Work?>
        private let wakeUp = DispatchSemaphore(value: 0)

        init(_ work: @escaping Work) { next = Mutex(work) }

        /// Gives a waiting thread work.
        func wake(_ work: @escaping Work) {
            next.withLock { $0 = work }
            wakeUp.signal()
        }

        func run() {
            while doWork() {
                BackgroundThread.idle.withLock { $0.append(self) }
                if wakeUp.wait(timeout: .now() + BackgroundThread.patience) == .success { continue }
                let isForgotten = BackgroundThread.idle.withLock { idle in
                    guard let position = idle.firstIndex(where: { $0 === self }) else { return false }
                    idle.remove(at: position)
                    return true
                }
                if isForgotten { return }
                // It was chosen just now.
                wakeUp.wait()
            }
        }

        /// Does what there is to do; false when there is nothing. A thread that waits holds on to nothing of it.
        private func doWork() -> Bool {
            let work = next.withLock { next in
                defer { next = nil }
                return next
            }
            work?()
            return work != nil
        }
    }

    /// Threads without work, those that had some last at the end.
    private static let idle = Mutex<[Worker]>([])
    /// How long a thread waits for more work.
    private static var patience: DispatchTimeInterval { .seconds(2) }

    /// Runs the body on a thread that does nothing else meanwhile; false when there cannot be one.
    package static func run(_ body: @escaping Work) -> Bool {
        if let worker = idle.withLock({ $0.popLast() }) {
            worker.wake(body)
            return true
        }
        let worker = Worker(body)
        return start { worker.run() }
    }

    /// Runs the body on a thread of its own, for which threads go that somebody waits for; false when there cannot be
    /// one.
    package static func runAside(_ body: @escaping Work) -> Bool {
        start {
            // On Linux a thread has a priority of its own, and none gets back what it gave up.
            _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 5)
            body()
        }
    }

    private final class Start {
        let body: Work
        init(_ body: @escaping Work) { self.body = body }
    }

    private static func start(_ body: @escaping Work) -> Bool {
        var thread = pthread_t()
        // SAFETY: the thread takes over the reference, exactly once.
        let work = unsafe Unmanaged.passRetained(Start(body))
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, work.toOpaque())
        guard status == 0 else {
            unsafe work.release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    /// A body that is done once and let go of then: whoever waits for what it gives finds nothing held by the thread.
    package final class Once<Outcome: Sendable, Failure: Error>: Sendable {
        private let body: Mutex<(@Sendable () throws(Failure) -> Outcome)?>

        package init(_ body: @escaping @Sendable () throws(Failure) -> Outcome) { self.body = Mutex(body) }

        /// What the body gives, the first time; `nil` from then on.
        package func outcome() -> Result<Outcome, Failure>? {
            let body = self.body.withLock { body in
                defer { body = nil }
                return body
            }
            return body.map { body in Result { () throws(Failure) in try body() } }
        }
    }

    /// As `runAside`, and waits for the end; on this thread when there cannot be another one.
    package static func waitAside<Result: Sendable>(for body: @escaping @Sendable () -> Result) -> Result {
        let outcome = Mutex<Result?>(nil)
        let done = DispatchSemaphore(value: 0)
        let isStarted = runAside {
            let result = body()
            outcome.withLock { $0 = result }
            done.signal()
        }
        if isStarted { done.wait() }
        return outcome.withLock { $0 } ?? body()
    }
}
