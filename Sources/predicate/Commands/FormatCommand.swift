// predicate format: one spelling for all predicates.

import Glibc
import RecordDatabase

/// `predicate format [PREDICATE]`
enum FormatCommand: Command {
    static let specification = CommandSpecification(
        name: "format",
        operands: "[PREDICATE]",
        summary: "Print predicates in canonical spelling.",
        discussion: """
            Takes one predicate, a file of predicates (-p), or standard input with one a line; blank lines and comments
            stay. A predicate that cannot be parsed is reported, and left as it is with -i; the exit status is then 2.
            With --check nothing is printed but the lines that would change, and the exit status is 1 if there are any.
            """,
        options: [
            OptionSpecification("--pretty", "Break long predicates over several lines, indented."),
            OptionSpecification("--width", value: "N", "Columns of a line for --pretty (default: 80)."),
            PredicateInput.option,
            OptionSpecification("--in-place", letter: "-i", "Rewrite the files given by -p."),
            OptionSpecification("--check", "Only tell whether something would change."),
            SharedOptions.dialect,
        ] + SharedOptions.messages,
        examples: [
            Example("one predicate", "predicate format 'age=<3 && name<>\"x\"'"),
            Example("a long one over lines", "predicate format --pretty --width 40 \"$(cat rule.txt)\""),
            Example("a file of rules, in place", "predicate format -i -p rules.txt"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let input = try PredicateInput(arguments, command: "format")
        if let operand = input.operands.first {
            throw CommandError(
                .usage, "'predicate format' takes one predicate, and '\(operand)' is another",
                hint: "put it in quotation marks; for a file of predicates: -p FILE")
        }
        let formatter = PredicateFormatter(
            width: arguments.has("--pretty") ? try arguments.count("--width") ?? 80 : nil,
            dialect: arguments["--dialect"] == "cloudKit" ? .cloudKit : .full, session: session)
        if arguments.has("--check") {
            if arguments.has("--in-place") {
                throw CommandError(.usage, "'--check' writes no file: leave '--in-place' out")
            }
            return formatter.check(input)
        }
        guard arguments.has("--in-place") else { return formatter.print(input) }
        let files = arguments.all(PredicateInput.option.name)
        if files.isEmpty || files.contains("-") || arguments.has("--pretty") {
            throw CommandError(
                .usage, "'--in-place' writes files of one predicate a line: it goes with '-p FILE', without '--pretty'")
        }
        return try formatter.rewrite(input, files)
    }
}

/// Formats the lines of sources.
struct PredicateFormatter {
    /// Columns for breaking lines; `nil` for one line a predicate.
    var width: Int?
    var dialect: Dialect
    var session: Session

    /// The canonical text, or `nil` for a line that was reported.
    private func text(of line: PredicateLine) -> String? {
        if line.isComment { return line.text }
        do throws(CommandError) {
            let tree = try line.tree(dialect)
            return width.map { tree.formatted(width: $0) } ?? tree.description
        } catch {
            session.report(error)
            return nil
        }
    }

    /// Prints every predicate.
    func print(_ input: PredicateInput) -> ExitStatus {
        var status = ExitStatus.success
        for line in input.sources.joined() {
            if let text = text(of: line) { session.output.write(text + "\n") } else { status = .usage }
        }
        return status
    }

    /// Prints the places of lines that are not as they would be printed.
    func check(_ input: PredicateInput) -> ExitStatus {
        var status = ExitStatus.success
        for line in input.sources.joined() {
            guard let text = text(of: line) else {
                status = .usage
                continue
            }
            if text == line.text { continue }
            if status == .success { status = .noMatch }
            session.output.write("\(line.place.map { $0 + ": " } ?? "")\(text)\n")
        }
        return status
    }

    /// Rewrites files that change.
    /// - Throws: `CommandError` of status `inputOutput`.
    func rewrite(_ input: PredicateInput, _ files: [String]) throws(CommandError) -> ExitStatus {
        var status = ExitStatus.success
        for (file, lines) in zip(files, input.sources) {
            var content = ""
            var isChanged = false
            for line in lines {
                let text = text(of: line)
                if text == nil { status = .usage }
                isChanged = isChanged || text.map { $0 != line.text } ?? false
                content += (text ?? line.text) + "\n"
            }
            if isChanged { try FileWriter.replace(file, with: content) }
        }
        return status
    }
}
