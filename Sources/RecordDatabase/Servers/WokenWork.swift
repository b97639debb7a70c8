// Work that is done again when something changed.

import Glibc
import RecordStore
import Synchronization

/// Work that is done when it is woken, on a thread of its own, never twice at a time. It may be woken from any thread.
final class WokenWork: Sendable {
    /// What became of the work.
    enum Outcome {
        case done
        /// It has to be done again.
        case again
        /// It is never done again.
        case over
    }

    private struct State {
        var isWanted = false
        var isRunning = false
        var isEnded = false
    }

    /// The pause before work that could not be done is tried again.
    private static let longPause: useconds_t = 500_000

    private let pause: useconds_t
    private let state = Mutex(State())

    /// - Parameter pause: The time between two times that it is done, in microseconds.
    init(pause: useconds_t) { self.pause = pause }

    /// Has work done; once for all calls since it last began.
    func wake(_ work: @escaping @Sendable () -> Outcome) {
        let starts = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning && !state.isEnded
        }
        if starts, !BackgroundThread.run({ [self] in run(work) }) { state.withLock { $0.isRunning = false } }
    }

    /// Has a call of a server made, as `wake`: again where the server was in the way.
    func wakeCall(_ call: @escaping @Sendable () throws(DatabaseError) -> Void) {
        wake {
            do throws(DatabaseError) {
                try call()
                return .done
            } catch {
                return error.isOfServer ? .again : .done
            }
        }
    }

    /// Ends all work but that under way.
    func end() { state.withLock { $0.isEnded = true } }

    private func run(_ work: () -> Outcome) {
        while isWanted() {
            switch work() {
            case .done: usleep(pause)
            case .again:
                state.withLock { $0.isWanted = true }
                usleep(max(pause, Self.longPause))
            case .over: return end()
            }
        }
    }

    private func isWanted() -> Bool {
        state.withLock { state in
            defer { state.isWanted = false }
            state.isRunning = state.isWanted && !state.isEnded
            return state.isRunning
        }
    }
}
