// Screen -> what to send to the terminal: only what differs from what it shows.

/// Keeps the terminal's picture equal to the screen wanted.
///
/// The screen begins at the left edge of the row where painting began. Rows are ended by cursor movement, never by the
/// terminal's own wrapping. Sequences used: CR, LF, CUU, CUF, EL, ED, SGR.
package struct ScreenPainter {
    /// What the terminal shows.
    package private(set) var shown: Screen
    private let palette: Palette
    private var output = ""
    private var style = CellStyle()

    /// A painter on an empty row of a terminal.
    package init(columns: Int, palette: Palette) {
        shown = Screen(columns: columns)
        self.palette = palette
    }

    /// What turns the screen shown into the next.
    package mutating func paint(_ next: Screen) -> String {
        output = ""
        if next.columns != shown.columns { reflow(to: next.columns) }
        for row in next.rows.indices { paint(next.rows[row], row) }
        if shown.rows.count > next.rows.count { clear(from: next.rows.count) }
        setStyle(CellStyle())
        move(toRow: next.cursorRow, column: next.cursorColumn)
        shown.rows = next.rows
        return output
    }

    /// What leaves the screen as it is and goes to a new row below it, where a new screen may begin.
    package mutating func leave() -> String {
        output = ""
        move(toRow: shown.rows.count - 1, column: 0)
        output += "\r\n"
        shown = Screen(columns: shown.columns)
        return output
    }

    /// Forgets the screen: the terminal was cleared, and its cursor is at the left edge of an empty row.
    package mutating func reset(columns: Int) { shown = Screen(columns: columns) }

    // MARK: Rows

    private mutating func paint(_ cells: [Cell], _ row: Int) {
        let old = row < shown.rows.count ? shown.rows[row] : []
        if row >= shown.rows.count {
            move(toRow: shown.rows.count - 1, column: 0)
            output += "\r\n"
            shown.rows.append([])
            (shown.cursorRow, shown.cursorColumn) = (row, 0)
        }
        var common = 0
        while common < min(old.count, cells.count), old[common] == cells[common] { common += 1 }
        if common == old.count, common == cells.count { return }
        var tail = 0
        if Screen.width(of: old) == Screen.width(of: cells) {
            while tail < min(old.count, cells.count) - common,
                old[old.count - 1 - tail] == cells[cells.count - 1 - tail]
            {
                tail += 1
            }
        }
        move(toRow: row, column: Screen.width(of: cells[..<common]))
        if cells[common...].contains(where: \.mayDiffer) { tail = 0 }
        for cell in cells[common..<(cells.count - tail)] {
            setStyle(cell.style)
            output += cell.text
            shown.cursorColumn += cell.width
            if cell.mayDiffer { settleColumn() }
        }
        if tail == 0, Screen.width(of: cells) < Screen.width(of: old) {
            setStyle(CellStyle())
            output += "\u{1B}[K"
        }
        shown.rows[row] = cells
    }

    private mutating func clear(from row: Int) {
        setStyle(CellStyle())
        move(toRow: row, column: 0)
        output += "\u{1B}[J"
    }

    // MARK: Cursor and colours

    /// Goes to where the cursor should be, and wipes out what the terminal drew beyond.
    private mutating func settleColumn() {
        guard shown.cursorColumn < shown.columns else { return }
        setStyle(CellStyle())
        output += "\r\u{1B}[\(shown.cursorColumn)C\u{1B}[K"
    }

    private mutating func move(toRow row: Int, column: Int) {
        if row == shown.cursorRow, column == shown.cursorColumn, column < shown.columns { return }
        // From behind a full row only the left edge is a place that all terminals agree about.
        output += "\r"
        if row < shown.cursorRow { output += "\u{1B}[\(shown.cursorRow - row)A" }
        if row > shown.cursorRow { output += "\u{1B}[\(row - shown.cursorRow)B" }
        if column > 0 { output += "\u{1B}[\(column)C" }
        (shown.cursorRow, shown.cursorColumn) = (row, column)
    }

    private mutating func setStyle(_ next: CellStyle) {
        if next == style { return }
        style = next
        let code = palette.code(of: next)
        if code != current { output += code.isEmpty ? "\u{1B}[0m" : "\u{1B}[0;\(code)m" }
        current = code
    }
    private var current = ""

    /// The terminal is of another width and may have broken its rows differently. Paints over from the first of them.
    private mutating func reflow(to columns: Int) {
        let rowsAbove = shown.rows[..<min(shown.cursorRow, shown.rows.count)].reduce(0) { total, row in
            total + max(1, (Screen.width(of: row) + columns - 1) / columns)
        }
        let up = rowsAbove + shown.cursorColumn / columns
        output += "\r"
        if up > 0 { output += "\u{1B}[\(up)A" }
        output += "\u{1B}[J"
        shown = Screen(columns: columns)
    }
}
