// The tables of the article on the architecture, and what is wrong with them.

/// The modules and their imports, as a Markdown table says: `| module | imports | has |`.
struct ModuleTable {
    /// A module and what it imports, in the order of the rows.
    var rows: [(module: String, imports: Set<String>)] = []

    /// The first table of a text whose columns begin with `module` and `imports`; no rows where there is none.
    ///
    /// A row may name several modules, each between backticks; then all have the same imports.
    init(markdown: String) {
        for row in MarkdownTable.all(in: markdown, columns: "module", "imports").first?.rows ?? [] {
            for module in row.first { rows.append((module, Set(row.second))) }
        }
    }

    /// What differs from the layers.
    func faults(against layers: [(module: String, imports: Set<String>)]) -> [String] {
        var faults: [String] = []
        var seen: Set<String> = []
        for row in rows where !seen.insert(row.module).inserted { faults.append("\(row.module) is in the table twice") }
        for row in rows where !layers.contains(where: { $0.module == row.module }) {
            faults.append("\(row.module) is in the table, but is no module of the layers")
        }
        for layer in layers {
            guard let row = rows.first(where: { $0.module == layer.module }) else {
                faults.append("\(layer.module) is missing in the table")
                continue
            }
            for name in layer.imports.subtracting(row.imports).sorted() {
                faults.append("the row of \(layer.module) lacks the import of \(name)")
            }
            for name in row.imports.subtracting(layer.imports).sorted() {
                faults.append("the row of \(layer.module) names \(name), which it does not import")
            }
        }
        // The order of the rows is the order of the layers: what is imported stands above.
        for (index, row) in rows.enumerated() {
            for name in row.imports.subtracting(rows[..<index].map(\.module)).sorted() {
                faults.append("the row of \(row.module) imports \(name), which does not stand above it")
            }
        }
        return faults
    }
}

/// A Markdown table, of which the names between backticks in the first two columns count.
struct MarkdownTable {
    var rows: [(first: [String], second: [String])] = []

    /// The tables of a text whose first two columns have those titles.
    static func all(in markdown: String, columns first: String, _ second: String) -> [MarkdownTable] {
        var tables: [MarkdownTable] = []
        // Whether the lines belong to a table, and to one with those titles.
        var (isTable, isSought) = (false, false)
        for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
            guard line.hasPrefix("|") else {
                isTable = false
                continue
            }
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().map { String($0) }
            guard cells.count >= 2 else { continue }
            if isTable {
                if isSought { tables[tables.count - 1].rows.append((names(in: cells[0]), names(in: cells[1]))) }
            } else {
                isTable = true
                isSought = cells[0].contains(first) && cells[1].contains(second)
                if isSought { tables.append(MarkdownTable()) }
            }
        }
        return tables
    }

    /// What stands between backticks.
    private static func names(in cell: String) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }
}
