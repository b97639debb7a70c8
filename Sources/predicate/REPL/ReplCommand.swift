// predicate repl: one predicate after another over the same records.

import RecordDatabase

/// `predicate repl [FILE…]`
enum ReplCommand: Command {
    static let specification = CommandSpecification(
        name: "repl",
        operands: "[FILE…]",
        summary: "Ask the same records one predicate after another.",
        discussion: """
            Every line is a predicate, or a command that begins with a dot; '.help' lists those. 'predicate FILE' on a
            terminal does the same. On a terminal lines are edited with the keys of Emacs and the arrows: Tab completes
            fields, operators and values, Control-R searches the history, Control-C gives a line or a running question up,
            Alt-Enter begins a new line, Control-X Control-E opens $EDITOR. Long answers go through $PAGER, where set.
            The history is kept in $XDG_STATE_HOME/predicate/history; lines that begin with a blank are not.
            Lines may come from a pipe as well; the exit status is then 2 when a line was wrong.
            """,
        options: SharedOptions.input + StoreOperand.options + [SharedOptions.dialect] + SharedOptions.messages,
        examples: [
            Example("on a terminal", "predicate repl cities.ndjson"),
            Example("from a script", "printf '.limit 3\\npopulation > 1000000\\n' | predicate repl cities.ndjson"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let isInteractive = StandardStream.input.isTerminal
        guard isInteractive || !arguments.operands.isEmpty else {
            throw CommandError(.usage, "'predicate repl' needs a record file", hint: "predicate repl cities.ndjson")
        }
        var files = InputFiles(arguments, paths: arguments.operands)
        var set = try files.load(session)
        if arguments.operands.isEmpty { files.paths = [] } else { set.buildsIndexes = true }
        let repl = Repl(set: set, files: files, dialect: arguments["--dialect"], session: session)
        guard isInteractive else { return try repl.runLines() }
        if StandardStream.output.isTerminal, Environment["TERM"] != "dumb", let device = TerminalDevice() {
            return repl.runTerminal(device)
        }
        return try repl.runLines()
    }

    /// Whether a call without a sub-command means the REPL: files, on a terminal.
    static func isMeant(by words: [String]) -> Bool {
        StandardStream.input.isTerminal && StandardStream.output.isTerminal
            && words.allSatisfy { FilePath.isReadableFile($0) }
    }
}
