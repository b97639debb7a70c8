// Figures -> bytes, in the output formats that rows have.

import RecordDatabase
import TextAnalysis

/// Writes figures.
struct FiguresWriter {
    let format: OutputFormat
    /// Terminal columns for tables; `nil` for lines of any length.
    let width: Int?
    let session: Session

    /// Columns of the longest bar.
    private static let longestBar = 40

    /// Writes the rows.
    /// - Throws: `CommandError` of status `usage` for a format of records.
    func write(_ figures: Figures) throws(CommandError) {
        let figures = byClocks(figures)
        switch format {
        case .table, .box, .markdown: table(figures)
        case .line: lines(figures)
        case .ndjson: for row in figures.rows { session.output.write(object(row, figures.columns) + "\n") }
        case .json:
            let rows = figures.rows.map { object($0, figures.columns) }
            session.output.write(rows.isEmpty ? "[]\n" : "[\n" + rows.joined(separator: ",\n") + "\n]\n")
        case .csv: separated(figures, by: ",")
        case .tsv: separated(figures, by: "\t")
        case .count: session.output.write("\(figures.rows.count)\n")
        case .geojson, .ids:
            throw CommandError(
                .usage, "figures are no records, and '\(format.rawValue)' writes records",
                hint: "--format table, box, markdown, line, ndjson, json, csv or tsv")
        }
        for note in figures.notes { session.remark(note) }
    }

    /// Figures with their edges by the clocks of the zone; in UTC, these are dates as all others.
    private func byClocks(_ figures: Figures) -> Figures {
        guard CivilZone.isElsewhere, !figures.edgeColumns.isEmpty else { return figures }
        var figures = figures
        let isBrief = format.isTable || format == .line
        for row in figures.rows.indices {
            for column in figures.edgeColumns {
                guard case .date(let date) = figures.rows[row][column] else { continue }
                let text = isBrief ? ValueText.local(date) : CivilZone.text(of: date)
                if let text { figures.rows[row][column] = .string(text) }
            }
        }
        return figures
    }

    private func table(_ figures: Figures) {
        if figures.rows.isEmpty { return }
        var columns = figures.columns.enumerated().map { index, title in
            let values = figures.rows.prefix(100).map { $0[index] }.filter { !$0.isNull }
            return TableWriter.Column(
                title: title, isNumeric: !values.isEmpty && values.allSatisfy(\.isNumber), isRigid: index > 0)
        }
        let counts = figures.barColumn.map { column in
            figures.rows.map { row in if case .int64(let count) = row[column] { Int(count) } else { 0 } }
        }
        let bars = format == .markdown ? nil : counts
        if bars != nil { columns.append(TableWriter.Column(title: "", isNumeric: false)) }
        var table = TableWriter(
            format, columns: columns, available: width, style: session.outputStyle, writer: session.output)
        let greatest = bars?.max() ?? 0
        for (index, row) in figures.rows.enumerated() {
            if session.output.isClosed { break }
            let bar = bars.map { [Self.bar($0[index], of: greatest)] } ?? []
            table.append(row.map(ValueText.display) + bar)
        }
        table.finish()
    }

    /// A bar in eighths of a column; the least that there is still shows.
    private static func bar(_ count: Int, of greatest: Int) -> String {
        guard greatest > 0, count > 0 else { return "" }
        let eighths = max(1, count * longestBar * 8 / greatest)
        let parts = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]
        return String(repeating: "█", count: eighths / 8) + parts[eighths % 8]
    }

    private func lines(_ figures: Figures) {
        let titles = figures.columns.map(ValueText.singleLine)
        let widest = titles.map { TextWidth.columns(of: $0) }.max() ?? 0
        for (index, row) in figures.rows.enumerated() {
            if index > 0 { session.output.write("\n") }
            for (title, value) in zip(titles, row) {
                let margin = String(repeating: " ", count: widest - TextWidth.columns(of: title))
                session.output.write(
                    margin + session.outputStyle.bold(title) + "  " + ValueText.display(value) + "\n")
            }
        }
    }

    private func object(_ row: [FieldValue], _ columns: [String]) -> String {
        var json = JSONWriter()
        json.bytes.append(UInt8(ascii: "{"))
        for (index, (name, value)) in zip(columns, row).enumerated() {
            if index > 0 { json.bytes.append(UInt8(ascii: ",")) }
            json.write(name)
            json.bytes.append(UInt8(ascii: ":"))
            json.write(value)
        }
        json.bytes.append(UInt8(ascii: "}"))
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private func separated(_ figures: Figures, by separator: Unicode.Scalar) {
        var cells = CSVWriter(separator: separator)
        for title in figures.columns { cells.write(session.isOutputShown ? ValueText.singleLine(title) : title) }
        cells.endLine()
        for row in figures.rows {
            for value in row { cells.write(session.isOutputShown ? ValueText.shown(value) : value) }
            cells.endLine()
        }
        session.output.append(&cells.bytes)
    }
}

extension Query {
    /// Computes figures of the records that match, and writes them.
    /// - Returns: `success` when there is a row, else `noMatch`.
    /// - Throws: `CommandError` with the place of what is wrong.
    func runFigures(_ request: FiguresRequest, on set: RecordSet, _ session: Session) throws(CommandError) -> ExitStatus
    {
        let figures = try figures(request, of: set)
        if figures.rows.isEmpty { tellSlips(over: set, hasMatches: false, session) }
        try write(figures, session)
        return figures.rows.isEmpty ? .noMatch : .success
    }

    /// Writes figures that a server computed; `nil` where the records have to tell.
    /// - Throws: `CommandError` as `runFigures(_:on:_:)`.
    func runFigures(
        _ request: FiguresRequest, onServerOf input: InputFiles, _ session: Session
    ) throws(CommandError) -> ExitStatus? {
        guard let figures = try request.figures(onServerOf: input, self) else { return nil }
        let chosen = try arranged(figures)
        try write(chosen, session)
        return chosen.rows.isEmpty ? .noMatch : .success
    }

    /// Computes figures of the records that match, those of the rows that are wanted.
    func figures(_ request: FiguresRequest, of set: RecordSet) throws(CommandError) -> Figures {
        try arranged(request.figures(of: set, self))
    }

    private func arranged(_ all: Figures) throws(CommandError) -> Figures {
        var figures = all
        try figures.sort(by: settings.sort)
        figures.rows = Array(figures.rows.dropFirst(settings.offset).prefix(settings.limit ?? .max))
        return figures
    }

    /// Writes figures.
    func write(_ figures: Figures, _ session: Session) throws(CommandError) {
        try FiguresWriter(format: settings.format, width: settings.tableWidth, session: session).write(figures)
    }
}
