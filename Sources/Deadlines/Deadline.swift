// How long work may take: a moment, and a task, that all work on one query looks at.

import Synchronization

/// The moment by which the current query must be done.
///
/// Work takes a watch where it begins and looks at it between stretches. What can throw ends with an error. What
/// cannot, deep in the search of one long text, gives up when `Watch.isOver`: it returns anything, and `run` sees to it
/// that no result which rests on that is ever returned.
package enum Deadline {
    @TaskLocal static var current: Bounds?

    /// What the work at hand looks at. Taken once where work begins, as other threads do not know the deadline.
    package static var watch: Watch { Watch(bounds: current) }

    /// Does work that is interrupted once a time has passed or its task is cancelled.
    ///
    /// - Parameters:
    ///   - time: `nil` for any time. Of a deadline within a deadline the earlier one counts.
    ///   - failure: The error that an interruption becomes.
    /// - Throws: What `body` throws; `failure` where something in it gave up.
    package static func run<Value, Failure: Error>(
        within time: Duration?, failure: (Interruption) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outer = current
        // Without a time and outside of tasks nothing can interrupt.
        if time == nil, outer != nil || !isInTask { return try body() }
        var end = outer?.end
        if let time {
            let own = ContinuousClock.now + time
            end = end.map { min($0, own) } ?? own
        }
        return try run(Bounds(end: end, looks: outer?.looks, cancellation: outer?.cancellation), failure, body)
    }

    /// Does work that is interrupted once it is cancelled: work of a task on a thread that does not run the task.
    package static func run<Value, Failure: Error>(
        until cancellation: Cancellation, failure: (Interruption) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try run(Bounds(end: nil, looks: nil, cancellation: cancellation), failure, body)
    }

    /// Does work whose time is over at a look of that number, counted from 0: a clock for tests.
    package static func run<Value, Failure: Error>(
        looks: Int, failure: (Interruption) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        try run(Bounds(end: nil, looks: LookCount(looks)), failure, body)
    }

    private static var isInTask: Bool {
        // SAFETY: the task is only compared with nothing.
        unsafe withUnsafeCurrentTask { unsafe $0 != nil }
    }

    private static func run<Value, Failure: Error>(
        _ bounds: Bounds, _ failure: (Interruption) -> Failure, _ body: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result = $current.withValue(bounds) { Result { () throws(Failure) in try body() } }
        if let interruption = bounds.interruption { throw failure(interruption) }
        return try result.get()
    }
}

/// Tells work on other threads that it is no longer wanted.
package final class Cancellation: Sendable {
    private let isWanted = Atomic(true)

    package init() {}

    package var isCancelled: Bool { !isWanted.load(ordering: .relaxed) }

    package func cancel() { isWanted.store(false, ordering: .relaxed) }
}

/// What ends the work on one query.
final class Bounds: Sendable {
    let end: ContinuousClock.Instant?
    let looks: LookCount?
    /// Tells that the work was cancelled, where no task on its thread does.
    let cancellation: Cancellation?
    /// 0; 1 once something gave up because the task was cancelled, 2 once the time was over.
    private let outcome = Atomic<UInt8>(0)

    init(end: ContinuousClock.Instant?, looks: LookCount?, cancellation: Cancellation? = nil) {
        self.end = end
        self.looks = looks
        self.cancellation = cancellation
    }

    /// Why something gave up; `nil` when nothing did.
    var interruption: Interruption? {
        switch outcome.load(ordering: .acquiring) {
        case 0: nil
        case 1: .cancelled
        default: .timeLimit
        }
    }

    func note(_ interruption: Interruption) {
        outcome.store(interruption == .cancelled ? 1 : 2, ordering: .releasing)
    }
}

/// Looks that are left before the time is over.
final class LookCount: Sendable {
    private let left: Atomic<Int>

    init(_ count: Int) { left = Atomic(count) }

    /// Takes a look; whether there was none left.
    func take() -> Bool { left.wrappingSubtract(1, ordering: .relaxed).oldValue <= 0 }
}
