// `groups`: counts and sums by the values of a field, beside SQLite's GROUP BY.

import RecordDatabase

/// Times groups of places in memory, and compares every group with SQLite's.
enum GroupsSuite: Suite {
    static let name = "groups"
    static let summary = """
        [--records N] [--budget MS]: counts and sums of N places (1,000,000) by fields of 2 to 1,000 values and more, \
        beside GROUP BY of SQLite in memory, all groups compared
        """

    /// Fields that are groups' keys, and how SQL names their values.
    private static let keys = ["category", "owner", "active"]
    private static let computed: [(aggregates: [Aggregate], columns: String)] = [
        ([.count], "count(*)"), ([.sum("population")], "sum(population)"),
        ([.average("rating"), .maximum("population")], "avg(rating), max(population)"),
        ([.distinct("population")], "count(DISTINCT population)"),
    ]

    static func run(_ arguments: ArraySlice<String>) throws {
        let options = try CommandLineOptions(arguments, names: ["records", "budget"])
        let count = try options.count("records", default: 1_000_000)
        let budget = Double(try options.count("budget", default: 1000)) / 1000
        print(Machine.current().line)
        var set = try RecordSet(contentsOf: PlaceFile.path(count: count))
        set.usesAllCores = false
        let database = try places(PlaceGenerator(count: count))
        var table = TextTable(["groups by", "computed", "groups", "ours, ns/record", "SQLite, ns/record", "times"])
        for key in keys {
            for (aggregates, columns) in computed {
                var ours: [RecordGroup] = []
                let time = try Measurement.of(runs: 7, budget: budget) { ours = try set.group(by: [key], aggregates) }
                let statement = try database.prepare("SELECT \(key), \(columns) FROM place GROUP BY \(key)")
                var theirs: [[FieldValue]] = []
                let theirTime = try Measurement.of(runs: 3, budget: budget, limit: 3) {
                    theirs = []
                    try statement.forEachRow { row in
                        theirs.append((1...aggregates.count).map { .double(row.double(Int32($0))) })
                    }
                }
                try compare(ours, theirs, "\(key): \(columns)")
                let each = 1e9 / Double(count)
                table.add([
                    key, aggregates.map(\.description).joined(separator: ", "), ours.count.separated,
                    (time.median * each).figure, (theirTime.median * each).figure,
                    (theirTime.median / time.median).figure,
                ])
            }
        }
        print(table.text)
        print(
            "results: all groups are equal; SQLite \(SQLiteDatabase.version) in memory, without indexes, one thread each"
        )
    }

    /// SQLite with the columns that are grouped and computed.
    private static func places(_ generator: PlaceGenerator) throws -> SQLiteDatabase {
        let database = try SQLiteDatabase()
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
        return database
    }

    /// Both are in the order of the keys; sums of doubles may differ in their last bits.
    private static func compare(_ ours: [RecordGroup], _ theirs: [[FieldValue]], _ name: String) throws {
        let areEqual =
            ours.count == theirs.count
            && zip(ours, theirs).allSatisfy { ours, theirs in
                zip(ours.values, theirs).allSatisfy { abs($0.double - $1.double) <= abs($1.double) * 1e-9 }
            }
        guard areEqual else { throw WrongResult(description: "\(name): groups differ from SQLite's") }
    }
}

extension FieldValue {
    /// The number; 0 for no value, as SQLite reads a null.
    fileprivate var double: Double {
        switch self {
        case .int64(let number): Double(number)
        case .double(let number): number
        default: 0
        }
    }
}
