// predicate schema: what fields the records of a file have.

import RecordDatabase
import TextAnalysis

/// `predicate schema [FILE…]`
enum SchemaCommand: Command {
    static let specification = CommandSpecification(
        name: "schema",
        operands: "[FILE…]",
        summary: "Print the fields of record files: types, presence, distinct values, ranges.",
        discussion: """
            Counts of distinct values above 4,096 are estimates, within a few per cent, and marked with ~. 'ckdb' is \
            CloudKit's
            schema language: the schema of a store, or one that the records of files fit.
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
        let set = try InputFiles(arguments, files: arguments.operands).load(session)
        if arguments["--format"] == "ckdb" {
            var schema = set.storedSchema ?? ContainerSchema()
            if set.storedSchema == nil { _ = schema.define(set.schemas, except: SystemKeys.all) }
            session.output.write(schema.text)
            return .success
        }
        let terminal = StandardStream.output.isTerminal
        let format = arguments["--format"].flatMap(OutputFormat.init) ?? (terminal ? .table : .ndjson)
        let width = try arguments.count("--width") ?? StandardStream.tableColumns
        SchemaPrinter(set: set, format: format, width: width, session: session).write()
        return .success
    }
}

/// Writes the schema of a record set.
struct SchemaPrinter {
    var set: RecordSet
    var format: OutputFormat
    var width: Int?
    var session: Session
    /// Only the type of this name, or fields that begin with it; empty for all.
    var only = ""

    /// Writes one table a record type, or one line a field.
    func write() {
        for (index, schema) in shown.enumerated() {
            let ordinals = set.ordinals(ofType: schema.recordType)
            if format == .ndjson {
                for field in schema.fields { line(field, schema, ordinals) }
                continue
            }
            if index > 0 { session.output.write("\n") }
            let name = schema.recordType.isEmpty ? "records" : schema.recordType
            session.output.write(session.outputStyle.bold(ValueText.singleLine(name)) + ": \(ordinals.count.grouped)\n")
            table(schema, ordinals)
        }
    }

    /// The types, with the fields requested.
    private var shown: [RecordSchema] {
        if only.isEmpty { return set.schemas }
        let types = set.schemas.filter { $0.recordType == only }
        if !types.isEmpty { return types }
        return set.schemas.compactMap { schema in
            let fields = schema.fields.filter { FuzzyMatch.begins($0.name, with: only) }
            return fields.isEmpty ? nil : RecordSchema(recordType: schema.recordType, fields: fields)
        }
    }

    private func summary(of field: FieldDefinition, _ ordinals: [Int]) -> FieldSummary {
        var summary = FieldSummary()
        for ordinal in ordinals { summary.insert(set.value(of: .field(field.name), at: ordinal)) }
        return summary
    }

    private func table(_ schema: RecordSchema, _ ordinals: [Int]) {
        var table = TableWriter(
            format,
            columns: [
                .init(title: "field", isNumeric: false), .init(title: "type", isNumeric: false),
                .init(title: "present", isNumeric: true), .init(title: "distinct", isNumeric: true),
                .init(title: "values", isNumeric: false),
            ], available: width, style: session.outputStyle, writer: session.output)
        for field in schema.fields {
            let summary = summary(of: field, ordinals)
            table.append([
                field.name, field.type.name, Self.percent(summary.present, of: ordinals.count),
                (summary.distinct.isExact ? "" : "~") + summary.distinct.count.grouped, summary.values,
            ])
        }
        table.finish()
    }

    private func line(_ field: FieldDefinition, _ schema: RecordSchema, _ ordinals: [Int]) {
        let summary = summary(of: field, ordinals)
        let json = JSONValue.members([
            "type": .string(schema.recordType), "field": .string(field.name), "fieldType": .string(field.type.name),
            "records": .int64(Int64(ordinals.count)), "present": .int64(Int64(summary.present)),
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
