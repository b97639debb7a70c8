// predicate export: the records of a store as text.

import FoundationEssentials
import RecordDatabase

/// `predicate export FOLDER`
enum ExportCommand: Command {
    static let specification = CommandSpecification(
        name: "export", operands: "FOLDER",
        summary: "Print the records of a store as NDJSON, JSON, CSV or TSV.",
        discussion: """
            What is printed can be imported again without loss. Every record has its name and type under the keys that
            'predicate import' reads, '$zone' outside of the default zone, '$parent' below another record, and the
            fields that were saved. Values that JSON has not: {"$date": ...}, {"$data": base64}, {"$double": "NaN"},
            {"$asset": path}, {"latitude", "longitude", "details"}, {"reference", "action", "zone", "owner"};
            {"$string": text} for texts that look like dates. Titles of columns tell types (population:INT64);
            texts, numbers, dates and base64 are written in cells unchanged, all else as JSON; an empty cell is no
            value, "" an empty text.
            Of a container on a PostgreSQL server (postgresql://…) records are read and written in portions: memory
            does not grow with them. All are of one moment, on several servers of one for each; columns, and lists, have
            them read twice.
            """,
        options: [
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["ndjson", "json", "csv", "tsv"],
                "ndjson (default), json, csv or tsv."),
            OptionSpecification("--type", letter: "-t", value: "TYPE", "Only records of this type."),
            OptionSpecification("--id-field", value: "NAME", "Key of the record's name (default: id)."),
            OptionSpecification("--type-field", value: "NAME", "Key of the record's type (default: type)."),
            OptionSpecification(
                "--system-fields",
                "Also when and by whom records were saved, and their change tags; 'predicate import' passes over "
                    + "them."),
            OptionSpecification(
                "--assets", value: "FOLDER",
                "Copy files of assets into a folder, and name them there (default: where they are)."),
        ] + StoreOperand.options + SharedOptions.messages,
        examples: [
            Example("all records", "predicate export places.store > places.ndjson"),
            Example("a table", "predicate export places.store --type City -o csv > cities.csv"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let operand = try StoreOperand(arguments, for: "export")
        var options = RecordExport.Options()
        if let key = arguments["--id-field"] { options.idKey = key }
        if let key = arguments["--type-field"] { options.typeKey = key }
        options.includesSystemFields = arguments.has("--system-fields")
        options.assetFolder = arguments["--assets"].map { URL(filePath: $0) }
        let format = arguments["--format"].flatMap(RecordFormat.init) ?? .ndjson
        if operand.isServer {
            try operand.withPortions(ofType: arguments["--type"]) { records throws(DatabaseError) in
                try RecordExport.write(records, as: format, options: options) { session.output.append(&$0) }
            }
            return .success
        }
        let set = try operand.records(ofType: arguments["--type"])
        do {
            try RecordExport(set, as: format, options: options).write { session.output.append(&$0) }
        } catch {
            throw CommandError(error as? DatabaseError ?? DatabaseError(.internalError, "\(error)"))
        }
        return .success
    }
}
