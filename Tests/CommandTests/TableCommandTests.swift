// Queries on tables of a PostgreSQL server that no container has.

import Campaigns
import Foundation
import Testing
import _TestSupport

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct TableCommandTests {
    private static let schema = "tables_\(UUID().uuidString.prefix(8).lowercased())"

    /// Places of some countries, made once.
    private static let place = Result<[String], any Error> {
        let server = try PostgreSQLServer.shared()
        try server.run(
            "CREATE SCHEMA \(schema)",
            """
            CREATE TABLE \(schema).places (id int PRIMARY KEY, name text NOT NULL, country varchar(2), population bigint,
            area numeric(10,2), founded date, tags text[], details jsonb, type text)
            """,
            """
            INSERT INTO \(schema).places VALUES
            (1, 'Kyiv', 'UA', 2950000, 839.00, '0482-01-01', '{old,capital}', '{"river": "Dnipro"}', 'city'),
            (2, 'Lviv', 'UA', 720000, 182.01, '1256-01-01', '{old,west}', NULL, NULL),
            (3, 'Zürich', 'CH', 434000, 87.88, NULL, NULL, '{"river": "Limmat"}', 'city'),
            (4, 'Genève', 'CH', 203000, 15.89, NULL, '{}', NULL, NULL),
            (5, 'Nowhere', NULL, NULL, NULL, NULL, NULL, NULL, NULL)
            """,
            "CREATE INDEX ON \(schema).places(population)",
            """
            CREATE TABLE \(schema).many AS SELECT n, 'text ' || n AS name, jsonb_build_object('n', n) AS part
            FROM generate_series(1, 25000) n
            """,
            "CREATE INDEX ON \(schema).many(name)", "ANALYZE \(schema).places, \(schema).many")
        return [server.url, "--table", "\(schema).places"]
    }

    private static func run(_ arguments: String...) throws -> CommandRun {
        try CommandRun([arguments[0]] + Array(arguments.dropFirst()) + place.get())
    }

    @Test func rowsThatMatchArePrinted() throws {
        let found = try Self.run("query", "population > 1000000 AND name CONTAINS[cd] 'K'")
        #expect(
            found.lines == [
                #"{"id":1,"name":"Kyiv","country":"UA","population":2950000,"area":839,"founded":"0482-01-01T00:00:00Z","#
                    + #""tags":["old","capital"],"details":{"river":"Dnipro"},"type":"city"}"#
            ], "\(found.output) \(found.errors)")
        let cases: [(arguments: [String], output: String)] = [
            (["name ==[cd] 'zurich'", "--fields", "id"], #"{"id":3}"#),
            (
                ["details.river == 'Limmat'", "--fields", "name,details.river"],
                #"{"name":"Zürich","details.river":"Limmat"}"#
            ),
            (["ANY tags == 'west' OR area < 16", "--format", "ids"], "2\n4"),
            (["type == nil AND population != nil", "--format", "csv", "--fields", "id,type"], "id,type\n2,\n4,"),
            (["country == 'CH'", "--count"], "2"),
            (["TRUEPREDICATE", "--sort", "population:desc", "-n", "2", "--fields", "id"], "{\"id\":1}\n{\"id\":2}"),
            (["id > 1", "-n", "2", "--offset", "1", "--fields", "id"], "{\"id\":3}\n{\"id\":4}"),
            (["founded < '1000-01-01'", "--fields", "recordName"], #"{"recordName":"1"}"#),
            (["name == 'none'", "--format", "tsv", "--fields", "id"], "id"),
            (["area == 182.01", "--format", "json", "--fields", "id"], "[\n{\"id\":2}\n]"),
            (
                ["--count-by", "country"],
                #"{"country":"CH","count":2}"# + "\n" + #"{"country":"UA","count":2}"#
                    + "\n" + #"{"country":null,"count":1}"#
            ),
            (["population > 300000", "--distinct", "country"], "{\"country\":\"CH\"}\n{\"country\":\"UA\"}"),
            (["--count-by", "country", "--sort", "country:desc", "-n", "1"], #"{"country":"UA","count":2}"#),
            (["--count-by", "type,country", "--sort", "count", "-n", "1", "-o", "csv"], "type,country,count\n,,1"),
            (["--count-by", "type", "-o", "tsv"], "type\tcount\n\t3\ncity\t2"),
        ]
        for (arguments, output) in cases {
            let run = try CommandRun(["query"] + arguments + Self.place.get())
            #expect(run.lines.joined(separator: "\n") == output, "\(arguments): \(run.output) \(run.errors)")
        }
        let table = try Self.run("query", "country == 'UA'", "-o", "markdown", "--fields", "name,population")
        #expect(table.output.contains("| Kyiv"), "\(table.output)")
        let stats = try Self.run("query", "--stats", "population")
        #expect(stats.output.contains(#""count":4,"missing":1,"#) && stats.output.contains(#""max":2950000"#))
        let bars = try Self.run("query", "--histogram", "population:2")
        #expect(bars.lines.count >= 2, "\(bars.errors)")
    }

    @Test func whatIsWrongIsTold() throws {
        let explained = try Self.run("query", "population > 1000000 AND name CONTAINS[cd] 'k'", "--explain")
        #expect(explained.output.contains(#"server: (("r"."population" > $1) AND "#), "\(explained.output)")
        let unknown = try Self.run("query", "nmae == 'x'")
        #expect(unknown.status == 2 && unknown.errors.contains("did you mean name?"), "\(unknown.errors)")
        let column = try Self.run("query", "id == 1", "--fields", "nmae")
        #expect(column.status == 2 && column.errors.contains("did you mean 'name'?"), "\(column.errors)")
        let kind = try Self.run("query", "population > 'many'")
        #expect(kind.status == 2, "\(kind.errors)")
        let none = try Self.run("query", "population > 5000000")
        #expect(none.status == 1 && none.output.isEmpty && none.errors.isEmpty, "\(none.errors)")
        let option = try Self.run("query", "id == 1", "--type", "City")
        #expect(option.status == 2 && option.errors.contains("says nothing about a table"))
        let file = try CommandRun(["query", "a == 1", "-", "--table", "places"], input: "{}")
        #expect(file.status == 2 && file.errors.contains("FILE.sqlite:TABLE"))
        let server = try PostgreSQLServer.shared()
        let missing = try CommandRun(["query", "a == 1", server.url, "--table", "\(Self.schema).placse"])
        #expect(missing.status == 2 && missing.errors.contains("has no table"), "\(missing.errors)")
        let secret = try CommandRun([
            "query", "a == 1", "postgresql://nobody:s3cret@/postgres?host=/nonexistent&port=1", "--table", "t",
        ])
        #expect(secret.status == 4 && !(secret.errors + secret.output).contains("s3cret"), "\(secret.errors)")
    }

    @Test func longTablesAreReadInPortions() throws {
        let many = [try Self.place.get()[0], "--table", "\(Self.schema).many"]
        let all = try CommandRun(["query", "n > 100 AND name ENDSWITH '7'", "--format", "ids"] + many)
        #expect(all.lines.count == 2_490 && all.lines.first == "1", "\(all.errors)")
        let first = try CommandRun(["query", "n > 20000", "-n", "3", "--fields", "n"] + many)
        #expect(first.lines == [#"{"n":20001}"#, #"{"n":20002}"#, #"{"n":20003}"#], "\(first.errors)")
        let nested = try CommandRun(["query", "part.n == 24000 OR part.n == 3", "--fields", "n"] + many)
        #expect(nested.lines == [#"{"n":3}"#, #"{"n":24000}"#], "\(nested.errors)")
        let repl = try CommandRun(["repl"] + many, input: "n == 7\n.count name\n")
        #expect(repl.output.contains(#"text 7"#), "\(repl.output) \(repl.errors)")
        let bench = try CommandRun(["bench", "n < 5", "--runs", "1", "-o", "ndjson"] + many)
        #expect(bench.output.contains(#""way":"server","records":25000,"matches":4,"#), "\(bench.errors)")
        let groups = try CommandRun(["query", "n <= 3", "--count-by", "name", "-n", "2"] + many)
        #expect(groups.lines == [#"{"name":"text 1","count":1}"#, #"{"name":"text 2","count":1}"#], "\(groups.errors)")
        let advice = try CommandRun(["advise", "n == 5 AND name ==[cd] 'text 9'", "-o", "ndjson"] + many)
        #expect(
            advice.status == 0 && advice.lines.count == 1 && advice.output.contains(#""field":"n","#),
            "\(advice.output)")
        let known = try CommandRun(["advise", "name == 'text 9'", "-o", "ndjson"] + many)
        #expect(known.status == 1 && known.output.isEmpty, "\(known.output) \(known.errors)")
    }
}
