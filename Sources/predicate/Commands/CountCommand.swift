// predicate count: how many records match a predicate.

import RecordDatabase

/// `predicate count PREDICATE [FILE…]`
enum CountCommand: Command {
    static let specification = CommandSpecification(
        name: "count",
        operands: "PREDICATE [FILE…]",
        summary: "Print how many records match a predicate.",
        discussion: """
            The same as 'predicate query --count': it reads NDJSON or CSV files, standard input, the folder of a store,
            or the address of a PostgreSQL server, which counts. How many have each value of a field:
            'predicate query --count-by FIELD'.
            Exit status: 0 when a record matches, 1 when none does, 2 wrong call or predicate, 3 bad data, 4 no file.
            """,
        options: SharedOptions.values + SharedOptions.input + SharedOptions.fields + SharedOptions.database
            + [SharedOptions.dialect, StreamedQuery.option] + SharedOptions.messages,
        examples: [
            Example("in a file", "predicate count 'population > 1000000' cities.ndjson"),
            Example("on a server", "predicate count 'total > 100' postgresql://app@db/shop --type Order"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard !arguments.operands.isEmpty else {
            throw CommandError(
                .usage, "'predicate count' needs a predicate",
                hint: "for example: predicate count 'population > 1000000' cities.ndjson")
        }
        var arguments = arguments
        arguments.add("--count")
        return try QueryCommand.run(arguments, session)
    }
}
