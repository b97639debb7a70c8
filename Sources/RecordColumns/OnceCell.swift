// A reference that is made once and read often, by many threads.

package import Synchronization

/// A place for an object that the first to need it makes.
///
/// The standard library's `AtomicLazyReference` does the same; its `load` is generic code that is not specialised for
/// its user, which costs more than finding a record by name.
@safe
package struct OnceCell<Instance: AnyObject & Sendable>: ~Copyable, Sendable {
    // SAFETY: the stored reference is owned, and released by `deinit` alone.
    @usableFromInline
    let stored = unsafe Atomic<Unmanaged<Instance>?>(nil)

    /// An empty place.
    @inlinable
    package init() {}

    /// The object, or `nil` before there is one. Complexity: O(1).
    @inline(__always) @inlinable
    package func load() -> Instance? {
        // SAFETY: what was stored stays until `deinit`.
        unsafe stored.load(ordering: .acquiring)?.takeUnretainedValue()
    }

    /// Puts an object there, unless there is one already; gives the one that is there. Complexity: O(1).
    package func storeIfNil(_ instance: Instance) -> Instance {
        let owned = unsafe Unmanaged.passRetained(instance)
        let (isStored, known) = unsafe stored.compareExchange(
            expected: nil, desired: owned, ordering: .acquiringAndReleasing)
        if !isStored, let known = unsafe known {
            unsafe owned.release()
            return unsafe known.takeUnretainedValue()
        }
        return instance
    }

    deinit { unsafe stored.load(ordering: .acquiring)?.release() }
}
