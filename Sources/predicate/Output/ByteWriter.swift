// Buffered bytes to a file descriptor, or to whoever takes them.

import Glibc

/// Collects bytes and writes them in large pieces.
///
/// Copies share nothing; keep one per stream. When the reader of standard output is gone, the process ends at once and
/// silently.
final class ByteWriter {
    /// Bytes not written yet.
    var bytes: [UInt8] = []
    private let take: ([UInt8]) -> Outcome
    private let limit: Int
    /// The reason why writing failed; what follows is dropped.
    private(set) var failure: String?
    /// Whether nobody wants more; what follows is dropped.
    private(set) var isClosed = false

    /// What became of bytes.
    enum Outcome {
        case taken
        case unwanted
        case failed(String)
    }

    /// A writer to a standard stream.
    init(_ stream: StandardStream) {
        limit = 1 << 16
        take = { Self.write($0, to: stream.rawValue, whenClosed: { exit(128 + SIGPIPE) }) }
        bytes.reserveCapacity(limit * 2)
    }

    /// A writer to whatever takes pieces of about `limit` bytes.
    init(limit: Int = 1 << 16, _ take: @escaping ([UInt8]) -> Outcome) {
        self.limit = limit
        self.take = take
    }

    /// Appends text.
    func write(_ text: String) {
        bytes += text.utf8
        flushIfFull()
    }

    /// Takes over bytes, and leaves their array empty with its room.
    func append(_ more: inout [UInt8]) {
        bytes += more
        more.removeAll(keepingCapacity: true)
        flushIfFull()
    }

    /// Writes the buffer out when it is large; call it after appending to `bytes`.
    func flushIfFull() {
        if bytes.count >= limit { flush() }
    }

    /// Writes out everything.
    func flush() {
        defer { bytes.removeAll(keepingCapacity: true) }
        if bytes.isEmpty || isClosed { return }
        switch take(bytes) {
        case .taken: break
        case .unwanted: isClosed = true
        case .failed(let reason): (failure, isClosed) = (reason, true)
        }
    }

    /// Writes all bytes to a file descriptor.
    static func write(_ bytes: [UInt8], to descriptor: Int32, whenClosed: () -> Outcome = { .unwanted }) -> Outcome {
        var start = 0
        while start < bytes.count {
            // SAFETY: the pointer is used inside the closure only, for the bytes behind `start`.
            let written = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe Glibc.write(descriptor, base + start, buffer.count - start)
            }
            if written >= 0 {
                start += written
            } else if errno == EPIPE {
                return whenClosed()
            } else if errno != EINTR {
                return .failed(ErrorNumber.text(errno))
            }
        }
        return .taken
    }
}

/// Messages of the C library.
enum ErrorNumber {
    /// The message of an `errno` value.
    static func text(_ number: Int32) -> String {
        // SAFETY: strerror returns a valid string, copied at once; the command calls it from one thread.
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }
}
