// The commands of the REPL that begin with a dot.

import PredicateSyntax
import RecordDatabase

/// A command that begins with a dot.
struct DotCommand: Sendable {
    /// What follows the name, which decides what completes it.
    enum Operand: Equatable, Sendable {
        case none, text, file, fields, predicate
        case choice([String])
    }

    var name: String
    var operand: Operand
    /// The operand as the help shows it.
    var operandName: String
    var summary: String
    /// Does what the command says; the text behind its name comes trimmed.
    var run: @Sendable (Repl, String) throws(CommandError) -> Void

    init(
        _ name: String, _ operand: Operand = .none, _ operandName: String = "", _ summary: String,
        run: @escaping @Sendable (Repl, String) throws(CommandError) -> Void
    ) {
        (self.name, self.operand, self.operandName, self.summary, self.run) = (name, operand, operandName, summary, run)
    }

    /// The name and its operand.
    var usage: String { operandName.isEmpty ? name : "\(name) \(operandName)" }

    /// All of them, in the order of `.help`.
    static let all: [DotCommand] = [help] + recordCommands + settingCommands + resultCommands + textCommands + [quit]

    private static var help: DotCommand {
        DotCommand(
            ".help", .text, "[TOPIC]",
            "List the commands, or tell of " + HelpTopic.all.map(\.name).joined(separator: ", ")
                + "; or who mentions a word."
        ) { (repl, word) throws(CommandError) in
            let style = repl.session.outputStyle
            if let topic = HelpTopic.of(word) {
                return repl.session.output.write(
                    topic.text.split(separator: "\n").map { "  \($0)\n" }.joined())
            }
            let heads = all.map(\.usage)
            let columns = StandardStream.output.isTerminal ? StandardStream.output.columns : 120
            // On a narrow terminal what a command does goes below it.
            let isNarrow = columns < 72
            let indent = isNarrow ? 6 : (heads.map(\.count).max() ?? 0) + 4
            var text = ""
            for (head, command) in zip(heads, all) where word.isEmpty || "\(head) \(command.summary)".mentions(word) {
                let lines = WrappedText.lines(of: command.summary, columns: columns - indent - 1)
                let margin = "\n" + String(repeating: " ", count: indent)
                text +=
                    "  \(style.bold(head))"
                    + (isNarrow ? margin : String(repeating: " ", count: indent - head.count - 2))
                text += lines.joined(separator: margin) + "\n"
            }
            guard text.isEmpty else { return repl.session.output.write(text) }
            throw CommandError(.usage, "no command mentions '\(word)'", hint: "'.help' lists all")
        }
    }

    private static var quit: DotCommand {
        DotCommand(".quit", "End.") { (repl, _) throws(CommandError) in repl.isEnded = true }
    }

    private init(
        _ name: String, _ summary: String, run: @escaping @Sendable (Repl, String) throws(CommandError) -> Void
    ) {
        self.init(name, .none, "", summary, run: run)
    }

    /// What is said of a name that is no command's.
    static func unknown(_ name: String) -> CommandError {
        let beginning = all.filter { $0.name.hasPrefix(name) }.map(\.name)
        if beginning.count > 1 {
            return CommandError(.usage, "'\(name)' may be \(beginning.joined(separator: ", "))")
        }
        let near = known[name] ?? EditDistance.closest(to: name, in: all.map(\.name))
        return CommandError(
            .usage, "'\(name)' is not a command", hint: near.map { "did you mean '\($0)'?" } ?? "'.help' lists them")
    }

    /// What commands of other programs are called here.
    private static let known = [
        ".tables": ".type", ".types": ".type", ".columns": ".fields", ".select": ".fields", ".summary": ".stats",
        ".facets": ".count",
        ".group": ".count", ".hist": ".histogram", ".unique": ".distinct",
        ".describe": ".schema", ".fullschema": ".schema", ".output": ".export", ".once": ".export", ".order": ".sort",
        ".headers": ".mode", ".set": ".let", ".parameter": ".let", ".timing": ".timer", ".eqp": ".explain",
        ".expert": ".advise", ".load": ".open", ".attach": ".open", ".database": ".open", ".source": ".read",
        ".maxrows": ".limit",
    ]

    /// A line that calls a command.
    struct Call {
        /// The name as written.
        var name: String
        /// The text behind it.
        var operand: String
        /// Where the operand begins, in UTF-8 bytes of the line.
        var operandStart: Int

        /// Reads a line; `nil` when it does not begin with a dot and a letter.
        init?(_ line: String) {
            guard line.hasPrefix("."), line.dropFirst().first?.isLetter == true else { return nil }
            name = String(line.prefix { !$0.isWhitespace })
            let rest = line.dropFirst(name.count)
            let blanks = rest.prefix { $0.isWhitespace }
            operand = String(rest.dropFirst(blanks.count))
            operandStart = name.utf8.count + blanks.utf8.count
        }

        /// The command of the name, which may be cut short where it is still one only.
        var command: DotCommand? {
            if let exact = DotCommand.all.first(where: { $0.name == name }) { return exact }
            if name == ".exit" { return DotCommand.all.last }
            let beginning = DotCommand.all.filter { $0.name.hasPrefix(name) }
            return beginning.count == 1 ? beginning[0] : nil
        }

        /// Does what the line says.
        func run(on repl: Repl) throws(CommandError) {
            guard let command else { throw DotCommand.unknown(name) }
            try command.run(repl, operand.trimmed)
        }
    }
}

extension String {
    /// Whether the text holds a word, without regard to case.
    fileprivate func mentions(_ word: String) -> Bool { lowercased().contains(word.lowercased()) }
}

extension CommandError {
    /// The operand is missing or none that the command takes.
    static func operand(_ message: String, _ hint: String) -> CommandError {
        CommandError(.usage, message, hint: hint)
    }
}
