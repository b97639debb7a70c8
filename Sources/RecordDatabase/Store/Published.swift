// A value that few change and many read.

import Synchronization

/// A value that whoever may write its store changes, and everybody reads. Nobody waits for long.
struct Published<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    /// The value as it was last published. Complexity: O(1).
    var current: Value { value.withLock { $0 } }

    /// Calls a body while the value stays: what `publish` shows together with another value is of one moment here.
    func withCurrent<Result: Sendable, Failure: Error>(
        _ body: (Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try value.withLock { value throws(Failure) in try body(value) }
    }

    /// - Parameter body: Shows what belongs to the value.
    func publish(_ new: Value, with body: () -> Void = {}) {
        value.withLock { value in
            value = new
            body()
        }
    }
}
