// Tasks that run apart from all others, so that a thread can wait for them.

import Dispatch
import Synchronization

/// One thread for tasks: who waits for one of them takes no thread away from it.
final class OwnQueue: TaskExecutor {
    private let queue = DispatchQueue(label: "Campaigns")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // SAFETY: the queue runs the job once.
        queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// What a task gives in the end.
    private final class Answer<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
        let isThere = DispatchSemaphore(value: 0)
    }

    /// Runs a task and waits for it.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () async -> Value?) -> Value? {
        let answer = Answer<Value>()
        let queue = OwnQueue()
        Task(executorPreference: queue) {
            let value = await work()
            answer.value.withLock { $0 = value }
            answer.isThere.signal()
        }
        answer.isThere.wait()
        return withExtendedLifetime(queue) { answer.value.withLock { $0 } }
    }
}
