// Dot commands that show figures of the records that the last query finds.

import RecordDatabase

extension DotCommand {
    /// The last query, or one of all records where there is none.
    private static func query(_ repl: Repl) throws(CommandError) -> Query {
        if repl.files.paths.isEmpty { throw Repl.noRecords }
        guard let last = repl.last else { return try repl.settings.query("TRUEPREDICATE") }
        var query = last.query
        query.settings.format = repl.settings.format
        return query
    }

    static func count(_ repl: Repl, _ text: String) throws(CommandError) {
        guard text.isEmpty else { return try showFigures("count-by", text, repl) }
        var query = try query(repl)
        query.settings.format = .count
        query.settings.limit = nil
        query.settings.offset = 0
        var count = try repl.counted(query)
        if count == nil { count = try repl.find(query).selection.ordinals.count }
        repl.session.output.write("\(count ?? 0)\n")
    }

    /// `.stats a b by c` is of a and b for each value of c.
    private static func request(_ name: String, _ fields: String) throws(CommandError) -> FiguresRequest {
        let words = fields.split(separator: ",").map(String.init)
        guard name == "stats", let by = words.lastIndex(of: "by"), by > 0, by + 1 < words.count else {
            return try FiguresRequest(name: name, fields)
        }
        return .groups(Array(words[(by + 1)...]), of: Array(words[..<by]))
    }

    /// Shows figures, with bars where they are counts.
    static func showFigures(_ name: String, _ text: String, _ repl: Repl) throws(CommandError) {
        let fields = FieldSelector.words(text).joined(separator: ",")
        guard !fields.isEmpty else {
            let example = name == "count-by" ? ".count" : ".\(name)"
            throw .operand("a field is missing", "\(example) \(repl.set.fieldNames.first ?? "FIELD")")
        }
        let request = try request(name, fields)
        var query = try query(repl)
        // The order and the limit are those of records; figures have their own columns.
        query.settings.sort = []
        query.settings.limit = nil
        query.settings.offset = 0
        if !query.settings.format.isTable, query.settings.format != .line, repl.isInteractive {
            query.settings.format = .table
        }
        let (known, wanted) = (repl.set, query)
        var input = repl.served
        input?.figureFields = request.fields
        let shown = try repl.attempt { [input] () throws(CommandError) -> Figures in
            guard let input else { return try wanted.figures(request, of: known) }
            if let figures = try request.figures(onServerOf: input, wanted) { return figures }
            return try wanted.figures(request, of: input.records(for: wanted))
        }
        try repl.paged { (session) throws(CommandError) in try query.write(shown, session) }
    }
}
