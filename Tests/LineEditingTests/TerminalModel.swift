// A terminal that understands what the painter sends, and nothing else.

import TextAnalysis

/// Rows of characters, a cursor, wrapping that waits for the next character as terminals do.
struct TerminalModel {
    let columns: Int
    let height: Int
    private(set) var rows: [[String]]
    private(set) var row = 0
    private(set) var column = 0

    init(columns: Int, height: Int) {
        self.columns = columns
        self.height = height
        rows = [[]]
    }

    mutating func show(_ output: String) {
        var rest = Substring(output)
        while let character = rest.popFirst() {
            switch character {
            case "\r": column = 0
            case "\n": down()
            case "\r\n":
                column = 0
                down()
            case "\u{1B}":
                rest.removeFirst()
                let parameters = rest.prefix { !$0.isLetter }
                rest = rest.dropFirst(parameters.count)
                let final = rest.removeFirst()
                control(final, Int(parameters) ?? 1)
            default: put(character)
            }
        }
    }

    private mutating func down() {
        row += 1
        if row == rows.count { rows.append([]) }
    }

    private mutating func control(_ final: Character, _ count: Int) {
        switch final {
        case "A":
            row = max(0, row - count)
            column = min(column, columns - 1)
        case "B":
            row = min(rows.count - 1, row + count)
            column = min(column, columns - 1)
        case "C": column = min(columns - 1, column + count)
        case "K": rows[row].removeLast(max(0, rows[row].count - min(column, columns - 1)))
        case "J":
            rows[row].removeLast(max(0, rows[row].count - min(column, columns - 1)))
            for below in (row + 1)..<max(row + 1, rows.count) { rows[below] = [] }
        default: break
        }
    }

    private mutating func put(_ character: Character) {
        let width = TextWidth.columns(of: String(character))
        if column + width > columns {
            column = 0
            down()
        }
        while rows[row].count < column + width { rows[row].append(" ") }
        rows[row][column] = String(character)
        if width == 2 { rows[row][column + 1] = "" }
        column += width
    }

    func lines(from first: Int) -> [String] {
        var lines = rows[max(0, first)...].map { $0.joined() }
        while lines.count > row - first + 1, lines.last == "" { lines.removeLast() }
        return lines
    }

    /// All rows, with `|` at the cursor.
    var marked: [String] {
        var lines = rows
        while lines.count > row + 1, lines.last?.isEmpty == true { lines.removeLast() }
        lines[row].insert("|", at: min(column, lines[row].count))
        return lines.map { $0.joined() }
    }
}
