// predicate query: the records of files that match a predicate.

import Glibc
import PredicateEditing
import RecordDatabase

/// `predicate query PREDICATE [FILE…]`
enum QueryCommand: Command {
    static let specification = CommandSpecification(
        name: "query",
        operands: "PREDICATE [FILE…]",
        summary: "Print the records that match a predicate.",
        discussion: """
            Reads NDJSON or CSV files, also packed as .gz or .zst, or standard input when no file (or '-') is given; \
            or the
            folder of a store, or the address of a PostgreSQL server, which looks for the records.
            Without --sort the order is that of the files. Missing values sort first, with :desc last; records without
            a place come last by distance. Relevance is the BM25 score of what token comparisons look for; a field of \
            that
            name is #relevance.
            The format is a table on a terminal and NDJSON in a pipe; records of NDJSON files are printed unchanged.
            --count-by, --stats, --distinct and --histogram print figures of the records that match instead: --sort
            names their columns then, --limit their rows, and without a predicate they are of all records.
            Texts are in the order of Unicode's scalars; --sort KEY:locale=de orders them as a language does.
            Without --sort lines of JSON and CSV are printed or counted as they are read, also from a pipe, and reading
            stops at --limit; records of one name far apart are then not compared. As CSV, lines of JSON are printed
            when all were read, as any may have a column of its own; --fields names the columns, and prints at once.
            FILE.sqlite and FILE.sqlite:TABLE are tables of SQLite, only read. Of GeoJSON the properties of a feature
            are its fields, and a point is 'location'; --format geojson prints features unchanged.
            With --table NAME the address of a PostgreSQL server leads to a table or view that no container has. The
            server gives the rows that may match, in its own order, and nothing is written.
            A field of several kinds holds each value as it is, and a note tells of it; --strict rejects such files.
            With --reference the records of several files lead to each other: 'customer.name' over two CSV files.
            A key that no record has, in --sort or --fields, is an error. CSV keeps the columns of the files' headers.
            Exit status: 0 when a record matches, 1 when none does, 2 wrong call or predicate, 3 bad data, 4 no file.
            """,
        options: [
            OptionSpecification(
                "--sort", letter: "-s", value: "KEY[:desc]", repeats: true,
                "Order by a field, by distance(FIELD,LAT,LON), or by relevance, best first; may be repeated."),
            OptionSpecification("--limit", letter: "-n", value: "N", "At most N records."),
            OptionSpecification("--offset", value: "N", "Leave out the first N records."),
            OptionSpecification(
                "--fields", letter: "-f", value: "A,B",
                "Only these fields; nested ones by dots; distance(FIELD,LAT,LON), relevance."),
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: OutputFormat.names,
                OutputFormat.names.joined(separator: ", ") + "."),
            OptionSpecification("--count", letter: "-c", "Print only how many records match."),
        ] + FiguresRequest.options + [
            OptionSpecification("--snippets", "Show the words around what token comparisons look for."),
            OptionSpecification(
                "--snippet-words", value: "N", "At most N words of a text (default: 16); implies --snippets."),
            OptionSpecification(
                "--explain", value: "FORMAT", choices: ["tree", "json"], isValueOptional: true,
                "Print the query plan with rows, times and advice instead of the records; tree or json."),
            OptionSpecification(
                "--show-values", "Print the values that a server was told, and the parts that it cannot decide."),
            OptionSpecification(
                "--refuse-scans", "Build indexes, and reject a predicate for which every record would be read."),
        ] + SharedOptions.values + SharedOptions.input + SharedOptions.fields
            + SharedOptions.database + [
                SharedOptions.dialect,
                StreamedQuery.option,
                OptionSpecification("--width", value: "N", "Columns for tables (default: the terminal's)."),
            ] + SharedOptions.messages,
        examples: [
            Example(
                "the ten largest places of a country",
                "predicate query \"country == 'JP'\" cities.ndjson --sort population:desc --limit 10"),
            Example(
                "within 50 km, nearest first",
                """
                predicate query 'distanceToLocation:fromLocation:(location, %@) < 50000' cities.ndjson \\
                      --argument '{"latitude":48.8566,"longitude":2.3522}' --sort 'distance(location,48.8566,2.3522)'
                """),
            Example(
                "all words, in any letter case and with or without accents",
                "predicate query 'allTokens TOKENMATCHES[cdl] %@' texts.ndjson.gz --argument 'sao jose'"),
            Example(
                "a phrase, best matches first, with the words around it",
                "predicate query \"body TOKENMATCHES[cdp] 'new york'\" texts.ndjson --sort relevance --snippets -n 10"),
            Example("how many in each country", "predicate query --count-by country cities.ndjson --limit 10"),
            Example("how many a month", "predicate query 'level == \"error\"' log.ndjson --histogram time:month"),
            Example(
                "over two files",
                "predicate query \"customer.country == 'CH'\" orders.csv customers.csv "
                    + "--reference customer=customers.id"),
            Example(
                "a table of PostgreSQL",
                "predicate query \"total > 5 AND city == 'Bern'\" postgresql://app@db/shop --table public.orders"),
            Example("how many", "zcat log.ndjson.gz | predicate query 'status >= 500' --count"),
        ])

    /// Whether a call without a sub-command means a query: its first word is no command's but a predicate, perhaps a
    /// wrong one.
    static func isMeant(by words: [String]) -> Bool {
        guard let first = words.first, !first.hasPrefix("-"), !InputFiles.isRecords(first),
            PredicateCommand.commands.allSatisfy({ $0.specification.name != first })
        else { return false }
        return first.contains(" ") || (try? RecordPredicate.tree(of: first, .full)) != nil
            || words.count > 1 && ForeignLanguage.translation(of: first) != nil
    }

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let request = try figures(arguments)
        var operands = arguments.operands
        if request != nil, operands.first.map(InputFiles.isRecords) ?? true {
            operands.insert("TRUEPREDICATE", at: 0)
        }
        guard let text = operands.first else {
            throw CommandError(
                .usage, "'predicate query' needs a predicate",
                hint: "for example: predicate query 'population > 1000000' cities.ndjson")
        }
        let files = Array(operands.dropFirst())
        let query: Query
        do throws(CommandError) {
            query = try QuerySettings(arguments).query(text)
        } catch {
            guard unsafe access(text, F_OK) == 0 else {
                throw error.suggestingCommand(for: text, files: files, arguments)
            }
            throw CommandError(
                .usage, "the predicate comes before the files, and '\(text)' is a file",
                hint: "for example: predicate query \(Self.shellWord(of: files) ?? "'population > 1000000'") "
                    + ShellWord.quoted(text))
        }
        if arguments["--database"] != nil, !files.isEmpty {
            throw CommandError(
                .usage, "files cannot be given with '--database'",
                hint: "query the store and the files one after the other")
        }
        do throws(CommandError) {
            return try run(query, on: arguments["--database"].map { [$0] } ?? files, request, arguments, session)
        } catch {
            throw error.suggestingCommand(for: text, files: files, arguments)
        }
    }

    /// Runs a query, or computes figures, on files or a store.
    private static func run(
        _ query: Query, on records: [String], _ request: FiguresRequest?, _ arguments: ParsedArguments,
        _ session: Session
    ) throws(CommandError) -> ExitStatus {
        var input = try InputFiles(
            arguments, files: records, keepsSource: query.settings.printsSource && request == nil)
        input.figureFields = request?.fields
        if request == nil, let count = try input.store?.count(ofType: arguments["--type"], matching: query) {
            session.output.write("\(count)\n")
            return .success
        }
        if let request, let status = try query.runFigures(request, onServerOf: input, session) { return status }
        var set: RecordSet
        if request == nil, input.store == nil, StreamedQuery.suits(query.settings, arguments) {
            var streamed = StreamedQuery(query, session)
            switch try streamed.run(on: input) {
            case .done(let status): return status
            case .whole(let records): set = records
            }
        } else {
            set = try input.load(session, for: query)
        }
        if let request {
            set.buildsIndexes = false
            return try query.runFigures(request, on: set, session)
        }
        try FieldSelector.check(query.settings.sort, in: set)
        try FieldSelector.check(query.settings.fields ?? [], in: set)
        // It runs once: an index would cost more than it saves; those that a store has are used.
        set.buildsIndexes = query.settings.refusesScans
        set.refusesScans = query.settings.refusesScans
        return try query.run(on: set, session)
    }

    /// The figures that are requested; `nil` for records.
    private static func figures(_ arguments: ParsedArguments) throws(CommandError) -> FiguresRequest? {
        guard let request = try FiguresRequest(arguments) else { return nil }
        for name in ["--fields", "--snippets", "--explain", "--count"] where arguments.has(name) {
            throw CommandError(.usage, "'\(name)' is for records, and figures were requested")
        }
        return request
    }

    /// The first word that is a predicate, as a shell takes it; `nil` when none is.
    private static func shellWord(of words: [String]) -> String? {
        words.first { (try? RecordPredicate.tree(of: $0, .full)) != nil }.map(ShellWord.quoted)
    }
}
