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
            One token a line: its place in UTF-8 bytes, the word as written, and its folded form; with a language also
            its stem, which a field with an analyzer of that language is searched for. Without TEXT each line of
            standard input is taken.
            """,
        options: [
            OptionSpecification(
                "--options", value: "LETTERS",
                "c ignores case, d ignores marks, l is allowed and changes nothing (default: cd)."),
            OptionSpecification(
                "--language", value: "LANGUAGE", choices: TextLanguage.allCases.map(\.rawValue),
                "Print stems of a language too."),
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["table", "tsv", "ndjson"],
                "table, tsv or ndjson."),
        ] + SharedOptions.messages,
        examples: [
            Example("words of Japanese and German", "predicate tokens '東京都に行く Straße'"),
            Example("without folding", "predicate tokens --options '' 'Ünïcode'"),
            Example("stems", "predicate tokens --language german 'Häuser am Meer'"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let options = try options(arguments["--options"] ?? "cd")
        let name = arguments["--format"] ?? (StandardStream.output.isTerminal ? "table" : "tsv")
        let language = arguments["--language"].flatMap(TextLanguage.init(rawValue:))
        let printer = TokenPrinter(
            tokenizer: Tokenizer(options: options),
            analysis: language.map { WordAnalysis(TextAnalyzer(language: $0)) },
            format: OutputFormat(rawValue: name) ?? .tsv, session: session)
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
    /// What stems are by; `nil` for none.
    var analysis: WordAnalysis?
    var format: OutputFormat
    var session: Session

    /// Writes the tokens of one text.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        let tokens = tokenizer.tokens(of: text)
        let words = tokens.map { String(decoding: bytes[$0.range], as: UTF8.self) }
        let stems = analysis?.terms(of: tokens.map(\.text), tokenizer.options)
        switch format {
        case .table:
            let titles = ["word", "folded"] + (stems == nil ? [] : ["stem"])
            var table = TableWriter(
                .table,
                columns: ["from", "to"].map { .init(title: $0, isNumeric: true) }
                    + titles.map { .init(title: $0, isNumeric: false) },
                available: nil, style: session.outputStyle, writer: session.output)
            for place in tokens.indices { table.append(fields(tokens[place], words[place], stems?[place])) }
            table.finish()
        case .ndjson:
            for (place, token) in tokens.enumerated() {
                let range = token.range
                var members: [JSONValue.Member] = [
                    .init(key: "from", value: .int64(Int64(range.lowerBound))),
                    .init(key: "to", value: .int64(Int64(range.upperBound))),
                    .init(key: "word", value: .string(words[place])),
                    .init(key: "folded", value: .string(token.text)),
                ]
                if let stems { members.append(.init(key: "stem", value: .string(stems[place]))) }
                session.output.write(JSONValue.object(members).text + "\n")
            }
        default:
            for place in tokens.indices {
                let fields = fields(tokens[place], words[place], stems?[place])
                session.output.write(fields.joined(separator: "\t") + "\n")
            }
        }
    }

    private func fields(_ token: Token, _ word: String, _ stem: String?) -> [String] {
        ["\(token.range.lowerBound)", "\(token.range.upperBound)", word, token.text] + (stem.map { [$0] } ?? [])
    }
}
