// predicate schema: what fields the records of a file have.

import RecordDatabase

/// `predicate schema [FILE…]`
enum SchemaCommand: Command {
    static let specification = CommandSpecification(
        name: "schema",
        operands: "[FILE…]",
        summary: "Print the fields of record files: types, presence, distinct values, ranges.",
        discussion: """
            Counts of distinct values above 4,096 are estimates, within a few per cent, and marked with ~. 'ckdb' is \
            CloudKit's
            schema language: the schema of a store, or one that the records of files fit. Of a container on a PostgreSQL
            server (postgresql://…) it is read alone, and counts are made of records that come in portions.
            """,
        options: [
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["table", "box", "markdown", "ndjson", "ckdb"],
                "table, box, markdown, ndjson or ckdb."),
            OptionSpecification("--width", value: "N", "Columns for tables (default: the terminal's)."),
        ] + SharedOptions.records + SharedOptions.messages,
        examples: [
            Example("fields of a file", "predicate schema cities.ndjson"),
            Example("of a store, for CloudKit", "predicate schema places.store -o ckdb > app.ckdb"),
            Example("of a CSV file, for a document", "predicate schema --format markdown people.csv"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        let input = try InputFiles(arguments, files: arguments.operands)
        let server = input.isOnServer ? input.store : nil
        if arguments["--format"] == "ckdb" {
            if let server {
                session.output.write(try server.schema().text)
                return .success
            }
            let set = try input.load(session)
            var schema = set.storedSchema ?? ContainerSchema()
            if set.storedSchema == nil { _ = schema.define(set.schemas, except: SystemKeys.all) }
            session.output.write(schema.text)
            return .success
        }
        let terminal = StandardStream.output.isTerminal
        let format = arguments["--format"].flatMap(OutputFormat.init) ?? (terminal ? .table : .ndjson)
        let width = try arguments.count("--width") ?? StandardStream.tableColumns
        var summary = SchemaSummary()
        if let server {
            try server.withPortions(ofType: input.type) { records throws(DatabaseError) in
                try records.forEach(of: records.types) { summary.take($0) }
            }
        } else {
            summary.take(try input.load(session))
        }
        SchemaPrinter(summary: summary, format: format, width: width, session: session).write()
        return .success
    }
}

/// Writes what records have of fields.
struct SchemaPrinter {
    let summary: SchemaSummary
    let format: OutputFormat
    let width: Int?
    let session: Session

    /// Writes one table a record type, or one line a field.
    func write() {
        for (index, type) in summary.types.enumerated() {
            if format == .ndjson {
                for field in type.schema.fields { line(field, type) }
                continue
            }
            if index > 0 { session.output.write("\n") }
            let name = type.schema.recordType.isEmpty ? "records" : type.schema.recordType
            session.output.write(session.outputStyle.bold(ValueText.singleLine(name)) + ": \(type.count.grouped)\n")
            table(type)
        }
    }

    private func table(_ type: SchemaSummary.OfType) {
        var table = TableWriter(
            format,
            columns: [
                .init(title: "field", isNumeric: false), .init(title: "type", isNumeric: false),
                .init(title: "present", isNumeric: true), .init(title: "distinct", isNumeric: true),
                .init(title: "values", isNumeric: false),
            ], available: width, style: session.outputStyle, writer: session.output)
        for field in type.schema.fields {
            let summary = type[field.name]
            table.append([
                field.name, field.type.name, Self.percent(summary.present, of: type.count),
                (summary.distinct.isExact ? "" : "~") + summary.distinct.count.grouped, summary.values,
            ])
        }
        table.finish()
    }

    private func line(_ field: FieldDefinition, _ type: SchemaSummary.OfType) {
        let summary = type[field.name]
        let json = JSONValue.members([
            "type": .string(type.schema.recordType), "field": .string(field.name),
            "fieldType": .string(field.type.name), "records": .int64(Int64(type.count)),
            "present": .int64(Int64(summary.present)),
            "distinct": .int64(Int64(summary.distinct.count)), "isExact": .bool(summary.distinct.isExact),
            "values": .string(summary.values),
        ])
        session.output.write(json.text + "\n")
    }

    private static func percent(_ part: Int, of whole: Int) -> String {
        if whole == 0 { return "" }
        let tenths = part * 1000 / whole
        return "\(tenths / 10).\(tenths % 10) %"
    }
}

extension FieldType {
    /// The type's name for people: `list of string`.
    var name: String {
        switch self {
        case .int64: "int64"
        case .double: "double"
        case .number: "number"
        case .bool: "bool"
        case .string: "string"
        case .date: "date"
        case .data: "data"
        case .location: "location"
        case .reference: "reference"
        case .asset: "asset"
        case .list(let element): element.map { "list of \($0.name)" } ?? "list"
        case .object: "object"
        case .any: "any"
        }
    }
}
