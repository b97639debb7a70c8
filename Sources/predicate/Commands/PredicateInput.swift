// The predicates of a call: one on the command line, or one a line from files and standard input.

import PredicateSyntax
import RecordDatabase

/// A predicate text and its place.
struct PredicateLine {
    var text: String
    /// The file it came from; `nil` for one on the command line.
    var file: String?
    /// Its line in the file, from 1.
    var line = 1

    /// `FILE:LINE`, to go before a message; `nil` for a predicate on the command line.
    var place: String? { file.map { "\($0 == "-" ? "standard input" : $0):\(line)" } }

    /// Whether the line holds no predicate: blank, or a comment, which is `#` with a blank or nothing behind it.
    var isComment: Bool {
        let text = text.trimmed
        return text.isEmpty || text == "#" || text.hasPrefix("# ")
    }

    /// The syntax tree.
    /// - Throws: `CommandError` that names the line.
    func tree(_ dialect: Dialect = .full) throws(CommandError) -> SyntaxTree {
        do throws(RecordPredicateError) { return try RecordPredicate.tree(of: text, dialect) } catch {
            throw located(CommandError(error))
        }
    }

    /// The error with the place of the line before its message.
    func located(_ error: CommandError) -> CommandError {
        guard let place, let file else { return error }
        var error = error
        error.message = "\(place): \(error.message)"
        error.details += [
            JSONValue.Member(key: "file", value: .string(file)),
            JSONValue.Member(key: "line", value: .int64(Int64(line))),
        ]
        return error
    }
}

/// The predicates of a call and its other operands.
struct PredicateInput {
    /// The lines of every source, comments too.
    var sources: [[PredicateLine]] = []
    /// The operands that are no predicate.
    var operands: [String]

    static let option = OptionSpecification(
        "--predicates", letter: "-p", value: "FILE", repeats: true,
        "Predicates from a file, one a line; '-' is standard input. Lines that begin with '# ' are comments.")

    /// All predicates, comments left out.
    var predicates: [PredicateLine] { sources.flatMap { $0 }.filter { !$0.isComment } }

    /// Reads the predicate, or the files of predicates.
    /// - Throws: `CommandError` of status `usage` when there is none, of `inputOutput` for a file that cannot be read.
    init(_ arguments: ParsedArguments, command: String) throws(CommandError) {
        operands = arguments.operands
        let files = arguments.all(Self.option.name)
        for file in files { sources.append(try Self.lines(of: file)) }
        guard files.isEmpty else { return }
        if operands.isEmpty, StandardStream.input.isTerminal {
            throw CommandError(
                .usage, "'predicate \(command)' needs a predicate",
                hint: "put it in quotation marks, or name a file: -p FILE")
        }
        let text = operands.isEmpty ? "-" : operands.removeFirst()
        sources = text == "-" ? [try Self.lines(of: "-")] : [[PredicateLine(text: text)]]
    }

    private static func lines(of file: String) throws(CommandError) -> [PredicateLine] {
        var reader = file == "-" ? LineReader.standardInput() : try LineReader.file(file)
        var lines: [PredicateLine] = []
        while let line = try reader.next() {
            lines.append(
                PredicateLine(text: String(decoding: line, as: UTF8.self), file: file, line: lines.count + 1))
        }
        return lines
    }
}
