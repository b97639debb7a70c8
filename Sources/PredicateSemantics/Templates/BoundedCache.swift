// Results computed once and used again.

import Synchronization

/// A dictionary that forgets all it holds when it is full: what is in use comes back with the next query.
package final class BoundedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private let capacity: Int
    private let values = Mutex<[Key: Value]>([:])

    /// An empty cache of at most so many values.
    package init(capacity: Int) { self.capacity = capacity }

    /// The value of a key, made if it is not there; two threads may make one at once. What cannot be made is tried
    /// again the next time. Complexity: O(1).
    package func value(_ key: Key, orElse make: () -> Value?) -> Value? {
        if let known = values.withLock({ $0[key] }) { return known }
        guard let value = make() else { return nil }
        values.withLock { values in
            if values.count >= capacity { values.removeAll(keepingCapacity: true) }
            values[key] = value
        }
        return value
    }

    /// Number of values held.
    package var count: Int { values.withLock { $0.count } }
}
