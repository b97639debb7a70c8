// What waits between commits and one reader.

import Synchronization

/// A queue of values for one reader, who may wait for the next.
///
/// Its owner says what a new value does to those that wait: how many may, and which make room.
final class ReaderQueue<Element: Sendable>: Sendable {
    private typealias Reader = CheckedContinuation<Element?, Never>

    private struct State {
        var waiting: [Element]
        var reader: Reader?
        var isEnded = false
    }

    private let state: Mutex<State>

    init(_ waiting: [Element] = []) { state = Mutex(State(waiting: waiting)) }

    /// Changes what waits, then hands the first value to the reader that waits. Does nothing after the end.
    func update(_ change: (inout [Element]) -> Void) {
        let (reader, next) = state.withLock { state -> (Reader?, Element?) in
            guard !state.isEnded else { return (nil, nil) }
            change(&state.waiting)
            guard let reader = state.reader, !state.waiting.isEmpty else { return (nil, nil) }
            state.reader = nil
            return (reader, state.waiting.removeFirst())
        }
        reader?.resume(returning: next)
    }

    /// Ends the queue: what waits is still given.
    ///
    /// - Parameter dropsWaiting: Whether what waits is not given any more.
    func end(dropsWaiting: Bool = false) {
        let reader = state.withLock { state in
            state.isEnded = true
            if dropsWaiting { state.waiting = [] }
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// All values that wait.
    func takeWaiting() -> [Element] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// The next value; `nil` after the end, or when the task is cancelled. One reader at a time: of two, the first is
    /// sent away.
    func next() async -> Element? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (result, displaced) = state.withLock { state -> (Element??, Reader?) in
                    if !state.waiting.isEmpty { return (.some(state.waiting.removeFirst()), nil) }
                    if state.isEnded || Task.isCancelled { return (.some(nil), nil) }
                    let displaced = state.reader
                    state.reader = continuation
                    return (nil, displaced)
                }
                displaced?.resume(returning: nil)
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            end()
        }
    }
}
