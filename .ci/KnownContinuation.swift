// Continuations in place of the toolchain's, for `.ci/sanitize thread` only: the runtime that resumes a task is
// not instrumented, and the thread sanitizer takes what a long-lived thread gives to the task for given by nobody. A
// lock that both sides take once tells it of the order.

struct KnownContinuation<Value, Failure: Error>: Sendable {
    fileprivate let resumed: KnownLock
    fileprivate let continuation: CheckedContinuation<Value, Failure>

    func resume(returning value: sending Value) {
        resumed.take()
        continuation.resume(returning: value)
    }
}

extension KnownContinuation where Value == Void {
    func resume() { resume(returning: ()) }
}

private final class KnownLock: Sendable {
    private let lock = Mutex(())
    func take() { lock.withLock { _ in } }
}

nonisolated(nonsending) func withKnownContinuation<Value>(
    _ body: (KnownContinuation<Value, Never>) -> Void
) async -> sending Value {
    let resumed = KnownLock()
    let value = await withCheckedContinuation { continuation in
        body(KnownContinuation(resumed: resumed, continuation: continuation))
    }
    resumed.take()
    return value
}
