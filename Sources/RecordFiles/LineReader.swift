// Lines of a stream, in one buffer that moves along.

import CSIMDJSON
import Glibc

/// Reads a stream line by line. The bytes of a line are followed by as many readable bytes as simdjson needs.
@safe
final class LineReader {
    private let source: ByteSource
    private let limits: LoadLimits
    private let padding = csimdjson_padding()
    /// Bytes in which the end of the first line is looked for.
    private static let peekedBytes = 1 << 16
    /// Bytes that a buffer begins with where the size of the stream is not known.
    private static let firstCapacity = 1 << 20
    // SAFETY: `base` points at `capacity + padding` bytes of `malloc`, of which `start ..< end` hold what was read and
    // not yet given out; freed in `deinit` alone.
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private var start = 0
    private var end = 0
    private var sourceEnded = false
    /// Bytes that other files of the same load had.
    private let bytesBefore: Int

    /// Number of the line given out last, from 1.
    private(set) var line = 0
    /// Where the line given out last starts, in bytes of the expanded stream.
    private(set) var lineOffset = 0
    /// Bytes of the expanded stream before `start`.
    private var startOffset = 0

    init(_ source: ByteSource, limits: LoadLimits, bytesBefore: Int) throws(FileError) {
        self.source = source
        self.limits = limits
        self.bytesBefore = bytesBefore
        // Small files take small buffers; one more byte shows the end without growing.
        let size = source.isCompressed ? Self.firstCapacity : source.storedSize ?? Self.firstCapacity
        capacity = min(Self.firstCapacity, max(1 << 12, size + 1))
        guard let bytes = unsafe Self.room(for: capacity + padding, insteadOf: nil) else {
            throw FileError(kind: .io, file: source.name, message: "out of memory")
        }
        unsafe base = bytes
        while end - start < 3, try fill() {}
        // A byte order mark at the start of UTF-8 means nothing.
        if end - start >= 3, unsafe base[0] == 0xEF, unsafe base[1] == 0xBB, unsafe base[2] == 0xBF {
            start = 3
            startOffset = 3
        }
    }

    deinit { unsafe free(base) }

    /// Bytes in the place of others, whose contents they begin with. None is touched before it is needed.
    private static func room(
        for count: Int, insteadOf old: UnsafeMutablePointer<UInt8>?
    ) -> UnsafeMutablePointer<UInt8>? {
        // SAFETY: where it fails, the old bytes stay as they are.
        unsafe realloc(old, count)?.bindMemory(to: UInt8.self, capacity: count)
    }

    /// Bytes of the expanded stream that were read so far.
    var bytesRead: Int { startOffset + (end - start) }

    /// The bytes that come next, without taking them: all of the first line that is not blank, unless that is longer
    /// than 64 KiB, and what was read behind it. A pipe may give a line in pieces, and its form is told by all of it.
    func peek() throws(FileError) -> UnsafeBufferPointer<UInt8> {
        var first = FirstLine()
        var seen = 0
        while true {
            while seen < min(end - start, Self.peekedBytes), !first.isEnded {
                // SAFETY: `start + seen` is below `end`.
                unsafe first.take(base[start + seen])
                seen += 1
            }
            guard !first.isEnded, seen < Self.peekedBytes, try fill() else { break }
        }
        return unsafe UnsafeBufferPointer(start: base + start, count: end - start)
    }

    /// The next line without its line feed, valid until the next call; `nil` at the end.
    /// - Throws: `FileError` of kind `io`, `compression` or `limit`.
    func next() throws(FileError) -> UnsafeBufferPointer<UInt8>? {
        var searched = 0
        while true {
            let from = start + searched
            // SAFETY: `from ... end` lies within the buffer.
            if let feed = unsafe memchr(base + from, 0x0A, end - from) {
                let length = unsafe UnsafeRawPointer(feed) - UnsafeRawPointer(base + start)
                guard length <= limits.maximumRecordBytes else { throw tooLong() }
                return unsafe take(length, feed: 1)
            }
            searched = end - start
            guard searched <= limits.maximumRecordBytes else { throw tooLong() }
            if try !fill() {
                guard end > start else { return nil }
                return unsafe take(end - start, feed: 0)
            }
        }
    }

    /// All bytes from here to the end as one text.
    /// - Throws: `FileError` of kind `io`, `compression` or `limit`.
    func rest() throws(FileError) -> UnsafeBufferPointer<UInt8> {
        repeat {
            guard end - start <= limits.maximumRecordBytes else { throw tooLong() }
        } while try fill()
        return unsafe take(end - start, feed: 0)
    }

    private func take(_ length: Int, feed: Int) -> UnsafeBufferPointer<UInt8> {
        let text = unsafe UnsafeBufferPointer(start: base + start, count: length)
        line += 1
        lineOffset = startOffset
        start += length + feed
        startOffset += length + feed
        return unsafe text
    }

    /// Reads more behind what there is; `false` at the end of the stream.
    private func fill() throws(FileError) -> Bool {
        guard !sourceEnded else { return false }
        if start > 0 {
            unsafe base.update(from: base + start, count: end - start)
            end -= start
            start = 0
        }
        if end == capacity { try grow() }
        let count = try unsafe source.read(
            into: UnsafeMutableBufferPointer(start: base + end, count: capacity - end))
        end += count
        if count == 0 { sourceEnded = true }
        if bytesBefore + bytesRead > limits.maximumBytes {
            throw FileError(
                kind: .limit, file: source.name, message: "more than \(limits.maximumBytes) bytes",
                hint: "raise the limit if the file is meant to be that large")
        }
        return count > 0
    }

    /// Makes room behind what there is: one line that did not end yet. A few compressed bytes may expand to any number,
    /// so that there is never more room than the longest line may take.
    private func grow() throws(FileError) {
        // SAFETY: `end` bytes were read.
        if capacity >= Self.firstCapacity, unsafe memchr(base, 0, end) != nil {
            throw FileError(
                kind: .limit, file: source.name, line: line + 1,
                message: "a line of more than \(end) bytes, with zeros among them", hint: "this is no file of text")
        }
        let larger = max(capacity, min(capacity * 2 - 1, limits.maximumRecordBytes)) + 1
        guard let bytes = unsafe Self.room(for: larger + padding, insteadOf: base) else {
            throw FileError(kind: .io, file: source.name, line: line + 1, message: "out of memory")
        }
        unsafe base = bytes
        capacity = larger
    }

    private func tooLong() -> FileError {
        FileError(
            kind: .limit, file: source.name, line: line + 1,
            message: "a record of more than \(limits.maximumRecordBytes) bytes",
            hint: "each record needs a line of its own")
    }
}
