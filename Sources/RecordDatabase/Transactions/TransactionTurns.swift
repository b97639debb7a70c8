// One transaction at a time, without a thread for each that waits.

import Synchronization

/// The turns of transactions on one store, first come, first served. May be used from any thread.
final class TransactionTurns: Sendable {
    private struct State {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    /// Suspends until it is this task's turn, which ends with `end`.
    func begin() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                defer { state.isTaken = true }
                if state.isTaken { state.waiting.append(continuation) }
                return !state.isTaken
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends a turn; the next one begins.
    func end() {
        let next = state.withLock { state in
            if state.waiting.isEmpty {
                state.isTaken = false
                return CheckedContinuation<Void, Never>?.none
            }
            return state.waiting.removeFirst()
        }
        next?.resume()
    }
}
