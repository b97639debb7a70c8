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
        try database.execute(Self.schema)
        var seconds = 0.0
        try database.execute("BEGIN")
        let inserter = try Inserter(database)
        // The clock runs only while SQLite works, over batches that the reading of the data fills before.
        for start in stride(from: 0, to: count, by: 1000) {
            let batch = (start..<min(count, start + 1000)).map(places)
            seconds += try ContinuousClock().measure { for place in batch { try inserter.insert(place) } }.seconds
        }
        seconds += try ContinuousClock().measure {
            try database.execute(Self.indexes)
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

    private static let schema = """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = OFF;
        CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, name_cd TEXT, category TEXT, rating REAL,
          population INTEGER, created REAL, active INTEGER, lat REAL, lon REAL, owner INTEGER, body TEXT);
        CREATE TABLE place_tag(tag TEXT, id INTEGER, PRIMARY KEY(tag, id)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE geo USING rtree(id, minlat, maxlat, minlon, maxlon);
        CREATE VIRTUAL TABLE fts USING fts5(body, content='', columnsize=0, detail=none, prefix='3',
          tokenize='unicode61 remove_diacritics 2');
        """
    private static let indexes = """
        INSERT INTO fts(fts) VALUES('optimize');
        CREATE INDEX i_name ON place(name); CREATE INDEX i_ncd ON place(name_cd);
        CREATE INDEX i_cat ON place(category); CREATE INDEX i_rat ON place(rating);
        CREATE INDEX i_pop ON place(population); CREATE INDEX i_cre ON place(created);
        CREATE INDEX i_act ON place(active); CREATE INDEX i_own ON place(owner);
        """

    /// The statements that add one place to every table.
    private struct Inserter {
        private let row, tag, point, text: SQLiteStatement

        init(_ database: SQLiteDatabase) throws(SQLiteError) {
            row = try database.prepare("INSERT INTO place VALUES(?1,?2,fold_cd(?2),?3,?4,?5,?6,?7,?8,?9,?10,?11)")
            tag = try database.prepare("INSERT OR IGNORE INTO place_tag VALUES(?,?)")
            point = try database.prepare("INSERT INTO geo VALUES(?,?,?,?,?)")
            text = try database.prepare("INSERT INTO fts(rowid, body) VALUES(?,?)")
        }

        func insert(_ place: Place) throws(SQLiteError) {
            row.bind(1, place.id)
            row.bind(2, place.name)
            row.bind(3, place.category)
            row.bind(4, place.rating)
            row.bind(5, place.population)
            row.bind(6, place.created)
            row.bind(7, place.active.map { $0 ? 1 : 0 })
            row.bind(8, place.location?.lat)
            row.bind(9, place.location?.lon)
            row.bind(10, place.owner)
            row.bind(11, place.body)
            try row.run()
            for value in place.tags {
                tag.bind(1, value)
                tag.bind(2, place.id)
                try tag.run()
            }
            if let location = place.location {
                point.bind(1, place.id)
                for (parameter, value) in zip(2..., [location.lat, location.lat, location.lon, location.lon]) {
                    point.bind(Int32(parameter), value)
                }
                try point.run()
            }
            if let body = place.body {
                text.bind(1, place.id)
                text.bind(2, body)
                try text.run()
            }
        }
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
