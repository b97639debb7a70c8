// A value that few change and many read.

import Synchronization

/// A value that is changed by one after another, and that readers never wait for: they take the one published last.
struct Published<Value: Sendable>: ~Copyable, Sendable {
    private let changing: Mutex<Value>
    private let published: Mutex<Value>

    init(_ value: Value) {
        changing = Mutex(value)
        published = Mutex(value)
    }

    /// The value as it was last published. Complexity: O(1); does not wait for a change under way.
    var current: Value { published.withLock { $0 } }

    /// Calls a body that may change the value while nobody else can; what it leaves is published when it returns.
    func withLock<Result: ~Copyable, Failure>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try changing.withLock { value throws(Failure) in
            let result = try body(&value)
            let changed = value
            published.withLock { $0 = changed }
            return result
        }
    }
}
