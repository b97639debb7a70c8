// Figures of the records that match, in place of the records: counts by value, statistics, histograms.

import PredicateEditing
import RecordDatabase

/// Rows of figures under column titles.
struct Figures {
    /// The titles, each once.
    var columns: [String]
    /// A value for each column.
    var rows: [[FieldValue]]
    /// The column whose numbers are drawn as bars behind tables.
    var barColumn: Int?
    /// The columns of the edges of parts: their dates are shown by the clocks of `--time-zone`.
    var edgeColumns = 0..<0
    /// What is worth knowing besides, a line each.
    var notes: [String] = []

    /// Orders the rows by columns; without keys they stay as they are.
    /// - Throws: `CommandError` of status `usage` for a key that is no column.
    mutating func sort(by keys: [SortKey]) throws(CommandError) {
        if keys.isEmpty { return }
        var order: [(column: Int, sign: Int)] = []
        for key in keys {
            let title = FieldSelector(criterion: key.criterion).title
            guard let column = columns.firstIndex(of: title) else {
                throw CommandError(
                    .usage, "there is no column '\(title)' to sort by",
                    hint: "one of "
                        + columns.joined(separator: ", "))
            }
            order.append((column, key.isAscending ? 1 : -1))
        }
        let prepared = rows.map { row in order.map { SortOrder.prepared(row[$0.column]) } }
        let sorted = rows.indices.sorted { a, b in
            for (index, key) in order.enumerated() {
                let result = SortOrder.compare(prepared: prepared[a][index], prepared[b][index]) * key.sign
                if result != 0 { return result < 0 }
            }
            return a < b
        }
        rows = sorted.map { rows[$0] }
    }
}

/// Which figures are wanted.
enum FiguresRequest: Sendable {
    /// How many records have which values of some fields.
    case counts([String])
    /// Counts and extremes of fields, sums and means of numbers.
    case statistics([String])
    /// How many records have which values of some fields, with extremes, sums and averages of others for each.
    case groups([String], of: [String])
    /// The values of a field, each once.
    case values(String)
    /// How many records lie in which part of a field's range.
    case histogram(String, HistogramBins)

    /// The options that request figures.
    static let options = [
        OptionSpecification("--count-by", value: "FIELD,…", "How many records have which value, the most first."),
        OptionSpecification(
            "--stats", value: "FIELD,…",
            "Counts, distinct values, least and greatest; sum and average of numbers. With --count-by for each value."),
        OptionSpecification("--distinct", value: "FIELD", "The values of a field, each once."),
        OptionSpecification(
            "--histogram", value: "FIELD[:PARTS]",
            "Records in each part of a range. PARTS: a number, or hour, day, week, month, year by --time-zone."),
    ]

    /// What the options request; `nil` for records.
    /// - Throws: `CommandError` of status `usage`, also for two requests at once.
    init?(_ arguments: ParsedArguments) throws(CommandError) {
        let given = Self.options.filter { arguments.has($0.name) }.map(\.name)
        guard let name = given.first, let text = arguments[name] else { return nil }
        if given == ["--count-by", "--stats"], let statistics = arguments["--stats"] {
            self = .groups(try Self.fields(text, "count-by"), of: try Self.fields(statistics, "stats"))
            return
        }
        guard given.count == 1 else {
            throw CommandError(.usage, "'\(given[0])' and '\(given[1])' exclude each other")
        }
        try self.init(name: String(name.dropFirst(2)), text)
    }

    /// A request by its name and the text of its fields.
    /// - Throws: `CommandError` of status `usage`.
    init(name: String, _ text: String) throws(CommandError) {
        switch name {
        case "count-by": self = .counts(try Self.fields(text, name))
        case "stats": self = .statistics(try Self.fields(text, name))
        case "distinct": self = .values(try Self.field(text, name))
        default:
            guard let colon = text.lastIndex(of: ":"),
                let bins = HistogramBins(String(text[text.index(after: colon)...]))
            else {
                if text.contains(scalar: ":") {
                    throw CommandError(
                        .usage, "'\(text)' has no known parts behind its colon",
                        hint: "FIELD:20, FIELD:hour, FIELD:day, FIELD:week, FIELD:month or FIELD:year")
                }
                self = .histogram(try Self.field(text, name), .automatic)
                return
            }
            self = .histogram(try Self.field(String(text[..<colon]), name), bins)
        }
    }

    private static func fields(_ text: String, _ name: String) throws(CommandError) -> [String] {
        var fields: [String] = []
        for selector in try FieldSelector.list(text) {
            guard case .field(let field) = selector.criterion else {
                throw CommandError(.usage, "'\(name)' takes fields, not \(selector.title)")
            }
            if !fields.contains(field) { fields.append(field) }
        }
        return fields
    }

    private static func field(_ text: String, _ name: String) throws(CommandError) -> String {
        let fields = try fields(text, name)
        guard fields.count == 1 else { throw CommandError(.usage, "'\(name)' takes one field") }
        return fields[0]
    }

    /// The fields that are looked at.
    var fields: [String] {
        switch self {
        case .counts(let fields), .statistics(let fields): fields
        case .groups(let fields, let others): fields + others
        case .values(let field), .histogram(let field, _): [field]
        }
    }

    /// Computes the figures of the records that match.
    /// - Throws: `CommandError` for a field that no record has, and for a predicate that fails.
    func figures(of set: RecordSet, _ query: Query) throws(CommandError) -> Figures {
        try FieldSelector.check(fields.map { FieldSelector(criterion: .field($0)) }, in: set)
        let source = GroupSource(set: set, query: query)
        switch self {
        case .counts(let fields): return try Self.counts(fields, source)
        case .statistics(let fields): return try Self.statistics(fields, source)
        case .groups(let fields, let others): return try Self.groups(fields, others, source)
        case .values(let field):
            let groups = try source.groups(by: [field], []).filter { !$0.keys[0].isNull }
            return Figures(columns: [field], rows: groups.map { [source.shown($0.keys[0], of: field)] })
        case .histogram(let field, let bins): return try Figures(histogramOf: field, bins, source)
        }
    }

    /// The figures as a server computes them; `nil` for files, and where the records have to tell.
    /// - Throws: `CommandError`.
    func figures(onServerOf input: InputFiles, _ query: Query) throws(CommandError) -> Figures? {
        let field: String
        switch self {
        case .counts(let fields) where fields.count == 1: field = fields[0]
        case .values(let name): field = name
        default: return nil
        }
        let groups: [RecordGroup]?
        if let table = try input.table() {
            groups = try table.groups(by: field, for: query)
        } else {
            groups = try input.store?.groups(by: field, ofType: input.type, for: query)
        }
        guard let groups else { return nil }
        if case .values = self {
            let values = groups.map(\.keys).filter { !$0[0].isNull }
            return values.isEmpty ? nil : Figures(columns: [field], rows: values)
        }
        // The most first, others in the order of their values.
        let order = groups.indices.sorted { (groups[$1].count, $0) < (groups[$0].count, $1) }
        return Self.counts([field], order.map { groups[$0] })
    }

    private static func counts(_ fields: [String], _ source: GroupSource) throws(CommandError) -> Figures {
        counts(fields, try source.groups(by: fields, [], sortedBy: .descending(.count)), shown: source.shown)
    }

    /// - Parameter shown: A value as it is shown in a column.
    private static func counts(
        _ fields: [String], _ groups: [RecordGroup], shown: (FieldValue, String) -> FieldValue = { value, _ in value }
    ) -> Figures {
        let title = fields.contains("count") ? "records" : "count"
        return Figures(
            columns: fields + [title],
            rows: groups.map { zip($0.keys, fields).map(shown) + [.int64(Int64($0.count))] },
            barColumn: fields.count)
    }

    /// One row for each combination of values. Sums and averages are of fields with numbers.
    private static func groups(
        _ fields: [String], _ others: [String], _ source: GroupSource
    ) throws(CommandError) -> Figures {
        var aggregates: [Aggregate] = []
        var titles: [String] = []
        for field in others {
            let wanted: [(String, Aggregate)] = [
                ("min", .minimum(field)), ("max", .maximum(field)), ("sum", .sum(field)), ("average", .average(field)),
            ]
            for (title, aggregate) in wanted where try source.ofAll([aggregate]) != nil {
                aggregates.append(aggregate)
                titles.append(others.count == 1 ? title : "\(field) \(title)")
            }
        }
        let groups = try source.groups(by: fields, aggregates, sortedBy: .descending(.count))
        let count = fields.contains("count") ? "records" : "count"
        return Figures(
            columns: fields + [count] + titles,
            rows: groups.map { group in
                zip(group.keys, fields).map(source.shown) + [.int64(Int64(group.count))] + group.values
            })
    }

    /// One row a field.
    private static func statistics(_ fields: [String], _ source: GroupSource) throws(CommandError) -> Figures {
        var figures = Figures(
            columns: ["field", "count", "missing", "distinct", "min", "max", "sum", "average"], rows: [])
        for field in fields {
            let facets = try source.facets(field)
            let ends = try source.ofAll([.minimum(field), .maximum(field)])
            var sums = try source.ofAll([.sum(field), .average(field)])
            // Numbers whose sum is beyond 64 bits have an average.
            if sums == nil { sums = try source.ofAll([.average(field)]).map { [.null] + $0 } }
            let total = try source.count()
            figures.rows.append(
                [
                    .string(field), .int64(Int64(total - facets.missingCount)), .int64(Int64(facets.missingCount)),
                    .int64(Int64(facets.distinctCount)),
                ] + (ends ?? [.null, .null]).map { source.shown($0, of: field) } + (sums ?? [.null, .null]))
        }
        return figures
    }
}

/// The records that figures are computed of.
struct GroupSource {
    let set: RecordSet
    let query: Query

    /// A value of a field as its file has it.
    func shown(_ value: FieldValue, of field: String) -> FieldValue {
        ResultValues(set: set, joined: query.settings.joined).shown(value, of: field)
    }

    func groups(
        by fields: [String], _ aggregates: [Aggregate], sortedBy order: GroupOrder = .keys
    ) throws(CommandError) -> [RecordGroup] {
        do throws(RecordPredicateError) {
            return try set.group(
                by: fields, where: query.predicate, variables: query.settings.variables, aggregates, sortedBy: order)
        } catch {
            throw CommandError(error)
        }
    }

    func facets(_ field: String) throws(CommandError) -> Facets {
        do throws(RecordPredicateError) {
            return try set.facets(field, where: query.predicate, variables: query.settings.variables, limit: 0)
        } catch {
            throw CommandError(error)
        }
    }

    /// How a field's numbers or dates are spread; `nil` for a field of another kind.
    func histogram(_ field: String, _ bins: HistogramBins) throws(CommandError) -> Histogram? {
        let variables = query.settings.variables
        do throws(RecordPredicateError) {
            return try set.histogram(of: field, where: query.predicate, variables: variables, bins: bins)
        } catch {
            guard error.text == field, error.stage == .binding else { throw CommandError(error) }
            switch set.fields.type(of: field) {
            case .int64?, .double?, .number?, .date?, .any?, .list?, nil:
                throw CommandError(.usage, error.message, hint: error.hint)
            default: return nil
            }
        }
    }

    /// How many records match.
    func count() throws(CommandError) -> Int { try groups(by: [], []).first?.count ?? 0 }

    /// Aggregates of all records that match; `nil` where the field's values do not suit them.
    func ofAll(_ aggregates: [Aggregate]) throws(CommandError) -> [FieldValue]? {
        do throws(RecordPredicateError) {
            let groups = try set.group(
                by: [], where: query.predicate, variables: query.settings.variables, aggregates)
            return groups.first?.values
        } catch {
            // The text of an error about values is the field.
            guard error.text != query.predicate.text else { throw CommandError(error) }
            return nil
        }
    }
}
