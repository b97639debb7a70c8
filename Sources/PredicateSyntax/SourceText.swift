// The predicate text as a reader sees it: offsets, lines, and a place shown by a caret.

/// Predicate text, for telling a reader where something appears in it.
public struct SourceText: Sendable {
    /// The text itself.
    public let text: String
    private let bytes: [UInt8]

    /// Wraps the text; its bytes are copied.
    public init(_ text: String) {
        self.text = text
        self.bytes = Array(text.utf8)
    }

    // MARK: Offsets

    /// Number of Unicode scalars before the byte at `offset`; offsets beyond the text count as its end.
    /// - Complexity: O(offset).
    public func scalarOffset(ofByte offset: Int) -> Int {
        bytes[..<clamp(offset)].reduce(0) { $0 + (Self.isContinuation($1) ? 0 : 1) }
    }

    /// Number of bytes before the Unicode scalar at `offset`; offsets beyond the text count as its end.
    /// - Complexity: O(n) in the bytes of the text.
    public func byteOffset(ofScalar offset: Int) -> Int {
        var remaining = offset
        for (position, byte) in bytes.enumerated() where !Self.isContinuation(byte) {
            if remaining <= 0 { return position }
            remaining -= 1
        }
        return bytes.count
    }

    /// Line and column of a byte, both counted from 1; the column counts Unicode scalars.
    public func position(ofByte offset: Int) -> (line: Int, column: Int) {
        let offset = clamp(offset)
        let lineStart = lineBounds(around: offset).lowerBound
        let line = bytes[..<lineStart].reduce(1) { $0 + ($1 == 0x0A ? 1 : 0) }
        return (line, scalarOffset(ofByte: offset) - scalarOffset(ofByte: lineStart) + 1)
    }

    private func clamp(_ offset: Int) -> Int { min(max(0, offset), bytes.count) }

    private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

    /// Bytes of the line that holds the offset, without its line break.
    private func lineBounds(around offset: Int) -> Range<Int> {
        let start = bytes[..<offset].lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        var end = bytes[offset...].firstIndex(of: 0x0A) ?? bytes.count
        if end > start, end < bytes.count, bytes[end - 1] == 0x0D { end -= 1 }
        return start..<end
    }

    // MARK: Rendering

    /// The line of the text that holds the span, and under it a caret with a tilde for every further column:
    ///
    ///     age NOT IN {1, 2}
    ///         ^~~
    ///
    /// Columns are those of a terminal: wide characters take two, combining characters none. Tabs are shown as
    /// spaces, control characters as visible signs, and of a long line only the surroundings, with `…` at the cut.
    /// - Parameter maximumColumns: greatest width of the shown line in columns.
    public func caret(_ span: SourceSpan, maximumColumns: Int = 100) -> String {
        let lower = clamp(Int(span.lowerBound))
        let line = lineBounds(around: lower)
        let upper = min(max(lower, Int(span.upperBound)), max(lower, line.upperBound))
        var shown = ShownLine(limit: max(20, maximumColumns))
        shown.show(bytes, of: near(line, around: lower), marking: lower..<upper)
        return shown.text + "\n" + shown.marker
    }

    /// The error under its place: the line, the caret, the message and the hint. A text of several lines is
    /// introduced by line and column.
    public func rendering(of error: SyntaxError, maximumColumns: Int = 100) -> String {
        var lines: [String] = []
        if bytes.contains(0x0A) {
            let position = position(ofByte: Int(error.span.lowerBound))
            lines.append("line \(position.line), column \(position.column):")
        }
        lines.append(caret(error.span, maximumColumns: maximumColumns))
        lines.append("\(error.kind.rawValue) error: \(error.message)")
        if let hint = error.hint { lines.append("hint: \(hint)") }
        return lines.joined(separator: "\n")
    }

    /// The part of a line that can matter for showing the place: a long line is not measured whole.
    private func near(_ line: Range<Int>, around offset: Int) -> Range<Int> {
        var lower = max(line.lowerBound, offset - 4096)
        while lower > line.lowerBound, Self.isContinuation(bytes[lower]) { lower -= 1 }
        var upper = max(offset, min(line.upperBound, offset + 4096))
        while upper < line.upperBound, Self.isContinuation(bytes[upper]) { upper += 1 }
        return lower..<upper
    }
}

/// One line as shown on a terminal, with the marker under it.
private struct ShownLine {
    /// Greatest number of columns shown.
    let limit: Int
    private(set) var text = ""
    private(set) var marker = ""

    private struct Cell {
        var text: String
        var column: Int
        var width: Int
    }

    init(limit: Int) {
        self.limit = limit
    }

    mutating func show(_ bytes: [UInt8], of line: Range<Int>, marking marked: Range<Int>) {
        var cells: [Cell] = []
        var column = 0
        var offset = line.lowerBound
        var markedColumns = 0..<0
        for character in String(decoding: bytes[line], as: UTF8.self) {
            let (text, width) = TerminalWidth.shown(character, atColumn: column)
            if offset <= marked.lowerBound { markedColumns = column..<column }
            offset += character.utf8.count
            cells.append(Cell(text: text, column: column, width: width))
            column += width
            if offset <= marked.lowerBound { markedColumns = column..<column }
            if offset - character.utf8.count < marked.upperBound {
                markedColumns = markedColumns.lowerBound..<max(column, markedColumns.lowerBound)
            }
        }
        let window = window(ofWidth: column, around: markedColumns.lowerBound)
        let isCutBefore = window.lowerBound > 0
        if isCutBefore { text = "…" }
        for cell in cells where cell.column >= window.lowerBound && cell.column + cell.width <= window.upperBound {
            text += cell.text
        }
        if window.upperBound < column { text += "…" }
        let firstColumn = cells.first { $0.column >= window.lowerBound }?.column ?? window.lowerBound
        let indent = markedColumns.lowerBound - firstColumn + (isCutBefore ? 1 : 0)
        let tildes = min(markedColumns.upperBound, window.upperBound) - markedColumns.lowerBound - 1
        marker = String(repeating: " ", count: max(0, indent)) + "^" + String(repeating: "~", count: max(0, tildes))
    }

    /// The columns shown of a line: all, or those around a column with more room behind it than before it.
    private func window(ofWidth width: Int, around column: Int) -> Range<Int> {
        guard width > limit else { return 0..<width }
        let room = limit - 2
        let lower = max(0, min(column - room / 3, width - room))
        return lower..<min(width, lower + room)
    }
}
