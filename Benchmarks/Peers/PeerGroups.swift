// Groups of places by other engines.

import FoundationEssentials
import RecordDatabase

/// SQLite in memory, without indexes, with prepared statements.
struct SQLiteGroups {
    private let database: SQLiteDatabase

    init(_ generator: PlaceGenerator) throws {
        database = try SQLiteDatabase()
        try database.execute(
            "CREATE TABLE place(id INTEGER PRIMARY KEY, category TEXT, rating REAL, population INTEGER, active INTEGER,"
                + " owner INTEGER); BEGIN")
        let row = try database.prepare("INSERT INTO place VALUES(?,?,?,?,?,?)")
        for index in 0..<generator.count {
            let place = generator[index]
            row.bind(1, place.id)
            row.bind(2, place.category)
            row.bind(3, place.rating)
            row.bind(4, place.population)
            row.bind(5, place.active.map { $0 ? 1 : 0 })
            row.bind(6, place.owner)
            try row.run()
        }
        try database.execute("COMMIT")
    }

    func results(budget: Int) throws -> [GroupResult] {
        try GroupQuery.all.map { query in
            let count = query.columns.split(separator: ", ").count
            // Truth values as other engines print them.
            let key = query.key == "active" ? "CASE active WHEN 1 THEN 'true' WHEN 0 THEN 'false' END" : query.key
            let limit = query.limit.map { " ORDER BY 2 DESC, 1 LIMIT \($0)" } ?? ""
            let statement = try database.prepare(
                "SELECT \(key), \(query.columns) FROM place\(query.condition) GROUP BY \(query.key)\(limit)")
            var groups: [String: [Double]] = [:]
            let time = try Measurement.of(runs: 3, budget: Double(budget) / 1000, limit: 3) {
                groups = [:]
                try statement.forEachRow { row in
                    groups[row.text(0).lowercased()] = (1...count).map { row.double(Int32($0)) }
                }
            }
            return GroupResult(
                peer: "SQLite \(SQLiteDatabase.version)", id: query.id, medianMicroseconds: time.median * 1e6,
                groups: groups)
        }
    }
}

/// DuckDB and Polars, by their Python packages.
enum PythonGroups {
    /// What `Benchmarks/Peers/groups.py` measures, by peer.
    static func results(_ python: String, _ path: String, budget: Int) throws -> [[GroupResult]] {
        let queries = String(decoding: try JSONEncoder().encode(GroupQuery.all), as: UTF8.self)
        let run = try ChildProcess.run([python, "Benchmarks/Peers/groups.py", path, "\(budget)", queries])
        guard run.status == 0 else {
            throw UsageError(description: "the peers failed; 'Benchmarks/Peers/setup' installs them")
        }
        let results = try JSONDecoder().decode([GroupResult].self, from: Data(run.output))
        let count = GroupQuery.all.count
        return stride(from: 0, to: results.count, by: count).map { Array(results[$0..<min($0 + count, results.count)]) }
    }
}
