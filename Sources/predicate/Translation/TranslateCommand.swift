// predicate translate: the same predicate in another language.

import PredicateSyntax
import RecordDatabase

/// `predicate translate --to LANGUAGE PREDICATE [FILE…]`
enum TranslateCommand: Command {
    private static let languages = ["sql", "nspredicate", "cloudkit-json", "swift"]

    static let specification = CommandSpecification(
        name: "translate",
        operands: "[PREDICATE] [FILE…]",
        summary: "Write a predicate in another language.",
        discussion: """
            Takes one predicate, a file of predicates (-p), or standard input with one a line. Record files tell the \
            types
            of fields, which some translations need.
            sql writes the condition of a WHERE clause that is true exactly where the predicate holds: each field a \
            column
            of its name; dates as timestamptz, in SQLite as RFC 3339 text with capital T and Z, compared by whole
            milliseconds; lists as arrays, in SQLite as JSON text; places as geography of PostGIS; texts in Unicode's
            normal form C; in PostgreSQL whole numbers within 2^53 where fractions meet them. Distances are those of
            PostGIS (ST_Distance), right to 19 nanometres: a place at the very limit may be on its other side. What else
            has no exact counterpart is rejected by name, and so are texts and names that the language cannot quote:
            those with a NUL, and in PostgreSQL names of over 63 bytes.
            nspredicate writes the format text of Foundation's NSPredicate; cloudkit-json the filterBy of a query of
            CloudKit's web service; swift a call of the builder, where parts that it has no words for stay text.
            """,
        options: [
            OptionSpecification(
                "--to", value: "LANGUAGE", choices: languages,
                languages.joined(separator: ", ") + "."),
            OptionSpecification(
                "--database", value: "NAME", choices: SQLDatabase.allCases.map(\.rawValue),
                "Whose SQL: sqlite (default) or postgresql."),
            OptionSpecification("--parameters", "Constants of SQL as parameters, and not as literals."),
            OptionSpecification(
                "--table", value: "NAME", "A whole SELECT from this table, and not the condition alone."),
            OptionSpecification(
                "--format", letter: "-o", value: "FORMAT", choices: ["text", "json"],
                "text (default), or json: an object a line, with the parameters."),
            OptionSpecification(
                "--swift-type", value: "TYPE", "The type that the builder is called on (default: Record)."),
            PredicateInput.option,
        ] + SharedOptions.values + SharedOptions.records + [SharedOptions.dialect] + SharedOptions.messages,
        examples: [
            Example("for SQLite", "predicate translate --to sql \"country == 'CH' AND NOT (elevation > 1000)\""),
            Example(
                "for PostgreSQL, with parameters",
                "predicate translate --to sql --database postgresql --parameters --format json 'name CONTAINS \"x\"'"),
            Example("for the builder", "predicate translate --to swift --swift-type City \"name CONTAINS[cd] 'san'\""),
            Example("for NSPredicate", "predicate translate --to nspredicate 'age=<3 && name<>%@' -a x"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard let language = arguments["--to"] else {
            throw CommandError(
                .usage, "'predicate translate' needs the language: --to " + languages.joined(separator: ", "),
                hint: "for example: predicate translate --to sql 'a > 3'")
        }
        let database = arguments["--database"].flatMap(SQLDatabase.init) ?? .sqlite
        if let table = arguments["--table"], let what = database.invalidity(ofName: table) {
            throw CommandError(.usage, "'--table': \(database.name) has no counterpart for \(what)")
        }
        let type = arguments["--swift-type"] ?? "Record"
        guard SwiftTranslator.isType(type) else {
            throw CommandError(
                .usage, "'--swift-type': '\(type)' is not the name of a type", hint: "for example: City, or Model.City")
        }
        let input = try PredicateInput(arguments, command: "translate")
        let records =
            input.operands.isEmpty ? nil : try InputFiles(arguments, files: input.operands).load(session)
        let translation = Translation(
            language: language, type: type, database: database,
            usesParameters: arguments.has("--parameters"), table: arguments["--table"], records: records,
            dialect: arguments["--dialect"] == "cloudKit" ? .cloudKit : .full,
            arguments: try arguments.formatArguments(), variables: try arguments.variables())
        var status = ExitStatus.success
        for line in input.predicates {
            do throws(CommandError) {
                let result = try translation.result(of: line)
                session.output.write((arguments["--format"] == "json" ? result.json : result.text) + "\n")
            } catch {
                session.report(line.located(error))
                status = error.status
            }
        }
        return status
    }
}

/// How predicates of a call are translated.
struct Translation {
    var language: String
    /// The Swift type for the builder.
    var type: String
    var database: SQLDatabase
    var usesParameters: Bool
    var table: String?
    var records: RecordSet?
    var dialect: Dialect
    var arguments: [FieldValue]
    var variables: [String: FieldValue]

    /// A translated predicate.
    struct Result {
        /// `sql`, `format`, `filterBy` or `swift`.
        var key: String
        var translation: String
        var parameters: [FieldValue] = []

        /// The translation; values that go with it on a line of their own.
        var text: String {
            if parameters.isEmpty { return translation }
            return translation + "\n" + (key == "sql" ? "-- parameters: " : "# arguments: ")
                + FieldValue.list(parameters).json
        }

        /// The translation and its values as an object.
        var json: String {
            JSONValue.members([
                key: (key == "filterBy" ? try? JSONReader.tree(translation) : nil) ?? .string(translation),
                "parameters": (try? JSONReader.tree(FieldValue.list(parameters).json)) ?? .array([]),
            ]).text
        }
    }

    /// The translation of a line.
    /// - Throws: `CommandError` with the place of what is wrong, or of what has no counterpart.
    func result(of line: PredicateLine) throws(CommandError) -> Result {
        let tree: SyntaxTree
        let predicate: RecordPredicate
        let bound: BoundPredicate
        do throws(RecordPredicateError) {
            tree = try RecordPredicate.tree(of: line.text, dialect)
            predicate = try RecordPredicate(tree, arguments: tree.placeholders.isEmpty ? [] : arguments)
            let names = try Binder().bind(predicate, variables: variables).fieldNames
            let binder = records?.binder(alsoKnowing: names) ?? Binder()
            bound = try binder.bind(predicate, variables: variables)
        } catch {
            throw CommandError(error)
        }
        do throws(TranslationRejection) {
            if language == "cloudkit-json" {
                let filled = predicate.substituting(variables)
                return Result(key: "filterBy", translation: try FilterTranslator().filters(of: filled, bound.root))
            }
            if language == "swift" {
                return Result(key: "swift", translation: try SwiftTranslator(type: type).call(bound.root))
            }
            if language == "nspredicate" {
                let filled = predicate.substituting(variables)
                let (format, values) = try NSPredicateTranslator().translation(of: filled, tree)
                return Result(key: "format", translation: format, parameters: values)
            }
            var translator = SQLTranslator(database, usesParameters: usesParameters)
            let condition = try translator.condition(bound.root).text
            let sql = table.map { "SELECT * FROM \(database.quoted(name: $0)) WHERE \(condition)" } ?? condition
            return Result(key: "sql", translation: sql, parameters: translator.parameters)
        } catch {
            throw CommandError(error, in: line.text)
        }
    }
}
