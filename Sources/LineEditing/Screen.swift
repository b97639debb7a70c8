// What the terminal should show, cell by cell: the part of it that belongs to the editor.

/// How a cell is drawn.
package struct CellStyle: Hashable, Sendable {
    package var role: TextRole
    package var isUnderlined: Bool

    package init(_ role: TextRole = .plain, isUnderlined: Bool = false) {
        self.role = role
        self.isUnderlined = isUnderlined
    }
}

/// One character on the screen.
package struct Cell: Hashable, Sendable {
    /// A grapheme cluster.
    package var text: String
    /// Terminal columns it takes, 1 or 2; marks by themselves take none.
    package var width: Int
    package var style: CellStyle

    package init(_ text: String, width: Int, _ style: CellStyle) {
        self.text = text
        self.width = width
        self.style = style
    }

    /// Whether terminals disagree about the columns: those that know no grapheme clusters draw a flag or a family as
    /// its parts.
    var mayDiffer: Bool { width == 2 && text.unicodeScalars.count > 1 }
}

/// Rows of cells, and where the cursor is. Rows are not wider than the terminal.
package struct Screen: Hashable, Sendable {
    package var rows: [[Cell]]
    /// Row and terminal column of the cursor.
    package var cursorRow: Int
    package var cursorColumn: Int
    /// Columns of the terminal the screen was laid out for.
    package var columns: Int

    /// An empty screen.
    package init(columns: Int) {
        rows = [[]]
        (cursorRow, cursorColumn) = (0, 0)
        self.columns = columns
    }

    /// The text of each row, without styles.
    package var lines: [String] { rows.map { $0.map(\.text).joined() } }

    /// Terminal columns that the cells of a row take.
    package static func width(of row: some Sequence<Cell>) -> Int { row.reduce(0) { $0 + $1.width } }
}
