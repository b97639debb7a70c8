// The end of a file that grows: its new lines, also when it is cut or replaced.

import Glibc
import RecordDatabase

/// Follows a file, and gives out the lines that are appended to it.
final class FileTail {
    /// Lines that came, and what happened to the file.
    struct News {
        var lines: [[UInt8]] = []
        /// The number of the first line, from 1; lines from before the tail began are not counted.
        var firstLine = 1
        /// What became of the file, for people.
        var event: String?
        /// Whether nothing more can come: the end of a pipe.
        var isEnded = false
    }

    let path: String
    private var descriptor: Int32 = -1
    private var offset = 0
    private var startsAtEnd: Bool
    /// Whether it was told that the file is not there.
    private var isMissing = false
    /// The beginning of a line that is still being written.
    private var pending: [UInt8] = []
    private var lineCount = 0
    /// Bytes of one line at most.
    private let limit: Int

    /// A tail of a file, which need not exist yet; `-` is standard input.
    /// - Parameters:
    ///   - fromStart: Whether the lines that are there count as new.
    ///   - limit: Bytes of one line at most.
    init(_ path: String, fromStart: Bool, limit: Int = LoadLimits().maximumRecordBytes) {
        self.path = path
        self.limit = limit
        startsAtEnd = !fromStart
        if path == "-" { descriptor = 0 }
    }

    deinit {
        if descriptor > 0 { close(descriptor) }
    }

    /// What has come since the last time. Of standard input it waits for more.
    /// - Throws: `CommandError` of status `inputOutput`, or of `badData` for a line that is too long.
    func poll() throws(CommandError) -> News {
        var news = News()
        if descriptor < 0, try !open(&news) { return news }
        let before = lineCount
        let isAtEnd = try read(into: &news)
        if path == "-" {
            news.isEnded = isAtEnd
            if isAtEnd { takePending(into: &news) }
        } else if isAtEnd {
            try look(into: &news)
        }
        news.firstLine = before + 1
        return news
    }

    /// - Returns: false when there is no such file yet.
    private func open(_ news: inout News) throws(CommandError) -> Bool {
        // Opening a FIFO would wait for whoever writes it.
        // SAFETY: the path is passed as a NUL-terminated copy that lives for the call.
        descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        if descriptor < 0 {
            if errno == ENOENT {
                // What comes to be here is new.
                if !isMissing { news.event = "'\(path)' is not there yet: waiting for it" }
                (startsAtEnd, isMissing) = (false, true)
                return false
            }
            throw CommandError(.inputOutput, "cannot open '\(path)': \(ErrorNumber.text(errno))")
        }
        try requireFile()
        if isMissing { news.event = "'\(path)' is there now: reading it from its start" }
        isMissing = false
        offset = startsAtEnd ? max(0, lseek(descriptor, 0, SEEK_END)) : 0
        startsAtEnd = false
        return true
    }

    /// Only a file has an end that more is written behind.
    private func requireFile() throws(CommandError) {
        var status = stat()
        // SAFETY: the kernel fills a structure that lives on this frame.
        if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { return }
        close(descriptor)
        descriptor = -1
        throw CommandError(
            .inputOutput, "'\(path)' is no regular file, and only such are followed",
            hint: "a pipe is read as standard input: … | predicate watch PREDICATE")
    }

    /// Reads what there is, at most a few megabytes at a time.
    /// - Returns: whether that was all.
    func read(into news: inout News) throws(CommandError) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        for _ in 0..<16 {
            let file = descriptor
            let size = buffer.count
            // SAFETY: the kernel writes at most `size` bytes into the array.
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(file, $0.baseAddress, size) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw CommandError(.inputOutput, "cannot read '\(path)': \(ErrorNumber.text(errno))") }
            if count == 0 { return true }
            offset += count
            try split(buffer[..<count], into: &news)
            // A pipe gives what it has; a file that gave less is at its end.
            if path == "-" { return false }
        }
        return false
    }

    private func split(_ bytes: ArraySlice<UInt8>, into news: inout News) throws(CommandError) {
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            try keep(rest[..<end])
            takePending(into: &news, keepsEmpty: true)
            rest = rest[(end + 1)...]
        }
        try keep(rest)
    }

    private func keep(_ bytes: ArraySlice<UInt8>) throws(CommandError) {
        guard pending.count + bytes.count <= limit else {
            throw CommandError.longLine(lineCount + 1, of: path, limit: limit)
        }
        pending += bytes
    }

    private func takePending(into news: inout News, keepsEmpty: Bool = false) {
        if pending.isEmpty, !keepsEmpty { return }
        if pending.last == UInt8(ascii: "\r") { pending.removeLast() }
        news.lines.append(pending)
        lineCount += 1
        pending = []
    }

    /// Looks whether the file was cut, or another was put in its place.
    func look(into news: inout News) throws(CommandError) {
        var ours = stat()
        var theirs = stat()
        // SAFETY: the kernel fills structures that live on this frame; the path is a NUL-terminated copy.
        guard unsafe fstat(descriptor, &ours) == 0 else { return }
        if ours.st_size < offset {
            news.event = "'\(path)' was cut: reading it from its start"
            lseek(descriptor, 0, SEEK_SET)
            (offset, lineCount, pending) = (0, 0, [])
        } else if unsafe stat(path, &theirs) == 0, theirs.st_ino != ours.st_ino || theirs.st_dev != ours.st_dev {
            // What was written since the last read, before the other came.
            while try !read(into: &news) {}
            takePending(into: &news)
            news.event = "'\(path)' was replaced: reading the new one from its start"
            close(descriptor)
            (descriptor, offset, lineCount) = (-1, 0, 0)
        }
    }
}
