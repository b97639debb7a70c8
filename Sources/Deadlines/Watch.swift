// What work looks at to learn whether it is still wanted.

extension Deadline {
    /// Tells whether work is still wanted. May be used on any thread.
    package struct Watch: Sendable {
        let bounds: Bounds?

        /// Why the work is to end; `nil` when it shall go on. Outside of `Deadline.run` only the task counts.
        package var interruption: Interruption? { Task.isCancelled ? .cancelled : timeInterruption }

        /// As `interruption`, but quick: the task is not checked, and where there is no deadline no clock either.
        package var timeInterruption: Interruption? {
            guard let bounds else { return nil }
            if let known = bounds.interruption { return known }
            if let cancellation = bounds.cancellation, cancellation.isCancelled { return .cancelled }
            if let looks = bounds.looks, looks.take() { return .timeLimit }
            if let end = bounds.end, ContinuousClock.now > end { return .timeLimit }
            return nil
        }

        /// Whether work that cannot throw shall give up: its result will not be given out.
        ///
        /// Always false outside of `Deadline.run`, where nobody would see to that.
        package var isOver: Bool {
            guard let bounds, let interruption else { return false }
            bounds.note(interruption)
            return true
        }

        /// Whether anything may end the work before it is done.
        package var isLimited: Bool { bounds != nil }

        /// Does work on another thread under the same deadline.
        package func adopted(_ body: () -> Void) {
            guard let bounds else { return body() }
            Deadline.$current.withValue(bounds, operation: body)
        }
    }
}
