// predicate repl: one predicate after another over the same records.

import RecordDatabase

/// `predicate repl [FILE…|FOLDER|postgresql://…]`
enum ReplCommand: Command {
    static let specification = CommandSpecification(
        name: "repl",
        operands: "[FILE…|FOLDER|postgresql://…]",
        summary: "Query the same records, one predicate after another.",
        discussion: """
            Every line is a predicate, or a command that begins with a dot; '.help' lists those. 'predicate FILE' or
            'predicate FOLDER' on a terminal does the same. FOLDER is a store that 'predicate import' or an \
            application made;
            it is only read, beside a writer too, unless --write is given. Of a container or a table on a
            PostgreSQL server the fields alone are read at first: each query has the server look for its records, as
            'predicate query' has, and '.watch' follows commits. '.schema' and '.advise' read all records there.
            On a terminal lines are edited with the keys of Emacs and the arrows: Tab completes fields, operators and
            values, Up behind a beginning goes to earlier lines that begin so, Control-R searches the history, Control-C
            cancels a line or a running query, Alt-Enter begins a new line, Control-X Control-E opens $EDITOR. With
            '.keys vi', or 'set editing-mode vi' in ~/.inputrc, the keys are those of vi. Long results go through
            $PAGER, where set.
            The history is kept in $XDG_STATE_HOME/predicate/history; lines that begin with a blank are not.
            Lines may come from a pipe as well; the exit status is then 2 when a line was wrong. Without FILE the \
            first of
            them is '.open FILE', or '.read' of what '.save' wrote.
            """,
        options: opening.options + [SharedOptions.dialect, SharedOptions.timeZone] + SharedOptions.messages,
        examples: [
            Example("on a terminal", "predicate repl cities.ndjson"),
            Example("a store, and more records into it", "predicate repl places.store --write"),
            Example("a container on a server", "predicate repl postgresql://app@db/records --container example.travel"),
            Example("from a script", "printf '.limit 3\\npopulation > 1000000\\n' | predicate repl cities.ndjson"),
        ])

    /// What '.open' takes, too: which records, and how they are read.
    static let opening = CommandSpecification(
        name: "repl", operands: "[FILE…|FOLDER|postgresql://…]", summary: "", discussion: "",
        options: SharedOptions.records + [
            OptionSpecification("--write", "Let '.import' save records in the store.")
        ], examples: [])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let isInteractive = StandardStream.input.isTerminal
        let files = InputFiles(arguments, paths: arguments.operands)
        let repl = try Repl(files, dialect: arguments["--dialect"], session: session)
        guard isInteractive else {
            let status = try repl.runLines()
            // The lines may have named the records: '.open FILE', or '.read' of a file that begins so.
            if repl.files.paths.isEmpty, status == .success { throw Repl.noRecords }
            return status
        }
        if StandardStream.output.isTerminal, Environment["TERM"] != "dumb", let device = TerminalDevice() {
            return repl.runTerminal(device)
        }
        return try repl.runLines()
    }

    /// Whether a call without a sub-command means the REPL: files or a store, on a terminal.
    static func isMeant(by words: [String]) -> Bool {
        guard StandardStream.input.isTerminal, StandardStream.output.isTerminal,
            let arguments = try? ParsedArguments(words, for: specification), !arguments.operands.isEmpty
        else { return false }
        return arguments.operands.allSatisfy(InputFiles.isRecords)
    }
}
