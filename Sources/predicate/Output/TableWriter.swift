// Rows in aligned columns: plain, boxed or Markdown.

import PredicateEditing
import RecordDatabase
import TextAnalysis

/// Lays out rows in columns as wide as their first rows need, and as narrow as the terminal demands.
///
/// Widths are settled by the first 1,000 rows, so a result of any length streams; later cells are cut to them.
struct TableWriter {
    /// A column's head.
    struct Column {
        var title: String
        /// Numbers are aligned right.
        var isNumeric: Bool
        /// Whether a cut value is of little use, so that others are cut first: identifiers, numbers, dates.
        var isRigid = false
        /// Whether the column comes before the others where not all have room.
        var isWanted = false
    }

    /// What is in a column of a row.
    struct Cell {
        var text: String
        /// The highlighted parts of the text, in UTF-8 bytes, ascending.
        var highlights: [Range<Int>] = []
    }

    /// Rows that decide the widths.
    private static let sampleSize = 1_000
    /// A column is cut to fewer terminal columns than these only if it is the last one that fits: more on wide
    /// terminals.
    private var narrowest: Int { min(max(8, (available ?? .max) / 6), 12) }
    /// The same for rigid columns.
    private static let narrowestRigid = 32

    private let format: OutputFormat
    private var columns: [Column]
    /// The columns in the order in which they are shown, by their places; `nil` as they came.
    private var order: [Int]?
    private let style: Style
    /// Terminal columns there are; `nil` when lines may be of any length.
    private let available: Int?
    private let writer: ByteWriter
    private var sample: [[Cell]] = []
    private var widths: [Int]?

    init(_ format: OutputFormat, columns: [Column], available: Int?, style: Style, writer: ByteWriter) {
        self.format = format
        self.columns = columns.map {
            Column(
                title: ValueText.singleLine($0.title), isNumeric: $0.isNumeric, isRigid: $0.isRigid,
                isWanted: $0.isWanted)
        }
        self.style = style
        self.available = format == .markdown ? nil : available
        self.writer = writer
    }

    /// Titles of the columns that did not fit, known after `finish()`.
    var hiddenColumns: [String] { widths.map { columns[$0.count...].map(\.title) } ?? [] }

    /// Adds a row: one text a column.
    mutating func append(_ row: [String]) { append(cells: row.map { Cell(text: ValueText.singleLine($0)) }) }

    /// Adds a row: one cell a column.
    mutating func append(cells row: [Cell]) {
        let cells = format == .markdown ? row.map(Self.markdown) : row
        if let widths {
            write(row: arranged(cells), widths)
        } else {
            sample.append(cells)
            if sample.count == Self.sampleSize { settle() }
        }
    }

    /// Writes what is still held, and the lower edge.
    mutating func finish() {
        if widths == nil { settle() }
        if let widths, format == .box { rule(widths, "└", "┴", "┘") }
    }

    private mutating func settle() {
        var natural = columns.map { TextWidth.columns(of: $0.title) }
        for row in sample {
            for (index, cell) in row.enumerated() where cell.text.utf8.count > natural[index] {
                natural[index] = max(natural[index], TextWidth.columns(of: cell.text))
            }
        }
        natural = arrange(natural)
        let settled = fitted(natural)
        widths = settled
        if format == .box { rule(settled, "┌", "┬", "┐") }
        write(row: columns.map { Cell(text: $0.title) }, settled, isHead: true)
        switch format {
        case .box: rule(settled, "├", "┼", "┤")
        case .markdown: markdownRule(settled)
        default: if !style.isColored { rule(settled, "", "  ", "") }
        }
        for row in sample { write(row: row, settled) }
        sample = []
    }

    /// Puts the wanted columns first where some of them would have no room; the widths likewise.
    private mutating func arrange(_ natural: [Int]) -> [Int] {
        guard columns[fitted(natural).count...].contains(where: \.isWanted) else { return natural }
        let wanted = columns.indices.filter { columns[$0].isWanted }
        let order = wanted + columns.indices.filter { !columns[$0].isWanted }
        self.order = order
        columns = order.map { columns[$0] }
        sample = sample.map(arranged)
        return order.map { natural[$0] }
    }

    /// The cells of a row in the order of the columns.
    private func arranged(_ cells: [Cell]) -> [Cell] { order.map { $0.map { cells[$0] } } ?? cells }

    /// Cuts the widest columns until all fit, rigid ones last; drops columns at the end when that is not enough.
    private func fitted(_ natural: [Int]) -> [Int] {
        guard let available else { return natural }
        var kept = natural
        func room() -> Int { available - (format == .box ? 3 * kept.count + 1 : 2 * max(kept.count - 1, 0)) }
        func least(_ width: Int, _ column: Column) -> Int {
            min(width, column.isRigid ? Self.narrowestRigid : narrowest)
        }
        while kept.count > 1, zip(kept, columns).reduce(0, { $0 + least($1.0, $1.1) }) > room() { kept.removeLast() }
        let rigid = zip(kept, columns).reduce(0) { $0 + ($1.1.isRigid ? $1.0 : min($1.0, narrowest)) }
        let isCut = columns.map { rigid > room() || !$0.isRigid }
        return Self.cut(kept, where: isCut, to: max(room(), kept.count))
    }

    /// Widths with a common limit on those that may be cut, as large as the room allows.
    private static func cut(_ widths: [Int], where isCut: [Bool], to room: Int) -> [Int] {
        func limited(_ limit: Int) -> [Int] { zip(widths, isCut).map { $1 ? min($0, limit) : $0 } }
        var limit = widths.max() ?? 0
        while limit > 1, limited(limit).reduce(0, +) > room { limit -= 1 }
        var result = limited(limit)
        var spare = room - result.reduce(0, +)
        for index in result.indices where spare > 0 && result[index] < widths[index] {
            result[index] += 1
            spare -= 1
        }
        return result
    }

    private func write(row cells: [Cell], _ widths: [Int], isHead: Bool = false) {
        var line = ""
        for (index, width) in widths.enumerated() {
            switch format {
            case .box: line += index == 0 ? "│ " : " │ "
            case .markdown: line += index == 0 ? "| " : " | "
            default: line += index == 0 ? "" : "  "
            }
            let (cut, used) = Self.cut(cells[index].text, to: width)
            let padding = String(repeating: " ", count: max(0, width - used))
            let shown = isHead ? style.bold(cut) : highlighted(cut, cells[index])
            line += columns[index].isNumeric ? padding + shown : shown + padding
        }
        switch format {
        case .box: line += " │"
        case .markdown: line += " |"
        default: while line.utf8.last == UInt8(ascii: " ") { line.removeLast() }
        }
        writer.write(line + "\n")
    }

    /// The text of a cell, perhaps cut, with its highlights.
    private func highlighted(_ cut: String, _ cell: Cell) -> String {
        if cell.highlights.isEmpty || !style.isColored { return cut }
        let bytes = Array(cut.utf8)
        let kept = cut == cell.text ? bytes.count : bytes.count - "…".utf8.count
        var text = ""
        var offset = 0
        for highlight in cell.highlights where highlight.lowerBound < kept {
            let end = min(highlight.upperBound, kept)
            text += String(decoding: bytes[offset..<highlight.lowerBound], as: UTF8.self)
            text += style.match(String(decoding: bytes[highlight.lowerBound..<end], as: UTF8.self))
            offset = end
        }
        return text + String(decoding: bytes[offset...], as: UTF8.self)
    }

    /// The cell as Markdown: bars escaped, highlights bold.
    private static func markdown(_ cell: Cell) -> Cell {
        let bytes = Array(cell.text.utf8)
        var text = ""
        var offset = 0
        func escaped(_ range: Range<Int>) -> String {
            String(decoding: bytes[range], as: UTF8.self).escaping { $0 == "|" ? "\\|" : nil }
        }
        for highlight in cell.highlights {
            text += escaped(offset..<highlight.lowerBound) + "**" + escaped(highlight) + "**"
            offset = highlight.upperBound
        }
        return Cell(text: text + escaped(offset..<bytes.count))
    }

    /// The text cut to a width, with `…` at the cut, and the width it takes.
    static func cut(_ text: String, to width: Int) -> (String, Int) {
        if text.utf8.count <= width { return (text, TextWidth.columns(of: text)) }
        let whole = TextWidth.columns(of: text)
        if whole <= width { return (text, whole) }
        var kept = ""
        var used = 0
        for character in text {
            let next = TextWidth.columns(of: String(character))
            if used + next > width - 1 { break }
            kept.append(character)
            used += next
        }
        return (kept + "…", used + 1)
    }

    private func rule(_ widths: [Int], _ left: String, _ middle: String, _ right: String) {
        let padding = format == .box ? 2 : 0
        let dashes = widths.map { String(repeating: "─", count: $0 + padding) }
        writer.write(left + dashes.joined(separator: middle) + right + "\n")
    }

    private func markdownRule(_ widths: [Int]) {
        let cells = zip(columns, widths).map { column, width in
            String(repeating: "-", count: max(width - 1, 2)) + (column.isNumeric ? ":" : "-")
        }
        writer.write("| " + cells.joined(separator: " | ") + " |\n")
    }
}
