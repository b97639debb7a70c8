// Dot commands about results: the last one again, to a file, live, how fast.

import Glibc
import RecordDatabase

extension DotCommand {
    static let resultCommands: [DotCommand] = [
        DotCommand(
            ".count", .fields, "[FIELD …]", "How many records the last query finds; by the values of fields.",
            run: count),
        DotCommand(".stats", .fields, "FIELD … [by FIELD]", "Least, greatest, sum and average of the records found.") {
            (repl, text) throws(CommandError) in try showFigures("stats", text, repl)
        },
        DotCommand(".distinct", .fields, "FIELD", "The values of a field in the records found, each once.") {
            (repl, text) throws(CommandError) in try showFigures("distinct", text, repl)
        },
        DotCommand(
            ".histogram", .fields, "FIELD[:PARTS]",
            "How many of the records found lie in each part: a number of parts, or hour, day, week, month, year."
        ) { (repl, text) throws(CommandError) in try showFigures("histogram", text, repl) },
        DotCommand(".last", .none, "", "Show the last result again, with all fields and whole values.", run: showLast),
        DotCommand(
            ".export", .file, "FILE", "Write the last result to a file, in the form of its ending.", run: export),
        DotCommand(
            ".save", .file, "FILE", "Write the settings and the last query as commands to a file.", run: save),
        DotCommand(".read", .file, "FILE", "Run the commands of a file.", run: read),
        DotCommand(
            ".watch", .predicate, "[PREDICATE]",
            "Show new matches as files, a store or a server are written, until Control-C.",
            run: watch),
        DotCommand(
            ".bench", .predicate, "[PREDICATE]", "Run a query repeatedly for a second, tell how long it takes.",
            run: bench),
        DotCommand(
            ".advise", .predicate, "[PREDICATE]",
            "Show the indexes that would help the session's queries; reads all records of a server.", run: advise),
        DotCommand(".edit", .predicate, "[PREDICATE]", "Edit the last query, or another, with $EDITOR.", run: edit),
    ]

    /// The last query.
    private static func last(_ repl: Repl) throws(CommandError) -> Repl.ShownResult {
        guard let last = repl.last else { throw .operand("there is no query yet", "type a predicate first") }
        return last
    }

    /// A query from an operand, else the last one.
    private static func query(_ repl: Repl, _ text: String) throws(CommandError) -> Query {
        try text.isEmpty ? last(repl).query : repl.settings.query(text)
    }

    /// What the last query found; a server that has counted gives the records now.
    private static func found(
        _ last: Repl.ShownResult, _ query: Query, _ repl: Repl
    ) throws(CommandError) -> Repl.Found {
        if let found = last.found { return found }
        return try repl.find(query)
    }

    private static func showLast(_ repl: Repl, _: String) throws(CommandError) {
        let last = try last(repl)
        var query = last.query
        query.settings.format = .line
        query.settings.fields = nil
        query.settings.isExplained = false
        try repl.show(query, found(last, query, repl))
    }

    // MARK: Files

    private static let formats: [String: OutputFormat] = [
        "ndjson": .ndjson, "jsonl": .ndjson, "json": .json, "csv": .csv, "tsv": .tsv, "geojson": .geojson,
        "md": .markdown, "txt": .table,
    ]

    private static func export(_ repl: Repl, _ text: String) throws(CommandError) {
        let last = try last(repl)
        guard let path = words(text).first.map(FilePath.expanded) else {
            throw .operand("a file is missing", ".export result.csv")
        }
        let ending = path.split(separator: ".").last.map(String.init) ?? ""
        guard let format = formats[ending] else {
            throw .operand(
                "the file's ending tells no format",
                "one of " + formats.keys.sorted().map { "." + $0 }.joined(separator: " "))
        }
        var query = last.query
        query.settings.format = format
        query.settings.width = 1 << 20
        query.settings.showsTimer = false
        query.settings.isExplained = false
        var collected: [UInt8] = []
        var session = repl.session
        let style = Style(isColored: false)
        session.output = ByteWriter { bytes in
            collected += bytes
            return .taken
        }
        session.outputStyle = style
        session.isOutputShown = false
        let found = try found(last, query, repl)
        try query.write(found.selection, of: found.set, session)
        session.output.flush()
        try FileWriter.replace(path, with: collected)
        let count = found.selection.ordinals.count
        repl.session.note("\(count.grouped) \(count == 1 ? "record" : "records") written to \(path)")
    }

    private static func save(_ repl: Repl, _ text: String) throws(CommandError) {
        guard let path = words(text).first.map(FilePath.expanded) else {
            throw .operand("a file is missing", ".save queries.txt")
        }
        var lines: [String] = []
        if !repl.files.paths.isEmpty {
            if repl.files.paths.contains(where: { $0.utf8.contains(0x0A) }) {
                throw .operand("the name of a file holds a line break", "rename the file")
            }
            let words = repl.files.paths + openingOptions(of: repl)
            lines.append(([".open"] + words.map(ShellWord.quoted)).joined(separator: " "))
        }
        for (name, value) in repl.settings.variables.sorted(by: { $0.key < $1.key }) {
            lines.append(".let \(name) = \(value.exactJSON)")
        }
        for command in recordCommands + settingCommands {
            repl.settingTexts[command.name].map { lines.append("\(command.name) \($0)") }
        }
        if let last = repl.last {
            // A line break between words is a blank, but one inside of a text belongs to the text.
            let isLine = !last.text.utf8.contains { $0 == 0x0A || $0 == 0x0D }
            lines.append(isLine ? last.text : last.query.predicate.description)
        }
        try FileWriter.replace(path, with: lines.map { $0 + "\n" }.joined())
        repl.session.note("written to \(path); '.read \(path)' runs it")
    }

    /// The options that say how the records are read, as words.
    private static func openingOptions(of repl: Repl) -> [String] {
        repl.files.arguments.options.flatMap { option in
            guard let known = ReplCommand.opening.options.first(where: { $0.name == option.name }) else {
                return [] as [String]
            }
            return known.value == nil ? [option.name] : [option.name, option.value]
        }
    }

    private static func read(_ repl: Repl, _ text: String) throws(CommandError) {
        guard let path = words(text).first.map(FilePath.expanded) else {
            throw .operand("a file is missing", ".read queries.txt")
        }
        guard !repl.reading.contains(path) else {
            throw .operand("'\(path)' reads itself", "remove the '.read' from it")
        }
        repl.reading.append(path)
        defer { repl.reading.removeLast() }
        var reader = try LineReader.file(path)
        while !repl.isEnded, let line = try reader.next() { repl.execute(String(decoding: line, as: UTF8.self)) }
    }

    private static func edit(_ repl: Repl, _ text: String) throws(CommandError) {
        guard let device = repl.device else { throw CommandError(.usage, "'.edit' needs a terminal") }
        let text = text.isEmpty ? repl.last?.text ?? "" : text
        repl.draft = try ExternalEditor.edit(text, device)
    }

    // MARK: Measuring

    private static func bench(_ repl: Repl, _ text: String) throws(CommandError) {
        let query = try query(repl, text)
        let (set, input) = (repl.set, repl.served)
        let measured = try repl.attempt { () throws(CommandError) -> Measurement in
            if let input { return try served(query, input) }
            do throws(RecordPredicateError) {
                return try Measurement { () throws(RecordPredicateError) in try query.select(from: set).ordinals.count }
            } catch {
                throw CommandError(error)
            }
        }
        repl.session.output.write(measured.text)
    }

    /// How long it takes to fetch what a server finds, and to decide on it here.
    private static func served(_ query: Query, _ input: InputFiles) throws(CommandError) -> Measurement {
        guard let server = try ServerBench(input, query) else {
            throw .operand("records of several types are on the server", ".type NAME, then .bench")
        }
        defer { server.close() }
        return try Measurement { () throws(CommandError) in try server.fetched(query) }
    }
}
