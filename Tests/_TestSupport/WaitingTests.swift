// Tests that wait: for a server, a disk, another process. Tasks share as many threads as there are processors, and one
// that waits is missed by all others.

import Dispatch
import Testing

/// Threads beside those of all tasks, as many as wait.
private final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads()
    private let queue = DispatchQueue(label: "tests that wait", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Tests that run on threads of their own.
public struct WaitingTrait: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
    }
}

extension Trait where Self == WaitingTrait {
    /// Tests that keep their thread waiting for what others do.
    public static var waits: Self { WaitingTrait() }
}
