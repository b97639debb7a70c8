// predicate repl: one predicate after another over the same records, line by line.

import RecordDatabase

/// `predicate repl [FILE…]`
enum ReplCommand: Command {
    static let specification = CommandSpecification(
        name: "repl",
        operands: "FILE…",
        summary: "Ask the same records one predicate after another.",
        discussion: """
            Every line is a predicate, or a command that begins with a dot; '.help' lists those. Reads standard input, so
            lines may come from a pipe; the exit status is then 2 when a line was wrong.
            """,
        options: SharedOptions.input + [SharedOptions.dialect] + SharedOptions.messages,
        examples: [
            Example("on a terminal", "predicate repl cities.ndjson"),
            Example("from a script", "printf '.limit 3\\npopulation > 1000000\\n' | predicate repl cities.ndjson"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard !arguments.operands.isEmpty else {
            throw CommandError(.usage, "'predicate repl' needs a record file", hint: "predicate repl cities.ndjson")
        }
        let set = try InputFiles(arguments, files: arguments.operands).load(session)
        var loop = ReadEvaluatePrintLoop(set: set, dialect: arguments["--dialect"], session: session)
        return try loop.run()
    }
}

/// Reads lines and answers them until the end of input or `.quit`.
struct ReadEvaluatePrintLoop {
    let set: RecordSet
    let session: Session
    /// What the dot commands set: everything of a query but its predicate.
    var settings: QuerySettings
    private let isInteractive = StandardStream.input.isTerminal
    private var worst = ExitStatus.success

    init(set: RecordSet, dialect: String?, session: Session) {
        self.set = set
        self.session = session
        settings = QuerySettings(format: StandardStream.output.isTerminal ? .table : .ndjson)
        settings.dialect = dialect
        settings.showsTimer = isInteractive
    }

    /// Runs to the end; the status tells whether a line from a pipe was wrong.
    mutating func run() throws(CommandError) -> ExitStatus {
        if isInteractive {
            session.note("\(set.count.grouped) records. A predicate asks, '.help' helps, '.quit' ends.")
        }
        var reader = LineReader.standardInput()
        while true {
            if isInteractive {
                session.output.write(session.outputStyle.bold("predicate> "))
                session.output.flush()
            }
            guard let line = try reader.next() else { break }
            let text = String(decoding: line, as: UTF8.self).trimmed
            if text == ".quit" || text == ".exit" { break }
            answer(text)
            session.output.flush()
        }
        return isInteractive ? .success : worst
    }

    private mutating func answer(_ text: String) {
        if text.isEmpty { return }
        do throws(CommandError) {
            if text.hasPrefix(".") {
                try command(text)
            } else {
                _ = try settings.query(text).run(on: set, session)
            }
        } catch {
            session.report(error)
            worst = error.status
        }
    }

    private mutating func command(_ text: String) throws(CommandError) {
        let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
        let operand = parts.count > 1 ? parts[1].trimmed : ""
        guard let command = DotCommand.all.first(where: { $0.name == parts[0] }) else {
            let near = EditDistance.closest(to: parts[0], in: DotCommand.all.map(\.name))
            throw CommandError(
                .usage, "'\(parts[0])' is not a command",
                hint: near.map { "did you mean '\($0)'?" } ?? "'.help' lists them")
        }
        try command.run(operand, &self)
    }
}
