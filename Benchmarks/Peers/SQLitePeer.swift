// The place workload on SQLite: rows with B-tree indexes, tags in a table of their own, R*Tree, FTS5.

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
        guard let forms = queries[query.family], let texts = forms.sqlite, !texts.isEmpty else { return nil }
        var best: QueryResult?
        for index in [nil] + (forms.sqliteIndexes ?? []).map(Optional.some) {
            if let index { try database.execute(index) }
            for text in texts {
                let result = try time(query, text, nearest: forms.nearest, budget: budget)
                if let best, best.answer != result.answer {
                    throw WrongAnswer(description: "SQLite's forms of \(query.id) disagree")
                }
                if (best?.time.median ?? .infinity) > result.time.median { best = result }
            }
            if let name = index?.split(separator: " ").dropFirst(2).first {
                try database.execute("DROP INDEX \(name)")
            }
        }
        return best
    }

    private func time(
        _ query: WorkloadQuery, _ text: String, nearest: [Double]?, budget: Double
    ) throws -> QueryResult {
        let counts = query.mode == .count
        let column = text.hasPrefix("SELECT {columns} FROM fts ") ? "rowid" : "p.id"
        let sql = text.replacing("{columns}", with: counts ? "count(*)" : column)
        let statement = try database.prepare(sql)
        var answer = Answer(count: 0)
        let time: Measurement
        if let nearest, nearest.count == 3 {
            time = Measurement.of(budget: budget) {
                answer.count = statement.deliverNearest(
                    latitude: nearest[0], longitude: nearest[1], limit: Int(nearest[2]))
            }
        } else if counts {
            time = Measurement.of(budget: budget) { answer.count = statement.count() }
        } else {
            time = Measurement.of(budget: budget) { answer.count = statement.deliverIDs() }
        }
        guard answer.count >= 0 else { throw SQLiteError(description: "SQLite failed in \(sql)") }
        if !counts { answer.sum = statement.sumOfIDs }
        if query.sort != nil { answer.order = (0..<answer.count).map(statement.id) }
        return QueryResult(id: query.id, answer: answer, time: time)
    }
}
