// Conditions of SQL for every kind of operand, and what has none.

import Foundation
import RecordDatabase
import Testing

@testable import predicate

struct SQLEdgesTests {
    private static let record =
        #"{"n":1,"m":2,"f":1.5,"t":"x","u":"y","b":true,"c":false,"d":"2026-01-01T00:00:00Z","#
        + #""e":"2026-01-01T00:00:00Z","tags":["x"],"ns":[1],"bs":[true],"p":{"latitude":1,"longitude":2},"#
        + #""q":{"latitude":1,"longitude":2},"o":{"k":1},"r":{"reference":"z"}}"# + "\n"

    /// The lines that are printed for predicates, and the messages.
    private static func translated(_ predicates: [String], _ options: [String]) throws -> (CommandCall) {
        let folder = try TemporaryFolder()
        let file = try folder.file("p.txt", predicates.map { $0 + "\n" }.joined())
        let records = try folder.file("r.ndjson", record)
        return CommandCall(["translate", "--to", "sql", "-p", file, records] + options)
    }

    /// A predicate, and its condition in SQLite and in PostgreSQL; one where they are the same.
    static let conditions: [(predicate: String, sql: [String])] = [
        // Truth values and numbers.
        ("b == f", [#""b" IS "f""#, #""b"::int IS NOT DISTINCT FROM "f""#]),
        ("f != b", [#""f" IS NOT "b""#, #""f" IS DISTINCT FROM "b"::int"#]),
        ("b == c", [#""b" IS "c""#, #""b" IS NOT DISTINCT FROM "c""#]), ("b == 1", [#""b" = 1"#, #""b" = TRUE"#]),
        ("b == 0.0", [#""b" = 0.0"#, #""b" = FALSE"#]), ("b == 1.0", [#""b" = 1.0"#, #""b" = TRUE"#]),
        ("b == 0.5", [#""b" = 0.5"#, "FALSE"]), ("b != 2", [#""b" IS NOT 2"#, "TRUE"]), ("b == TRUE", [#""b" = TRUE"#]),
        ("n == TRUE", [#""n" = 1"#]), ("n == FALSE", [#""n" = 0"#]),
        ("n + 1 == TRUE", [#"("n" + 1) = TRUE"#, #"("n" + 1) = 1"#]), ("b > 0", [#""b" > 0"#, #""b"::int > 0"#]),
        ("n > FALSE", [#""n" > 0"#]), ("n < TRUE", [#""n" < 1"#]), ("b < c", [#""b" < "c""#, #""b"::int < "c"::int"#]),
        ("n BETWEEN {TRUE, 5}", [#""n" BETWEEN 1 AND 5"#]),
        ("b IN {1, 0, 2}", [#""b" IN (1, 0, 2)"#, #""b" IN (TRUE, FALSE)"#]),
        ("-b < 0", [#"(-"b") < 0"#, #"(-"b"::int) < 0"#]),
        ("TRUE + n > 1 AND FALSE + n > 1", [#"(1 + "n") > 1 AND (0 + "n") > 1"#]),
        ("b + f > 1", [#"("b" + "f") > 1"#, #"("b"::int + "f") > 1"#]),
        // Kinds that never equal each other.
        ("t == n", [#""t" IS NULL AND "n" IS NULL"#]), ("t != n", [#"("t" IS NULL AND "n" IS NULL) IS NOT TRUE"#]),
        ("t == n AND n > 1", [#"("t" IS NULL AND "n" IS NULL) AND "n" > 1"#]),
        ("t == n OR n > 1", [#""t" IS NULL AND "n" IS NULL OR "n" > 1"#]), ("t == 3", ["FALSE"]), ("t != 3", ["TRUE"]),
        // Nil.
        ("t == nil", [#""t" IS NULL"#]), ("nil == t", [#""t" IS NULL"#]), ("tags != nil", [#""tags" IS NOT NULL"#]),
        ("nil != t", [#""t" IS NOT NULL"#]), ("nil < t", ["FALSE"]), ("t > nil", ["FALSE"]),
        ("nil >= n", [#""n" IS NULL"#]), ("n <= nil", [#""n" IS NULL"#]), ("tags CONTAINS nil", ["FALSE"]),
        ("n BETWEEN {nil, 3}", ["FALSE"]), ("n IN {nil}", ["FALSE"]), ("t BEGINSWITH nil", ["FALSE"]),
        // Orders.
        ("t < u", [#""t" < "u""#, #""t" COLLATE "C" < "u""#]), ("'x' < t", [#"'x' < "t""#, #"'x' COLLATE "C" < "t""#]),
        ("'x' <= t", [#"'x' <= "t""#, #"'x' COLLATE "C" <= "t""#]),
        (
            "t <= u",
            [
                #""t" <= "u" OR ("t" IS NULL AND "u" IS NULL)"#,
                #""t" COLLATE "C" <= "u" OR ("t" IS NULL AND "u" IS NULL)"#,
            ]
        ),
        ("n >= m AND n > 1", [#"("n" >= "m" OR ("n" IS NULL AND "m" IS NULL)) AND "n" > 1"#]),
        (
            "t BETWEEN {'b', 'a'}", [#""t" BETWEEN 'a' AND 'b'"#, #""t" COLLATE "C" BETWEEN 'a' AND 'b'"#]
        ), ("n BETWEEN {2, 2}", [#""n" BETWEEN 2 AND 2"#]), ("n == -3 AND f > -0.5", [#""n" = (-3) AND "f" > (-0.5)"#]),
        // Dates.
        ("d == e", [#"julianday("d") IS julianday("e")"#, #""d" IS NOT DISTINCT FROM "e""#]),
        (
            "d != CAST(0, 'NSDate')",
            [
                #"julianday("d") IS NOT julianday('2001-01-01T00:00:00Z')"#,
                #""d" IS DISTINCT FROM TIMESTAMPTZ '2001-01-01T00:00:00Z'"#,
            ]
        ),
        (
            "d IN {CAST(0, 'NSDate'), CAST(1, 'NSDate')}",
            [
                #"julianday("d") IN (julianday('2001-01-01T00:00:00Z'), julianday('2001-01-01T00:00:01Z'))"#,
                #""d" IN (TIMESTAMPTZ '2001-01-01T00:00:00Z', TIMESTAMPTZ '2001-01-01T00:00:01Z')"#,
            ]
        ),
        (
            "d + 1h > now()",
            [#"julianday("d", '+3600 seconds') > julianday('now')"#, #"("d" + INTERVAL '+3600 seconds') > now()"#]
        ),
        (
            "now() - 7d < d",
            [#"julianday('now', '-604800 seconds') < julianday("d")"#, #"(now() + INTERVAL '-604800 seconds') < "d""#]
        ),
        (
            "year(d) == 2026",
            [#"CAST(strftime('%Y', "d") AS INTEGER) = 2026"#, #"EXTRACT(YEAR FROM "d" AT TIME ZONE 'UTC') = 2026"#]
        ),
        (
            "month(d) > 3 AND day(now()) == 1",
            [
                #"CAST(strftime('%m', "d") AS INTEGER) > 3 AND CAST(strftime('%d', 'now') AS INTEGER) = 1"#,
                #"EXTRACT(MONTH FROM "d" AT TIME ZONE 'UTC') > 3 AND EXTRACT(DAY FROM now() AT TIME ZONE 'UTC') = 1"#,
            ]
        ),
        // Texts.
        ("t LIKE ''", [#""t" GLOB ''"#, #""t" LIKE ''"#]), ("t CONTAINS ''", ["FALSE"]),
        ("t BEGINSWITH 'aé'", [#"substr("t", 1, 2) = 'aé'"#, #"starts_with("t", 'aé')"#]),
        ("t ENDSWITH 'aé'", [#"substr("t", -2) = 'aé'"#, #"right("t", 2) = 'aé'"#]),
        ("t CONTAINS[n] 'a'", [#"instr("t", 'a') > 0"#, #"strpos("t", 'a') > 0"#]),
        ("'x' IN t", [#"instr("t", 'x') > 0"#, #"strpos("t", 'x') > 0"#]), ("'' IN t", ["FALSE"]),
        // Lists.
        (
            "'x' IN tags",
            [
                #"EXISTS (SELECT 1 FROM json_each("tags") AS e WHERE e.value = 'x')"#,
                #"EXISTS (SELECT 1 FROM unnest("tags") AS e(value) WHERE e.value = 'x')"#,
            ]
        ),
        (
            "bs CONTAINS 1",
            [
                #"EXISTS (SELECT 1 FROM json_each("bs") AS e WHERE e.value = 1)"#,
                #"EXISTS (SELECT 1 FROM unnest("bs") AS e(value) WHERE e.value = TRUE)"#,
            ]
        ),
        (
            "ns CONTAINS 'x' OR NONE ns > n",
            [
                #"EXISTS (SELECT 1 FROM json_each("ns") AS e WHERE FALSE) OR "#
                    + #"NOT EXISTS (SELECT 1 FROM json_each("ns") AS e WHERE e.value > "n")"#,
                #"EXISTS (SELECT 1 FROM unnest("ns") AS e(value) WHERE FALSE) OR "#
                    + #"NOT EXISTS (SELECT 1 FROM unnest("ns") AS e(value) WHERE e.value > "n")"#,
            ]
        ),
        (
            "tags.@count > 2 AND ns[SIZE] == 1",
            [
                #"json_array_length("tags") > 2 AND json_array_length("ns") = 1"#,
                #"cardinality("tags") > 2 AND cardinality("ns") = 1"#,
            ]
        ),
        // Parts of conditions, and calls.
        ("n > 1 OR t == 'x' AND n < 5", [#""n" > 1 OR "t" = 'x' AND "n" < 5"#]),
        (
            "(n > 1 OR m > 1) AND NOT (n > 5 AND m > 2)",
            [#"("n" > 1 OR "m" > 1) AND ("n" > 5 AND "m" > 2) IS NOT TRUE"#]
        ),
        ("TERNARY(n > 1, 1, f) == 2", [#"CASE WHEN "n" > 1 THEN 1 ELSE "f" END = 2"#]),
        ("noindex(n) == 1 AND abs(n) == 1", [#""n" = 1 AND abs("n") = 1"#]),
        ("n + 0.5 > 1", [#"("n" + 0.5) > 1"#, #"("n" + CAST(0.5 AS double precision)) > 1"#]),
        ("(n & 3) == (m | 1)", [#"("n" & 3) IS ("m" | 1)"#, #"("n" & 3) IS NOT DISTINCT FROM ("m" | 1)"#]),
    ]

    @Test(arguments: ["sqlite", "postgresql"]) func conditionsOfOperands(_ database: String) throws {
        let run = try Self.translated(Self.conditions.map(\.predicate), ["--database", database])
        #expect(run.status == .success && run.lines.count == Self.conditions.count, "\(run.messages)")
        for (line, (predicate, sql)) in zip(run.lines, Self.conditions) {
            #expect(line == (database == "sqlite" ? sql.first : sql.last), "\(predicate)")
        }
    }

    /// What PostgreSQL alone has.
    static let ofPostgreSQL: [(predicate: String, sql: String)] = [
        ("sqrt(n) > 2", #"sqrt("n"::float8) > 2"#), ("n ** 2 > 3", #"power("n"::float8, 2::float8) > 3"#),
        ("floor(f) == 1", #"floor("f") = 1"#), ("ceiling(f) == 1", #"ceil("f") = 1"#),
        ("(n ^ 3) == 1", ##"("n" # 3) = 1"##),
        ("distanceToLocation:fromLocation:(p, q) < 10", #"ST_Distance("p", "q") < 10"#),
        (
            // 180 degrees east are 180 degrees west, and a pole is on every meridian.
            "inBox(p, -90, -180, 0, 10) == TRUE",
            #"(ST_Y("p"::geometry) BETWEEN (-90.0) AND 0.0 AND (ST_X("p"::geometry) BETWEEN (-180.0) AND 10.0 "#
                + #"OR abs(ST_X("p"::geometry)) = 180 OR abs(ST_Y("p"::geometry)) = 90)) = TRUE"#
        ),
        (
            "inBox(p, -10, -180, 10, 180) == TRUE",
            #"(ST_Y("p"::geometry) BETWEEN (-10.0) AND 10.0 AND "#
                + #"ST_X("p"::geometry) BETWEEN (-180.0) AND 180.0) = TRUE"#
        ),
        (
            "inBox(p, -10, 20, 90, 20) == TRUE",
            #"(ST_Y("p"::geometry) BETWEEN (-10.0) AND 90.0 AND (ST_X("p"::geometry) BETWEEN 20.0 AND 20.0 "#
                + #"OR abs(ST_Y("p"::geometry)) = 90)) = TRUE"#
        ),
    ]

    @Test func functionsOfPostgreSQL() throws {
        let run = try Self.translated(Self.ofPostgreSQL.map(\.predicate), ["--database", "postgresql"])
        #expect(run.lines == Self.ofPostgreSQL.map(\.sql), "\(run.messages)")
        let other = try Self.translated(Self.ofPostgreSQL.map(\.predicate), [])
        #expect(other.output == "" && other.status == .usage)
        let messages = other.messages.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        let parts = [
            "the function sqrt:", "**", "the function floor:", "the function ceiling:", "^", "distances", "boxes",
            "boxes", "boxes",
        ]
        #expect(messages.count == parts.count, "\(messages)")
        for (index, (message, part)) in zip(messages, parts).enumerated() {
            #expect(message.hasSuffix("p.txt:\(index + 1): SQLite has no counterpart for \(part)"), "\(message)")
        }
    }

    /// Predicates without SQL, and the part that has none.
    static let rejected: [(predicate: String, part: String)] = [
        ("SELF == 3", "SELF"), ("r == 'z'", "a reference that is compared as a whole"),
        ("tags[FIRST] == 'x'", "a path"), ("o.k == 1", "a path"), ("ANY o.k == 1", "ANY over what is no field"),
        ("CAST(n, 'NSString') == 'x'", "CAST"), ("n IN {m, 2}", "a list that is not constant"),
        ("n BETWEEN {m, 2}", "a list that is not constant"),
        ("n IN {1, 2.5} AND x IN {1, 'x'}", "a list of values of several kinds"),
        ("allTokens TOKENMATCHES 'x'", "words of all fields"), ("t TOKENMATCHES 'x'", "searches for words"),
        ("uppercase(t) == 'X'", "the function uppercase:"),
        ("t CONTAINS u", "CONTAINS with anything but a constant text"),
        ("'x' BEGINSWITH t", "BEGINSWITH with anything but a constant text"),
        ("'x' IN x", "IN where text and list are not told apart"), ("3 IN x", "IN without a known list"),
        ("tags CONTAINS[c] 'x'", "texts compared without regard to case, marks or locale, as Unicode defines them"),
        ("'x' IN[d] t", "texts compared without regard to case, marks or locale, as Unicode defines them"),
        ("ANY tags ==[c] 'x'", "texts compared without regard to case, marks or locale, as Unicode defines them"),
    ]

    @Test func partsWithoutSQL() throws {
        let run = try Self.translated(Self.rejected.map(\.predicate), [])
        #expect(run.output == "" && run.status == .usage)
        let messages = run.messages.split(separator: "\n").filter { $0.hasPrefix("error: ") }
        #expect(messages.count == Self.rejected.count, "\(run.messages)")
        for (message, test) in zip(messages, Self.rejected) {
            #expect(message.hasSuffix(": SQLite has no counterpart for \(test.part)"), "\(test.predicate): \(message)")
        }
    }

    /// Constants as parameters, dates as such; nil is none.
    @Test func parametersAreNumbered() throws {
        let predicates = ["n == nil OR f > 0.5 AND t LIKE 'a*'", "d > CAST(0, 'NSDate')", "n BETWEEN {1, 5}"]
        let lite = try Self.translated(predicates, ["--parameters"])
        #expect(
            lite.lines == [
                #""n" IS NULL OR "f" > ?1 AND "t" GLOB ?2"#, #"-- parameters: [0.5,"a*"]"#,
                #"julianday("d") > julianday(?1)"#, #"-- parameters: ["2001-01-01T00:00:00Z"]"#,
                #""n" BETWEEN ?1 AND ?2"#, "-- parameters: [1,5]",
            ], "\(lite)")
        let server = try Self.translated(predicates + ["n + 0.5 > 1"], ["--parameters", "--database", "postgresql"])
        #expect(
            server.lines == [
                #""n" IS NULL OR "f" > $1 AND "t" LIKE $2"#, #"-- parameters: [0.5,"a%"]"#,
                #""d" > $1::timestamptz"#, #"-- parameters: ["2001-01-01T00:00:00Z"]"#,
                #""n" BETWEEN $1 AND $2"#, "-- parameters: [1,5]", #"("n" + $1) > $2"#, "-- parameters: [0.5,1]",
            ], "\(server)")
        let swapped = try Self.translated(["n BETWEEN {5, 1}"], ["--parameters"])
        #expect(swapped.output == "" && swapped.messages.contains("bounds in the wrong order"))
        #expect(try Self.translated(["n BETWEEN {5, 1}"], []).output == "\"n\" BETWEEN 1 AND 5\n")
    }

    /// Patterns of LIKE: what stands for itself there, here and in both databases.
    @Test func patternsOfBothDatabases() {
        let patterns: [(pattern: String, sqlite: String, postgresql: String)] = [
            ("a*b?c", "a*b?c", "a%b_c"), ("[%_]", "[[]%_]", #"[\%\_]"#), (#"\*\?\["#, "[*][?][[]", "*?["),
            (#"\%\x"#, "%x", #"\%x"#), (#"a\\*"#, #"a\*"#, #"a\\%"#), (#"a\"#, #"a\"#, #"a\\"#), ("", "", ""),
        ]
        for (pattern, sqlite, postgresql) in patterns {
            #expect(SQLDatabase.sqlite.pattern(pattern) == sqlite)
            #expect(SQLDatabase.postgresql.pattern(pattern) == postgresql)
        }
    }

    @Test func namesOfColumns() {
        let (short, long) = (String(repeating: "n", count: 63), String(repeating: "n", count: 64))
        #expect(SQLDatabase.postgresql.invalidity(ofName: short) == nil)
        #expect(SQLDatabase.postgresql.invalidity(ofName: long) == "a name of more than 63 bytes")
        #expect(SQLDatabase.sqlite.invalidity(ofName: long) == nil)
        #expect(SQLDatabase.postgresql.invalidity(ofName: "") == "an empty name")
        #expect(SQLDatabase.sqlite.invalidity(ofName: "") == nil)
        for database in SQLDatabase.allCases { #expect(database.invalidity(ofName: "a\0") == "a name with a NUL") }
    }
}
