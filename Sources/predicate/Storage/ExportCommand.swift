// predicate export: the records of a store as text.

import RecordDatabase

/// `predicate export FOLDER`
enum ExportCommand: Command {
    static let specification = CommandSpecification(
        name: "export", operands: "FOLDER",
        summary: "Print the records of a store as NDJSON or CSV.",
        discussion: """
            Every record has its name and type under the keys that 'predicate import' reads, and the fields that were saved;
            what the database wrote about it is left out. NDJSON has a form for every value; CSV is for one type.
            """,
        options: [
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["ndjson", "csv"], "ndjson (default) or csv."),
            OptionSpecification("--type", letter: "-t", value: "TYPE", "Only records of this type."),
            OptionSpecification("--id-field", value: "NAME", "Key of the record's name (default: id)."),
            OptionSpecification("--type-field", value: "NAME", "Key of the record's type (default: type)."),
        ] + StoreOperand.options + SharedOptions.messages,
        examples: [
            Example("all records", "predicate export places.store > places.ndjson"),
            Example("a table", "predicate export places.store --type City -o csv > cities.csv"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let set = try StoreOperand(arguments, for: "export").records(ofType: arguments["--type"])
        let idKey = arguments["--id-field"] ?? "id"
        let typeKey = arguments["--type-field"] ?? "type"
        let ordinals = arguments["--type"].map { set.ordinals(ofType: $0) } ?? Array(0..<set.count)
        let fields = set.writtenFields
        if let clash = [idKey, typeKey].first(where: fields.contains) {
            throw CommandError(
                .usage, "the records have a field '\(clash)' of their own",
                hint: "--id-field and --type-field name other keys")
        }
        if arguments["--format"] == "csv" {
            var writer = CSVWriter()
            for name in [idKey, typeKey] + fields { writer.write(name) }
            writer.endLine()
            for ordinal in ordinals {
                writer.write(set.recordName(at: ordinal))
                writer.write(set.recordType(at: ordinal))
                for field in fields { writer.write(set.value(of: .field(field), at: ordinal)) }
                writer.endLine()
                session.output.append(&writer.bytes)
            }
            session.output.append(&writer.bytes)
        } else {
            for ordinal in ordinals {
                set.appendJSON(of: ordinal, idKey: idKey, typeKey: typeKey, fields: fields, to: &session.output.bytes)
                session.output.flushIfFull()
            }
        }
        return .success
    }
}
