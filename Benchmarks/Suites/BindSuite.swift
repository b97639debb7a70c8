// `bind`: queries of a record set whose values are new in every run, beside SQLite.

import RecordDatabase
import RecordModel

/// Times prepared queries with `$variables`, and statements of SQLite with parameters, both bound again in every run.
enum BindSuite: Suite {
    static let name = "bind"
    static let summary = """
        [--records N] [--runs N] [--budget MS] [--only TEXT] [--report FILE] [--readme FILE]: prepared queries over 100,000 and 1,000,000 places, values \
        bound again in every run, beside SQLite's prepared statements
        """

    @MainActor static func run(_ arguments: ArraySlice<String>) async throws {
        let options = try ComparisonOptions(arguments)
        print(Machine.current().line + ", SQLite \(SQLiteDatabase.version)")
        var tables: [ComparisonTable] = []
        for count in options.counts {
            let bench = try BindBench(count: count, options: options)
            let table = try await bench.run()
            print(table.text)
            tables.append(table)
        }
        print("answers: counts, records, orders and fields agree for all values of every query")
        try options.renew("bind", tables)
    }
}

@MainActor
struct BindBench {
    let set: RecordSet
    let sqlite: SQLiteBriefPlaces
    let queries: PlaceQueries
    let clock: ComparisonTable.Clock

    init(count: Int, options: ComparisonOptions) throws {
        let generator = PlaceGenerator(count: count)
        var set = try RecordSet(records: (0..<count).lazy.map { generator.brief($0).record })
        // SQLite is measured on one thread, too.
        set.usesAllCores = false
        self.set = set
        sqlite = try SQLiteBriefPlaces()
        for start in stride(from: 0, to: count, by: 2000) {
            try sqlite.insert((start..<min(count, start + 2000)).map(generator.brief))
        }
        try sqlite.database.execute("ANALYZE")
        queries = PlaceQueries(generator, runs: options.runs)
        clock = options.clock
    }

    func run() async throws -> ComparisonTable {
        var table = ComparisonTable(set.count, "places, new values in every run")
        try await addCount("a unique text, count", queries.name, to: &table)
        try await addNumbers("a unique text, ids", queries.name, to: &table)
        try await addNumbers("an owner, ids", queries.owner, to: &table)
        try await addCount("a category, count", queries.category, to: &table)
        try await addCount("a narrow range, count", queries.days, to: &table)
        try await addNumbers("a narrow range, ids", queries.days, to: &table)
        try await addNumbers("category and range, ids", queries.categoryAndTenth, to: &table)
        try await addNumbers("category, rating, newest 50, ids", queries.newest, to: &table)
        try await addFields("the same, 50 records with a field read", queries.newest, to: &table)
        try await addOnce("parse, bind, plan and count once", queries.name, to: &table)
        return table
    }

    private func prepare(_ query: PlaceQuery) throws -> PreparedQuery {
        try set.prepare(
            RecordPredicate(format: query.predicate),
            sortedBy: query.isNewestFirst ? [.descending("created")] : [], limit: query.limit)
    }

    private func addCount(_ title: String, _ query: PlaceQuery, to table: inout ComparisonTable) async throws {
        let prepared = try prepare(query)
        let statement = try sqlite.database.prepare(query.sql("count(*)"))
        let values = query.values
        try await table.compare(
            title, values: values.count, by: clock, ours: { try prepared.count(values[$0].variables) },
            sqlite: {
                statement.bind(values[$0])
                return statement.count()
            }, agrees: ==)
    }

    private func addNumbers(_ title: String, _ query: PlaceQuery, to table: inout ComparisonTable) async throws {
        let prepared = try prepare(query)
        let statement = try sqlite.database.prepare(query.sql("number"))
        let values = query.values
        try await table.compare(
            title, values: values.count, by: clock, ours: { try prepared.ordinals(values[$0].variables) },
            sqlite: {
                statement.bind(values[$0])
                return statement.deliverIDs()
            },
            agrees: { ordinals, count in
                // Places were loaded by number.
                let numbers = (0..<count).map(statement.id)
                let ours = ordinals.map { Int($0) }
                return query.isNewestFirst ? ours == numbers : ours == numbers.sorted()
            })
    }

    private func addFields(_ title: String, _ query: PlaceQuery, to table: inout ComparisonTable) async throws {
        let prepared = try prepare(query)
        let statement = try sqlite.database.prepare(query.sql("name"))
        let values = query.values
        try await table.compare(
            title, values: values.count, by: clock,
            ours: { number in try prepared.records(values[number].variables).map { $0["name"] as String? ?? "" } },
            sqlite: {
                statement.bind(values[$0])
                var names: [String] = []
                try statement.forEachRow { names.append($0.text(0)) }
                return names
            }, agrees: ==)
    }

    /// The text is the same in every run, and nobody keeps what was prepared.
    private func addOnce(_ title: String, _ query: PlaceQuery, to table: inout ComparisonTable) async throws {
        let set = set
        let values = query.values
        let (text, sql) = (query.format, query.sql("count(*)"))
        try await table.compare(
            title, values: values.count, by: clock,
            ours: { try set.count(matching: RecordPredicate(format: text, arguments: values[$0])) },
            sqlite: {
                let statement = try sqlite.database.prepareOnce(sql)
                statement.bind(values[$0])
                return statement.count()
            }, agrees: ==)
    }
}
