// .advise: which indexes the queries of the session would want declared.

import RecordDatabase

extension DotCommand {
    /// Shows the indexes that would serve a query, or those of the session, as they would be declared in a schema.
    static func advise(_ repl: Repl, _ text: String) throws(CommandError) {
        let queries = text.isEmpty ? repl.asked : [try repl.settings.query(text)]
        guard !queries.isEmpty else { throw .operand("there is no query yet", ".advise PREDICATE") }
        // As if nothing were declared: what the session has built would hide what it needed.
        var set = repl.set
        set.declaredIndexes = IndexDeclaration()
        let advice = try advice(for: queries, set, repl)
        guard !advice.isEmpty else {
            return repl.session.note("No index would halve the records read by these queries.")
        }
        try repl.paged { session in
            var table = TableWriter(
                repl.settings.format.isTable ? repl.settings.format : .table,
                columns: [
                    .init(title: "field", isNumeric: false), .init(title: "mark it", isNumeric: false),
                    .init(title: "index", isNumeric: false), .init(title: "rows read", isNumeric: true),
                    .init(title: "instead of", isNumeric: true), .init(title: "queries", isNumeric: true),
                    .init(title: "for example", isNumeric: false),
                ], available: repl.settings.tableWidth, style: session.outputStyle, writer: session.output)
            for (index, count) in advice {
                table.append([
                    index.field, index.mark.names.joined(separator: ", "),
                    index.kind + (index.options.isEmpty ? "" : "[\(index.options)]"),
                    (index.rowsNeeded == index.rowsRead ? "" : "~") + index.rowsNeeded.grouped, index.rowsRead.grouped,
                    count.grouped, index.part,
                ])
            }
            table.finish()
        }
    }

    /// One line an index, those that save most records in all first.
    private static func advice(
        for queries: [Query], _ set: RecordSet, _ repl: Repl
    ) throws(CommandError) -> [(index: IndexAdvice, count: Int)] {
        var found: [(index: IndexAdvice, count: Int, saved: Int)] = []
        for query in queries {
            let advised = try repl.interruptible { () -> Result<[IndexAdvice], RecordPredicateError> in
                do throws(RecordPredicateError) {
                    return .success(try set.advice(for: query.predicate, variables: query.settings.variables))
                } catch {
                    return .failure(error)
                }
            }
            // A query that fails here failed when it ran.
            guard case .success(let indexes) = advised else { continue }
            for index in indexes {
                let saved = index.rowsRead - index.rowsNeeded
                if let known = found.firstIndex(where: {
                    ($0.index.field, $0.index.kind, $0.index.options) == (index.field, index.kind, index.options)
                }) {
                    found[known].count += 1
                    found[known].saved += saved
                } else {
                    found.append((index, 1, saved))
                }
            }
        }
        return found.sorted { $0.saved > $1.saved }.map { ($0.index, $0.count) }
    }
}
