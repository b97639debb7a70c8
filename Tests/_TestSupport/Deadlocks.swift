// Waits that may never end. They are given up when the process is idle, not by the clock: on a busy machine a test waits
// for minutes until a thread is free for it, and nothing is wrong.

import Dispatch
import Glibc
import Synchronization
import Testing

/// Whether the process still does anything.
private final class IdleWatch: Sendable {
    /// For how long nothing happens before a wait is a deadlock, in seconds. Other programs that a test waits for may
    /// keep the process idle meanwhile.
    private static let patience = 300
    /// Processor time within a second, in nanoseconds, from which the process does something.
    private static let work: UInt64 = 2_000_000

    private let state = Mutex((seconds: 0, time: processorTime(CLOCK_PROCESS_CPUTIME_ID)))

    /// To be called about every second.
    func isIdle() -> Bool {
        state.withLock { state in
            let time = processorTime(CLOCK_PROCESS_CPUTIME_ID)
            state = (time - state.time < Self.work ? state.seconds + 1 : 0, time)
            return state.seconds >= Self.patience
        }
    }
}

private func processorTime(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// Processor time that a body takes on this thread, in seconds; others' work is not in it.
public func processorSeconds(_ body: () throws -> Void) rethrows -> Double {
    let start = processorTime(CLOCK_THREAD_CPUTIME_ID)
    try body()
    return Double(processorTime(CLOCK_THREAD_CPUTIME_ID) - start) / 1e9
}

extension DispatchSemaphore {
    /// Waits for a signal; false when there will be none.
    public func waitUnlessDeadlocked() -> Bool {
        let watch = IdleWatch()
        while wait(timeout: .now() + 1) == .timedOut { if watch.isIdle() { return false } }
        return true
    }
}

extension DispatchGroup {
    /// Waits for all to leave; false when they will not.
    public func waitUnlessDeadlocked() -> Bool {
        let watch = IdleWatch()
        while wait(timeout: .now() + 1) == .timedOut { if watch.isIdle() { return false } }
        return true
    }
}

/// Tests that fail when they wait for what never comes.
public struct DeadlockTrait: SuiteTrait, TestTrait, TestScoping {
    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let watcher = Task {
            let watch = IdleWatch()
            while !Task.isCancelled, !watch.isIdle() { try? await Task.sleep(for: .seconds(1)) }
            if !Task.isCancelled { Issue.record("a deadlock: the process has been idle for long") }
        }
        defer { watcher.cancel() }
        try await function()
    }
}

extension Trait where Self == DeadlockTrait {
    /// Tests that fail when they wait for what never comes.
    public static var mayDeadlock: Self { DeadlockTrait() }
}
