// The memory of columns: one run of fixed-size elements, grown by a builder or borrowed from a mapped file.

import Glibc

/// A growable run of elements of fixed size, filled by one builder and read-only afterwards.
///
/// Grows by `realloc`, so that a large buffer is moved by the kernel's page tables and not copied, and can be
/// cut to its exact size at the end. A buffer may also borrow memory that somebody else owns, such as a mapped file: it
/// is read like any other, and growing it copies it first.
@safe
@usableFromInline package final class ColumnBuffer<Element: BitwiseCopyable>: @unchecked Sendable {
    // SAFETY: `base` points at `capacity` elements of which `count` are initialised. It is freed in `deinit` alone, and
    // only without an `owner`, which otherwise keeps it valid; borrowed memory has no room beyond its elements.
    // Shared between threads only after the builder that owns the buffer has finished: from then on nothing writes.
    @exclusivity(unchecked) @usableFromInline internal var base: UnsafeMutablePointer<Element>
    /// Number of elements.
    @exclusivity(unchecked) @usableFromInline internal var length: Int
    @exclusivity(unchecked) @usableFromInline internal var capacity: Int
    /// Whose memory this is; `nil` when it is the buffer's own.
    private var owner: AnyObject?

    /// Number of elements.
    @inlinable package var count: Int { unsafe length }

    /// An empty buffer with room for `capacity` elements.
    package init(capacity: Int = 0) {
        unsafe self.capacity = max(1, capacity)
        unsafe length = 0
        unsafe base = Self.allocate(nil, elements: self.capacity)
        owner = nil
    }

    /// A buffer of elements that lie in somebody else's memory, without a copy.
    ///
    /// - Parameter owner: Keeps the elements where and as they are for as long as it is referenced.
    package init(borrowing elements: UnsafeBufferPointer<Element>, of owner: any AnyObject & Sendable) {
        guard let start = elements.baseAddress, elements.count > 0 else {
            unsafe (capacity, length) = (1, 0)
            unsafe base = Self.allocate(nil, elements: 1)
            self.owner = nil
            return
        }
        // SAFETY: nothing writes to borrowed memory: elements are set by builders alone, in buffers that they made, and
        // adding one moves the elements to memory of the buffer's own.
        unsafe base = UnsafeMutablePointer(mutating: start)
        unsafe (capacity, length) = (elements.count, elements.count)
        self.owner = owner
    }

    /// A buffer of the given elements.
    package convenience init(_ elements: [Element]) {
        self.init(capacity: elements.count)
        unsafe elements.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    deinit {
        if owner == nil { unsafe free(base) }
    }

    /// Adds an element. Complexity: amortised O(1).
    @inlinable @inline(__always)
    package func append(_ element: Element) {
        if unsafe length == capacity { grow(by: 1) }
        // SAFETY: `length < capacity` after `grow`.
        unsafe (base + length).initialize(to: element)
        unsafe length &+= 1
    }

    /// Adds `count` copies of an element.
    package func append(repeating element: Element, count: Int) {
        if unsafe capacity - length < count { grow(by: count) }
        // SAFETY: room for `count` elements was made.
        unsafe (base + length).initialize(repeating: element, count: count)
        unsafe length += count
    }

    /// Adds elements from elsewhere.
    @inlinable
    package func append(contentsOf elements: UnsafeBufferPointer<Element>) {
        guard let source = elements.baseAddress else { return }
        if unsafe capacity - length < elements.count { grow(by: elements.count) }
        // SAFETY: room for the elements was made, and the source is another allocation.
        unsafe (base + length).initialize(from: source, count: elements.count)
        unsafe length += elements.count
    }

    /// Drops all elements from position `count` on; nothing happens when there are fewer.
    package func truncate(to count: Int) {
        unsafe length = unsafe min(length, max(0, count))
        if owner != nil { unsafe capacity = unsafe length }
    }

    /// Gives back the room behind the last element.
    package func shrink() {
        guard owner == nil, unsafe capacity > max(1, length) else { return }
        unsafe capacity = unsafe max(1, length)
        unsafe base = Self.allocate(base, elements: capacity)
    }

    /// The element at a position below `count`.
    @inlinable
    package subscript(position: Int) -> Element {
        get {
            unsafe precondition(position >= 0 && position < length, "column position out of bounds")
            // SAFETY: checked above.
            return unsafe base[position]
        }
        set {
            unsafe precondition(position >= 0 && position < length, "column position out of bounds")
            // SAFETY: checked above.
            unsafe base[position] = newValue
        }
    }

    /// Where the elements start; valid as long as the buffer is referenced and not appended to.
    @unsafe @inlinable
    package var start: UnsafePointer<Element> { unsafe UnsafePointer(base) }

    /// All elements; the pointer is valid as long as the buffer is referenced and not appended to.
    @unsafe @inlinable
    package var elements: UnsafeBufferPointer<Element> { unsafe UnsafeBufferPointer(start: base, count: length) }

    /// Calls `body` with all elements in one run.
    @inlinable
    package func withElements<Result, Failure: Error>(
        _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try unsafe body(UnsafeBufferPointer(start: base, count: length))
    }

    /// The same bytes as elements of another type of the same size. The receiver is empty afterwards.
    func retyped<Other: BitwiseCopyable>(_: Other.Type) -> ColumnBuffer<Other> {
        precondition(MemoryLayout<Other>.stride == MemoryLayout<Element>.stride, "types of different size")
        let other = ColumnBuffer<Other>()
        let (mine, length, capacity) = unsafe (base, self.length, self.capacity)
        // SAFETY: the allocations change owners as wholes, so each is still freed once; both element types are
        // bitwise copyable and of one size, so the memory may be bound again.
        unsafe base = UnsafeMutableRawPointer(other.base).bindMemory(to: Element.self, capacity: other.capacity)
        unsafe (self.length, self.capacity) = unsafe (0, other.capacity)
        unsafe other.base = UnsafeMutableRawPointer(mine).bindMemory(to: Other.self, capacity: capacity)
        unsafe (other.length, other.capacity) = (length, capacity)
        (other.owner, owner) = (owner, nil)
        return other
    }

    /// Room taken, in bytes.
    package var byteCount: Int { unsafe capacity * MemoryLayout<Element>.stride }

    @usableFromInline
    internal func grow(by extra: Int) {
        // Half as much again: growth of large buffers costs no copy, so little is gained by doubling.
        unsafe capacity = unsafe max(16, max(capacity + capacity / 2, length + extra))
        guard owner != nil else {
            unsafe base = Self.allocate(base, elements: capacity)
            return
        }
        let borrowed = unsafe base
        unsafe base = Self.allocate(nil, elements: capacity)
        // SAFETY: the new memory has room for more than the borrowed elements, which the owner still holds.
        unsafe base.initialize(from: borrowed, count: length)
        owner = nil
    }

    private static func allocate(
        _ old: UnsafeMutablePointer<Element>?, elements: Int
    ) -> UnsafeMutablePointer<Element> {
        let bytes = unsafe realloc(old, elements * MemoryLayout<Element>.stride)
        // As with the standard library's arrays, running out of memory cannot be handled.
        guard let bytes = unsafe bytes else { preconditionFailure("out of memory") }
        // SAFETY: malloc's alignment suits every element type, and the elements are bitwise copyable.
        return unsafe bytes.bindMemory(to: Element.self, capacity: elements)
    }
}
