// predicate advise: which indexes would help queries.

import RecordDatabase

/// `predicate advise PREDICATE FILE…`
enum AdviseCommand: Command {
    static let specification = CommandSpecification(
        name: "advise",
        operands: "[PREDICATE] [FILE…]",
        summary: "Tell which indexes would help queries over record files.",
        discussion: """
            Takes one predicate, or a file of predicates (-p): the queries that a program runs. Prints the indexes that
            would at least halve the records read for one of them, the greatest help to all of them first, with what to
            mark the field as in a schema. The queries are planned, not run.
            Of a container on a PostgreSQL server, and of a table of one (--table), only indexes that the server has not
            are printed; for a table a mark means an index of the column.
            Exit status: 0 when there is advice, 1 when no index would help.
            """,
        options: [
            PredicateInput.option,
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["table", "box", "markdown", "ndjson"],
                "table, box, markdown or ndjson."),
        ] + SharedOptions.values + SharedOptions.records + [SharedOptions.dialect] + SharedOptions.messages,
        examples: [
            Example("for one query", "predicate advise \"country == 'CH' AND population > 9000\" cities.ndjson"),
            Example("for all queries of a program", "predicate advise -p queries.txt cities.ndjson"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let input = try PredicateInput(arguments, command: "advise")
        if input.operands.isEmpty, arguments.all("--predicates").contains("-") || arguments.operands.isEmpty {
            throw CommandError(
                .usage, "'predicate advise' needs record files", hint: "predicate advise -p FILE cities.ndjson")
        }
        var set = try InputFiles(arguments, files: input.operands).load(session)
        set.buildsIndexes = false
        var report = AdviceReport()
        var status = ExitStatus.noMatch
        for line in input.predicates {
            do throws(CommandError) {
                let query = try QuerySettings(arguments).query(line.text)
                do throws(RecordPredicateError) {
                    report.add(try set.advice(for: query.predicate, variables: query.settings.variables))
                } catch {
                    throw CommandError(error)
                }
            } catch {
                session.report(line.located(error))
                status = error.status
            }
        }
        if status == .noMatch, !report.rows.isEmpty { status = .success }
        let format = arguments["--format"].flatMap(OutputFormat.init)
        report.write(
            format ?? (StandardStream.output.isTerminal ? .table : .ndjson), width: StandardStream.tableColumns, session
        )
        if report.rows.isEmpty, status == .noMatch {
            session.note("no index would halve the \(set.count.grouped) records that are read")
        }
        return status
    }
}

/// The advice for several queries, one row an index.
struct AdviceReport {
    /// An index, and what it would save.
    struct Row {
        var advice: IndexAdvice
        var queries = 1
        var rowsRead: Int
        var rowsNeeded: Int

        var saved: Int { rowsRead - rowsNeeded }
    }

    private(set) var rows: [Row] = []

    /// Adds the advice for a query; an index that others need too is one row.
    mutating func add(_ advice: [IndexAdvice]) {
        for advice in advice {
            if let index = rows.firstIndex(where: { $0.isIndex(of: advice) }) {
                rows[index].queries += 1
                rows[index].rowsRead += advice.rowsRead
                rows[index].rowsNeeded += advice.rowsNeeded
            } else {
                rows.append(Row(advice: advice, rowsRead: advice.rowsRead, rowsNeeded: advice.rowsNeeded))
            }
        }
        // Insertion keeps equals in order.
        rows = rows.enumerated().sorted { ($1.element.saved, $0.offset) < ($0.element.saved, $1.offset) }.map(\.element)
    }

    /// Writes a row for each index.
    func write(_ format: OutputFormat, width: Int?, _ session: Session) {
        if format == .ndjson {
            for row in rows { session.output.write(row.json.text + "\n") }
            return
        }
        if rows.isEmpty { return }
        let titles = ["field", "mark", "index", "for", "queries", "rows read", "with it"]
        var table = TableWriter(
            format, columns: titles.enumerated().map { .init(title: $1, isNumeric: $0 > 3) },
            available: width, style: session.outputStyle, writer: session.output)
        for row in rows {
            table.append([
                row.advice.field, row.advice.mark.names.joined(separator: ", "), row.index, row.advice.part,
                row.queries.grouped, row.rowsRead.grouped, row.rowsNeeded.grouped,
            ])
        }
        table.finish()
    }
}

extension AdviceReport.Row {
    fileprivate var index: String { advice.kind + (advice.options.isEmpty ? "" : "[\(advice.options)]") }

    fileprivate func isIndex(of other: IndexAdvice) -> Bool {
        advice.field == other.field && advice.kind == other.kind && advice.options == other.options
            && advice.mark == other.mark
    }

    fileprivate var json: JSONValue {
        .members([
            "field": .string(advice.field), "mark": .array(advice.mark.names.map { .string($0) }),
            "index": .string(advice.kind), "options": .string(advice.options), "for": .string(advice.part),
            "queries": .int64(Int64(queries)), "rowsRead": .int64(Int64(rowsRead)),
            "rowsNeeded": .int64(Int64(rowsNeeded)),
        ])
    }
}
