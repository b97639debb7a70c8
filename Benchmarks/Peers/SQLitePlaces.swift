// Places in SQLite: the tables, the indexes of the workload, and the statements that save places.

/// Saves places into the tables of a database of SQLite.
struct SQLitePlaces {
    private let row, tag, point, text: SQLiteStatement

    static let tables = """
        CREATE TABLE place(id INTEGER PRIMARY KEY, name TEXT, name_cd TEXT, category TEXT, rating REAL,
          population INTEGER, created REAL, active INTEGER, lat REAL, lon REAL, owner INTEGER, body TEXT);
        CREATE TABLE place_tag(tag TEXT, id INTEGER, PRIMARY KEY(tag, id)) WITHOUT ROWID;
        CREATE VIRTUAL TABLE geo USING rtree(id, minlat, maxlat, minlon, maxlon);
        CREATE VIRTUAL TABLE fts USING fts5(body, content='', columnsize=0, detail=none, prefix='3',
          tokenize='unicode61 remove_diacritics 2');
        """
    static let indexes = """
        CREATE INDEX i_name ON place(name); CREATE INDEX i_ncd ON place(name_cd);
        CREATE INDEX i_cat ON place(category); CREATE INDEX i_rat ON place(rating);
        CREATE INDEX i_pop ON place(population); CREATE INDEX i_cre ON place(created);
        CREATE INDEX i_act ON place(active); CREATE INDEX i_own ON place(owner);
        """

    /// The database has `tables`.
    init(_ database: SQLiteDatabase) throws(SQLiteError) {
        row = try database.prepare("INSERT INTO place VALUES(?1,?2,fold_cd(?2),?3,?4,?5,?6,?7,?8,?9,?10,?11)")
        tag = try database.prepare("INSERT OR IGNORE INTO place_tag VALUES(?,?)")
        point = try database.prepare("INSERT INTO geo VALUES(?,?,?,?,?)")
        text = try database.prepare("INSERT INTO fts(rowid, body) VALUES(?,?)")
    }

    /// Adds one place to every table.
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
