// predicate update and predicate delete: records of a store that match, changed or deleted in one commit.

import FoundationEssentials
import PredicateSyntax
import RecordDatabase

/// `predicate update FOLDER PREDICATE --set FIELD=VALUE`
enum UpdateCommand: Command {
    static let specification = CommandSpecification(
        name: "update", operands: "FOLDER PREDICATE",
        summary: "Give the records of a store that match other values.",
        discussion: """
            A value is JSON where it is JSON, else text; for a field of texts it is text, for a field of dates a
            day or a moment such as 2026-01-31. All records are changed together, or none. On a terminal the
            number of records is told, and a yes does it; elsewhere --yes says it.
            Exit status: 0 when a record was changed (or would be), 1 when none matches.
            """,
        options: [
            OptionSpecification("--set", value: "FIELD=VALUE", repeats: true, "The value that a field gets."),
            OptionSpecification("--unset", value: "FIELD", repeats: true, "A field that loses its value."),
            OptionSpecification("--new-fields", "Let --set define fields that the records' type lacks."),
        ] + StoreChange.options,
        examples: [
            Example(
                "a value", "predicate update places.store \"country == 'Macedonia'\" --set 'country=North Macedonia'"),
            Example("no value", "predicate update places.store 'population == 0' --unset population --dry-run"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let change = try StoreChange(arguments, for: "update", verb: "change", done: "changed", session)
        let settings = try settings(arguments, change)
        guard !settings.isEmpty else {
            throw CommandError(
                .usage, "'predicate update' needs a value to give", hint: "--set FIELD=VALUE or --unset FIELD")
        }
        return try change.run { (transaction, type, predicate) in
            try transaction.updateAll(type, where: predicate) { record in
                for (name, value) in settings { try record.setValue(value, forKey: name) }
            }
        }
    }

    /// The fields with their values, `.null` for none.
    private static func settings(
        _ arguments: ParsedArguments, _ change: StoreChange
    ) throws(CommandError) -> [(name: String, value: FieldValue)] {
        var settings: [(name: String, value: FieldValue)] = []
        func add(_ name: String, _ value: FieldValue) throws(CommandError) {
            guard settings.allSatisfy({ $0.name != name }) else {
                throw CommandError(.usage, "the field '\(name)' is given two values")
            }
            if change.fieldTypes[name] == nil, value.isNull || !arguments.has("--new-fields") {
                throw change.unknown(field: name)
            }
            settings.append((name, value))
        }
        for text in arguments.all("--set") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].trimmed.isEmpty else {
                throw CommandError(.usage, "'--set' takes FIELD=VALUE, not '\(text)'")
            }
            let name = parts[0].trimmed
            try add(name, try value(parts[1], of: name, type: change.fieldTypes[name]))
        }
        for name in arguments.all("--unset") { try add(name, .null) }
        return settings
    }

    /// A value as the field's type has it.
    private static func value(
        _ text: String, of name: String, type: FieldType?
    ) throws(CommandError) -> FieldValue {
        let value = try ParsedArguments.value(text, of: "--set \(name)")
        switch type {
        case .string:
            if case .string = value { return value }
            return .string(text)
        case .date:
            guard case .string(let written) = value else { return value }
            guard let date = CivilZone.date(written) else {
                throw CommandError(
                    .usage, "'\(written)' is no date for '\(name)'", hint: "2026-01-31 or 2026-01-31T12:00:00Z")
            }
            return .date(date)
        case .reference:
            guard case .string(let target) = value else { return value }
            return .reference(RecordReference(target))
        default: return value
        }
    }
}

/// `predicate delete FOLDER PREDICATE`
enum DeleteCommand: Command {
    static let specification = CommandSpecification(
        name: "delete", operands: "FOLDER PREDICATE",
        summary: "Delete the records of a store that match.",
        discussion: """
            Records that refer to a deleted one with the action deleteSelf go with it. All are deleted together,
            or none. On a terminal the number of records is told, and a yes does it; elsewhere --yes says it.
            TRUEPREDICATE is all records.
            Exit status: 0 when a record was deleted (or would be), 1 when none matches.
            """,
        options: StoreChange.options,
        examples: [Example("old records", "predicate delete events.store \"time < '2020-01-01'\" --type Event --yes")])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let change = try StoreChange(arguments, for: "delete", verb: "delete", done: "deleted", session)
        return try change.run { (transaction, type, predicate) in try transaction.deleteAll(type, where: predicate) }
    }
}

/// A change of the records of a store that match a predicate.
private struct StoreChange {
    static let options =
        [
            OptionSpecification(
                "--type", letter: "-t", value: "TYPE", "Records of this type, where there are several."),
            OptionSpecification("--yes", letter: "-y", "Do it without a confirmation."),
            OptionSpecification("--dry-run", "Only tell how many records there are."),
        ] + SharedOptions.values + StoreOperand.options + SharedOptions.messages + [SharedOptions.quiet]

    private let container: Container
    private let database: Database
    private let type: String
    private let predicate: RecordPredicate
    private let arguments: ParsedArguments
    private let words: (verb: String, done: String)
    private let session: Session
    /// The types of the type's fields.
    let fieldTypes: [String: FieldType]

    init(
        _ arguments: ParsedArguments, for name: String, verb: String, done: String, _ session: Session
    ) throws(CommandError) {
        let operand = try StoreOperand(arguments, for: name)
        guard StoreOperand.isStore(operand.path) else {
            let path = ShellWord.quoted(operand.path)
            throw CommandError(
                FilePath.isReadableFile(operand.path) ? .usage : .inputOutput,
                "'\(operand.path)' is no store, and only records of a store are \(done)",
                hint: "predicate import places.store \(path) makes one of a file")
        }
        guard arguments.operands.count == 2 else {
            throw CommandError(
                .usage,
                arguments.operands.count < 2
                    ? "'predicate \(name)' needs a predicate" : "'predicate \(name)' takes a store and one predicate",
                hint: "TRUEPREDICATE is all records of a type")
        }
        let (values, variables) = (try arguments.formatArguments(), try arguments.variables())
        do throws(RecordPredicateError) {
            predicate = try RecordPredicate(arguments.operands[1], values, dialect: .full).substituting(variables)
        } catch {
            throw CommandError(error)
        }
        self.arguments = arguments
        self.session = session
        words = (verb, done)
        container = try operand.open(StorageOptions(), session)
        database = operand.database(of: container)
        let schema = container.schema
        type = try Self.type(arguments["--type"], schema)
        fieldTypes = schema.recordTypes[type]?.fields.mapValues(\.type) ?? [:]
    }

    /// The type requested, or the only one.
    private static func type(_ name: String?, _ schema: ContainerSchema) throws(CommandError) -> String {
        let types = schema.recordTypes.keys.filter { $0 != ContainerSchema.userRecordType }.sorted()
        if let name {
            if types.contains(name) { return name }
            throw CommandError(
                .usage, "the store has no record type '\(name)'",
                hint: EditDistance.closest(to: name, in: types).map { "did you mean '\($0)'?" }
                    ?? "its types are " + types.joined(separator: ", "))
        }
        guard types.count == 1 else {
            throw CommandError(
                .usage, types.isEmpty ? "the store has no records" : "the store has several record types",
                hint: types.isEmpty ? nil : "--type names one: " + types.joined(separator: ", "))
        }
        return types[0]
    }

    /// Changes the records, when that is wanted.
    /// - Parameter body: Changes them in a transaction; it returns how many they are.
    func run(
        _ body: @escaping @Sendable (DatabaseTransaction, String, RecordPredicate) throws -> Int
    ) throws(CommandError) -> ExitStatus {
        defer { container.close() }
        let (type, predicate) = (type, predicate)
        do {
            let records = try database.snapshot().records(ofType: type)
            let count = try records.count(matching: predicate)
            let of = "\(text(of: count)) of \(records.count.grouped)"
            guard count > 0 else {
                if !arguments.has("--quiet") { session.note("no record matches, of \(records.count.grouped)") }
                return .noMatch
            }
            if arguments.has("--dry-run") {
                session.note("\(of) would be \(words.done)")
                return .success
            }
            guard try isWanted("\(words.verb) \(of)?") else { return .usage }
            let changed = try database.writeNow { try body($0, type, predicate) }
            if !arguments.has("--quiet") { session.note("\(text(of: changed)) \(words.done)") }
            return changed == 0 ? .noMatch : .success
        } catch let error as RecordPredicateError {
            throw CommandError(error)
        } catch let error as DatabaseError {
            throw CommandError(error)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.inputOutput, "\(error)")
        }
    }

    /// What is said of a field that the type lacks.
    func unknown(field name: String) -> CommandError {
        let near = EditDistance.closest(to: name, in: fieldTypes.keys.sorted())
        return CommandError(
            .usage, "'\(type)' has no field '\(name)'",
            hint: near.map { "did you mean '\($0)'?" } ?? "--new-fields lets --set define it")
    }

    private func text(of count: Int) -> String { "\(count.grouped) \(count == 1 ? "record" : "records")" }

    /// Whether whoever is at the terminal says yes.
    private func isWanted(_ offer: String) throws(CommandError) -> Bool {
        if arguments.has("--yes") { return true }
        guard StandardStream.input.isTerminal else {
            throw CommandError(
                .usage, "nobody can confirm: \(offer)", hint: "--yes does it, --dry-run only tells how many")
        }
        session.messages.write(offer + " [y/N] ")
        session.messages.flush()
        var reader = LineReader.standardInput()
        let reply = try reader.next().map { String(decoding: $0, as: UTF8.self).trimmed.lowercased() }
        if reply == "y" || reply == "yes" { return true }
        session.note("nothing was \(words.done)")
        return false
    }
}
