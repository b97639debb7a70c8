// Translations to SQL: SQLite gives the answers that the predicate has, for random predicates over random records.

import CSQLite
import FoundationEssentials
import RecordDatabase
import Testing

@testable import predicate

/// Random numbers that repeat.
private struct Generator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    mutating func below(_ limit: Int) -> Int { Int(next() >> 1) % limit }
    mutating func pick<Choice>(_ choices: [Choice]) -> Choice { choices[below(choices.count)] }
}

/// Random records and predicates of the part of the language that SQL shares.
private struct SharedSubset {
    var random: Generator
    static let texts = [
        "", "a", "b", "ab", "Ab", "AB", "é", "É", "straße", "東京", "a*b", "a?b", "100%", "x_y", "[a]", "'", "\\", "a\nb",
    ]
    static let fractions = [0, 0.5, -1, 2.5, 1e300, -0.25, 3, 0x1p53]
    static let wholes: [Int64] = [0, 1, -1, 2, 3, 7, 1 << 53, (1 << 53) + 1, .max, .min]

    mutating func record(_ number: Int) -> Record {
        var fields: [String: FieldValue] = [:]
        if random.below(6) > 0 { fields["n"] = .int64(random.pick(Self.wholes)) }
        if random.below(6) > 0 { fields["f"] = .double(random.pick(Self.fractions)) }
        if random.below(6) > 0 { fields["t"] = .string(random.pick(Self.texts)) }
        if random.below(6) > 0 { fields["u"] = .string(random.pick(Self.texts)) }
        if random.below(6) > 0 { fields["b"] = .bool(random.below(2) == 0) }
        if random.below(6) > 0 {
            fields["d"] = .date(Date(timeIntervalSinceReferenceDate: Double(random.below(5)) * 43_200))
        }
        if random.below(6) > 0 {
            fields["tags"] = .list((0..<random.below(4)).map { _ in .string(random.pick(Self.texts)) })
        }
        if random.below(6) > 0 {
            fields["ns"] = .list((0..<random.below(4)).map { _ in .int64(Int64(random.below(5))) })
        }
        return Record(type: "Row", id: Record.ID(String(number)), fields: fields)
    }

    mutating func predicate(_ depth: Int) -> String {
        guard depth > 0 else { return comparison() }
        switch random.below(6) {
        case 0, 1: return "(\(predicate(depth - 1)) AND \(predicate(depth - 1)))"
        case 2, 3: return "(\(predicate(depth - 1)) OR \(predicate(depth - 1)))"
        case 4: return "NOT (\(predicate(depth - 1)))"
        default: return comparison()
        }
    }

    private mutating func text() -> String {
        "'"
            + random.pick(Self.texts).replacing("\\", with: "\\\\").replacing("'", with: "\\'").replacing(
                "\n", with: "\\n") + "'"
    }

    private mutating func number() -> String {
        random.pick([
            "0", "1", "2", "3", "-1", "0.5", "2.5", "9007199254740993", "TRUE", "1e300", "n", "f", "n + 1", "f * 2",
            "ns.@count", "abs(f)", "-f", "n / 2", "n - f",
        ])
    }

    private mutating func date() -> String { "CAST(\(random.below(5) * 43_200), 'NSDate')" }

    private mutating func comparison() -> String {
        let relation = random.pick(["==", "!=", "<", "<=", ">", ">="])
        let quantifier = random.pick(["ANY", "ALL", "NONE"])
        switch random.below(16) {
        case 0, 1: return "\(random.pick(["n", "f", "b"])) \(relation) \(number())"
        case 2: return "\(number()) \(relation) \(random.pick(["n", "f"]))"
        case 3: return "t \(relation) \(text())"
        case 4: return "t \(relation) u"
        case 5:
            return
                "\(random.pick(["t", "u"])) \(random.pick(["CONTAINS", "BEGINSWITH", "ENDSWITH"]))\(random.pick(["", "[n]"])) \(text())"
        case 6:
            return
                "t LIKE '\(random.pick(["*", "?", "a*", "*b", "?b", "a\\\\*b", "*[*", "*%", "x_?", "", "*é*", "a?b", "\\\\?"]))'"
        case 7: return "\(random.pick(["n", "f", "t", "d", "b", "tags"])) \(random.pick(["==", "!="])) nil"
        case 8: return "t IN {\(text()), \(text()), nil}"
        case 9: return "n IN {\(random.below(4)), 2.5, \(random.below(4))}"
        case 10: return "n BETWEEN {\(random.below(4)), \(random.below(4))}"
        case 11: return "d \(relation) \(date())"
        case 12: return "\(quantifier) tags \(random.pick(["==", "!=", "<", "BEGINSWITH", "CONTAINS"])) \(text())"
        case 13: return "\(quantifier) ns \(relation) \(random.below(5))"
        case 14:
            return random.pick([
                "tags CONTAINS \(text())", "\(text()) IN tags", "ns CONTAINS 2", "'a' IN t", "t < nil", "t >= nil",
            ])
        default: return "TERNARY(\(comparison()), n, f) \(relation) \(number())"
        }
    }
}

struct SQLTranslationTests {
    /// The records as rows: columns of no affinity keep every value as it is.
    private static func rows(_ records: [Record], _ database: OpaquePointer) {
        _ = unsafe csqlite_execute(database, "CREATE TABLE rows (id INTEGER PRIMARY KEY, n, f, t, u, b, d, tags, ns)")
        for record in records {
            let columns = record.fields.map { name, value -> (String, String) in
                switch value {
                case .int64(let number): (name, number == .min ? "(-9223372036854775807 - 1)" : "\(number)")
                case .double(let number): (name, "\(number)")
                case .bool(let flag): (name, flag ? "1" : "0")
                case .string(let text): (name, SQLDatabase.sqlite.quoted(text: text))
                case .date(let date): (name, "'\(RFC3339.format(date.timeIntervalSinceReferenceDate) ?? "")'")
                default: (name, SQLDatabase.sqlite.quoted(text: value.json))
                }
            }
            let names = ["id"] + columns.map(\.0)
            let values = [record.id.recordName] + columns.map(\.1)
            let sql = "INSERT INTO rows (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
            #expect(unsafe csqlite_execute(database, sql) == 0, "\(sql)")
        }
    }

    private static func ids(_ condition: String, _ database: OpaquePointer) -> [Int]? {
        guard let statement = unsafe csqlite_prepare(database, "SELECT id FROM rows WHERE \(condition) ORDER BY id")
        else {
            return nil
        }
        defer { unsafe csqlite_finalize(statement) }
        let count = unsafe csqlite_ids(statement)
        return count < 0 ? nil : (0..<count).map { Int(unsafe csqlite_id(statement, $0)) }
    }

    @Test func sqliteGivesTheSameResults() throws {
        var subset = SharedSubset(random: Generator(state: 11))
        let records = (0..<150).map { subset.record($0) }
        let set = try RecordSet(records: records)
        let database = try #require(unsafe csqlite_open())
        defer { unsafe csqlite_close(database) }
        Self.rows(records, database)
        var compared = 0
        var matched = 0
        for _ in 0..<1500 {
            let text = subset.predicate(subset.random.below(4))
            let predicate = try RecordPredicate(format: text)
            var translator = SQLTranslator(.sqlite)
            let sql = try translator.condition(try set.binder().bind(predicate).root).text
            let expected = try set.ordinals(matching: predicate)
            #expect(Self.ids(sql, database) == expected, "\(text)\n\(sql)")
            compared += 1
            matched += expected.count
        }
        #expect(compared > 1400)
        #expect(matched > 10_000)
    }

    /// Predicates, and their conditions in PostgreSQL.
    static let conditions: [(predicate: String, sql: String)] = [
        (
            "n == 3 AND (t != 'x' OR NOT (b == TRUE))",
            #""n" = 3 AND ("t" IS DISTINCT FROM 'x' OR ("b" = TRUE) IS NOT TRUE)"#
        ),
        ("t < 'it\\'s' AND b == 0 AND b == 2", #""t" COLLATE "C" < 'it''s' AND "b" = FALSE AND FALSE"#),
        (
            "t BEGINSWITH 'a' OR t CONTAINS '%' OR t ENDSWITH 'é'",
            #"starts_with("t", 'a') OR strpos("t", '%') > 0 OR right("t", 1) = 'é'"#
        ),
        ("b == f OR b > n", #""b"::int IS NOT DISTINCT FROM "f" OR "b"::int > "n""#),
        ("t LIKE 'a_*?'", #""t" LIKE 'a\_%_'"#), ("n IN {1, nil, 'x'}", #""n" IN (1)"#),
        ("d >= CAST(0, 'NSDate')", #""d" >= TIMESTAMPTZ '2001-01-01T00:00:00Z'"#),
        ("ANY tags == 'x'", #"EXISTS (SELECT 1 FROM unnest("tags") AS e(value) WHERE e.value = 'x')"#),
        ("ALL ns > 1", #"NOT EXISTS (SELECT 1 FROM unnest("ns") AS e(value) WHERE (e.value > 1) IS NOT TRUE)"#),
        ("f * 0.5 > n", #"("f" * CAST(0.5 AS double precision)) > "n""#), ("t == nil", #""t" IS NULL"#),
        (
            "distanceToLocation:fromLocation:(p, %@) <= 1000",
            #"ST_Distance("p", ST_SetSRID(ST_MakePoint(2.5, 48.5), 4326)::geography) <= 1000"#
        ),
        (
            "inBox(p, 46, 8.25, 47, 9) == TRUE",
            #"(ST_Y("p"::geometry) BETWEEN 46.0 AND 47.0 AND ST_X("p"::geometry) BETWEEN 8.25 AND 9.0) = TRUE"#
        ),
        (
            "inBox(p, -10, 170, 10, -170) != TRUE",
            #"(ST_Y("p"::geometry) BETWEEN (-10.0) AND 10.0 AND (ST_X("p"::geometry) >= 170.0 "#
                + #"OR ST_X("p"::geometry) <= (-170.0))) IS DISTINCT FROM TRUE"#
        ),
        (
            "inBox(p, 60, 100, 90, 180) == FALSE",
            #"(ST_Y("p"::geometry) BETWEEN 60.0 AND 90.0 AND (ST_X("p"::geometry) BETWEEN 100.0 AND 180.0 "#
                + #"OR abs(ST_X("p"::geometry)) = 180 OR abs(ST_Y("p"::geometry)) = 90)) = FALSE"#
        ),
    ]

    @Test(arguments: conditions.indices)
    func postgreSQL(_ index: Int) throws {
        let test = Self.conditions[index]
        let place = FieldValue.location(Location(latitude: 48.5, longitude: 2.5))
        let record = Record(
            type: "Row", id: Record.ID("1"),
            fields: [
                "n": 1, "f": 1.5, "t": "x", "b": true, "d": .date(Date(timeIntervalSinceReferenceDate: 0)),
                "tags": ["x"],
                "ns": [1], "p": place,
            ])
        let predicate = try RecordPredicate(
            format: test.predicate, arguments: test.predicate.contains("%@") ? [place] : [])
        var translator = SQLTranslator(.postgresql)
        let bound = try RecordSet(records: [record]).binder().bind(predicate)
        #expect(try translator.condition(bound.root).text == test.sql)
    }

    /// Calls, their status, and what they print.
    static let calls: [(arguments: [String], status: Int32, output: String, error: String)] = [
        (["--to", "sql", "a > 3"], 0, "\"a\" > 3\n", ""), (["--to", "sql", "-a > 3"], 0, "(-\"a\") > 3\n", ""),
        (
            ["--to", "sql", "a > 3 AND b == 'x'", "--parameters", "--format", "json"], 0,
            #"{"sql":"\"a\" > ?1 AND \"b\" = ?2","parameters":[3,"x"]}"# + "\n", ""
        ),
        (
            ["--to", "sql", "--database", "postgresql", "--parameters", "a == %@", "-a", "x"], 0,
            "\"a\" = $1\n-- parameters: [\"x\"]\n", ""
        ),
        // The name of a database is none of a store.
        (["--to", "sql", "--database", "postgresql", "a == 1", "-"], 0, "\"a\" = 1\n", ""),
        (
            ["--to", "sql", "a == 1", "--table", "my \"rows\""], 0,
            "SELECT * FROM \"my \"\"rows\"\"\" WHERE \"a\" = 1\n", ""
        ),
        (["--to", "sql", "name ==[cd] 'x'"], 2, "", "without regard to case"),
        (["--to", "sql", "x == 1 AND allTokens TOKENMATCHES[cd] 'a b'"], 2, "", "          ^~~~~~~~~"),
        (["--to", "sql", "name MATCHES 'a+'"], 2, "", "regular expressions of ICU"),
        (["--to", "sql", "a.b == 1"], 2, "", "no counterpart for a path"),
        (["--to", "sql", "a == $x"], 2, "", "--variable x=VALUE"),
        (["--to", "sql", "distanceToLocation:fromLocation:(p, q) < 3"], 2, "", "--database postgresql"),
        (["--to", "nspredicate", "age=<3 && name<>%@", "-a", "x"], 0, "age <= 3 AND name != \"x\"\n", ""),
        (
            [
                "--to", "nspredicate", "distanceToLocation:fromLocation:(p, %@) < $r", "-v", "r=5", "-a",
                #"{"latitude":1,"longitude":2}"#,
            ], 0,
            "distanceToLocation:fromLocation:(p, %@) < 5\n# arguments: [{\"latitude\":1.0,\"longitude\":2.0}]\n", ""
        ),
        (["--to", "nspredicate", "t TOKENMATCHES[cp] 'a b'"], 2, "", "no counterpart for phrases"),
        (["--to", "nspredicate", "#'a b' == 1"], 2, "", "by %K"),
        (["--to", "nspredicate", "inBox(p, 0, 0, 1, 1) == TRUE"], 2, "", "no counterpart for inBox"),
        (["--to", "sql", "x == 1 AND inBox(p, 0, 0, 1, 1) == TRUE"], 2, "", "          ^~~~~~~~~~~~~~~~~~~~"),
        (["--to", "sql", "inBox(p, 0, 0, 1, 1) == TRUE"], 2, "", "SQLite has no counterpart for boxes"),
        (
            [
                "--to", "sql", "--database", "postgresql", "inPolygon(p, %@) == TRUE", "-a",
                #"{"type":"Polygon","coordinates":[[[8,47],[9,47],[9,48],[8,47]]]}"#,
            ], 2, "", "PostgreSQL has no counterpart for polygons"
        ),
        (
            ["--to", "sql", "--database", "postgresql", "inBox(p, south, 0, 1, 1) == TRUE"], 2, "",
            "a box that is not of one field and four numbers"
        ),
        (
            [
                "--to", "nspredicate", "inPolygon(p, %@) == TRUE", "-a",
                #"{"type":"Polygon","coordinates":[[[8,47],[9,47],[9,48],[8,47]]]}"#,
            ], 2, "", "no counterpart for inPolygon"
        ),
        (
            ["--to", "cloudkit-json", "n > 3 AND t BEGINSWITH $x", "-v", "x=a"], 0,
            #"[{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":3,"type":"INT64"}},"#
                + #"{"comparator":"BEGINS_WITH","fieldName":"t","fieldValue":{"value":"a","type":"STRING"}}]"# + "\n",
            ""
        ),
        (["--to", "cloudkit-json", "n > 3 AND (t == 'a' OR t LIKE 'b*')"], 2, "", "there is no OR"),
        (["--to", "cloudkit-json", "n > 3 AND t LIKE 'b*'"], 2, "", "          ^~~~~~~~~"),
        (["a == 1"], 2, "", "needs the language"),
    ]

    @Test(arguments: calls.indices)
    func command(_ index: Int) throws {
        let call = Self.calls[index]
        let run = try CommandRun(["translate"] + call.arguments, input: "{\"a\":1}\n")
        #expect(run.output == call.output)
        #expect(run.status == call.status)
        #expect(call.error.isEmpty ? run.errors == "" : run.errors.contains(call.error), "\(run.errors)")
    }
}
