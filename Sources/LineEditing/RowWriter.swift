// Text -> rows of cells, broken at the terminal's edge.

import TextAnalysis

/// Puts text into rows of at most so many columns.
struct RowWriter {
    let columns: Int
    private(set) var column = 0
    var rows: [[Cell]] = [[]]
    /// Where the cursor is, once the text is finished.
    private(set) var cursor = (row: 0, column: 0)

    init(columns: Int) { self.columns = columns }

    /// Where the next cell goes.
    var place: (row: Int, column: Int) { (rows.count - 1, column) }

    mutating func startRow(indent: Int = 0) {
        rows.append([])
        column = 0
        if indent > 0, indent < columns / 2 { put(String(repeating: " ", count: indent), .prompt) }
    }

    /// Appends text of one role; with a limit, only as many rows.
    mutating func put(_ text: String, _ role: TextRole, indent: Int = 0, limit: Int = .max) {
        for character in text {
            if character == "\n" {
                if rows.count >= limit { return }
                startRow(indent: indent)
            } else {
                if rows.count >= limit, column >= columns - 2 { return }
                put(character, CellStyle(role))
            }
        }
    }

    /// Appends text with a style for each byte; returns where the cursor and a marked byte are now.
    mutating func put(
        _ text: String, _ styles: [CellStyle], cursor: Int, mark: Int?, indent: Int
    ) -> (cursor: (row: Int, column: Int), mark: (row: Int, column: Int)?) {
        var byte = 0
        var places: (cursor: (row: Int, column: Int)?, mark: (row: Int, column: Int)?)
        for character in text {
            let style = byte < styles.count ? styles[byte] : CellStyle()
            let isBreak = character == "\n"
            if !isBreak { breakRow(before: Self.shown(character).width) }
            if byte == cursor { places.cursor = place }
            if byte == mark { places.mark = place }
            if isBreak { startRow(indent: indent) } else { put(character, style) }
            byte += character.utf8.count
        }
        if let mark, mark >= byte { places.mark = place }
        return (places.cursor ?? place, places.mark)
    }

    /// Settles the cursor; behind a full row it is on the next.
    mutating func finishText(cursor: (row: Int, column: Int)) {
        self.cursor = cursor
        guard cursor.column >= columns else { return }
        guard cursor.row == rows.count - 1 else {
            self.cursor.column = columns - 1
            return
        }
        rows.append([])
        self.cursor = (cursor.row + 1, 0)
    }

    private mutating func breakRow(before width: Int) {
        if column + width > columns { startRow() }
    }

    private mutating func put(_ character: Character, _ style: CellStyle) {
        let (text, width) = Self.shown(character)
        breakRow(before: width)
        rows[rows.count - 1].append(Cell(text, width: width, style))
        column += width
    }

    /// What a character looks like: control characters as their pictures, marks alone on a circle.
    private static func shown(_ character: Character) -> (text: String, width: Int) {
        guard let scalar = character.unicodeScalars.first else { return ("", 0) }
        switch scalar.value {
        case 0x20..<0x7F where character.utf8.count == 1: return (String(character), 1)
        case 0..<0x20: return (String(UnicodeScalar(0x2400 + scalar.value) ?? "?"), 1)
        case 0x7F: return ("\u{2421}", 1)
        // Signs that turn the direction of writing would move the cursor.
        case 0x80..<0xA0, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return ("\u{FFFD}", 1)
        default: break
        }
        let text = String(character)
        let width = TextWidth.columns(of: text)
        return width == 0 ? ("\u{25CC}" + text, 1) : (text, min(width, 2))
    }
}
