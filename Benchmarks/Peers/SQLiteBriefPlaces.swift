// Places of six fields in SQLite, with the indexes that serve their queries best.

import FoundationEssentials
import RecordModel

/// A database of SQLite with places of six fields; the same six indexes are live while they are saved.
struct SQLiteBriefPlaces {
    let database: SQLiteDatabase
    private let inserter: SQLiteStatement

    /// Six, besides the one of the identifiers: two of them hold all that a query of two conditions needs to know.
    private static let schema = """
        CREATE TABLE place(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT, owner INTEGER, category TEXT,
          rating REAL, created REAL, population INTEGER);
        CREATE UNIQUE INDEX i_name ON place(name); CREATE INDEX i_owner ON place(owner);
        CREATE INDEX i_created ON place(created); CREATE INDEX i_rating ON place(rating);
        CREATE INDEX i_newest ON place(category, created, rating);
        CREATE INDEX i_category ON place(category, population);
        """
    static let fields = "name, rating, population"

    /// - Parameter path: The file, with a log of the kind WAL that is on the disk after each transaction; `nil` for a
    ///   database in memory.
    init(path: String? = nil) throws(SQLiteError) {
        database = try SQLiteDatabase(path: path ?? ":memory:")
        if path != nil {
            // As much cache as the whole takes, and a log as long as this library's.
            try database.execute(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096")
        }
        try database.execute("PRAGMA cache_size = -1048576; PRAGMA temp_store = MEMORY;" + Self.schema)
        inserter = try database.prepare("INSERT INTO place VALUES(?1,?2,?3,?4,?5,?6,?7,?8)")
    }

    /// Saves a place, in a transaction of its own where none was begun.
    func insert(_ place: BriefPlace) throws(SQLiteError) {
        inserter.bind(1, place.number)
        inserter.bind(2, place.recordName)
        inserter.bind(3, place.name)
        inserter.bind(4, place.owner)
        inserter.bind(5, place.category)
        inserter.bind(6, place.rating)
        inserter.bind(7, place.created)
        inserter.bind(8, place.population)
        try inserter.run()
    }

    /// Saves places in one transaction.
    func insert(_ places: [BriefPlace]) throws(SQLiteError) {
        try database.execute("BEGIN IMMEDIATE")
        for place in places { try insert(place) }
        try database.execute("COMMIT")
    }

    func count() throws(SQLiteError) -> Int { try database.prepare("SELECT count(*) FROM place").count() }

    /// The fields of the places that a statement finds, which selects `fields`.
    static func fields(_ statement: SQLiteStatement, _ values: [FieldValue]) throws(SQLiteError) -> [BriefFields] {
        statement.bind(values)
        var rows: [BriefFields] = []
        try statement.forEachRow { row in
            rows.append(BriefFields(name: row.text(0), rating: row.double(1), population: row.int(2)))
        }
        return rows
    }
}
