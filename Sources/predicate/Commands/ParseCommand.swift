// predicate parse: how a predicate is understood.

import PredicateSyntax
import RecordDatabase

/// `predicate parse PREDICATE`
enum ParseCommand: Command {
    static let specification = CommandSpecification(
        name: "parse",
        operands: "PREDICATE",
        summary: "Show how a predicate is understood.",
        discussion: """
            Prints the canonical text and the syntax tree; numbers behind a node are its place in the text, in Unicode
            scalars from 0. '-' reads the predicate from standard input.
            """,
        options: [
            OptionSpecification(
                "--form", value: "FORM", choices: ["all", "tree", "canonical", "json"],
                "all (default), tree, canonical or json."),
            SharedOptions.dialect,
        ] + SharedOptions.messages,
        examples: [
            Example("which term does AND take?", "predicate parse 'a == 1 OR b == 2 AND c == 3'"),
            Example("one spelling for all", "predicate parse --form canonical 'age=<3 && name<>\"x\"'"),
            Example("what a server would reject", "predicate parse --dialect cloudKit 'a == 1 OR b == 2'"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard let operand = arguments.operands.first, arguments.operands.count == 1 else {
            throw CommandError(
                .usage, "'predicate parse' takes one predicate",
                hint: arguments.operands.isEmpty ? nil : "put it in quotation marks")
        }
        let text = operand == "-" ? try standardInput() : operand
        let tree = try self.tree(text, dialect: arguments["--dialect"])
        switch arguments["--form"] ?? "all" {
        case "canonical": session.output.write(tree.description + "\n")
        case "json": session.output.write(SyntaxOutline(tree.root).json(ScalarOffsets(text)).text + "\n")
        case "tree": session.output.write(SyntaxOutline(tree.root).text(of: text, style: session.outputStyle))
        default:
            session.output.write(tree.description + "\n\n")
            session.output.write(SyntaxOutline(tree.root).text(of: text, style: session.outputStyle))
        }
        return .success
    }

    private static func tree(_ text: String, dialect: String?) throws(CommandError) -> SyntaxTree {
        do throws(RecordPredicateError) {
            return try RecordPredicate.tree(of: text, dialect == "cloudKit" ? .cloudKit : .full)
        } catch {
            throw CommandError(error)
        }
    }

    private static func standardInput() throws(CommandError) -> String {
        var reader = LineReader.standardInput()
        var lines: [String] = []
        while let line = try reader.next() { lines.append(String(decoding: line, as: UTF8.self)) }
        return lines.joined(separator: "\n")
    }
}
