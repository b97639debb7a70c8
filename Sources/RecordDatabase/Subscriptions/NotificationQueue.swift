// Notifications that wait for a client to take them.

import Synchronization

/// A queue of bounded length between commits and one reader.
///
/// When it is full, a notification that says no more than a later one (of the same zone or database subscription) makes
/// room; if there is none, the oldest goes. The one that follows in its place says so by `isPruned`.
final class NotificationQueue: Sendable {
    private typealias Reader = CheckedContinuation<ChangeNotification?, Never>

    private struct State {
        var waiting: [ChangeNotification] = []
        var reader: Reader?
        var isEnded = false
    }

    private let state = Mutex(State())
    private let capacity: Int

    /// - Parameter capacity: Notifications that may wait; at least one.
    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds a notification, or hands it to the reader that waits.
    func append(_ notification: ChangeNotification) {
        let reader = state.withLock { state -> Reader? in
            if state.isEnded { return nil }
            if let reader = state.reader {
                state.reader = nil
                return reader
            }
            var notification = notification
            if state.waiting.count >= capacity { makeRoom(for: &notification, in: &state) }
            state.waiting.append(notification)
            return nil
        }
        reader?.resume(returning: notification)
    }

    private func makeRoom(for notification: inout ChangeNotification, in state: inout State) {
        for (position, earlier) in state.waiting.enumerated() {
            if notification.replaces(earlier) {
                state.waiting.remove(at: position)
                notification.isPruned = true
                return
            }
            // Only those of zones and databases say as much as a later one.
            if earlier.kind == .query { continue }
            let later = state.waiting[(position + 1)...].firstIndex { $0.replaces(earlier) }
            guard let later else { continue }
            state.waiting[later].isPruned = true
            state.waiting.remove(at: position)
            return
        }
        state.waiting.removeFirst()
        if state.waiting.isEmpty { notification.isPruned = true } else { state.waiting[0].isPruned = true }
    }

    /// Ends the queue: what waits is still given.
    func end() {
        let reader = state.withLock { state in
            state.isEnded = true
            defer { state.reader = nil }
            return state.reader
        }
        reader?.resume(returning: nil)
    }

    /// All notifications that wait.
    func takeWaiting() -> [ChangeNotification] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    /// The next notification; `nil` after the end, or when the task is cancelled. One reader at a time: of two, the
    /// first is sent away.
    func next() async -> ChangeNotification? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (answer, displaced) = state.withLock { state -> (ChangeNotification??, Reader?) in
                    if !state.waiting.isEmpty { return (.some(state.waiting.removeFirst()), nil) }
                    if state.isEnded || Task.isCancelled { return (.some(nil), nil) }
                    let displaced = state.reader
                    state.reader = continuation
                    return (nil, displaced)
                }
                displaced?.resume(returning: nil)
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            end()
        }
    }
}
