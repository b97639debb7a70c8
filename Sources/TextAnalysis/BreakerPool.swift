// ICU's boundary finders: opening one costs microseconds, so they are kept and lent out.
import CICU
import Synchronization

/// A finder of boundaries. It serves one borrower at a time.
@safe final class Breaker: @unchecked Sendable {
    // SAFETY of @unchecked Sendable: the pool lends a breaker to one borrower at a time, under its lock.
    let pointer: OpaquePointer

    fileprivate init?(_ open: (UnsafeMutablePointer<OpaquePointer?>) -> Int32) {
        var opened: OpaquePointer?
        // SAFETY: the seam writes one pointer, or nil where it fails.
        guard unsafe open(&opened) <= 0, let pointer = unsafe opened else { return nil }
        unsafe self.pointer = pointer
    }

    deinit { unsafe cicu_breaker_close(pointer) }
}

/// Boundary finders of one kind, lent out and taken back.
@safe final class BreakerPool: Sendable {
    /// Finders of word boundaries.
    static let words = unsafe BreakerPool { unsafe cicu_word_breaker_open($0) }
    /// Finders of grapheme cluster boundaries.
    static let clusters = unsafe BreakerPool { unsafe cicu_cluster_breaker_open($0) }

    private let open: @Sendable (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    private let idle = Mutex<[Breaker]>([])
    /// More than this many at rest are not worth their memory.
    private static let limit = 64

    private init(_ open: @escaping @Sendable (UnsafeMutablePointer<OpaquePointer?>) -> Int32) {
        unsafe self.open = open
    }

    /// A finder for the caller alone; nil only when memory is exhausted.
    func borrow() -> Breaker? {
        if let breaker = idle.withLock({ $0.popLast() }) { return breaker }
        return unsafe Breaker(open)
    }

    /// Takes a finder back.
    func giveBack(_ breaker: Breaker) {
        idle.withLock { if $0.count < BreakerPool.limit { $0.append(breaker) } }
    }
}
