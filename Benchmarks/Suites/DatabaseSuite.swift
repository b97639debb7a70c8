// `database`: what applications do with a database, beside SQLite: fetches, queries, saves, in memory and on the disk.

import FoundationEssentials
import RecordDatabase
import RecordModel

/// Times the public functions of a database, with new values in every run, and the same work on SQLite.
enum DatabaseSuite: Suite {
    static let name = "database"
    static let summary = """
        [--records N] [--runs N] [--budget MS] [--only TEXT] [--folder PATH] [--report FILE] [--readme FILE]: fetches, queries and saves of 100,000 and \
        1,000,000 places, in memory and stored, beside SQLite (prepared statements, six indexes; WAL, synchronous = FULL)
        """

    @MainActor static func run(_ arguments: ArraySlice<String>) async throws {
        let options = try ComparisonOptions(arguments)
        print(Machine.current().line + ", SQLite \(SQLiteDatabase.version)")
        var tables: [ComparisonTable] = []
        for count in options.counts {
            let generator = PlaceGenerator(count: count)
            let queries = PlaceQueries(generator, runs: options.runs)
            for folder in [nil, options.folder + "/database"] {
                if let folder { PlaceStore.remove(folder) }
                defer { if let folder { PlaceStore.remove(folder) } }
                let bench = try DatabaseBench(queries: queries, folder: folder, clock: options.clock)
                let table = try await bench.run()
                print(table.text)
                tables.append(table)
            }
        }
        print("answers: records, orders and fields agree for all values of every query, and after all saves")
        try options.renew("database", tables)
    }
}

/// The same places in a database of this library and in one of SQLite.
@MainActor
struct DatabaseBench {
    let queries: PlaceQueries
    let clock: ComparisonTable.Clock
    let container: Container
    let sqlite: SQLiteBriefPlaces
    let isStored: Bool
    var database: Database { container.privateDatabase }
    var count: Int { queries.generator.count }

    /// - Parameter folder: Where both are stored; `nil` for both in memory.
    init(queries: PlaceQueries, folder: String?, clock: ComparisonTable.Clock) throws {
        (self.queries, self.clock, isStored) = (queries, clock, folder != nil)
        var configuration = Configuration()
        configuration.limits.itemsPerRequest = Self.batch
        if let folder {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            container = try Container(
                identifier: "benchmarks", storedAt: URL(filePath: folder + "/ours"), configuration: configuration)
            sqlite = try SQLiteBriefPlaces(path: folder + "/sqlite.db")
        } else {
            container = try Container(identifier: "benchmarks", configuration: configuration)
            sqlite = try SQLiteBriefPlaces()
        }
    }

    /// Places of a bulk load's transactions.
    nonisolated static let batch = 2000

    func run() async throws -> ComparisonTable {
        defer { container.close() }
        var table = ComparisonTable(count, "places \(isStored ? "stored" : "in memory")")
        let loads = try await load()
        try await addFetch(to: &table)
        try await add("query on a unique text, record read", queries.name, to: &table)
        try await add("category and rating, newest 50 read", queries.newest, to: &table)
        try await add("category and a narrow range, up to 100 read", queries.categoryAndRange, to: &table)
        var saves = DatabaseSaves(self)
        table.add(try await saves.single())
        if isStored { table.add(try await saves.together()) }
        for row in loads { table.add(row) }
        guard try sqlite.count() == saves.next else {
            throw WrongResult(description: "SQLite has \(try sqlite.count()) places, not \(saves.next)")
        }
        return table
    }

    // MARK: Loading

    /// Saves all places on both sides: until the last batch is saved, and until every index has found its place.
    private func load() async throws -> [ComparisonTable.Row] {
        let (database, generator) = (database, queries.generator)
        let ours = try await Task.detached { try await Self.load(generator, into: database) }.value
        let sqlite = sqlite
        let theirs = try ContinuousClock().measure {
            for start in stride(from: 0, to: count, by: Self.batch) {
                try sqlite.insert((start..<min(count, start + Self.batch)).map(generator.brief))
            }
        }.seconds
        // Both make the places of each batch while the time runs; this is what that costs.
        let making = ContinuousClock().measure { for number in 0..<count { consume(generator.brief(number)) } }.seconds
        try sqlite.database.execute("ANALYZE")
        func row(_ title: String, _ seconds: Double) -> ComparisonTable.Row {
            let each = [seconds, theirs].map { max(1e-9, ($0 - making) / Double(count)) }
            return ComparisonTable.Row(title: title, task: each[0], sqlite: each[1], isRate: true)
        }
        return [
            row("bulk load, batches of \(Self.batch.separated)", ours.saved),
            row("the same, until all indexes are built", ours.served),
        ]
    }

    nonisolated private static func load(
        _ generator: PlaceGenerator, into database: Database
    ) async throws -> (saved: Double, served: Double) {
        let clock = ContinuousClock()
        let start = clock.now
        for first in stride(from: 0, to: generator.count, by: batch) {
            let places = first..<min(generator.count, first + batch)
            let (saved, _) = try await database.modifyRecords(
                saving: places.map { generator.brief($0).record }, deleting: [], savePolicy: .allKeys)
            guard try saved.values.allSatisfy({ try $0.get().type == "Place" }) else {
                throw WrongResult(description: "a place was not saved")
            }
        }
        let saved = (clock.now - start).seconds
        try await find(generator.brief(generator.count - 1), in: database)
        return (saved, (clock.now - start).seconds)
    }

    // MARK: Reading

    private func addFetch(to table: inout ComparisonTable) async throws {
        let (database, numbers) = (database, queries.numbers)
        let statement = try sqlite.database.prepare("SELECT \(SQLiteBriefPlaces.fields) FROM place WHERE id = ?1")
        try await table.compare(
            "fetch by identifier, three fields read", values: numbers.count, by: clock,
            ours: { number in
                let id = Record.ID(BriefPlace.recordName(numbers[number]))
                return [try BriefFields(try await database.record(for: id))]
            },
            sqlite: {
                try SQLiteBriefPlaces.fields(statement, [.string(BriefPlace.recordName(numbers[$0]))])
            }, agrees: ==)
    }

    private func add(_ title: String, _ request: PlaceQuery, to table: inout ComparisonTable) async throws {
        let database = database
        let statement = try sqlite.database.prepare(request.sql(SQLiteBriefPlaces.fields))
        try await table.compare(
            title, values: request.values.count, by: clock,
            ours: { try await Self.fields(request, $0, database) },
            sqlite: { try SQLiteBriefPlaces.fields(statement, request.values[$0]) },
            agrees: { request.isNewestFirst ? $0 == $1 : $0.sorted() == $1.sorted() })
    }

    /// What a query finds, made as applications make it: a predicate with values, an order, a limit.
    nonisolated(nonsending) private static func fields(
        _ request: PlaceQuery, _ number: Int, _ database: Database
    ) async throws -> [BriefFields] {
        let query = Query(
            "Place", try RecordPredicate(format: request.format, arguments: request.values[number]),
            sortedBy: request.isNewestFirst ? [.descending("created")] : [])
        let (matches, _) = try await database.recordPage(
            matching: query, in: .zone(.default), resultsLimit: request.limit ?? Query.maximumResults)
        return try matches.map { try BriefFields($0.1.get()) }
    }

    /// Finds a place by each of its six fields: all indexes are up to date then.
    nonisolated static func find(_ place: BriefPlace, in database: Database) async throws {
        let (created, population) = (Date(timeIntervalSince1970: place.created), place.population)
        let predicates: [RecordPredicate] = [
            "name == \(place.name)", "owner == \(place.owner) AND name == \(place.name)",
            "category == \(place.category) AND created == \(created)", "created == \(created)",
            "rating == \(place.rating) AND created == \(created)",
            "population == \(population) AND category == \(place.category) AND created == \(created)",
        ]
        for predicate in predicates {
            let found = try await database.recordPage(matching: Query("Place", predicate), in: .zone(.default))
            guard try found.matchResults.contains(where: { try BriefFields($0.1.get()) == BriefFields(place) }) else {
                throw WrongResult(description: "\(place.recordName) is not found with \(predicate)")
            }
        }
    }
}
