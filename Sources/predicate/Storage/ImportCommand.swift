// predicate import: records of files into a store.

import FoundationEssentials
import Glibc
import RecordDatabase

/// `predicate import FOLDER [FILE…]`
enum ImportCommand: Command {
    static let specification = CommandSpecification(
        name: "import", operands: "FOLDER [FILE…]",
        summary: "Save the records of files in a store.",
        discussion: """
            Reads what 'predicate query' reads and what 'predicate export' prints. A record of a name that is there \
            already
            is merged: it gets the new values, and keeps those of fields that it does not name now; null in JSON, and \
            an empty
            cell under a title of CSV, is no value, and takes the one away that was there. With --replace it loses \
            what the
            new record does not name. Records that give no type are of the \
            only type
            that the store has, or of --type. Types and fields that the store has not are defined; a field of whole and
            fractional numbers is DOUBLE. Records are saved in pieces, each whole or not at all; an interrupted call
            continues when it is made again with the same files and options, and nothing else was saved in between; on a
            PostgreSQL server (postgresql://…) it begins again, and merges what is there already with the same values.
            Every record that was not saved is told on standard error, with its line and the reason, and the exit \
            status is
            then 3: those that the store rejects, and lines that --skip-bad-lines leaves out. A field of values that do
            not mix is an error here, as with --strict elsewhere.
            To import records of a store, export them first with 'predicate export'.
            """,
        options: [
            OptionSpecification(
                "--batch", value: "N", "Records that are saved at once (default: 250000, and 5000 on a server)."),
            OptionSpecification(
                "--schema", value: "FILE", "First put the store under a schema (.ckdb), as 'predicate create' does."),
            OptionSpecification("--merge", "Records that are there keep the fields that files do not name (default)."),
            OptionSpecification("--replace", "Records that are there lose the fields that files do not name."),
            OptionSpecification(
                "--restart", "Begin with the first record, even after an interrupted call; on a server always."),
            OptionSpecification(
                "--durability", value: "NAME", choices: ["full", "normal", "off"],
                "How long a piece waits for the disk: full (default), normal or off."),
        ] + SharedOptions.input + StoreOperand.options + SharedOptions.messages + [SharedOptions.quiet],
        examples: [
            Example("a file", "predicate import places.store cities.ndjson --type City"),
            Example("packed CSV", "predicate import people.store people.csv.gz --type Person --id-field email"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        try run(arguments, session) { true }
    }

    /// Checks between two pieces whether it is still wanted.
    static func run(
        _ arguments: ParsedArguments, _ session: Session, while isWanted: @escaping @Sendable () -> Bool
    ) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "import")
        let paths = Array(arguments.operands.dropFirst())
        // A server takes a piece as the parameters of a few statements.
        let size = try arguments.count("--batch") ?? (operand.isServer ? 5_000 : 250_000)
        if size == 0 { throw CommandError(.usage, "'--batch' is at least 1") }
        if arguments.has("--merge"), arguments.has("--replace") {
            throw CommandError(.usage, "'--merge' and '--replace' exclude each other")
        }
        var files = try InputFiles(
            arguments, files: paths, keepsNulls: operand.isServer || StoreOperand.isStore(operand.path))
        files.takeStrictly()
        if let source = files.store {
            throw CommandError(
                .usage, "'\(source.shown)' is a store, and files are imported",
                hint: "predicate export \(source.isServer ? "…" : ShellWord.quoted(source.path)) | "
                    + "predicate import \(operand.isServer ? "…" : ShellWord.quoted(operand.path))")
        }
        let schema = try arguments["--schema"].map(SchemaFile.read)
        let types = arguments.has("--type") ? [] : try Self.types(of: operand, schema)
        if types.count == 1 { files.takeDefaultType(types[0]) }
        let set = try files.load(session, while: isWanted)
        // What --type names is not there, as was told: no store is made for that.
        if set.count == 0, arguments.has("--type") { return .noMatch }
        if set.recordTypes.contains("") || types.count > 1 && !set.hasTypes && set.count > 0 {
            let names = types.count > 1 ? ", and the store has several: " + types.joined(separator: ", ") : ""
            throw CommandError(.usage, "the records give no type\(names)", hint: "--type TYPE names it")
        }
        do throws(FileError) { try set.checkParents(of: files.paths) } catch { throw CommandError(error) }
        var options = StorageOptions()
        switch arguments["--durability"] {
        case "off": options.durability = .off
        case "normal": options.durability = .normal
        default: break
        }
        let container = try operand.open(options, session)
        defer { container.close() }
        let settings = Importing.Settings(
            batch: size, name: operand.isServer ? nil : Self.name(of: paths, arguments), files: files.paths,
            replaces: arguments.has("--replace"), isQuiet: arguments.has("--quiet"))
        var importing = Importing(set: set, database: operand.database(of: container), settings, session: session)
        do throws(DatabaseError) {
            if !arguments.has("--restart"), !operand.isServer { try importing.resume() }
            if let schema { try container.setSchema(schema) }
            try importing.prepare()
            try importing.run(while: isWanted)
        } catch {
            throw CommandError(error)
        }
        return importing.rejectedCount == 0 && set.loadReport?.skippedCount ?? 0 == 0 ? .success : .badData
    }

    /// The types that a store has besides that of users, or gets from a schema; none before it is there.
    private static func types(of operand: StoreOperand, _ schema: ContainerSchema?) throws(CommandError) -> [String] {
        var known = schema
        if known == nil, operand.isServer || StoreOperand.isStore(operand.path) {
            let container = try operand.open(StorageOptions(mode: .readOnly))
            known = container.schema
            container.close()
        }
        return known.map { $0.recordTypes.keys.filter { $0 != ContainerSchema.userRecordType }.sorted() } ?? []
    }

    /// Tells these files, as they are now and as they are read, from others: paths, sizes, times of change, and
    /// options. `nil` for what is no file, such as standard input: what comes from there the next time may be something
    /// else.
    private static func name(of paths: [String], _ arguments: ParsedArguments) -> String? {
        if paths.isEmpty { return nil }
        var lines: [String] = []
        for path in paths {
            var status = stat()
            // SAFETY: the path is passed as a NUL-terminated copy, the structure lives on this frame.
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
            lines.append("\(path) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec)")
        }
        for option in ["--type", "--id-field", "--type-field", "--input-format"] {
            if let value = arguments[option] { lines.append("\(option) \(value)") }
        }
        if arguments.has("--replace") { lines.append("--replace") }
        return lines.joined(separator: "\n")
    }
}
