// Everything of a query but its predicate, from options or dot commands; and running it.

import PredicateEditing
import PredicateSyntax
import RecordDatabase
import TextAnalysis

/// Everything of a query but its predicate.
struct QuerySettings {
    var format: OutputFormat
    var dialect: String?
    var arguments: [FieldValue] = []
    var variables: [String: FieldValue] = [:]
    var sort: [SortKey] = []
    /// The locales of keys whose texts are ordered by the rules of a language.
    var locales: [SortKey: String] = [:]
    var limit: Int?
    var offset = 0
    var fields: [FieldSelector]?
    /// Columns for tables, where told; else the terminal's.
    var width: Int?
    var isExplained = false
    /// Whether records show the words around what token comparisons look for.
    var showsSnippets = false
    /// How many words a snippet has at most.
    var snippetWords = 16
    /// Whether explanations are JSON.
    var explainsAsJSON = false
    /// Whether explanations have the values that a server was told.
    var showsValues = false
    /// Whether queries that would read every record are rejected.
    var refusesScans = false
    /// Whether a line of counts and times follows on standard error.
    var showsTimer = false
    /// The fields that are references by a key, and are shown as the key.
    var joined: Set<String> = []
    /// How to choose columns, for a note that some had no room.
    var columnsHint = "--fields chooses"

    /// Settings of a format, all others at their defaults.
    init(format: OutputFormat) { self.format = format }

    /// Settings from the options of `predicate query`.
    /// - Throws: `CommandError` of status `usage`.
    init(_ options: ParsedArguments) throws(CommandError) {
        let standard: OutputFormat = StandardStream.output.isTerminal ? .table : .ndjson
        format = options.has("--count") ? .count : options["--format"].flatMap(OutputFormat.init) ?? standard
        dialect = options["--dialect"]
        arguments = try options.formatArguments()
        variables = try options.variables()
        for text in options.all("--sort") {
            let (key, locale) = try FieldSelector.collatedKey(text)
            sort.append(key)
            if let locale { locales[key] = locale }
        }
        limit = try options.count("--limit")
        offset = try options.count("--offset") ?? 0
        if let list = options["--fields"] { fields = try FieldSelector.list(list) }
        width = try options.count("--width")
        isExplained = options.has("--explain")
        snippetWords = try options.count("--snippet-words") ?? snippetWords
        showsSnippets = options.has("--snippets") || options["--snippet-words"] != nil
        explainsAsJSON = options["--explain"] == "json"
        showsValues = options.has("--show-values")
        refusesScans = options.has("--refuse-scans")
        joined = InputFiles(options, paths: []).joinedFields
        showsTimer = format.isTable && StandardStream.error.isTerminal
    }

    /// Columns for tables; `nil` for lines of any length, where nobody limits them.
    var tableWidth: Int? { width ?? StandardStream.tableColumns }

    /// Whether records may be printed as their files have them.
    var printsSource: Bool {
        (format == .ndjson || format == .json || format == .geojson) && fields == nil && !isExplained && !showsSnippets
    }

    /// The query of a predicate text.
    /// - Throws: `CommandError` with the place of what is wrong.
    func query(_ text: String) throws(CommandError) -> Query {
        do throws(RecordPredicateError) {
            let dialect: Dialect = dialect == "cloudKit" ? .cloudKit : .full
            let predicate = try RecordPredicate(text, arguments, dialect: dialect)
            return Query(predicate: predicate, settings: self)
        } catch {
            throw CommandError(error)
        }
    }
}

/// A predicate with its settings, ready to run.
struct Query {
    var predicate: RecordPredicate
    var settings: QuerySettings

    /// Finds and writes the matching records, or says how they were found.
    /// - Returns: `success` when a record matches, else `noMatch`.
    /// - Throws: `CommandError` with the place of what is wrong.
    func run(on set: RecordSet, _ session: Session) throws(CommandError) -> ExitStatus {
        let selection: RecordSet.Selection
        do throws(RecordPredicateError) { selection = try select(from: set) } catch { throw CommandError(error) }
        try write(selection, of: set, session)
        return selection.ordinals.isEmpty ? .noMatch : .success
    }

    /// Finds the matching records.
    /// - Throws: `RecordPredicateError` with the place of what is wrong.
    func select(from set: RecordSet) throws(RecordPredicateError) -> RecordSet.Selection {
        // A bare count needs no order.
        let sort = settings.format == .count ? [] : settings.sort
        if !sort.isEmpty, !settings.locales.isEmpty {
            var selection = try set.select(predicate, variables: settings.variables, sortedBy: sort)
            let sorted = CollatedOrder(sort, settings.locales).sorted(
                selection.ordinals, resultValues(selection, of: set))
            let scores = Dictionary(zip(selection.ordinals, selection.scores ?? [])) { first, _ in first }
            selection.ordinals = Array(sorted.dropFirst(settings.offset).prefix(settings.limit ?? .max))
            if selection.scores != nil { selection.scores = selection.ordinals.map { scores[$0] ?? 0 } }
            return selection
        }
        return try set.select(
            predicate, variables: settings.variables, sortedBy: sort, limit: settings.limit, offset: settings.offset)
    }

    /// Writes the records found, or says how they were found; what is worth knowing besides goes to standard error.
    /// - Throws: `CommandError` when a step of the plan fails, or a record's file cannot be read again.
    func write(_ selection: RecordSet.Selection, of set: RecordSet, _ session: Session) throws(CommandError) {
        let shown = settings.sort.map(\.criterion) + (settings.fields ?? []).map(\.criterion)
        var noted: Set<String> = []
        for field in selection.unknownFields + set.unknownFields(among: shown)
        where noted.insert(field.name).inserted {
            session.remark(onUnknown: field)
        }
        if settings.explainsAsJSON {
            session.output.write(try explanation(on: set).json + "\n")
            return
        }
        if settings.isExplained {
            session.output.write(
                ValueText.message(selection.explanation(style: session.outputStyle), session.outputStyle))
            session.output.write(ValueText.message(try explanation(on: set).description, session.outputStyle))
            return
        }
        if settings.limit != 0 { tellSlips(over: set, hasMatches: !selection.ordinals.isEmpty, session) }
        let hidden = try writeRecords(selection, of: set, session)
        guard settings.showsTimer else { return }
        for line in summary(of: selection, hidden: hidden) { session.note(session.messageStyle.dim(line)) }
    }

    /// How many records there were, and which columns had no room: in one line where it fits the terminal.
    private func summary(of selection: RecordSet.Selection, hidden: [String]) -> [String] {
        guard !hidden.isEmpty else { return [selection.summary] }
        let more = hidden.count > 5 ? " and \(hidden.count - 4) more" : ""
        let names = more.isEmpty ? hidden[...] : hidden.prefix(4)
        let rest = "no room for \(names.joined(separator: ", "))\(more) (\(settings.columnsHint))"
        let line = selection.summary + "; " + rest
        guard let columns = settings.tableWidth, TextWidth.columns(of: line) >= columns else { return [line] }
        return [selection.summary] + WrappedText.lines(of: rest, columns: columns - 1)
    }

    /// What could not have matched, where nothing did, and what was hardly meant.
    ///
    /// - Parameter counts: Whether other predicates are tried on the records, which are all there are.
    func tellSlips(over set: RecordSet, hasMatches: Bool, counts: Bool = true, _ session: Session) {
        guard set.count > 0 else { return }
        let linter = Linter(
            records: set, dialect: settings.dialect == "cloudKit" ? .cloudKit : .full, arguments: settings.arguments,
            variables: settings.variables)
        let slips = linter.slips(in: predicate.text, hasMatches: hasMatches).prefix(2)
        for finding in slips {
            session.note(String(finding.note(of: predicate.text, style: session.messageStyle).dropLast()))
        }
        if !counts { return }
        // Case matters to whoever types; that words are searched for with regard to it is hardly ever meant.
        if !hasMatches, slips.isEmpty, settings.showsTimer || predicate.searchesWords,
            let relaxed = linter.relaxed(predicate.text)
        {
            session.remark(Linter.note(relaxed))
        } else if !hasMatches, slips.isEmpty, settings.showsTimer,
            let (condition, count) = linter.decisive(predicate.text)
        {
            session.remark("without \(condition) \(count == 1 ? "1 record matches" : "\(count.grouped) records match")")
        }
    }

    private func explanation(on set: RecordSet) throws(CommandError) -> QueryExplanation {
        do throws(RecordPredicateError) {
            var explanation = try set.explain(predicate, variables: settings.variables)
            explanation.pushed?.showsValues = settings.showsValues
            return explanation
        } catch {
            throw CommandError(error)
        }
    }

    private func resultValues(_ selection: RecordSet.Selection, of set: RecordSet) -> ResultValues {
        var values = ResultValues(set: set)
        values.joined = settings.joined
        values.scores = Dictionary(zip(selection.ordinals, selection.scores ?? [])) { first, _ in first }
        if settings.showsSnippets {
            values.snippets = (predicate.substituting(settings.variables), settings.snippetWords)
        }
        return values
    }

    /// - Returns: titles of columns that the terminal was too narrow for.
    private func writeRecords(
        _ selection: RecordSet.Selection, of set: RecordSet, _ session: Session
    ) throws(CommandError) -> [String] {
        let computed = settings.sort.map { FieldSelector(criterion: $0.criterion) }.filter { selector in
            if case .field = selector.criterion { false } else { true }
        }
        let ordered = settings.sort.map { FieldSelector(criterion: $0.criterion).title }
        let layout = ResultWriter.Layout(
            format: settings.format, fields: settings.fields,
            extraColumns: settings.format.isTable || settings.format == .line ? computed : [],
            wanted: settings.fields == nil ? Set(ordered + selection.fieldNames) : [],
            width: settings.tableWidth, isShown: session.isOutputShown, style: session.outputStyle)
        return try ResultWriter(resultValues(selection, of: set), layout: layout, writer: session.output)
            .write(selection.ordinals)
    }
}

extension RecordPredicate {
    /// Whether a part of it is TOKENMATCHES.
    fileprivate var searchesWords: Bool {
        LexicalToken.tokens(of: text).contains { token in
            guard token.kind == .comparison else { return false }
            let word = text.utf8.dropFirst(token.range.lowerBound).prefix(token.range.count)
            return String(Substring(word)).uppercased() == "TOKENMATCHES"
        }
    }
}

extension RecordSet.Selection {
    /// One line: how many records, of how many, in what time.
    var summary: String {
        let shown = ordinals.count == 1 ? "1 record" : "\(ordinals.count.grouped) records"
        let more = matched.map { $0 > ordinals.count ? " (\($0.grouped) match)" : "" } ?? " (limit)"
        return "\(shown)\(more) of \(scannable.grouped) in \((findTime + sortTime).text)"
    }

    /// How the result was found, several lines.
    func explanation(style: Style) -> String {
        var rows = [
            ("predicate", boundText), ("fields", fieldNames.isEmpty ? "none" : fieldNames.joined(separator: ", ")),
            ("records", "\(scannable.grouped), of which \((matched ?? ordinals.count).grouped) match"),
        ]
        if let order { rows.append(("sort", order)) }
        rows.append(("time", "find \(findTime.text), sort \(sortTime.text)"))
        return rows.map { name, value in
            style.bold(name) + String(repeating: " ", count: 12 - name.count) + value + "\n"
        }.joined()
    }
}
