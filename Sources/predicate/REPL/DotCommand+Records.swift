// Dot commands about the records: which files or which store, what fields, what indexes.

import Glibc
import PredicateSyntax
import RecordDatabase
import TextAnalysis

extension DotCommand {
    static let recordCommands: [DotCommand] = [
        DotCommand(
            ".open", .file, "FILE…|FOLDER|ADDRESS",
            "Query other files, a store or a server; takes the options of 'predicate repl'.",
            run: open),
        DotCommand(
            ".import", .file, "FILE…", "Read more records to these; into a store opened with --write.",
            run: importFiles),
        DotCommand(".type", .text, "[TYPE]", "Query records of one type only; 'off' for all.", run: type),
        DotCommand(
            ".schema", .fields, "[WORD]", "Show the fields, their types and values; reads all records of a server.",
            run: schema),
        DotCommand(".indexes", .none, "", "Show the indexes that queries have built.", run: indexes),
    ]

    private static func open(_ repl: Repl, _ text: String) throws(CommandError) {
        let arguments = try ParsedArguments(words(text), for: ReplCommand.opening)
        let paths = arguments.operands.map(FilePath.expanded)
        guard !paths.isEmpty else { throw .operand("a file is missing", ".open cities.ndjson") }
        try repl.load(InputFiles(arguments, paths: paths))
        repl.settingTexts[".type"] = nil
        dropSettings(of: repl)
        tell(repl)
    }

    /// Says what is there now.
    private static func tell(_ repl: Repl) {
        repl.last = nil
        if repl.isInteractive { repl.session.note(repl.contents) }
    }

    /// Ends an order or a choice of columns that names fields of other records.
    private static func dropSettings(of repl: Repl) {
        if !repl.set.unknownFields(among: repl.settings.sort.map(\.criterion)).isEmpty {
            repl.settings.sort = []
            repl.settingTexts[".sort"] = nil
            repl.session.note(".sort is off: these records have other fields")
        }
        if let fields = repl.settings.fields, !repl.set.unknownFields(among: fields.map(\.criterion)).isEmpty {
            repl.settings.fields = nil
            repl.settingTexts[".fields"] = nil
            repl.session.note(".fields is off: these records have other fields")
        }
    }

    private static func importFiles(_ repl: Repl, _ text: String) throws(CommandError) {
        let words = words(text).map(FilePath.expanded)
        guard !words.isEmpty else { throw .operand("a file is missing", ".import more.ndjson") }
        if let store = repl.files.store {
            guard repl.files.arguments.has("--write") else {
                throw .operand(
                    "'\(store.isServer ? store.shown : FilePath.name(store.path))' is only read in this session",
                    ".open \(store.isServer ? "…" : ShellWord.quoted(store.path)) --write")
            }
            // Small pieces: Control-C ends the import between two of them.
            let size = store.isServer ? [] : ["--batch", "20000"]
            let words = [store.path] + words + store.words + size
            let call = try ParsedArguments(words, for: ImportCommand.specification)
            let signals = repl.isInteractive ? SignalPipe() : nil
            _ = try ImportCommand.run(call, repl.session) { signals.map { !$0.taken().contains(SIGINT) } ?? true }
            try repl.load(repl.files, keepsType: true)
        } else {
            var files = repl.files
            files.paths += words
            try repl.load(files, keepsType: true)
        }
        tell(repl)
    }

    /// Words of a line, as `ShellWord` writes them; quotation marks hold together what has blanks.
    static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word: String.UnicodeScalarView?
        var quote: Unicode.Scalar?
        for scalar in text.unicodeScalars {
            if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
                word = word ?? String.UnicodeScalarView()
            } else if quote == nil, scalar == " " || scalar == "\t" {
                if let done = word { words.append(String(done)) }
                word = nil
            } else {
                word = word ?? String.UnicodeScalarView()
                word?.append(scalar)
            }
        }
        return words + (word.map { [String($0)] } ?? [])
    }

    private static func type(_ repl: Repl, _ text: String) throws(CommandError) {
        let all = repl.set.ofType(nil)
        let types = "the types are " + all.recordTypes.joined(separator: ", ")
        if text.isEmpty {
            let result = ".type \(repl.set.recordType ?? "off"); \(types)"
            let lines = WrappedText.lines(of: result, columns: (repl.settings.tableWidth ?? .max) - 1)
            return repl.session.note(lines.joined(separator: "\n"))
        }
        guard text == "off" || all.recordTypes.contains(text) else {
            let near = EditDistance.closest(to: text, in: all.recordTypes)
            throw .operand(
                "no record is of type '\(text)'",
                near.map { "did you mean '\($0)'?" } ?? types)
        }
        repl.set = all.ofType(text == "off" ? nil : text)
        repl.settingTexts[".type"] = text == "off" ? nil : text
        repl.last = nil
    }

    private static func schema(_ repl: Repl, _ word: String) throws(CommandError) {
        let format: OutputFormat = repl.settings.format.isTable ? repl.settings.format : .table
        let known = repl.set
        let isKnown = known.schemas.contains { schema in
            schema.recordType == word || schema.fields.contains { FuzzyMatch.begins($0.name, with: word) }
        }
        guard word.isEmpty || isKnown else {
            let near = EditDistance.closest(to: word, in: known.fieldNames + known.recordTypes)
            throw CommandError(.usage, "no field is called '\(word)'", hint: near.map { "did you mean '\($0)'?" })
        }
        let isType = known.recordTypes.contains(word)
        let summary = try repl.summary(word.isEmpty ? .all : isType ? .type(word) : .fields(word))
        try repl.paged { session in
            SchemaPrinter(summary: summary, format: format, width: repl.settings.tableWidth, session: session).write()
        }
    }

    private static func indexes(_ repl: Repl, _: String) throws(CommandError) {
        if repl.isOnServer {
            return repl.session.note(
                "The server has them: '.explain' tells which a query uses, '.advise' which it lacks.")
        }
        let indexes = repl.set.indexes
        guard !indexes.isEmpty else {
            return repl.session.note("No indexes yet: a query builds those that it needs.")
        }
        try repl.paged { session in
            var table = TableWriter(
                repl.settings.format.isTable ? repl.settings.format : .table,
                columns: [
                    .init(title: "field", isNumeric: false), .init(title: "kind", isNumeric: false),
                    .init(title: "entries", isNumeric: true), .init(title: "distinct", isNumeric: true),
                    .init(title: "bytes", isNumeric: true),
                ], available: repl.settings.tableWidth, style: session.outputStyle, writer: session.output)
            for index in indexes {
                table.append([
                    index.field ?? "all texts",
                    (index.analyzer == nil ? "" : "analyzed ") + index.kind
                        + (index.options.isEmpty ? "" : " [\(index.options)]"),
                    index.entries.grouped, index.distinct?.grouped ?? "", index.bytes.grouped,
                ])
            }
            table.finish()
        }
    }
}
