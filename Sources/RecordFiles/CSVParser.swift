// Comma-separated values: RFC 4180.

import RecordColumns

/// Reads records of separated cells. Cells may be in quotes, where a quote is doubled and line ends are text; a
/// quote within a cell that does not start with one is a character like others. Blank lines are skipped.
@safe
final class CSVParser {
    private let lines: LineReader
    private let separator: UInt8
    private let limits: LoadLimits
    private let bytes = ColumnBuffer<UInt8>()
    private var ends: [Int] = []
    private var quoted: [Bool] = []

    /// Line on which the record read last begins.
    private(set) var line = 0
    private var isInHeader = false
    /// The line that is being read, for places in it.
    private var lineText = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    init(_ lines: LineReader, separator: Unicode.Scalar, limits: LoadLimits) {
        self.lines = lines
        self.separator = UInt8(truncatingIfNeeded: separator.value)
        self.limits = limits
    }

    /// Bytes of all cells of the record.
    var byteCount: Int { bytes.count }

    /// Lines that the record read last takes, also when it is malformed.
    var lineCount: Int { max(1, lines.line - line + 1) }

    /// Number of cells of the record.
    var count: Int { ends.count }

    /// The bytes of a cell; `nil` when it is empty and not quoted, which is no value.
    func cell(_ index: Int) -> UnsafeBufferPointer<UInt8>? {
        let start = index == 0 ? 0 : ends[index - 1]
        guard ends[index] > start || quoted[index] else { return nil }
        // SAFETY: cells lie within the bytes, which stay until the next record is read.
        return unsafe UnsafeBufferPointer(rebasing: bytes.elements[start..<ends[index]])
    }

    /// Reads the header, as `next`; but a CR outside of quotes and line ends is rejected in it: where lines end with CR
    /// alone, all of the file would be the header.
    /// - Throws: as `next`.
    func header() throws(FileError) -> Bool {
        isInHeader = true
        defer { isInHeader = false }
        return try next()
    }

    /// Reads the next record; `false` at the end.
    /// - Throws: `FileError` without a file: malformed quotes, text that is not UTF-8, or of the stream.
    func next() throws(FileError) -> Bool {
        bytes.truncate(to: 0)
        ends.removeAll(keepingCapacity: true)
        quoted.removeAll(keepingCapacity: true)
        repeat {
            guard try nextLine() else { return false }
        } while unsafe lineText.isEmpty || (lineText.count == 1 && lineText[0] == 0x0D)
        line = lines.line
        try checkLine()
        var (rest, position) = unsafe (lineText, 0)
        repeat {
            unsafe (rest, position) = try unsafe readCell(rest, position)
            ends.append(bytes.count)
        } while unsafe takeSeparator(&rest, &position)
        return true
    }

    private func nextLine() throws(FileError) -> Bool {
        guard let text = try unsafe lines.next() else { return false }
        unsafe lineText = unsafe text
        return true
    }

    private func checkLine() throws(FileError) {
        guard let position = unsafe UTF8Check.firstFault(lineText) else { return }
        throw fault(place(position), "not UTF-8", kind: .encoding, hint: "convert the file first")
    }

    /// Reads one cell from a position in the line, and gives back what follows it.
    private func readCell(
        _ text: UnsafeBufferPointer<UInt8>, _ position: Int
    ) throws(FileError) -> (UnsafeBufferPointer<UInt8>, Int) {
        guard unsafe text.first == UInt8(ascii: "\"") else {
            quoted.append(false)
            let end = unsafe text.firstIndex(of: separator) ?? text.count
            var cell = unsafe text[..<end]
            if end == text.count, unsafe cell.last == 0x0D { unsafe cell = cell.dropLast() }
            if isInHeader, let offset = unsafe cell.firstIndex(of: 0x0D) { throw loneReturn(position + offset) }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: cell))
            return unsafe (UnsafeBufferPointer(rebasing: text[end...]), position + end)
        }
        quoted.append(true)
        var rest = unsafe UnsafeBufferPointer(rebasing: text[1...])
        var opening: (line: Int, column: Int)?
        let start = position
        var position = position + 1
        while true {
            guard let quote = unsafe rest.firstIndex(of: UInt8(ascii: "\"")) else {
                unsafe bytes.append(contentsOf: rest)
                bytes.append(0x0A)
                let known = opening ?? place(start)
                opening = known
                guard bytes.count <= limits.maximumRecordBytes, try nextLine() else {
                    throw fault(known, "the quotes are not closed", hint: "a quote within quotes is doubled")
                }
                try checkLine()
                unsafe (rest, position) = unsafe (lineText, 0)
                continue
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: rest[..<quote]))
            unsafe rest = unsafe UnsafeBufferPointer(rebasing: rest[(quote + 1)...])
            position += quote + 1
            guard unsafe rest.first == UInt8(ascii: "\"") else { break }
            bytes.append(UInt8(ascii: "\""))
            unsafe rest = unsafe UnsafeBufferPointer(rebasing: rest[1...])
            position += 1
        }
        if rest.count == 1, unsafe rest[0] == 0x0D { unsafe rest = UnsafeBufferPointer(rebasing: rest[1...]) }
        if isInHeader, unsafe rest.first == 0x0D { throw loneReturn(position) }
        guard unsafe rest.isEmpty || rest[0] == separator else {
            throw fault(place(position), "text behind closing quotes", hint: "a quote within quotes is doubled")
        }
        return unsafe (rest, position)
    }

    private func takeSeparator(_ text: inout UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
        guard unsafe text.first == separator else { return false }
        unsafe text = UnsafeBufferPointer(rebasing: text[1...])
        position += 1
        return true
    }

    /// The place of a position in the line, whose column counts Unicode scalars from 1.
    private func place(_ position: Int) -> (line: Int, column: Int) {
        let scalars = unsafe lineText.prefix(position).count { $0 & 0xC0 != 0x80 }
        return (lines.line, scalars + 1)
    }

    private func loneReturn(_ position: Int) -> FileError {
        fault(place(position), "lines end with CR alone", hint: "end lines with LF or CRLF")
    }

    private func fault(
        _ place: (line: Int, column: Int), _ message: String, kind: FileError.Kind = .malformed, hint: String
    ) -> FileError {
        var error = FileError(kind: kind, line: place.line, message: message, hint: hint)
        error.column = place.column
        return error
    }
}
