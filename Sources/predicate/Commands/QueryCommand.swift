// predicate query: the records of files that match a predicate.

import Glibc
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
            OptionSpecification("--snippets", "Show the words around what token comparisons look for."),
            OptionSpecification(
                "--snippet-words", value: "N", "At most N words of a text (default: 16); implies --snippets."),
            OptionSpecification(
                "--explain", value: "FORMAT", choices: ["tree", "json"], isValueOptional: true,
                "Print the query plan with rows, times and advice instead of the records; tree or json."),
            OptionSpecification(
                "--refuse-scans", "Build indexes, and reject a predicate for which every record would be read."),
        ] + SharedOptions.values + SharedOptions.input + SharedOptions.database + [
            SharedOptions.dialect,
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
            Example("how many", "zcat log.ndjson.gz | predicate query 'status >= 500' --count"),
        ])

    /// Whether a call without a sub-command means a query: its first word is no command's but a predicate, perhaps a
    /// wrong one.
    static func isMeant(by words: [String]) -> Bool {
        guard let first = words.first, !first.hasPrefix("-"), !FilePath.isReadableFile(first),
            PredicateCommand.commands.allSatisfy({ $0.specification.name != first })
        else { return false }
        return first.contains(" ") || (try? RecordPredicate.tree(of: first, .full)) != nil
    }

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard let text = arguments.operands.first else {
            throw CommandError(
                .usage, "'predicate query' needs a predicate",
                hint: "for example: predicate query 'population > 1000000' cities.ndjson")
        }
        let files = Array(arguments.operands.dropFirst())
        let query: Query
        do throws(CommandError) {
            query = try QuerySettings(arguments).query(text)
        } catch {
            guard unsafe access(text, F_OK) == 0 else { throw error }
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
        let records = arguments["--database"].map { [$0] } ?? files
        var set = try InputFiles(arguments, files: records, keepsSource: query.settings.printsSource)
            .load(session, for: query)
        try FieldSelector.check(query.settings.sort, in: set)
        try FieldSelector.check(query.settings.fields ?? [], in: set)
        // It runs once: an index would cost more than it saves; those that a store has are used.
        set.buildsIndexes = query.settings.refusesScans
        set.refusesScans = query.settings.refusesScans
        return try query.run(on: set, session)
    }

    /// The first word that is a predicate, as a shell takes it; `nil` when none is.
    private static func shellWord(of words: [String]) -> String? {
        words.first { (try? RecordPredicate.tree(of: $0, .full)) != nil }.map(ShellWord.quoted)
    }
}
