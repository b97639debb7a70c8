// Buffered bytes to a file descriptor.

import Glibc

/// Collects bytes and writes them in large pieces.
///
/// Copies share nothing; keep one per stream. When the reader of a pipe is gone, the process ends at once and silently.
final class ByteWriter {
    /// Bytes not written yet.
    var bytes: [UInt8] = []
    private let descriptor: Int32
    private let limit = 1 << 16
    /// The reason why writing failed; what follows is dropped.
    private(set) var failure: String?

    init(_ stream: StandardStream) {
        descriptor = stream.rawValue
        bytes.reserveCapacity(limit * 2)
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
        var start = 0
        while start < bytes.count, failure == nil {
            // SAFETY: the pointer is used inside the closure only, for the bytes behind `start`.
            let written = unsafe bytes.withUnsafeBytes { buffer in
                guard let base = buffer.baseAddress else { return 0 }
                return unsafe Glibc.write(descriptor, base + start, buffer.count - start)
            }
            if written >= 0 {
                start += written
            } else if errno == EPIPE {
                exit(128 + SIGPIPE)
            } else if errno != EINTR {
                failure = ErrorNumber.text(errno)
            }
        }
    }
}

/// Messages of the C library.
enum ErrorNumber {
    /// The message of an `errno` value.
    static func text(_ number: Int32) -> String {
        // SAFETY: strerror answers a valid string, copied at once; the command calls it from one thread.
        guard let text = unsafe strerror(number) else { return "error \(number)" }
        return unsafe String(cString: text)
    }
}
