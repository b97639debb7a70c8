// The growing buffer that folded text is written to.

/// The byte with A to Z made small, others unchanged.
@inline(__always)
func lowercasedASCII(_ byte: UInt8) -> UInt8 {
    byte &- 0x41 < 26 ? byte | 0x20 : byte
}

/// Bytes that grow as a result is written. Clearing keeps the memory.
@safe struct ByteBuffer: ~Copyable {
    // SAFETY throughout: the first `count` bytes are initialised, `count` is at most `capacity`, and every write makes
    // room first.
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// How many bytes are in use.
    private(set) var count = 0

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        unsafe start = .allocate(capacity: self.capacity)
    }

    deinit { unsafe start.deallocate() }

    /// Drops everything after the first `length` bytes.
    mutating func truncate(to length: Int) { count = min(count, length) }

    /// Adds the lowest `length` bytes (at most 8) of `packed`, the lowest first.
    @inline(__always)
    mutating func append(_ packed: UInt64, length: Int) {
        makeRoom(for: 8)
        unsafe UnsafeMutableRawPointer(start + count).storeBytes(of: packed.littleEndian, as: UInt64.self)
        count &+= length
    }

    /// Adds ASCII text with its capital letters made small.
    mutating func append(lowercasingASCII text: Span<UInt8>) {
        makeRoom(for: text.count)
        let target = unsafe start + count
        unsafe text.withUnsafeBufferPointer { source in
            for offset in 0..<source.count { unsafe target[offset] = lowercasedASCII(source[offset]) }
        }
        count &+= text.count
    }

    /// Adds bytes as they are.
    mutating func append(_ text: Span<UInt8>) {
        makeRoom(for: text.count)
        let target = unsafe start + count
        unsafe text.withUnsafeBufferPointer { source in
            if let base = source.baseAddress { unsafe target.update(from: base, count: source.count) }
        }
        count &+= text.count
    }

    @inline(__always)
    private mutating func makeRoom(for more: Int) {
        if capacity &- count < more { grow(by: more) }
    }

    private mutating func grow(by more: Int) {
        let larger = max(2 * capacity, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        unsafe moved.update(from: start, count: count)
        unsafe start.deallocate()
        unsafe start = moved
        capacity = larger
    }

    /// Calls `body` with the bytes in use.
    @inline(__always)
    borrowing func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
        body(unsafe Span(_unsafeStart: start, count: count))
    }

    /// The bytes as text.
    var text: String { withBytes { String(utf8: $0) } }
}
