// predicate diff: do two predicates mean the same?

import RecordDatabase

/// `predicate diff A B [FILE…]`
enum DiffCommand: Command {
    static let specification = CommandSpecification(
        name: "diff",
        operands: "A B [FILE…]",
        summary: "Tell two predicates apart by a record, or say that none was found.",
        discussion: """
            Prints 'equivalent' when both come to the same after simplification. Else it tries the records of the files,
            and records made of the constants in both predicates and of values just beside them, and prints the first
            that tells them apart, with both results, as one JSON object; or 'no difference found in N records'.
            A record for which one of them fails, such as text where a number is ordered, does not count; where no made
            record suits both, that is an error.
            Exit status: 0 when no difference was found, 1 when one was.
            """,
        options: [
            OptionSpecification("--records", value: "N", "How many records to make (default: 100000)."),
            OptionSpecification("--seed", value: "N", "Where chance begins (default: 1)."),
            SharedOptions.dialect,
        ] + SharedOptions.values + SharedOptions.records + SharedOptions.messages,
        examples: [
            Example("the same", "predicate diff 'NOT (a != 1 OR b == 2)' 'b != 2 AND 1 == a'"),
            Example("not the same", "predicate diff 'age >= 18' 'age > 18'"),
            Example(
                "by the records of a file too",
                "predicate diff \"name LIKE 'B*'\" \"name BEGINSWITH[c] 'b'\" cities.ndjson"),
        ])

    static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandError) -> ExitStatus {
        guard arguments.operands.count >= 2 else {
            throw CommandError(
                .usage, "'predicate diff' takes two predicates",
                hint: "for example: predicate diff 'age >= 18' 'age > 18'")
        }
        let files = Array(arguments.operands.dropFirst(2))
        let records = files.isEmpty ? nil : try InputFiles(arguments, files: files).load(session)
        let first = try bind(arguments.operands[0], arguments, records)
        let second = try bind(arguments.operands[1], arguments, records)
        if let text = NormalForm.text(of: first), text == NormalForm.text(of: second), !first.usesContext {
            session.output.write("equivalent\n")
            return .success
        }
        let seed = UInt64(try arguments.count("--seed") ?? 1)
        let count = try arguments.count("--records") ?? 100_000
        let wholeFields = records.map(wholeFields) ?? []
        var search = DifferenceSearch(first, second, seed: seed, wholeFields: wholeFields)
        var found = records.flatMap { search.search(in: $0) } ?? search.search(count: count, basedOn: records)
        if found == nil, !wholeFields.isEmpty {
            search = DifferenceSearch(first, second, seed: seed)
            found = search.search(count: count, basedOn: records)
            if found != nil {
                session.note(
                    session.messageStyle.cyan("note: ")
                        + "no record with whole numbers, where the files have them, tells the two apart")
            }
        }
        guard let found else {
            // Those were the records without a value, or with an empty list.
            if records == nil, search.tried <= 2, search.failed > search.tried, count > 100 {
                throw CommandError(
                    .usage, "no made record suits both predicates: nothing is known of their difference",
                    hint: "give files with records of the fields")
            }
            let failures = search.failed > 0 ? "; one of them failed for \(search.failed.grouped) more" : ""
            session.output.write("no difference found in \(search.tried.grouped) records\(failures)\n")
            return .success
        }
        let json = JSONValue.members([
            "A": .bool(found.first), "B": .bool(found.second),
            "record": (try? JSONReader.tree(FieldValue.object(found.record.fields).json)) ?? .null,
        ])
        session.output.write(json.text + "\n")
        return .noMatch
    }

    /// The fields that hold whole numbers in all records.
    private static func wholeFields(of records: RecordSet) -> Set<String> {
        let fields = records.schemas.flatMap(\.fields)
        let others = Set(fields.filter { $0.type != .int64 }.map(\.name))
        return Set(fields.map(\.name)).subtracting(others)
    }

    private static func bind(
        _ text: String, _ arguments: ParsedArguments, _ records: RecordSet?
    ) throws(CommandError) -> BoundPredicate {
        let values = try arguments.formatArguments()
        let variables = try arguments.variables()
        let bound: BoundPredicate
        do throws(RecordPredicateError) {
            let dialect: Dialect = arguments["--dialect"] == "cloudKit" ? .cloudKit : .full
            let tree = try RecordPredicate.tree(of: text, dialect)
            let predicate = try RecordPredicate(tree, arguments: tree.placeholders.isEmpty ? [] : values)
            let names = try Binder().bind(predicate, variables: variables).fieldNames
            let binder = records?.binder(alsoKnowing: names) ?? Binder()
            bound = try binder.bind(predicate, variables: variables)
        } catch {
            throw CommandError(error)
        }
        if let name = bound.openVariables.first {
            throw CommandError(.usage, "the variable $\(name) has no value", hint: "give it: --variable \(name)=VALUE")
        }
        return bound
    }
}
