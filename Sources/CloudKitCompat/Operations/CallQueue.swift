// The queue of a database: its calls take turns, except that none waits for the callbacks of another.

import Foundation
import Synchronization

/// A queue whose operations may wait for each other in their callbacks.
///
/// An operation holds one of the queue's places. While it runs a callback there is one place more: a callback that
/// waits for another operation of the queue would wait forever if that one had to wait for its place.
// Unchecked, as Foundation's class is: all that changes is in the mutex.
final class CallQueue: OperationQueue, @unchecked Sendable {
    private struct Places {
        /// As the program set it.
        var count = 1
        var callbacks = 0
    }

    private let places = Mutex(Places())

    override init() {
        super.init()
        super.maxConcurrentOperationCount = 1
    }

    override var maxConcurrentOperationCount: Int {
        get { places.withLock { $0.count } }
        set { change { $0.count = newValue } }
    }

    func callbackBegins() { change { $0.callbacks += 1 } }
    func callbackEnds() { change { $0.callbacks -= 1 } }

    private func change(_ body: (inout Places) -> Void) {
        places.withLock { places in
            body(&places)
            // A queue without a limit has a negative count, and needs no other.
            let isLimited = places.count >= 0 && places.count < .max - places.callbacks
            super.maxConcurrentOperationCount = isLimited ? places.count + places.callbacks : places.count
        }
    }
}

/// Where an operation runs: known to its callbacks when it has started.
final class OperationPlace: Sendable {
    /// `nil` in a queue of the program's own.
    private let queue = Mutex<CallQueue?>(nil)

    func enter(_ queue: CallQueue?) { self.queue.withLock { $0 = queue } }

    /// A callback as the work calls it: while it runs, the other operations of the queue go on.
    func callback<each Argument>(
        _ body: ((repeat each Argument) -> Void)?
    ) -> ((repeat each Argument) -> Void)? {
        guard let body else { return nil }
        return { [self] (arguments: repeat each Argument) in
            let queue = queue.withLock { $0 }
            queue?.callbackBegins()
            defer { queue?.callbackEnds() }
            body(repeat each arguments)
        }
    }
}

/// A call with a handler, as an operation of low priority.
final class HandlerCall: CKDatabaseOperation, @unchecked Sendable {
    private let makesWork: (HandlerCall) -> Work

    /// - Parameter handler: Called once; with `operationCancelled` where the call was cancelled in the queue.
    init<Value>(
        _ body: @escaping @Sendable () throws -> Value,
        _ handler: @escaping @Sendable (Result<Value, any Error>) -> Void
    ) {
        makesWork = { call in
            let told = call.callback(handler)
            var result: Result<Value, any Error>?
            return Work { _, _ in
                result = Result(catching: body)
            } finish: { error in
                told?(result ?? .failure(error ?? CKError(ItemReport.cancellation)))
            }
        }
        super.init()
        queuePriority = .low
    }

    override func makeWork() -> Work { makesWork(self) }
}
