// Continuations under the names of the toolchain's, for `.ci/sanitize thread` only: the runtime that resumes a task is
// not instrumented, and the thread sanitizer takes what a long-lived thread gives to the task for given by nobody. A
// lock that both sides take once tells it of the order.

struct CheckedContinuation<Value, Failure: Error>: Sendable {
    fileprivate let resumed: KnownLock
    fileprivate let continuation: _Concurrency.CheckedContinuation<Value, Failure>

    func resume(returning value: sending Value) {
        resumed.take()
        continuation.resume(returning: value)
    }
}

extension CheckedContinuation where Value == Void {
    func resume() { resume(returning: ()) }
}

private final class KnownLock: Sendable {
    private let lock = Mutex(())
    func take() { lock.withLock { _ in } }
}

nonisolated(nonsending) func withCheckedContinuation<Value>(
    _ body: (CheckedContinuation<Value, Never>) -> Void
) async -> sending Value {
    let resumed = KnownLock()
    let value = await _Concurrency.withCheckedContinuation { continuation in
        body(CheckedContinuation(resumed: resumed, continuation: continuation))
    }
    resumed.take()
    return value
}
