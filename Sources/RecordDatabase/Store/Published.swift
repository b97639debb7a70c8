// A value that few change and many read.

import Synchronization

/// A value that whoever may write its store changes, and everybody reads. Nobody waits for long.
struct Published<Value: Sendable>: ~Copyable, Sendable {
    private let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }

    /// The value as it was last published. Complexity: O(1).
    var current: Value { value.withLock { $0 } }

    func publish(_ new: Value) { value.withLock { $0 = new } }
}
