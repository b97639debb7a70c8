// Verbs that look after a store: create, open, stat, verify, compact, reindex, backup.

import FoundationEssentials
import RecordDatabase

/// `predicate create FOLDER`
enum CreateCommand: Command {
    static let specification = CommandSpecification(
        name: "create", operands: "FOLDER",
        summary: "Make an empty store of records.",
        discussion: """
            The folder may not hold anything else. 'predicate import' makes a store as well, if there is none. With \
            --schema the
            store has the record types, fields, indexes, roles and grants of a text in CloudKit's schema language, as \
            'xcrun
            cktool export-schema' and 'predicate schema -o ckdb' write it.
            """,
        options: [
            OptionSpecification("--identifier", value: "NAME", "The container's identifier (default: local)."),
            OptionSpecification("--schema", value: "FILE", "Record types, fields, indexes and grants (.ckdb)."),
            StoreOperand.container,
        ] + SharedOptions.messages + [SharedOptions.quiet],
        examples: [
            Example("a new store", "predicate create places.store"),
            Example("with a schema from CloudKit", "predicate create places.store --schema app.ckdb"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "create")
        if StoreOperand.isStore(operand.path) {
            throw CommandError(.usage, "'\(operand.path)' is a store already")
        }
        if operand.isServer, arguments.has("--identifier") {
            throw CommandError(.usage, "a container on a server is named by '--container'")
        }
        let schema = try arguments["--schema"].map(SchemaFile.read)
        let container = try operand.open(identifier: arguments["--identifier"] ?? "local")
        defer { container.close() }
        if let schema {
            do throws(DatabaseError) { try container.setSchema(schema) } catch { throw CommandError(error) }
        }
        if !arguments.has("--quiet") {
            let types = schema.map { Self.typeCount($0) } ?? ""
            session.note("made an empty store\(types) in \(operand.shown)")
        }
        return .success
    }
}

extension CreateCommand {
    /// How many types a schema has besides that of users, which every store has.
    fileprivate static func typeCount(_ schema: ContainerSchema) -> String {
        let count = schema.recordTypes.keys.count { $0 != ContainerSchema.userRecordType }
        return " with \(count.grouped) record \(count == 1 ? "type" : "types")"
    }
}

/// `predicate open FOLDER`
enum OpenCommand: Command {
    static let specification = CommandSpecification(
        name: "open", operands: "FOLDER",
        summary: "Query a store, one predicate after another.",
        discussion: "As 'predicate repl FOLDER'. The store is read as it is at that moment, beside a writer too.",
        options: ReplCommand.specification.options,
        examples: [Example("on a terminal", "predicate open places.store")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "open")
        guard StoreOperand.isStore(operand.path) else {
            throw CommandError(
                .inputOutput, "'\(operand.shown)' is no store in a folder",
                hint: "predicate create and predicate import make one")
        }
        return try ReplCommand.run(arguments, session)
    }
}

/// `predicate stat FOLDER`
enum StatCommand: Command {
    static let specification = CommandSpecification(
        name: "stat", operands: "FOLDER",
        summary: "Print what a store holds and how large it is.",
        discussion: "",
        options: [
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["table", "json"], "table or json.")
        ] + SharedOptions.messages,
        examples: [Example("sizes", "predicate stat places.store")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "stat")
        let container = try operand.open(StorageOptions(mode: .readOnly))
        let statistics: StorageStatistics
        do throws(DatabaseError) { statistics = try container.statistics() } catch { throw CommandError(error) }
        if arguments["--format"] == "json" {
            guard let data = try? JSONEncoder().encode(statistics) else {
                throw CommandError(.inputOutput, "the sizes cannot be written")
            }
            session.output.write(String(decoding: data, as: UTF8.self) + "\n")
            return .success
        }
        let lines: [(String, Int, String)] = [
            ("records and indexes", statistics.segmentBytes, "\(statistics.segmentFiles) files"),
            ("tables", statistics.tableBytes, "\(statistics.freeBytes.grouped) free"),
            ("log", statistics.logBytes, "\(statistics.logChanges) changes"),
            ("assets", statistics.assetBytes, "\(statistics.assetFiles) files"),
            ("all", statistics.byteCount, "\(statistics.recordCount.grouped) records"),
        ]
        session.output.write("container \(ValueText.singleLine(statistics.identifier))\n")
        for (name, bytes, note) in lines {
            session.output.write("\(ValueText.singleLine(name)): \(bytes.grouped) bytes, \(note)\n")
        }
        var table = TableWriter(
            .table,
            columns: ["database", "zone", "type"].map { .init(title: $0, isNumeric: false) }
                + ["records", "deleted rows", "segments", "indexes"].map { .init(title: $0, isNumeric: true) },
            available: StandardStream.output.isTerminal ? StandardStream.output.columns : nil,
            style: session.outputStyle, writer: session.output)
        for part in statistics.records {
            table.append([
                part.user.map { "private \($0)" } ?? "public", part.zoneName, part.recordType, part.count.grouped,
                part.deletedRows.grouped, "\(part.segments)", "\(part.indexes)",
            ])
        }
        table.finish()
        return .success
    }
}

/// `predicate verify FOLDER`
enum VerifyCommand: Command {
    static let specification = CommandSpecification(
        name: "verify", operands: "FOLDER",
        summary: "Read all of a store and compare it with its checksums.",
        discussion: """
            Indexes are compared with the records, files of assets with their digests. The store is not changed; \
            nobody may
            write it meanwhile. Exit status: 0 when all is well, 3 when something is damaged.
            """,
        options: SharedOptions.messages,
        examples: [Example("after a disk failed", "predicate verify places.store")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "verify")
        let problems: [String]
        do throws(DatabaseError) {
            problems = try Container.verify(storedAt: URL(filePath: operand.path)) { file, number, count in
                if StandardStream.error.isTerminal { session.note("\(number) of \(count): \(file)") }
            }
        } catch {
            throw CommandError(error)
        }
        guard let first = problems.first else {
            session.output.write("ok\n")
            return .success
        }
        for problem in problems.dropFirst() { session.note(problem) }
        throw CommandError(.badData, first, hint: "restore a backup")
    }
}

/// `predicate compact FOLDER`
enum CompactCommand: Command {
    static let specification = CommandSpecification(
        name: "compact", operands: "FOLDER",
        summary: "Rewrite a store without what was deleted.",
        discussion: """
            Records of one type and zone get one file, the tables give back their free room, and files of assets that no
            record names are removed. Others may read the store meanwhile.
            """,
        options: SharedOptions.messages,
        examples: [Example("after many changes", "predicate compact places.store")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "compact")
        let container = try existing(operand, session)
        defer { container.close() }
        do throws(DatabaseError) {
            let before = try container.statistics().byteCount
            try container.compactFiles()
            let after = try container.statistics().byteCount
            session.output.write("\(before.grouped) bytes before, \(after.grouped) after\n")
        } catch {
            throw CommandError(error)
        }
        return .success
    }

    /// Opens a store that is there.
    static func existing(_ operand: StoreOperand, _ session: Session) throws(CommandError) -> Container {
        guard StoreOperand.isStore(operand.path) else {
            throw CommandError(.inputOutput, "'\(operand.shown)' is no store in a folder")
        }
        return try operand.open(StorageOptions(), session)
    }
}

/// `predicate reindex FOLDER`
enum ReindexCommand: Command {
    static let specification = CommandSpecification(
        name: "reindex", operands: "FOLDER",
        summary: "Rebuild the text indexes that another version of ICU made.",
        discussion: """
            The order of texts and the words in them depend on the version of ICU and Unicode. Opening a store for
            writing rebuilds outdated indexes; this does nothing else.
            """,
        options: SharedOptions.messages,
        examples: [Example("after an upgrade of the system", "predicate reindex places.store")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "reindex")
        guard StoreOperand.isStore(operand.path) else {
            throw CommandError(.inputOutput, "'\(operand.shown)' is no store in a folder")
        }
        let reader = try operand.open(StorageOptions(mode: .readOnly))
        let count = reader.outdatedTextIndexCount
        reader.close()
        let container = try CompactCommand.existing(operand, session)
        defer { container.close() }
        session.output.write("\(count.grouped) indexes rebuilt\n")
        return .success
    }
}

/// `predicate backup FOLDER NEW`
enum BackupCommand: Command {
    static let specification = CommandSpecification(
        name: "backup", operands: "FOLDER NEW",
        summary: "Copy a store, as it is at one moment, into a new folder.",
        discussion: "Other processes may read and write the store meanwhile.",
        options: SharedOptions.messages + [SharedOptions.quiet],
        examples: [Example("a copy", "predicate backup places.store places.backup")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "backup")
        guard arguments.operands.count == 2 else {
            throw CommandError(
                .usage, "'predicate backup' needs a new folder",
                hint: "for example: predicate backup \(ShellWord.quoted(operand.path)) "
                    + ShellWord.quoted(operand.path + ".backup"))
        }
        guard StoreOperand.isStore(operand.path) else {
            throw CommandError(.inputOutput, "'\(operand.shown)' is no store in a folder")
        }
        do throws(DatabaseError) {
            let copy = arguments.operands[1]
            try Container.backUp(storedAt: URL(filePath: operand.path), to: URL(filePath: copy))
            if !arguments.has("--quiet") {
                let options = StorageOptions(mode: .readOnly)
                let copied = try Container(identifier: nil, storedAt: URL(filePath: copy), options: options)
                    .statistics()
                session.note(
                    "copied \(copied.recordCount.grouped) records, \(copied.byteCount.grouped) bytes, to \(copy)")
            }
        } catch {
            throw CommandError(error)
        }
        return .success
    }
}
