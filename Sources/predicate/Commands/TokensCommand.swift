// predicate tokens: the words that full-text search sees.

import RecordDatabase
import TextAnalysis

/// `predicate tokens TEXT`
enum TokensCommand: Command {
    static let specification = CommandSpecification(
        name: "tokens",
        operands: "[TEXT…]",
        summary: "Print the words of a text as full-text search sees them.",
        discussion: """
            One token a line: its place in UTF-8 bytes, the word as written, and its folded form. Without TEXT each line
            of standard input is taken.
            """,
        options: [
            OptionSpecification(
                "--options", value: "LETTERS",
                "c ignores case, d ignores marks, l is allowed and changes nothing (default: cd)."),
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["table", "tsv", "ndjson"],
                "table, tsv or ndjson."),
        ] + SharedOptions.messages,
        examples: [
            Example("words of Japanese and German", "predicate tokens '東京都に行く Straße'"),
            Example("without folding", "predicate tokens --options '' 'Ünïcode'"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let options = try options(arguments["--options"] ?? "cd")
        let name = arguments["--format"] ?? (StandardStream.output.isTerminal ? "table" : "tsv")
        let printer = TokenPrinter(
            tokenizer: Tokenizer(options: options), format: OutputFormat(rawValue: name) ?? .tsv, session: session)
        if !arguments.operands.isEmpty {
            printer.write(arguments.operands.joined(separator: " "))
            return .success
        }
        var reader = LineReader.standardInput()
        while let line = try reader.next() {
            printer.write(String(decoding: line, as: UTF8.self))
            if !reader.hasBufferedLine { session.output.flush() }
        }
        return .success
    }

    private static func options(_ letters: String) throws(CommandError) -> TextOptions {
        for letter in letters {
            guard let option = TextOptions(letters: String(letter)), option != .normalized else {
                throw CommandError(.usage, "'\(letter)' is not an option letter for tokens: c, d, l")
            }
        }
        return TextOptions(letters: letters) ?? []
    }
}

/// Writes the tokens of texts.
struct TokenPrinter {
    var tokenizer: Tokenizer
    var format: OutputFormat
    var session: Session

    /// Writes the tokens of one text.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        let rows = tokenizer.tokens(of: text).map { token in
            (range: token.range, word: String(decoding: bytes[token.range], as: UTF8.self), folded: token.text)
        }
        switch format {
        case .table:
            var table = TableWriter(
                .table,
                columns: [
                    .init(title: "from", isNumeric: true), .init(title: "to", isNumeric: true),
                    .init(title: "word", isNumeric: false), .init(title: "folded", isNumeric: false),
                ], available: nil, style: session.outputStyle, writer: session.output)
            for row in rows {
                table.append(["\(row.range.lowerBound)", "\(row.range.upperBound)", row.word, row.folded])
            }
            table.finish()
        case .ndjson:
            for row in rows {
                let json = JSONValue.members([
                    "from": .int64(Int64(row.range.lowerBound)), "to": .int64(Int64(row.range.upperBound)),
                    "word": .string(row.word), "folded": .string(row.folded),
                ])
                session.output.write(json.text + "\n")
            }
        default:
            for row in rows {
                session.output.write("\(row.range.lowerBound)\t\(row.range.upperBound)\t\(row.word)\t\(row.folded)\n")
            }
        }
    }
}
