// A stream of NDJSON or CSV in pieces of whole records, as they arrive.

/// Gives out the records of a stream in pieces, each as soon as it is there: what a pipe has at once, more and more of
/// a file.
///
/// Used by one thread at a time.
package final class RecordPieces: @unchecked Sendable {
    private let source: ByteSource
    private let limits: LoadLimits
    /// What was read and not given out.
    private var buffer: [UInt8] = []
    private var isEnded = false
    /// Lines that were given out.
    package private(set) var lineCount = 0
    /// The title line of CSV, with its line end; empty where there is none.
    package private(set) var header: [UInt8] = []
    /// Finds the ends of records of cells; `nil` where every line end is one.
    private var recordEnds: RecordEnds?
    /// What was looked at of the buffer for the ends of records.
    private var search = Search()
    /// How many bytes the next piece is to have, where they are to be had at once.
    private var wanted = 1 << 15

    /// Bytes of a piece at most, but for a longer line.
    private static let largest = 1 << 22
    private static let chunk = 1 << 18

    private struct Search {
        /// Bytes from the beginning of the buffer.
        var count = 0
        /// The last record end among them.
        var found: Int?
        /// What cells and quotes follow them.
        var ends: RecordEnds?
    }

    /// Opens a file; `-` is standard input.
    /// - Throws: `FileError` of kind `io`.
    package init(path: String, limits: LoadLimits) throws(FileError) {
        source = try ByteSource(path: path)
        self.limits = limits
    }

    /// The name of the stream, as it was given.
    package var name: String { source.name }

    /// The form of the stream, by its name and its first line, if records of it can be told apart as they come: one
    /// JSON object a line, or cells in lines under titles. `nil` for others.
    ///
    /// - Parameter known: The form that is told otherwise.
    package func format(_ known: RecordFormat?) throws(FileError) -> RecordFormat? {
        while buffer.count < 1 << 16, !buffer.contains(0x0A), try fill() {}
        // The mark of UTF-8 says nothing of the form. Lines of JSON keep it, which counts where their texts are.
        let mark = buffer.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let format = unsafe buffer.withUnsafeBufferPointer { start in
            let start = unsafe UnsafeBufferPointer(rebasing: start[mark...])
            return unsafe known ?? RecordFormat(ofFile: source.name, startingWith: start)
        }
        switch format {
        case .ndjson: return .ndjson
        case .csv, .tsv:
            buffer.removeFirst(mark)
            let separator = unsafe buffer.withUnsafeBufferPointer { unsafe RecordFormat.separator(ofHeader: $0) }
            // Whether commas are decimal is told by all cells of a column.
            if format == .csv, separator == ";" { return nil }
            recordEnds = RecordEnds(separator: format == .tsv ? 0x09 : UInt8(truncatingIfNeeded: separator.value))
            return format
        case .json: return nil
        }
    }

    /// Whether a piece is nothing but the titles, which those behind it are told.
    package func takeHeader(of piece: [UInt8]) {
        guard var ends = recordEnds, header.isEmpty else { return }
        // Blank lines may precede the titles.
        let start = piece.firstIndex { $0 != 0x0A && $0 != 0x0D } ?? piece.count
        let end = piece[start...].firstIndex { ends.take($0) }
        header = Array(piece[..<(end.map { $0 + 1 } ?? piece.count)])
    }

    /// The next whole lines; `nil` at the end.
    /// - Throws: `FileError` of kind `io`, `compression` or `limit`.
    package func next() throws(FileError) -> [UInt8]? {
        while true {
            if buffer.count >= wanted || isEnded || isIdle, let end = lastEnd() { return take(end + 1) }
            if isEnded { return buffer.isEmpty ? nil : take(buffer.count) }
            guard buffer.count <= limits.maximumRecordBytes else {
                throw FileError(
                    kind: .limit, file: source.name, line: lineCount + 1,
                    message: "a record of more than \(limits.maximumRecordBytes) bytes",
                    hint: "each record needs a line of its own")
            }
            _ = try fill()
        }
    }

    /// The last line end that ends a record. Each byte is looked at once.
    private func lastEnd() -> Int? {
        let unseen = search.count..<buffer.count
        search.count = buffer.count
        guard var ends = search.ends ?? recordEnds else {
            search.found = buffer[unseen].lastIndex(of: 0x0A) ?? search.found
            return search.found
        }
        for index in unseen where ends.take(buffer[index]) { search.found = index }
        search.ends = ends
        return search.found
    }

    /// Whether the last read got less than it could have taken: a pipe has no more at once.
    private var isIdle = false

    private func take(_ count: Int) -> [UInt8] {
        let piece = Array(buffer[..<count])
        buffer.removeFirst(count)
        search = Search()
        lineCount += Self.lines(of: piece)
        wanted = min(wanted * 2, Self.largest)
        return piece
    }

    /// The number of line feeds: in groups so small that a byte counts each, which are compared many at a time.
    private static func lines(of bytes: [UInt8]) -> Int {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var (lines, start) = (0, 0)
            while start < bytes.count {
                let end = min(start + 240, bytes.count)
                var few: UInt8 = 0
                // SAFETY: both ends are within the buffer.
                for index in start..<end { few &+= unsafe bytes[index] == 0x0A ? 1 : 0 }
                lines += Int(few)
                start = end
            }
            return lines
        }
    }

    /// Whether nothing is left, as far as that can be told without waiting for whoever writes into a pipe.
    package func isAtEnd() throws(FileError) -> Bool {
        if buffer.isEmpty, source.isReady { _ = try fill() }
        return buffer.isEmpty && isEnded
    }

    private func fill() throws(FileError) -> Bool {
        if isEnded { return false }
        let room = min(Self.chunk, max(wanted, 1 << 12))
        let start = buffer.count
        buffer.append(contentsOf: repeatElement(0, count: room))
        let count = unsafe try buffer.withUnsafeMutableBufferPointer { bytes throws(FileError) in
            try unsafe source.read(into: UnsafeMutableBufferPointer(rebasing: bytes[start...]))
        }
        buffer.removeLast(room - count)
        isEnded = count == 0
        isIdle = count < room && !source.isSeekable
        return count > 0
    }

    /// The source with nothing taken from it, for a reader of another kind; the pieces are of no more use.
    func returned(_ pieces: [UInt8]) -> ByteSource {
        source.putBack(pieces + buffer)
        return source
    }
}

/// Finds the line ends that end records of cells: those outside of quotes that begin a cell.
private struct RecordEnds {
    let separator: UInt8
    private var isQuoted = false
    private var isAtStart = true
    /// Whether the byte before was a quote that ends the cell, unless another follows.
    private var isClosed = false

    init(separator: UInt8) { self.separator = separator }

    /// Takes the next byte; says whether a record ends with it.
    mutating func take(_ byte: UInt8) -> Bool {
        let isQuote = byte == UInt8(ascii: "\"")
        if isQuoted {
            isQuoted = !isQuote
            isClosed = isQuote
            return false
        }
        if isQuote, isAtStart || isClosed {
            (isQuoted, isAtStart, isClosed) = (true, false, false)
            return false
        }
        isClosed = false
        isAtStart = byte == 0x0A || byte == separator
        return byte == 0x0A
    }
}
