// predicate lint: what is wrong or odd about predicates.

import PredicateEditing
import RecordDatabase

/// `predicate lint PREDICATE [FILE…]`
enum LintCommand: Command {
    private static let codes = Finding.Code.allCases.map(\.rawValue)

    static let specification = CommandSpecification(
        name: "lint",
        operands: "[PREDICATE] [FILE…]",
        summary: "Tell what is wrong or odd about a predicate.",
        discussion: """
            Takes one predicate, a file of predicates (-p), or standard input with one a line. With record files it \
            knows
            the fields and their types, and tells words and conditions that no record has. Placeholders without a value
            may stand for anything.
            Errors: \(Finding.Code.names(.error)).
            Warnings: \(Finding.Code.names(.warning)).
            Notes: \(Finding.Code.names(.note)).
            The exit status is 1 when something of the severity of --fail-on (default: warning) was found.
            """,
        options: [
            PredicateInput.option,
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["text", "json", "ndjson"],
                "text (default), json or ndjson: code, severity, offset and length in Unicode scalars, message, hint."),
            OptionSpecification(
                "--fail-on", value: "SEVERITY", choices: ["note", "warning", "error"],
                "What makes the exit status 1: note, warning (default) or error."),
            OptionSpecification(
                "--ignore", value: "CODE", choices: codes, repeats: true, "Leave findings of this code out."),
            SharedOptions.dialect,
        ] + SharedOptions.values + SharedOptions.records + SharedOptions.messages,
        examples: [
            Example("against records", "predicate lint \"populaton > 'x' AND country == CH\" cities.ndjson"),
            Example(
                "all rules of a file, for another program", "predicate lint -p rules.txt --format json cities.ndjson"),
            Example("what a server would reject", "predicate lint --dialect cloudKit 'a == 1 OR b == 2'"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let input = try PredicateInput(arguments, command: "lint")
        var linter = Linter(dialect: arguments["--dialect"] == "cloudKit" ? .cloudKit : .full)
        linter.arguments = try arguments.formatArguments()
        linter.variables = try arguments.variables()
        if !input.operands.isEmpty { linter.records = try InputFiles(arguments, files: input.operands).load(session) }
        let ignored = Set(arguments.all("--ignore"))
        let limit = arguments["--fail-on"].flatMap(Finding.Severity.init(name:)) ?? .warning
        let format = arguments["--format"] ?? "text"

        var objects: [JSONValue] = []
        var status = ExitStatus.success
        for line in input.predicates {
            for finding in linter.findings(in: line.text) where !ignored.contains(finding.code.rawValue) {
                if finding.code.severity >= limit { status = .noMatch }
                switch format {
                case "json": objects.append(finding.json(of: line))
                case "ndjson": session.output.write(finding.json(of: line).text + "\n")
                default: session.output.write(finding.text(of: line, style: session.outputStyle))
                }
            }
        }
        if format == "json" { session.output.write(JSONValue.array(objects).text + "\n") }
        return status
    }
}

extension Finding.Code {
    /// The codes of a severity, for the help text, over lines.
    fileprivate static func names(_ severity: Finding.Severity) -> String {
        var lines = [""]
        for code in allCases where code.severity == severity {
            let line = lines[lines.count - 1]
            if line.count + code.rawValue.count > 90 { lines.append("") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + code.rawValue + ","
        }
        return String(lines.joined(separator: "\n").dropLast())
    }
}
