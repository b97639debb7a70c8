// predicate man: the manual page.

/// `predicate man`
enum ManCommand: Command {
    static let specification = CommandSpecification(
        name: "man",
        operands: "",
        summary: "Print the manual page, in roff.",
        discussion: "It holds what the help texts of all commands say.",
        options: SharedOptions.messages,
        examples: [
            Example("read it", "predicate man | man -l -"),
            Example("install it", "predicate man > ~/.local/share/man/man1/predicate.1"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard arguments.operands.isEmpty else { throw CommandError(.usage, "'predicate man' takes no operand") }
        session.output.write(ManualPage(commands: PredicateCommand.specifications).text)
        return .success
    }
}
