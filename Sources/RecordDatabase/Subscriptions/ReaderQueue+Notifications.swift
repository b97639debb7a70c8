// Notifications that wait for a client to take them.

extension ReaderQueue<ChangeNotification> {
    /// Adds a notification to a queue of bounded length.
    ///
    /// When it is full, a notification that says no more than a later one (of the same zone or database subscription)
    /// makes room; if there is none, the oldest goes. The one that follows in its place says so by `isPruned`.
    /// - Parameter capacity: Notifications that may wait; at least one.
    func append(_ notification: ChangeNotification, capacity: Int) {
        update { waiting in
            var notification = notification
            if waiting.count >= max(1, capacity) { Self.makeRoom(for: &notification, in: &waiting) }
            waiting.append(notification)
        }
    }

    private static func makeRoom(for notification: inout ChangeNotification, in waiting: inout [ChangeNotification]) {
        for (position, earlier) in waiting.enumerated() {
            if notification.replaces(earlier) {
                waiting.remove(at: position)
                notification.isPruned = true
                return
            }
            // Only those of zones and databases say as much as a later one.
            if earlier.kind == .query { continue }
            let later = waiting[(position + 1)...].firstIndex { $0.replaces(earlier) }
            guard let later else { continue }
            waiting[later].isPruned = true
            waiting.remove(at: position)
            return
        }
        waiting.removeFirst()
        if waiting.isEmpty { notification.isPruned = true } else { waiting[0].isPruned = true }
    }
}
