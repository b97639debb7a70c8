// Aligned columns on standard output, and figures short enough for them.

/// A table of text; the first column is left-aligned, the others right-aligned.
struct TextTable {
    private var rows: [[String]]

    init(_ heading: [String]) {
        rows = [heading]
    }

    mutating func add(_ row: [String]) {
        rows.append(row)
    }

    /// The table as lines, with a rule under the heading.
    var text: String {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in
            rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        var lines = rows.map { row in
            row.enumerated().map { column, cell in
                let padding = String(repeating: " ", count: widths[column] - cell.count)
                return column == 0 ? cell + padding : padding + cell
            }.joined(separator: "  ")
        }
        lines.insert(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "), at: 1)
        return lines.joined(separator: "\n")
    }

    /// The table in Markdown, numbers to the right.
    var markdown: String {
        var lines = rows.map { "| " + $0.joined(separator: " | ") + " |" }
        let columns = rows.first?.count ?? 0
        lines.insert("|---|" + String(repeating: "---:|", count: max(0, columns - 1)), at: 1)
        return lines.joined(separator: "\n")
    }
}

extension Double {
    /// The number with thousands separated, and as many decimals as its size deserves: three figures and more.
    var figure: String {
        guard isFinite else { return "-" }
        let decimals = [100, 10, 1, 0.1, 0.01, 0.001].firstIndex { abs(self) >= $0 } ?? (self == 0 ? 0 : 6)
        let scale = [1.0, 10, 100, 1e3, 1e4, 1e5, 1e6][decimals]
        let scaled = (abs(self) * scale).rounded()
        guard scaled < 1e15 else { return description }
        let whole = Int(scaled) / Int(scale)
        var text = (self < 0 ? "-" : "") + whole.separated
        if decimals > 0 {
            let fraction = String(Int(scaled) % Int(scale))
            text += "." + String(repeating: "0", count: decimals - fraction.count) + fraction
        }
        return text
    }
}

extension Int {
    /// The number with a comma between thousands.
    var separated: String {
        var digits = Array(String(magnitude))
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: position)
            position -= 3
        }
        return (self < 0 ? "-" : "") + String(digits)
    }
}
