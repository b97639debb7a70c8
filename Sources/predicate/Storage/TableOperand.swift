// A table of a server that is no container's, as an address and an option name it.

import PostgreSQLStore
import PredicateSyntax
import RecordDatabase

/// A table of a server, which is only read.
struct TableOperand {
    /// The option that names the table.
    static let option = OptionSpecification(
        "--table", value: "[SCHEMA.]NAME", "A table or view of a postgresql:// address, in place of a container.")

    private let table: ServerTable

    /// Connects to the server.
    /// - Throws: `CommandError`.
    init(_ address: String, table name: String, _ arguments: ParsedArguments) throws(CommandError) {
        let foreign = ["--type", "--type-field", "--reference", "--input-format", "--container", "--scope", "--user"]
        if let option = foreign.first(where: arguments.has) {
            throw CommandError(.usage, "'\(option)' says nothing about a table", hint: "leave it out beside '--table'")
        }
        do throws(DatabaseError) {
            table = try ServerTable(named: name, at: address, key: arguments["--id-field"])
        } catch {
            throw CommandError(error)
        }
    }

    /// The name, for messages.
    var shown: String { "table \(table.table.name)" }

    /// The table without rows.
    var empty: RecordSet { table.table.empty }

    /// The columns as fields, without rows.
    var outline: RecordSet { RecordSet(outlining: table.table) }

    /// Begins to read the rows that a query may find, as far as it takes them.
    ///
    /// - Parameter shown: The fields of figures, where these are requested; `nil` for records.
    /// - Throws: `CommandError` for a predicate, an order or a column that does not suit the table.
    func rows(for query: Query?, showing shown: [String]?) throws(CommandError) -> TableRows {
        try rows(request(for: query, showing: shown))
    }

    private func request(for query: Query?, showing shown: [String]?) throws(CommandError) -> TableRequest {
        guard let query else { return TableRequest("TRUEPREDICATE") }
        let settings = query.settings
        // The order of figures is that of their own columns.
        let order = shown == nil ? settings.sort.map(\.criterion) : []
        let criteria = order + (settings.fields ?? []).map(\.criterion)
        for name in criteria.flatMap(Self.names) { try check(name) }
        // How well records match depends on all others.
        if criteria.contains(.relevance) { return TableRequest("TRUEPREDICATE") }
        var request = TableRequest(query.predicate, variables: settings.variables)
        request.explains = settings.isExplained
        if settings.sort.isEmpty, shown == nil { request.limit = Self.reach(of: settings) }
        request.columns = columns(of: query, criteria, shown)
        return request
    }

    /// All rows that a query may find, or those that it may print.
    /// - Throws: `CommandError`.
    func records(
        for query: Query?, showing shown: [String]?, onlyPrinted: Bool = false
    ) throws(CommandError) -> RecordSet {
        var request = try request(for: query, showing: shown)
        if onlyPrinted, shown == nil, let settings = query?.settings, let count = Self.reach(of: settings),
            settings.format != .count, !settings.sort.isEmpty
        {
            (request.order, request.limit) = (settings.sort, count)
        }
        let rows = try rows(request)
        do throws(DatabaseError) { return try rows.rest() } catch { throw CommandError(error) }
    }

    /// How many rows there are up to the last one that is printed; `nil` for all.
    private static func reach(of settings: QuerySettings) -> Int? {
        guard let (count, isTooLarge) = settings.limit?.addingReportingOverflow(settings.offset), !isTooLarge else {
            return nil
        }
        return count
    }

    private func rows(_ request: TableRequest) throws(CommandError) -> TableRows {
        do throws(RecordPredicateError) { return try table.rows(request) } catch { throw CommandError(error) }
    }

    /// The rows that match, counted on the server by the values of a field; `nil` where the rows have to tell.
    /// - Throws: `CommandError`.
    func groups(by field: String, for query: Query) throws(CommandError) -> [RecordGroup]? {
        let rows = try rows(for: query, showing: [field])
        do throws(DatabaseError) { return try rows.groups(by: field) } catch { throw CommandError(error) }
    }

    // MARK: Columns

    /// The columns that a query and its result look at besides those of the predicate; `nil` for all.
    private func columns(of query: Query, _ criteria: [SortKey.Criterion], _ shown: [String]?) -> Set<String>? {
        let settings = query.settings
        let showsAll = settings.fields == nil && shown == nil && settings.format != .count && settings.format != .ids
        if showsAll || settings.showsSnippets || query.predicate.looksAtAllFields { return nil }
        let paths = criteria.flatMap(Self.names) + (shown ?? [])
        return Set(paths + paths.map { String($0.prefix { $0 != "." }) })
    }

    private static func names(_ criterion: SortKey.Criterion) -> [String] {
        switch criterion {
        case .field(let name), .distance(let name, _): [name]
        case .recordName, .relevance: []
        }
    }

    /// - Throws: `CommandError` for a name that is no column's, nor that of a value within one.
    private func check(_ name: String) throws(CommandError) {
        let known = table.table.fields.map(\.name)
        let first = String(name.prefix { $0 != "." })
        if known.contains(name) || known.contains(first) || name == "recordName" { return }
        throw CommandError(
            .usage, "the table has no column '\(first)'",
            hint: EditDistance.closest(to: first, in: known).map { "did you mean '\($0)'?" })
    }
}
