// predicate completions: what a shell needs to complete the command's words.

/// `predicate completions SHELL`
enum CompletionsCommand: Command {
    static let specification = CommandSpecification(
        name: "completions",
        operands: "SHELL",
        operandChoices: CompletionScript.shells,
        summary: "Print the completion script of a shell: bash, zsh or fish.",
        discussion: "The script knows every command, option and value of this version.",
        options: SharedOptions.messages,
        examples: [
            Example("for this bash", "source <(predicate completions bash)"),
            Example(
                "for every bash",
                "predicate completions bash > ~/.local/share/bash-completion/completions/predicate"),
            Example("for every fish", "predicate completions fish > ~/.config/fish/completions/predicate.fish"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let shells = CompletionScript.shells.joined(separator: ", ")
        guard let shell = arguments.operands.first, arguments.operands.count == 1 else {
            throw CommandError(.usage, "'predicate completions' takes the name of a shell: \(shells)")
        }
        guard let text = CompletionScript(commands: PredicateCommand.specifications).text(for: shell) else {
            throw CommandError(.usage, "'\(shell)' is not a shell with a script: \(shells)")
        }
        session.output.write(text)
        return .success
    }
}
