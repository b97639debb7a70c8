// The command's entry point: finds the sub-command, runs it, shows what went wrong, ends with an exit status.

import Glibc
import PredicateSyntax
import RecordDatabase

@main
struct PredicateCommand {
    static func main() {
        StandardStream.takeNumbersOfClosed()
        let words = Array(CommandLine.arguments.dropFirst())
        let session = Session(words)
        var status: ExitStatus
        do throws(CommandError) {
            status = try run(words, session)
        } catch {
            session.report(error)
            status = error.status
        }
        session.output.flush()
        if let failure = session.output.failure {
            session.report(CommandError(.inputOutput, "cannot write the output: \(failure)"))
            status = .inputOutput
        }
        session.messages.flush()
        exit(status.rawValue)
    }

    /// The sub-commands, in the order of the help text.
    static var commands: [any Command.Type] {
        [
            QueryCommand.self, CountCommand.self, SchemaCommand.self, ReplCommand.self, ExploreCommand.self,
            ParseCommand.self, FormatCommand.self,
            LintCommand.self, DiffCommand.self, TranslateCommand.self, BenchCommand.self, WatchCommand.self,
            AdviseCommand.self, CheckCommand.self, TokensCommand.self,
            DistanceCommand.self,
            CreateCommand.self, OpenCommand.self, ImportCommand.self, UpdateCommand.self, DeleteCommand.self,
            ExportCommand.self, StatCommand.self, NodesCommand.self,
            VerifyCommand.self, CompactCommand.self, ReindexCommand.self, BackupCommand.self,
            CompletionsCommand.self,
            ManCommand.self,
        ]
    }

    /// What they take.
    static var specifications: [CommandSpecification] { commands.map { $0.specification } }

    private static func run(_ words: [String], _ session: Session) throws(CommandError) -> ExitStatus {
        guard let first = words.first else {
            session.messages.write(HelpText.overview(style: session.messageStyle))
            return .usage
        }
        switch first {
        case "--help", "-h": return try help([], session)
        case "help": return try help(Array(words.dropFirst()), session)
        case "--version", "version":
            session.output.write(HelpText.version + "\n")
            return .success
        default: break
        }
        if !first.hasPrefix("-"), commands.allSatisfy({ $0.specification.name != first }),
            ReplCommand.isMeant(by: words)
        {
            return try start(ReplCommand.self, words, session)
        }
        if QueryCommand.isMeant(by: words) {
            return try start(QueryCommand.self, words, session)
        }
        return try start(try find(first), Array(words.dropFirst()), session)
    }

    /// Runs a sub-command with the words behind its name.
    private static func start(
        _ command: any Command.Type, _ words: [String], _ session: Session
    ) throws(CommandError) -> ExitStatus {
        let arguments = try ParsedArguments(words, for: command.specification)
        if arguments.has(CommandSpecification.helpOption.name) {
            session.output.write(command.specification.help(style: session.outputStyle))
            return .success
        }
        try arguments.takeTimeZone()
        try InputFiles.checkJoins(arguments)
        return try command.run(arguments, session)
    }

    private static func help(_ words: [String], _ session: Session) throws(CommandError) -> ExitStatus {
        if let name = words.first(where: { !$0.hasPrefix("-") }) {
            session.output.write(try find(name).specification.help(style: session.outputStyle))
        } else {
            session.output.write(HelpText.overview(style: session.outputStyle))
        }
        return .success
    }

    private static func find(_ name: String) throws(CommandError) -> any Command.Type {
        if let command = commands.first(where: { $0.specification.name == name }) { return command }
        let names = specifications.map(\.name) + ["help"]
        if let near = EditDistance.closest(to: name, in: names) {
            throw CommandError(.usage, "'\(name)' is not a command", hint: "did you mean 'predicate \(near)'?")
        }
        let isStore = StoreOperand.isStore(name)
        if isStore || FilePath.isReadableFile(name) {
            throw CommandError(
                .usage, "'\(name)' is a \(isStore ? "store" : "file"), and the command or the predicate comes first",
                hint: "for example: predicate schema \(ShellWord.quoted(name))")
        }
        throw CommandError(
            .usage, "'\(name)' is not a command: \(names.joined(separator: ", "))",
            hint: "to query records: predicate query PREDICATE FILE")
    }
}

/// A sub-command.
protocol Command {
    /// Its name, options, operands and examples.
    static var specification: CommandSpecification { get }

    /// Does the work.
    /// - Throws: `CommandError`, shown and ended with its status.
    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus
}

/// The streams of one call and how to write to them.
struct Session {
    /// Standard output, or what stands for it.
    var output = ByteWriter(.output)
    /// Standard error, or what stands for it.
    var messages = ByteWriter(.error)
    var outputStyle: Style
    /// Whether what goes to `output` is seen on a terminal.
    var isOutputShown = StandardStream.output.isTerminal
    let messageStyle: Style
    private let errorsAreJSON: Bool

    /// Reads the options that matter before the words are understood, so that errors of usage obey them too.
    init(_ words: [String]) {
        let color = Self.value(of: "--color", in: words).flatMap(ColorChoice.init) ?? .auto
        outputStyle = Style(isColored: color.allows(.output))
        messageStyle = Style(isColored: color.allows(.error))
        errorsAreJSON = Self.value(of: "--error-format", in: words) == "json"
    }

    private static func value(of option: String, in words: [String]) -> String? {
        if let attached = words.last(where: { $0.hasPrefix(option + "=") }) {
            return String(attached.dropFirst(option.count + 1))
        }
        guard let index = words.lastIndex(of: option), index + 1 < words.count else { return nil }
        return words[index + 1]
    }

    /// Shows an error on standard error, behind everything written so far.
    func report(_ error: CommandError) {
        output.flush()
        messages.write(
            errorsAreJSON
                ? error.json.text + "\n" : ValueText.message(error.text(style: messageStyle), messageStyle))
        messages.flush()
    }

    /// Shows on standard error what is worth knowing and no error.
    func remark(_ text: String) { note(messageStyle.cyan("note: ") + text) }

    /// Tells that no record has a field, and what may have been meant.
    func remark(onUnknown field: RecordSet.UnknownField) {
        remark("no record has a field '\(field.name)'" + (field.hint.map { "; \($0)" } ?? ""))
    }

    /// Shows a line on standard error.
    func note(_ text: String) {
        output.flush()
        messages.write(ValueText.message(text, messageStyle) + "\n")
        messages.flush()
    }
}
