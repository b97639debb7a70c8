// Lines of a file or of standard input, as they arrive.

import Glibc
import RecordDatabase

/// Reads lines from a file descriptor.
struct LineReader: ~Copyable {
    private let descriptor: Int32
    private let isOwned: Bool
    /// The file, for messages; `-` is standard input.
    private let name: String
    /// Bytes of one line at most.
    private let limit: Int
    private var lineCount = 0
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Reads standard input.
    static func standardInput() -> LineReader {
        LineReader(descriptor: 0, isOwned: false, name: "-", limit: LoadLimits().maximumRecordBytes)
    }

    /// Reads a file.
    /// - Parameter limit: Bytes of one line at most.
    /// - Throws: `CommandError` of status `inputOutput`.
    static func file(
        _ path: String, limit: Int = LoadLimits().maximumRecordBytes
    ) throws(CommandError) -> LineReader {
        // SAFETY: the path is passed as a NUL-terminated copy that lives for the call.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandError(.inputOutput, "cannot open '\(path)': \(ErrorNumber.text(errno))")
        }
        return LineReader(descriptor: descriptor, isOwned: true, name: path, limit: limit)
    }

    private init(descriptor: Int32, isOwned: Bool, name: String, limit: Int) {
        self.descriptor = descriptor
        self.isOwned = isOwned
        self.name = name
        self.limit = limit
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    /// Whether another line is in memory already, so that responses may wait in their buffer.
    var hasBufferedLine: Bool { buffer[start...].contains(UInt8(ascii: "\n")) }

    /// The next line without its end (LF or CR LF); `nil` at the end of input.
    /// - Throws: `CommandError` of status `inputOutput`, or of `badData` for a line that is too long.
    mutating func next() throws(CommandError) -> [UInt8]? {
        var searched = start
        while true {
            let feed = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
            guard (feed ?? buffer.count) - start <= limit else {
                throw CommandError.longLine(lineCount + 1, of: name, limit: limit)
            }
            if let end = feed {
                lineCount += 1
                defer { start = end + 1 }
                let hasReturn = end > start && buffer[end - 1] == UInt8(ascii: "\r")
                return Array(buffer[start..<(hasReturn ? end - 1 : end)])
            }
            if isAtEnd {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
            buffer.removeFirst(start)
            start = 0
            searched = buffer.count
            try fill()
        }
    }

    private mutating func fill() throws(CommandError) {
        let old = buffer.count
        let piece = 1 << 16
        buffer.append(contentsOf: repeatElement(0, count: piece))
        while true {
            let file = descriptor
            // SAFETY: the kernel writes at most `piece` bytes behind `old`, all inside the array.
            let count = unsafe buffer.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe read(file, base + old, piece)
            }
            if count < 0, errno == EINTR { continue }
            buffer.removeLast(piece - max(0, count))
            if count < 0 { throw CommandError(.inputOutput, "cannot read: \(ErrorNumber.text(errno))") }
            isAtEnd = count == 0
            return
        }
    }
}
