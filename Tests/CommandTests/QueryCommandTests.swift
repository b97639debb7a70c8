// predicate query as a shell runs it: answers, formats, exit status, errors.

import Foundation
import Testing

/// Three places, one without population, one with an odd character for every format.
private let places = """
    {"id":"kyiv","type":"City","name":"Kyiv","population":2952301,"location":{"latitude":50.45,"longitude":30.52},"tags":["capital","river"]}
    {"id":"lviv","type":"City","name":"Lviv \\"Lion\\", UA","population":717273,"location":{"latitude":49.84,"longitude":24.03}}
    {"id":"odesa","type":"City","name":"Odesa | sea\\tport","founded":"1794-09-02T00:00:00Z"}

    """

struct QueryCommandTests {
    /// A call over `places`, and what it must print.
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var status: Int32 = 0
        var output: String
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: [String], status: Int32 = 0, _ output: String) {
            self.arguments = arguments
            self.status = status
            self.output = output
        }
    }

    static let cases = [
        Case(["population > 1000000"], String(places.split(separator: "\n")[0]) + "\n"),
        Case(["TRUEPREDICATE"], places),
        Case(["-population < -1000000", "-o", "ids"], "kyiv\n"), Case(["-1 > population"], status: 1, ""),
        Case(["population > 99000000"], status: 1, ""),
        Case(["population > 99000000", "--count"], status: 1, "0\n"),
        Case(["population > 0", "--count"], "2\n"),
        Case(["NOT (population > 1000000)", "-o", "ids"], "lviv\nodesa\n"),
        Case(["TRUEPREDICATE", "--format=ids", "--sort", "population"], "odesa\nlviv\nkyiv\n"),
        Case(["TRUEPREDICATE", "-oids", "--sort", "population:desc"], "kyiv\nlviv\nodesa\n"),
        Case(["TRUEPREDICATE", "-o", "ids", "--sort", "population:desc", "--limit", "1"], "kyiv\n"),
        Case(["TRUEPREDICATE", "-o", "ids", "--limit", "2"], "kyiv\nlviv\n"),
        Case(["TRUEPREDICATE", "-o", "ids", "--limit", "1", "--offset", "1"], "lviv\n"),
        Case(["TRUEPREDICATE", "-o", "ids", "--sort", "population:desc", "--limit", "1", "--offset", "0"], "kyiv\n"),
        Case(
            ["TRUEPREDICATE", "-o", "ids", "-s", "distance(location, 49, 24)", "-n", "3"], "lviv\nkyiv\nodesa\n"),
        Case(["name BEGINSWITH[c] %@", "--argument", "KYIV", "-o", "ids"], "kyiv\n"),
        Case(["%K > %@", "--arguments", #"["population", 800000]"#, "-o", "ids"], "kyiv\n"),
        Case(["population > $least", "--variable", "least=800000", "-o", "ids"], "kyiv\n"),
        Case(
            ["distanceToLocation:fromLocation:(location, %@) < 1000", "-o", "ids", "--argument"]
                + [#"{"latitude":50.45,"longitude":30.52}"#], "kyiv\n"),
        Case(["founded < %@", "--argument", #"{"$date":"1800-01-01T00:00:00Z"}"#, "-o", "ids"], "odesa\n"),
        Case(["id == 'lviv'", "-o", "ids"], "lviv\n"),
        Case(
            ["population > 0", "--fields", "name,population"],
            #"{"name":"Kyiv","population":2952301}"# + "\n" + #"{"name":"Lviv \"Lion\", UA","population":717273}"#
                + "\n"),
        Case(
            ["population > 1000000", "--fields", "location.latitude,tags"],
            #"{"location.latitude":50.45,"tags":["capital","river"]}"# + "\n"),
        Case(
            ["TRUEPREDICATE", "--fields", "id,name,population,founded", "--format", "csv"],
            """
            id,name,population,founded
            kyiv,Kyiv,2952301,
            lviv,"Lviv ""Lion"", UA",717273,
            odesa,Odesa | sea\tport,,1794-09-02T00:00:00Z

            """),
        Case(
            ["id == 'odesa'", "--fields", "id,name", "--format", "tsv"], "id\tname\nodesa\t\"Odesa | sea\tport\"\n"),
        Case(["id == 'none'", "--format", "json"], status: 1, "[]\n"),
        Case(
            ["population > 0", "--fields", "id", "--format", "json"], "[\n{\"id\":\"kyiv\"},\n{\"id\":\"lviv\"}\n]\n"),
        Case(
            ["id == 'lviv'", "--fields", "location,population", "--format", "geojson"],
            #"{"type":"FeatureCollection","features":["# + "\n"
                + #"{"type":"Feature","id":"lviv","geometry":{"type":"Point","coordinates":[24.03,49.84]},"#
                + #""properties":{"population":717273}}"# + "\n]}\n"),
        Case(["tags TOKENMATCHES[cdp] 'river'", "-o", "ids", "--sort", "relevance", "--limit", "2"], "kyiv\n"),
        Case(
            ["name TOKENMATCHES[cd] 'lion ua' OR name TOKENMATCHES[cdp] 'odesa sea'", "--sort", "relevance"]
                + ["--snippets", "--snippet-words", "2", "--format", "markdown"],
            """
            | relevance | id    | field | snippet             |
            | --------: | ----- | ----- | ------------------- |
            |     1.756 | lviv  | name  | …"**Lion**", **UA** |
            |     0.878 | odesa | name  | **Odesa \\| sea**…   |

            """),
        Case(
            ["tags TOKENMATCHES[cd] 'river'", "--snippets", "--snippet-words", "\(Int.max)"]
                + ["--fields", "id", "--format", "markdown"],
            "| id   | field   | snippet   |\n| ---- | ------- | --------- |\n| kyiv | tags[1] | **river** |\n"),
        Case(
            ["tags TOKENMATCHES[cd] 'river'", "--fields", "id,relevance", "--snippets", "--format", "ndjson"],
            #"{"id":"kyiv","relevance":null,"snippets":[{"element":1,"field":"tags","highlights":[[0,5]],"#
                + #""text":"river"}]}"# + "\n"),
        Case(
            ["TRUEPREDICATE", "--fields", "name,population,founded", "--format", "table"],
            """
            name              population  founded
            ────────────────  ──────────  ──────────
            Kyiv                 2952301
            Lviv "Lion", UA       717273
            Odesa | sea␉port              1794-09-02

            """),
        Case(
            ["population > 0", "--fields", "id,population,tags", "--format", "box"],
            """
            ┌──────┬────────────┬──────────────────┐
            │ id   │ population │ tags             │
            ├──────┼────────────┼──────────────────┤
            │ kyiv │    2952301 │ [capital, river] │
            │ lviv │     717273 │                  │
            └──────┴────────────┴──────────────────┘

            """),
        Case(
            [
                "TRUEPREDICATE", "--fields", "name,population", "--format", "markdown", "--limit", "3", "--sort",
                "id:desc",
            ],
            """
            | name              | population |
            | ----------------- | ---------: |
            | Odesa \\| sea␉port |            |
            | Lviv "Lion", UA   |     717273 |
            | Kyiv              |    2952301 |

            """),
        Case(
            ["id == 'lviv'", "--fields", "id,name", "--format", "table", "--width", "14"],
            """
            id    name
            ────  ────────
            lviv  Lviv "L…

            """),
    ]

    @Test(arguments: cases)
    func results(_ call: Case) throws {
        let run = try CommandRun(["query"] + call.arguments, input: places)
        #expect(run.output == call.output)
        #expect(run.status == call.status)
        #expect(run.errors == "")
    }

    /// A predicate without a sub-command is asked; `COLUMNS` limits tables in a pipe too.
    @Test func shortCalls() throws {
        let short = try CommandRun(["population > 800000", "-o", "ids"], input: places)
        #expect(short.output == "kyiv\n" && short.errors == "")
        #expect(try CommandRun(["population>800000", "--count"], input: places).output == "1\n")
        #expect(try CommandRun(["population ! 3"], input: places).status == 2)
        let table = ["TRUEPREDICATE", "-o", "table"]
        #expect(try CommandRun(table, input: places).lines.contains { $0.count > 60 })
        let narrow = try CommandRun(table, input: places, environment: ["COLUMNS": "40"])
        #expect(narrow.lines.count == 5 && narrow.lines.allSatisfy { $0.count <= 40 })
    }

    @Test func readsFilesOfManyKinds() throws {
        let folder = try TemporaryFolder()
        let csv = try folder.file("places.csv", "id,name,population\nkyiv,Kyiv,2952301\nlviv,Lviv,717273\n")
        let lines = try folder.file("places.ndjson", places)
        #expect(try CommandRun(["query", "population > 800000", csv, "-o", "ids"]).output == "kyiv\n")
        #expect(try CommandRun(["query", "population > 800000", "--count", lines]).output == "1\n")
        let packed = try CommandRun(
            shell: "gzip -c '\(lines)' > '\(lines).gz' && $predicate query TRUEPREDICATE '\(lines).gz'")
        #expect(packed.output == places)
        let dash = try CommandRun(["query", "population > 800000", "-", "-o", "ids"], input: places)
        #expect(dash.output == "kyiv\n")
    }

    @Test func recordsThatAreNoLinesPrintAsObjects() throws {
        let folder = try TemporaryFolder()
        let csv = try folder.file("places.csv", "id,name,height\nsumy,Sumy,179\nkherson,Kherson,\n")
        let lines = try folder.file("places.ndjson", "{\"id\":\"izmail\" , \"name\":\"Izmail\"}\n")
        let array = try folder.file("places.json", "[{\"id\":\"uzh\",\n \"name\":\"Uzhhorod\"}]")
        let run = try CommandRun(["query", "name != nil", csv, lines, array])
        #expect(
            run.output == """
                {"id":"sumy","name":"Sumy","height":179}
                {"id":"kherson","name":"Kherson"}
                {"id":"izmail" , "name":"Izmail"}
                {"id":"uzh","name":"Uzhhorod"}

                """)
        let piped = try CommandRun(["query", "name LIKE '*sa*'", csv, "-", "-o", "json"], input: places)
        #expect(piped.output == "[\n" + places.split(separator: "\n")[2] + "\n]\n")
    }

    @Test func pipesEndSilently() throws {
        let line = #"{"name":"x"}"# + "\n"
        let input = String(repeating: line, count: 100_000)
        let run = try CommandRun(shell: "$predicate query TRUEPREDICATE | head -n 1", input: input)
        #expect(run.output == line)
        #expect(run.errors == "")
    }

    @Test func colorsOnlyWhereWanted() throws {
        let call = ["query", "TRUEPREDICATE", "--format", "table"]
        #expect(try !CommandRun(call, input: places).output.contains("\u{1B}"))
        #expect(try CommandRun(call + ["--color", "always"], input: places).output.contains("\u{1B}[1mname"))
        #expect(try CommandRun(call, input: places, environment: ["CLICOLOR_FORCE": "1"]).output.contains("\u{1B}"))
        for none in ["", "0"] {
            let run = try CommandRun(call, input: places, environment: ["CLICOLOR_FORCE": none])
            #expect(!run.output.contains("\u{1B}"), "\(none)")
        }
        let both = ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"]
        #expect(try !CommandRun(call, input: places, environment: both).output.contains("\u{1B}"))
    }

    @Test func explainsWithoutRecords() throws {
        let run = try CommandRun(["query", "population > 1 AND name != 'x'", "--explain", "-s", "name"], input: places)
        #expect(run.status == 0)
        for word in ["population > 1 AND name != \"x\"", "3, of which 2 match", "name ascending", "full scan"] {
            #expect(run.output.contains(word), "\(word) in \(run.output)")
        }
        #expect(!run.output.contains("Kyiv"))
    }

    @Test func explainsAsJSON() throws {
        for call in [["--explain=json"], ["--explain", "json"]] {
            let run = try CommandRun(["query", "population > 1 AND name CONTAINS 'yiv'"] + call, input: places)
            #expect(run.status == 0 && run.output.hasPrefix("{\"predicate\":") && run.output.hasSuffix("}\n"))
            for part in ["\"rows\":1", "\"scans\":[{", "\"advice\":["] {
                #expect(run.output.contains(part), "\(run.output)")
            }
        }
    }

    @Test func refusesScans() throws {
        let rejected = try CommandRun(["query", "population * 2 > 1", "--refuse-scans"], input: places)
        #expect(
            rejected.status == 2 && rejected.output.isEmpty && rejected.errors.contains("all 3 records would be read"))
        #expect(
            try CommandRun(["query", "population > 1", "--refuse-scans", "--count"], input: places).output == "2\n")
    }

    /// The first command of the README prints what the README says.
    @Test func readmeCommand() throws {
        let project = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let readme = try String(contentsOf: project.appendingPathComponent("README.md"), encoding: .utf8)
        let parts = readme.components(separatedBy: "```")
        let call = try #require(parts.first { $0.contains(" predicate query ") })
        let command = try #require(call.components(separatedBy: " predicate ").last)
        let printed = try #require(parts.drop { $0 != call }.dropFirst(2).first)
        let run = try CommandRun(shell: "cd '\(project.path)' && $predicate \(command)")
        #expect(run.output == String(printed.drop { $0 == "\n" }))
        #expect(run.status == 0)
    }
}
