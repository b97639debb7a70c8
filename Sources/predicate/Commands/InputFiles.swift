// The record files of a call, or the store in their place: loaded with its options, with progress on a terminal.

import PredicateSyntax
import RecordDatabase

/// The record files of a call, or the store in their place, and how to read them.
struct InputFiles {
    /// The files, in order; `-` is standard input. A store is the folder it lives in, alone.
    var paths: [String]
    private(set) var type: String?
    private(set) var options = LoadOptions()
    let arguments: ParsedArguments
    /// The fields of figures, where these are requested instead of records: others need not be read.
    var figureFields: [String]?

    /// The files named, or standard input.
    /// - Parameters:
    ///   - keepsSource: Whether records are wanted as their files have them.
    ///   - keepsNulls: Whether the fields are wanted that records name without a value.
    /// - Throws: `CommandError` of status `usage`.
    init(
        _ arguments: ParsedArguments, files: [String], keepsSource: Bool = false, keepsNulls: Bool = false
    ) throws(CommandError) {
        if files.isEmpty, StandardStream.input.isTerminal {
            throw CommandError(
                .usage, "no record file is given, and standard input is a terminal",
                hint: "name a file, or '-' to type records")
        }
        self.init(arguments, paths: files.isEmpty ? ["-"] : files, keepsSource: keepsSource)
        options.keepsNulls = keepsNulls
    }

    /// The files of the paths; none for no records.
    init(_ arguments: ParsedArguments, paths: [String], keepsSource: Bool = false) {
        self.paths = paths
        self.arguments = arguments
        type = arguments["--type"]
        if let name = arguments["--id-field"] { options.idField = name }
        if let name = arguments["--type-field"] { options.typeField = name }
        options.format = arguments["--input-format"].flatMap(RecordFormat.init)
        options.skipBadLines = arguments.has("--skip-bad-lines")
        options.keepsSource = keepsSource
        options.widensMixedFields = !arguments.has("--strict")
        options.converter = { (path: String) throws(FileError) in try SQLiteTable(path: path)?.lines() }
        options.joins = arguments.all("--reference").compactMap { try? Self.join($0) }
        options.separatesFiles = !options.joins.isEmpty
    }

    /// Checks what is said of fields that lead to other records.
    /// - Throws: `CommandError` of status `usage`.
    static func checkJoins(_ arguments: ParsedArguments) throws(CommandError) {
        for text in arguments.all("--reference") { _ = try join(text) }
    }

    /// Reads `FIELD=TYPE.KEY`.
    /// - Throws: `CommandError` of status `usage`.
    private static func join(_ text: String) throws(CommandError) -> KeyJoin {
        let sides = text.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
        guard sides.count == 2, let dot = sides[1].lastIndex(of: "."), dot != sides[1].startIndex,
            sides[1].index(after: dot) != sides[1].endIndex
        else {
            throw CommandError(
                .usage, "'--reference' takes FIELD=TYPE.KEY, not '\(text)'",
                hint: "customer=customers.id: the field customer names a record of customers.csv by its id")
        }
        return KeyJoin(
            field: sides[0], type: String(sides[1][..<dot]), key: String(sides[1][sides[1].index(after: dot)...]))
    }

    /// Whether a word names records: a file, a table of one, or a store.
    static func isRecords(_ word: String) -> Bool {
        FilePath.isReadableFile(word) || StoreOperand.isStore(word) || StoreOperand.isServer(word)
            || SQLiteTable.isTable(word)
    }

    /// The type of records that give none, where no other is requested.
    mutating func takeDefaultType(_ type: String) { options.defaultType = type }

    /// Has a field of several kinds be an error, and every line that is left out be told.
    mutating func takeStrictly() {
        options.widensMixedFields = false
        options.maximumReportedErrors = .max
    }

    /// The fields that become references by a key.
    var joinedFields: Set<String> { Set(options.joins.map(\.field)) }

    /// The table of a server, where the call names one.
    /// - Throws: `CommandError`, also for a name beside anything but one address.
    func table() throws(CommandError) -> TableOperand? {
        guard let name = arguments[TableOperand.option.name] else { return nil }
        guard paths.count == 1, let address = paths.first, StoreOperand.isServer(address) else {
            throw CommandError(
                .usage, "'--table' names a table of one postgresql:// address",
                hint: "of an SQLite file: FILE.sqlite:TABLE")
        }
        return try TableOperand(address, table: name, arguments)
    }

    /// The store, when it is one.
    var store: StoreOperand? {
        if arguments.has(TableOperand.option.name) { return nil }
        return paths.first { StoreOperand.isStore($0) || StoreOperand.isServer($0) }.map { StoreOperand($0, arguments) }
    }

    /// Whether a server has the records: what is requested of them is looked for there.
    var isOnServer: Bool { paths.count == 1 && paths.allSatisfy(StoreOperand.isServer) }

    /// The same with the records of one type; `nil` for all.
    func ofType(_ type: String?) -> InputFiles {
        var files = self
        files.type = type
        return files
    }

    /// The fields of the records of a server, without the records; `nil` for files and folders.
    /// - Throws: `CommandError`.
    func outline() throws(CommandError) -> RecordSet? {
        guard isOnServer else { return nil }
        if let table = try table() { return table.outline }
        guard let schema = try store?.schema() else { return nil }
        return RecordSet(outlining: schema, type: type)
    }

    /// What tells whether the files, or the store, were written since.
    var versions: [FilePath.Version?] {
        paths.map { path in
            FilePath.version(StoreOperand.isStore(path) ? StoreOperand.tables(of: path) : SQLiteTable.file(of: path))
        }
    }

    /// The names of the files; which database of a store, where it is not the usual one.
    var description: String {
        if let name = arguments[TableOperand.option.name] { return "table \(name)" }
        return paths.map { StoreOperand.isServer($0) ? StoreOperand($0, arguments).shown : FilePath.name($0) }
            .joined(separator: ", ") + (store?.databaseName.map { " (\($0))" } ?? "")
    }

    /// The name of the first file, of the table or of the container: for prompts, without a password.
    var shortName: String? {
        if let name = arguments[TableOperand.option.name] { return name }
        if let store, store.isServer { return store.container }
        return paths.first.map(FilePath.stem)
    }

    /// Reads the files.
    /// - Parameters:
    ///   - query: What will be requested of the records: those of a server that it cannot find may be missing.
    ///   - isWanted: Called now and then; reading ends with an error when it says no.
    /// - Throws: `CommandError` of status `badData` or `inputOutput`.
    func load(
        _ session: Session, for query: Query? = nil, while isWanted: @escaping @Sendable () -> Bool = { true }
    ) throws(CommandError) -> RecordSet {
        if let table = try table() {
            return try table.records(for: query, showing: figureFields, onlyPrinted: true)
        }
        if let store {
            guard paths.count == 1 else {
                throw CommandError(
                    .usage, "a store is queried alone, and '\(store.shown)' is one of \(paths.count) operands",
                    hint: "predicate import puts files into it")
            }
            if store.isServer {
                return try store.records(ofType: type, matching: query, onlyPrinted: figureFields == nil)
            }
            let set = try store.records(ofType: type)
            tellOfType(set, session)
            return set
        }
        do throws(FileError) {
            return told(try RecordSet(contentsOf: paths, type: type, options: metered(isWanted)), session)
        } catch {
            throw CommandError(error)
        }
    }

    /// Reads what is left of a file, and all behind it.
    /// - Parameters:
    ///   - number: How many files are before it, all of them empty.
    ///   - taken: What was read of it.
    /// - Throws: `FileError`.
    func rest(
        of pieces: RecordPieces, _ number: Int, _ taken: [UInt8], _ session: Session
    ) throws(FileError) -> RecordSet {
        let others = Array(paths.dropFirst(number + 1))
        var options = metered { true }
        options.filesBefore = number
        return told(try RecordSet(pieces, taken: taken, followedBy: others, type: type, options: options), session)
    }

    /// The options with a meter on a terminal.
    private func metered(_ isWanted: @escaping @Sendable () -> Bool) -> LoadOptions {
        var options = options
        let meter = StandardStream.error.isTerminal ? LoadMeter() : nil
        options.progress = { progress in
            if let meter { _ = meter.show(progress) }
            return isWanted()
        }
        return options
    }

    /// The records, after what is worth knowing of them was told.
    private func told(_ set: RecordSet, _ session: Session) -> RecordSet {
        var set = set
        // The command tells of fields that no record has, and goes on.
        set.allowsUnknownFields = true
        if let report = set.loadReport { tell(report, session) }
        tellOfWrapper(set, session)
        tellOfType(set, session)
        return set
    }

    /// Tells when the type requested is none that the records have, or when they have none at all.
    private func tellOfType(_ set: RecordSet, _ session: Session) {
        guard let type, !arguments.has("--quiet") else { return }
        let all = set.ofType(nil)
        if all.count == 0 { return }
        var text: String?
        if set.count == 0 {
            let hint = EditDistance.closest(to: type, in: all.recordTypes).map { "; did you mean '\($0)'?" }
            let types = "; the types are " + all.recordTypes.joined(separator: ", ")
            text = "no record is of type '\(type)'" + (hint ?? types)
        } else if !all.hasTypes {
            text =
                "the records give no type in a field '\(options.typeField ?? "type")': all are taken for type '\(type)'"
                + " (--type-field names another field)"
        }
        if let text { session.remark(text) }
    }

    /// Tells when a file is one JSON object around a list of objects, which were meant to be the records.
    private func tellOfWrapper(_ set: RecordSet, _ session: Session) {
        guard set.count == 1, set.fieldNames.count <= 3 else { return }
        for name in set.fieldNames {
            guard case .list(let elements) = set.value(of: .field(name), at: 0), elements.count > 1,
                elements.allSatisfy({ if case .object = $0 { true } else { false } })
            else { continue }
            let filter = ShellWord.quoted(".\(JSONValue.string(name).text)[]")
            return session.remark(
                "the file is one record; for the \(elements.count.grouped) objects in its '\(name)':"
                    + " jq -c \(filter) \(paths.map(ShellWord.quoted).joined(separator: " ")) | predicate …")
        }
    }

    /// Tells how many lines were left out, and why the first of them were.
    private func tell(_ report: LoadReport, _ session: Session) {
        if !arguments.has("--quiet") { for note in report.notes { session.remark(note) } }
        if report.skippedCount == 0 { return }
        let shown = report.errors.prefix(options.maximumReportedErrors == .max ? .max : 5)
        var lines = ["\(report.skippedLineCount.grouped) \(report.skippedLineCount == 1 ? "line" : "lines") left out"]
        lines += shown.map { "  \($0)" }
        if shown.count < report.skippedCount { lines.append("  …") }
        session.note(lines.joined(separator: "\n"))
    }
}

/// A line on standard error that tells how far a long load has come; nothing for short ones.
private final class LoadMeter: Sendable {
    private let start = ContinuousClock.now

    /// Writes the line over the one before.
    var show: @Sendable (LoadProgress) -> Bool {
        { [start] progress in
            let writer = ByteWriter(.error)
            let isDone = progress.bytesTotal.map { progress.bytesRead >= $0 } ?? false
            guard ContinuousClock.now - start > .milliseconds(500) else { return true }
            let share = progress.bytesTotal.map { $0 > 0 ? " \(progress.bytesRead * 100 / $0) %" : "" } ?? ""
            writer.write(isDone ? "\r\u{1B}[K" : "\rreading\(share), \(progress.records.grouped) records\u{1B}[K")
            writer.flush()
            return true
        }
    }
}

extension CommandError {
    /// A file that cannot be read, or that holds something else than records.
    init(_ error: FileError) {
        var place = error.file == "-" ? "standard input" : error.file
        if let line = error.line { place += ":\(line)" }
        if let column = error.column { place += ":\(column)" }
        let field = error.field.map { "field '\($0)': " } ?? ""
        let message = (place.isEmpty ? "" : place + ": ") + field + error.message
        self.init(error.kind == .io ? .inputOutput : .badData, message, hint: error.hint)
        details = [
            ("file", JSONValue.string(error.file)), ("line", error.line.map { .int64(Int64($0)) }),
            ("column", error.column.map { .int64(Int64($0)) }), ("field", error.field.map { .string($0) }),
            ("earlierLine", error.earlierLine.map { .int64(Int64($0)) }),
        ].compactMap { name, value in value.map { JSONValue.Member(key: name, value: $0) } }
    }
}
