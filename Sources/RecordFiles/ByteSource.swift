// The bytes of a file, of standard input or of memory, decompressed.

import CCompression
import Glibc

/// A stream of bytes; gzip and zstd are recognised by their first bytes and expanded.
final class ByteSource {
    private enum Storage {
        case descriptor(Int32, closes: Bool)
        case memory([UInt8])
    }

    /// The file as it was named.
    let name: String
    /// Size as stored, where known.
    let storedSize: Int?
    /// Bytes read so far, as stored.
    private(set) var storedRead = 0
    /// Whether the bytes are stored in another form: compressed, or in another encoding.
    var isCompressed: Bool { expander != nil || encoding != nil }
    /// Whether the bytes lie in a file that can be read again at any place.
    let isSeekable: Bool

    /// The encoding that is turned into UTF-8; `nil` for UTF-8.
    private(set) var encoding: ForeignEncoding?

    private let storage: Storage
    /// Bytes of a character of that encoding that is not complete, and text that found no room yet.
    private var partOfCharacter: [UInt8] = []
    /// Text that comes before what is read next.
    private var ahead: [UInt8] = []
    private var aheadStart = 0
    private var expander: Expander?
    /// Stored bytes that were read ahead: the first ones, then those that wait to be expanded.
    private var waiting = [UInt8]()
    private var waitingStart = 0
    private static let chunk = 1 << 18

    /// Opens a file; `-` is standard input.
    /// - Throws: `FileError` of kind `io`.
    init(path: String) throws(FileError) {
        name = path
        if path == "-" {
            storage = .descriptor(STDIN_FILENO, closes: false)
            storedSize = nil
            isSeekable = false
        } else {
            let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw Self.failure(path, "cannot open the file") }
            storage = .descriptor(descriptor, closes: true)
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0 else {
                throw Self.failure(path, "cannot read the file")
            }
            if status.st_mode & S_IFMT == S_IFDIR {
                throw FileError(kind: .io, file: path, message: "this is a directory", hint: "name a file in it")
            }
            isSeekable = status.st_mode & S_IFMT == S_IFREG
            storedSize = isSeekable ? Int(status.st_size) : nil
        }
        try recogniseCompression()
    }

    /// Bytes in memory under a name.
    /// - Throws: `FileError` of kind `compression` when they are compressed and damaged at the very start.
    init(bytes: [UInt8], name: String) throws(FileError) {
        self.name = name
        storage = .memory(bytes)
        storedSize = bytes.count
        isSeekable = false
        try recogniseCompression()
    }

    deinit {
        if case .descriptor(let descriptor, true) = storage { close(descriptor) }
    }

    /// Whether bytes, or the end, are to be had without a noticeable wait.
    var isReady: Bool {
        guard aheadStart == ahead.count, case .descriptor(let descriptor, _) = storage else { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&entry, 1, 20) != 0
    }

    /// Gives text back, to be read again before all other.
    func putBack(_ text: [UInt8]) {
        ahead = text + ahead[aheadStart...]
        aheadStart = 0
    }

    /// Fills `buffer` from its start, as far as bytes are to be had at once; 0 only at the end.
    /// - Throws: `FileError` of kind `io`, `compression` or `encoding`.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(FileError) -> Int {
        if aheadStart < ahead.count { return unsafe takeAhead(into: buffer) }
        guard let encoding else { return try unsafe readExpanded(into: buffer) }
        while true {
            var chunk = [UInt8](repeating: 0, count: Self.chunk)
            let count = unsafe try chunk.withUnsafeMutableBufferPointer { chunk throws(FileError) in
                try unsafe readExpanded(into: chunk)
            }
            if count == 0 {
                guard partOfCharacter.isEmpty else {
                    throw FileError(
                        kind: .encoding, file: name, message: "the text, in UTF-16, ends within a character",
                        hint: "the file may have been cut off")
                }
                return 0
            }
            ahead = encoding.utf8(chunk[..<count], &partOfCharacter)
            aheadStart = 0
            if !ahead.isEmpty { return unsafe takeAhead(into: buffer) }
        }
    }

    private func takeAhead(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let count = min(buffer.count, ahead.count - aheadStart)
        for offset in 0..<count { unsafe buffer[offset] = ahead[aheadStart + offset] }
        aheadStart += count
        if aheadStart == ahead.count { (ahead, aheadStart) = ([], 0) }
        return count
    }

    private func readExpanded(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(FileError) -> Int {
        guard let expander else { return try unsafe readStored(into: buffer) }
        while true {
            if waitingStart == waiting.count { try refill() }
            let atEnd = waitingStart == waiting.count
            let (consumed, produced) = unsafe try waiting.withUnsafeBufferPointer { input throws(FileError) in
                try unsafe expander.expand(UnsafeBufferPointer(rebasing: input[waitingStart...]), buffer, name)
            }
            waitingStart += consumed
            if produced > 0 { return produced }
            guard atEnd else { continue }
            guard expander.mayEnd else {
                throw FileError(
                    kind: .compression, file: name, message: "the compressed data ends early",
                    hint: "the file may have been cut off")
            }
            return 0
        }
    }

    private func recogniseCompression() throws(FileError) {
        // A pipe may give less than requested: read on until there is enough to tell.
        var head = [UInt8](repeating: 0, count: 1 << 12)
        var count = 0
        while count < 4 {
            let more = unsafe try head.withUnsafeMutableBufferPointer { head throws(FileError) in
                try unsafe readStored(into: UnsafeMutableBufferPointer(rebasing: head[count...]))
            }
            if more == 0 { break }
            count += more
        }
        waiting = Array(head[..<count])
        if waiting.starts(with: [0x1F, 0x8B]) {
            expander = try Expander(CCOMPRESSION_GZIP, name)
        } else if waiting.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) {
            expander = try Expander(CCOMPRESSION_ZSTD, name)
        } else if let error = ForeignFormat.error(waiting, file: name) {
            throw error
        } else {
            encoding = ForeignEncoding(startingWith: waiting)
            // A byte order mark, and no letter that begins as one: þ and ÿ do in other encodings.
            if waiting.starts(with: [0xFF, 0xFE]) || waiting.starts(with: [0xFE, 0xFF]) { waitingStart = 2 }
        }
    }

    private func refill() throws(FileError) {
        waiting = []
        waitingStart = 0
        var chunk = [UInt8](repeating: 0, count: Self.chunk)
        let count = unsafe try chunk.withUnsafeMutableBufferPointer { chunk throws(FileError) in
            try unsafe readStored(into: chunk)
        }
        chunk.removeLast(chunk.count - count)
        waiting = chunk
    }

    private func readStored(into buffer: UnsafeMutableBufferPointer<UInt8>) throws(FileError) -> Int {
        if waitingStart < waiting.count {
            let count = min(buffer.count, waiting.count - waitingStart)
            for offset in 0..<count { unsafe buffer[offset] = waiting[waitingStart + offset] }
            waitingStart += count
            return count
        }
        switch storage {
        case .memory(let bytes):
            let count = min(buffer.count, bytes.count - storedRead)
            unsafe bytes.withUnsafeBufferPointer { bytes in
                guard let from = bytes.baseAddress, let to = buffer.baseAddress, count > 0 else { return }
                // SAFETY: `count` is within both buffers.
                unsafe to.update(from: from + storedRead, count: count)
            }
            storedRead += count
            return count
        case .descriptor(let descriptor, _):
            while true {
                // SAFETY: the kernel writes at most `buffer.count` bytes.
                let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count >= 0 {
                    storedRead += count
                    return count
                }
                if errno != EINTR { throw Self.failure(name, "cannot read the file") }
            }
        }
    }

    static func failure(_ name: String, _ what: String) -> FileError {
        let number = errno
        let reason = unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number)"
        return FileError(kind: .io, file: name, message: "\(what): \(reason)")
    }
}

/// A decompressor.
@safe
private final class Expander {
    private let reader: OpaquePointer

    init(_ format: ccompression_format, _ name: String) throws(FileError) {
        guard let reader = unsafe ccompression_reader_create(format) else {
            throw FileError(kind: .io, file: name, message: "out of memory")
        }
        unsafe self.reader = reader
    }

    deinit { unsafe ccompression_reader_destroy(reader) }

    var mayEnd: Bool { unsafe ccompression_at_end(reader) != 0 }

    func expand(
        _ input: UnsafeBufferPointer<UInt8>, _ output: UnsafeMutableBufferPointer<UInt8>, _ name: String
    ) throws(FileError) -> (consumed: Int, produced: Int) {
        var consumed = 0
        var produced = 0
        // SAFETY: pointers and counts are of the same buffers.
        let status = unsafe ccompression_read(
            reader, input.baseAddress, input.count, &consumed, output.baseAddress, output.count, &produced)
        switch status {
        case CCOMPRESSION_OK: return (consumed, produced)
        case CCOMPRESSION_OUT_OF_MEMORY: throw FileError(kind: .io, file: name, message: "out of memory")
        default: throw FileError(kind: .compression, file: name, message: "the compressed data is damaged")
        }
    }
}
