// The place workload on SQLite: rows with B-tree indexes, tags in a table of their own, R*Tree, FTS5.

import RecordModel

/// SQLite loaded with places, all indexes built.
struct SQLitePeer {
    private let database: SQLiteDatabase
    private let queries: [String: PeerQuery]
    let ingest: Ingest

    /// What loading cost.
    struct Ingest: Codable {
        var records: Int
        /// Rows, tags, R*Tree, FTS5, indexes, ANALYZE; without the reading of the data.
        var seconds: Double
        var bytesPerRecord: Double
        /// Size of the database as a file.
        var fileBytes: Int
        var recordsPerSecond: Double { Double(records) / seconds }
    }

    /// Loads places; `places` gives the records by number.
    init(count: Int, places: (Int) -> Place, queries: [String: PeerQuery]) throws {
        let database = try SQLiteDatabase()
        self.database = database
        self.queries = queries
        try database.execute(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = OFF"
        )
        try database.execute(SQLitePlaces.tables)
        var seconds = 0.0
        try database.execute("BEGIN")
        let inserter = try SQLitePlaces(database)
        // The clock runs only while SQLite works, over batches that the reading of the data fills before.
        for start in stride(from: 0, to: count, by: 1000) {
            let batch = (start..<min(count, start + 1000)).map(places)
            seconds += try ContinuousClock().measure { for place in batch { try inserter.insert(place) } }.seconds
        }
        seconds += try ContinuousClock().measure {
            try database.execute("INSERT INTO fts(fts) VALUES('optimize')")
            try database.execute(SQLitePlaces.indexes)
            try database.execute("COMMIT; ANALYZE")
        }.seconds
        let fileBytes = try ["page_count", "page_size"].map { try database.prepare("PRAGMA \($0)").count() }
        ingest = Ingest(
            records: count, seconds: seconds, bytesPerRecord: Double(SQLiteDatabase.memoryUsed) / Double(max(1, count)),
            fileBytes: fileBytes.reduce(1, *))
        // A folded copy of the bodies, for substring queries; outside the figures above.
        try database.execute(
            """
            CREATE TABLE body_fold(id INTEGER PRIMARY KEY, t TEXT);
            INSERT INTO body_fold SELECT id, fold_cd(body) FROM place WHERE body IS NOT NULL;
            """)
    }
}

extension SQLitePeer {
    /// The best of SQLite's ways to answer a query: each form of the SQL, with and without indexes made for it.
    ///
    /// Returns `nil` where SQLite has no form of the query. Throws where two forms disagree.
    func result(of query: WorkloadQuery, budget: Double) throws -> QueryResult? {
        guard let forms = queries[query.family], let texts = forms.sqlite else { return nil }
        return try best(of: texts, query) { statement in
            var outcome = Outcome(count: 0)
            let run: () -> Int
            if let nearest = forms.nearest, nearest.count == 3 {
                run = { statement.deliverNearest(latitude: nearest[0], longitude: nearest[1], limit: Int(nearest[2])) }
            } else {
                run = query.mode == .count ? statement.count : statement.deliverIDs
            }
            let time = Measurement.of(budget: budget) { outcome.count = run() }
            try complete(&outcome, of: query, statement)
            return QueryResult(id: query.id, outcome: outcome, time: time)
        }
    }

    /// As `result`, with new values in every run.
    ///
    /// - Parameters:
    ///   - bound: The query with parameters.
    ///   - values: Of the runs. Where answers take long, only the first few are used.
    func result(
        of query: WorkloadQuery, bound: BoundQuery, _ values: [BoundValues], budget: Double
    ) throws -> BoundResult? {
        let nearest = queries[query.family]?.nearest?.last
        return try best(of: bound.sqlite, query) { statement in
            func run(_ number: Int) -> Int {
                let values = values[number].sqlite
                if let nearest, case .double(let latitude) = values[0], case .double(let longitude) = values[1] {
                    return statement.deliverNearest(latitude: latitude, longitude: longitude, limit: Int(nearest))
                }
                statement.bind(values)
                return query.mode == .count ? statement.count() : statement.deliverIDs()
            }
            let outcomes = try BoundResult.outcomes(values.count, within: budget) { number in
                var outcome = Outcome(count: run(number))
                try complete(&outcome, of: query, statement)
                return outcome
            }
            var time = TimedRuns(values: outcomes.count)
            time.run(for: budget, run)
            return BoundResult(outcomes: outcomes, time: time)
        }
    }

    /// The fastest of the statements of a query, with and without indexes made for it.
    private func best<Result: Timed>(
        of texts: [String], _ query: WorkloadQuery, _ time: (SQLiteStatement) throws -> Result
    ) throws -> Result? {
        var best: Result?
        for index in [nil] + (queries[query.family]?.sqliteIndexes ?? []).map(Optional.some) {
            if let index { try database.execute(index) }
            for text in texts {
                let column = text.hasPrefix("SELECT {columns} FROM fts ") ? "rowid" : "p.id"
                let sql = text.replacing("{columns}", with: query.mode == .count ? "count(*)" : column)
                let result = try time(database.prepare(sql))
                guard let known = best else {
                    best = result
                    continue
                }
                guard zip(known.outcomes, result.outcomes).allSatisfy({ $0 == $1 }) else {
                    throw WrongResult(description: "SQLite's forms of \(query.id) disagree")
                }
                if result.seconds < known.seconds { best = result }
            }
            if let name = index?.split(separator: " ").dropFirst(2).first {
                try database.execute("DROP INDEX \(name)")
            }
        }
        return best
    }

    /// Adds to a count what can be compared besides.
    private func complete(_ outcome: inout Outcome, of query: WorkloadQuery, _ statement: SQLiteStatement) throws {
        guard outcome.count >= 0 else { throw SQLiteError(description: "SQLite failed in \(query.id)") }
        if query.mode != .count { outcome.sum = statement.sumOfIDs }
        if query.sort != nil { outcome.order = (0..<outcome.count).map(statement.id) }
    }
}
