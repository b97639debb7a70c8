// .advise: which indexes the queries of the session would want declared.

import RecordDatabase

extension DotCommand {
    /// Shows the indexes that would serve a query, or those of the session, as they would be declared in a schema.
    static func advise(_ repl: Repl, _ text: String) throws(CommandError) {
        let queries = text.isEmpty ? repl.history : [try repl.settings.query(text)]
        guard !queries.isEmpty else { throw .operand("there is no query yet", ".advise PREDICATE") }
        // As if nothing were declared: what the session has built would hide what it needed.
        var set = try repl.allRecords()
        set.declaredIndexes = IndexDeclaration()
        var report = AdviceReport()
        for query in queries {
            let advice = try repl.interruptible { [set] in
                try? set.advice(for: query.predicate, variables: query.settings.variables)
            }
            // A query that fails here failed when it ran.
            report.add(advice ?? [])
        }
        guard !report.rows.isEmpty else {
            return repl.session.note("No index would halve the records read by these queries.")
        }
        let format = repl.settings.format.isTable ? repl.settings.format : .table
        try repl.paged { [report] in report.write(format, width: repl.settings.tableWidth, $0) }
    }
}
