// The verbs of stores on a container that a PostgreSQL server keeps.

import Campaigns
import Foundation
import Testing
import _TestSupport

@Suite(.requires("PostgreSQL 15", PostgreSQLServer.isInstalled))
struct ServerCommandTests {
    private static let records = [
        #"{"id":"a","type":"City","name":"Kyiv","place":{"latitude":50.45,"longitude":30.52},"population":2950000}"#,
        #"{"id":"b","type":"City","name":"Lviv","part":0.5,"population":720000,"tags":["old","west"]}"#,
        #"{"id":"c","type":"City","name":"Odesa","near":{"reference":"a","action":"none"}}"#,
    ]

    @Test func recordsAreImportedQueriedAndExported() throws {
        let server = try PostgreSQLServer.shared()
        let address = "postgresql://postgres:s3cret@/postgres?host=\(server.folder)&port=\(server.port)"
        let place = [address, "--container", "command \(UUID().uuidString)"]
        let schema = """
            DEFINE SCHEMA RECORD TYPE City (name STRING QUERYABLE SORTABLE SEARCHABLE, population INT64 QUERYABLE);
            """
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ckdb")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(schema.utf8).write(to: file)
        let created = try CommandRun(["create"] + place + ["--schema", file.path])
        #expect(created.status == 0 && created.errors.contains("made an empty store with 1 record type"))
        let imported = try CommandRun(["import"] + place + ["-"], input: Self.records.joined(separator: "\n"))
        #expect(imported.status == 0 && imported.errors.contains("3 records saved"), "\(imported.errors)")

        let found = try CommandRun(["query", "population > 1000000"] + place + ["--fields", "name"])
        #expect(found.status == 0 && found.lines == [#"{"name":"Kyiv"}"#], "\(found.errors)")
        let order = ["--sort", "name:desc", "-n", "2", "--fields", "name"]
        let sorted = try CommandRun(["query", "TRUEPREDICATE"] + place + order)
        #expect(sorted.lines == [#"{"name":"Odesa"}"#, #"{"name":"Lviv"}"#], "\(sorted.errors)")
        let count = try CommandRun(["query", "near.name == 'Kyiv' OR ANY tags == 'old'", "--count"] + place)
        #expect(count.lines == ["2"], "\(count.errors)")
        // How rare a word is counts all records, those among them that the server need not give.
        let ranked = ["query", "name TOKENMATCHES 'Kyiv'", "--sort", "relevance", "--fields", "name,relevance"]
        let rare = try CommandRun(ranked + place)
        let here = try CommandRun(ranked + ["-"], input: Self.records.joined(separator: "\n"))
        #expect(rare.lines.count == 1 && rare.lines == here.lines, "\(rare.output) \(rare.errors) \(here.output)")
        let none = try CommandRun(["query", "name == 'Rome'"] + place + ["--sort", "population"])
        #expect(none.status == 1 && none.errors.isEmpty, "\(none.errors)")
        let unknown = try CommandRun(["query", "nmae == 'Rome'"] + place)
        #expect(unknown.status == 2 && unknown.errors.contains("did you mean name?"), "\(unknown.errors)")

        let explained = try CommandRun(["query", "name ==[c] 'kyiv' AND population > 1", "--explain"] + place)
        #expect(explained.output.contains("1 rows from the server, 0 of them rechecked"), "\(explained.output)")
        #expect(explained.output.contains("server: ") && explained.output.contains("certain: "))
        // Values are in the predicate above, and in what was pushed on demand alone.
        #expect(
            explained.lines.contains("decided here: bytes 0..<17 of the predicate")
                && !explained.output.contains("$1 = "), "\(explained.output)")
        let words = ["query", "name ==[c] 'kyiv' AND population > 1", "--show-values"] + place
        let shown = try CommandRun(words + ["--explain"])
        #expect(
            shown.lines.contains(#"$1 = "kyiv""#) && shown.lines.contains("$3 = 1")
                && shown.output.contains("decided here: bytes 0..<17 of the predicate, name ==[c] "),
            "\(shown.output)")
        let tree = try CommandRun(words + ["--explain=json"])
        #expect(tree.output.contains(#""values":["kyiv","kyiv",1,"#), "\(tree.output)")
        #expect(!(explained.output + shown.output + tree.output).contains("s3cret"))
        let json = try CommandRun(["query", "population > 1", "--explain=json"] + place)
        #expect(!json.output.contains(#""values""#) && !json.output.contains(#""residuals""#), "\(json.output)")
        #expect(json.output.contains(#""pushed":{"condition":"#) && json.output.contains(#""rows":2,"rechecked":0"#))

        let groups = try CommandRun(["query", "name != nil", "--count-by", "population"] + place)
        #expect(
            groups.lines == [
                #"{"population":null,"count":1}"#, #"{"population":720000,"count":1}"#,
                #"{"population":2950000,"count":1}"#,
            ], "\(groups.errors)")
        // What the server cannot group, the records tell.
        let tags = try CommandRun(["query", "--count-by", "tags", "name CONTAINS[c] 'V'"] + place)
        #expect(tags.lines.contains(#"{"tags":"old","count":1}"#), "\(tags.output) \(tags.errors)")
        let values = try CommandRun(["query", "population > 1", "--distinct", "name"] + place)
        #expect(values.lines == [#"{"name":"Kyiv"}"#, #"{"name":"Lviv"}"#], "\(values.errors)")
        let stats = try CommandRun(["query", "--stats", "population"] + place)
        #expect(stats.output.contains(#""count":2,"missing":1,"#) && stats.output.contains(#""sum":3670000"#))
        let bench = try CommandRun(["bench", "population > 1000000", "--runs", "2", "-o", "ndjson"] + place)
        #expect(bench.lines.count == 2 && bench.output.contains(#""way":"server","records":3,"matches":1,"runs":2"#))

        let exported = try CommandRun(["export"] + place)
        #expect(exported.lines == Self.records, "\(exported.output) \(exported.errors)")
        let text = try CommandRun(["schema"] + place + ["-o", "ckdb"])
        #expect(
            text.output.contains("QUERYABLE SEARCHABLE SORTABLE") && text.output.contains("population"),
            "\(text.output)")
    }

    @Test func recordsThatComeToMatchArePrinted() throws {
        let server = try PostgreSQLServer.shared()
        let place = [
            "postgresql://postgres@/postgres?host=\(server.folder)&port=\(server.port)", "--container",
            "watch \(UUID().uuidString)",
        ]
        let imported = try CommandRun(["import"] + place + ["-"], input: Self.records.joined(separator: "\n"))
        #expect(imported.status == 0, "\(imported.errors)")
        let all = try CommandRun(["watch", "population > 1", "--all", "-n", "2", "--fields", "name"] + place)
        #expect(Set(all.lines) == [#"{"name":"Kyiv"}"#, #"{"name":"Lviv"}"#], "\(all.errors)")
        // Cities come until one is seen: the first may come before anybody watches.
        let words = place.map { "'\($0)'" }.joined(separator: " ")
        let city = #"{"id":"n%s","type":"City","name":"New","population":5}"#
        let watched = try CommandRun(
            shell: """
                (for i in $(seq 200); do sleep 0.2
                printf '\(city)' $i | $predicate import \(words) -; done) >/dev/null 2>&1 &
                timeout 60 $predicate watch 'population == 5' \(words) -n 1 --fields name
                status=$?; kill $!; exit $status
                """)
        #expect(watched.status == 0 && watched.lines == [#"{"name":"New"}"#], "\(watched.errors)")
    }

    @Test func linesAtThePromptGoToTheServer() throws {
        let server = try PostgreSQLServer.shared()
        let place = [
            "postgresql://postgres:s3cret@/postgres?host=\(server.folder)&port=\(server.port)", "--container",
            "repl \(UUID().uuidString)",
        ]
        let imported = try CommandRun(["import"] + place + ["-"], input: Self.records.joined(separator: "\n"))
        #expect(imported.status == 0, "\(imported.errors)")
        let lines: [(line: String, output: [String])] = [
            (".mode ndjson", []), (".fields name", []), ("population > 1000000", [#"{"name":"Kyiv"}"#]),
            (".count", ["1"]), (".count population", [#"{"population":2950000,"count":1}"#]),
            (".sort name desc", []), (".limit 2", []),
            ("TRUEPREDICATE", [#"{"name":"Odesa"}"#, #"{"name":"Lviv"}"#]), (".count", ["3"]),
            (".limit off", []), (".mode count", []), ("population > 1", ["2"]), ("population < 0", ["0"]),
            (".mode ids", []), ("near.name == 'Kyiv'", ["c"]), (".type City", []), ("part == 0.5", ["b"]),
        ]
        let run = try CommandRun(["repl"] + place, input: lines.map { $0.line + "\n" }.joined())
        #expect(run.status == 0 && run.lines == lines.flatMap(\.output), "\(run.output) \(run.errors)")
        #expect(!run.errors.contains("Reading all records"), "\(run.errors)")

        let stats = ".mode count\npopulation > 1000000\n.last\n.mode ndjson\n.stats population\n"
        let counted = try CommandRun(["repl"] + place, input: stats)
        #expect(counted.lines.first == "1" && counted.output.contains("Kyiv"), "\(counted.output) \(counted.errors)")
        #expect(counted.output.contains(#""count":1,"missing":0,"distinct":1,"min":2950000,"#), "\(counted.output)")
        let whole = try CommandRun(["repl"] + place, input: ".schema popu\npopulation == 5\n.advise\n.bench\n")
        #expect(whole.errors.contains("Reading all records of the server's container"), "\(whole.errors)")
        #expect(whole.lines.contains { $0.hasPrefix("population") && $0.contains("720000 … 2950000") })
        #expect(whole.output.contains("median"), "\(whole.output)")
        let unknown = [(".sort nmae", "did you mean 'name'?"), ("nmae == 'x'", "did you mean name?")]
        for (line, hint) in unknown + [(".import x.ndjson", "is only read in this session")] {
            let run = try CommandRun(["repl"] + place, input: line + "\n")
            #expect(run.status == 2 && run.errors.contains(hint), "\(line): \(run.errors)")
            #expect(!(run.errors + run.output).contains("s3cret"), "\(run.errors)")
        }
    }

    @Test func thePromptFollowsCommits() throws {
        let server = try PostgreSQLServer.shared()
        let place = [
            "postgresql://postgres@/postgres?host=\(server.folder)&port=\(server.port)", "--container",
            "prompt \(UUID().uuidString)",
        ]
        let imported = try CommandRun(["import"] + place + ["-"], input: Self.records.joined(separator: "\n"))
        #expect(imported.status == 0, "\(imported.errors)")
        let words = place.map { "'\($0)'" }.joined(separator: " ")
        let city = #"{"id":"n%s","type":"City","name":"New","population":5}"#
        let watched = try CommandRun(
            shell: """
                (for i in $(seq 200); do sleep 0.2
                printf '\(city)' $i | $predicate import \(words) -; done) >/dev/null 2>&1 &
                printf '.mode ndjson\n.fields name\n.watch population == 5\n' | timeout 60 $predicate repl \(words) |
                head -n 2
                kill $!
                """)
        #expect(watched.lines == [#"{"name":"New"}"#, #"{"name":"New"}"#], "\(watched.errors)")
    }

    /// Calls whose output is that of a folder with the same records.
    private static let calls = [
        "export PLACE", "export PLACE -o json", "export PLACE -o csv", "export PLACE --type Town -o tsv",
        "export PLACE --type None -o csv", "export PLACE --type None -o json", "count level>3 PLACE --type City",
        "query level>2 PLACE --type City --sort level:desc -n 7 --fields id,level,name",
        "query level>2 PLACE --type City --sort level -n 7 --offset 300 --fields id,level -o csv",
        "query level>2 PLACE --type City --sort name --sort level:desc -n 40 -o ids",
        "query level>2 PLACE --type City --sort text -n 3 --offset 2 --fields text,id",
        "query TRUEPREDICATE PLACE --type Town --sort level:desc -n 5 --fields id,name,tags",
    ]

    @Test func serversSayWhatFoldersSay() throws {
        let folder = try TemporaryFolder()
        // More than a portion; many are level in each order.
        let lines = (0..<1_100).map { number in
            let level = number % 5 == 0 ? "" : #","level":\#(number % 7)"#
            let text = number % 3 == 0 ? #","text":"\#(number % 2 == 0 ? "é" : "e\u{301}")""# : ""
            let tags = number > 1_050 ? #","tags":["a","b"]"# : #","tags":[]"#
            return #"{"id":"r\#(number * 7_919 % 1_100)","type":"\#(number % 11 == 0 ? "Town" : "City")","#
                + #""name":"n\#(number % 10)"\#(level)\#(text)\#(tags),"none":[]}"#
        }
        let fields = "name STRING, level INT64 QUERYABLE SORTABLE, text STRING, tags LIST<STRING>, none LIST<INT64>"
        let schema = try folder.file(
            "s.ckdb", "DEFINE SCHEMA RECORD TYPE City (\(fields)); RECORD TYPE Town (\(fields));")
        let server = try PostgreSQLServer.shared()
        let address = "postgresql://postgres@/postgres?host=\(server.folder)&port=\(server.port)"
        let places = [
            [folder.url.path + "/x.store"], [address, "--container", "same \(UUID().uuidString)"],
        ]
        for place in places {
            let imported = try CommandRun(
                ["import"] + place + ["-", "--schema", schema], input: lines.joined(separator: "\n"))
            #expect(imported.status == 0, "\(imported.errors)")
        }
        for call in Self.calls {
            let runs = try places.map { place in
                try CommandRun(call.split(separator: " ").flatMap { $0 == "PLACE" ? place : [String($0)] })
            }
            #expect(runs[0].status == runs[1].status && runs[0].output == runs[1].output, "\(call): \(runs[1])")
            #expect(!runs[1].output.isEmpty, "\(call): \(runs[1].errors)")
        }
        // What the database writes about records differs.
        let schemas = try places.map { place in
            try CommandRun(["schema"] + place).lines.filter { line in
                ["name", "level", "text", "tags"].contains { line.contains(#""field":"\#($0)""#) }
            }.sorted()
        }
        #expect(schemas[0] == schemas[1] && schemas[0].count == 8, "\(schemas)")
        #expect(schemas[1].contains { $0.contains(#""records":1000,"present":800"#) }, "\(schemas[1])")
    }

    @Test func filesOfAssetsComeAlong() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("a.bin", "bytes of a file")
        let server = try PostgreSQLServer.shared()
        let place = [
            "postgresql://postgres@/postgres?host=\(server.folder)&port=\(server.port)", "--container",
            "assets \(UUID().uuidString)",
        ]
        let record = #"{"id":"a","type":"Photo","file":{"$asset":"\#(file)"}}"#
        let imported = try CommandRun(["import"] + place + ["-"], input: record)
        #expect(imported.status == 0, "\(imported.errors)")
        let copies = folder.url.appending(path: "copies")
        let exported = try CommandRun(["export"] + place + ["--assets", copies.path])
        #expect(exported.status == 0 && exported.output.contains(copies.path), "\(exported)")
        let names = try FileManager.default.contentsOfDirectory(atPath: copies.path)
        let texts = try names.map { try String(contentsOf: copies.appending(path: $0), encoding: .utf8) }
        #expect(texts == ["bytes of a file"])
    }

    @Test func nodesAreAddedListedAndChecked() throws {
        let servers = try PostgreSQLNodes.shared().servers
        let place = ["--container", "nodes \(UUID().uuidString)"]
        let address = servers[0].url
        let alone = try CommandRun(["nodes", address] + place)
        #expect(alone.status == 0 && alone.lines == ["0  0 zones  control node"], "\(alone.errors)")
        for (number, server) in servers.dropFirst().enumerated() {
            let added = try CommandRun(["nodes", address, "add", server.url] + place)
            #expect(added.status == 0 && added.errors.contains("added node \(number + 1)"), "\(added.errors)")
        }
        let imported = try CommandRun(["import", address, "-"] + place, input: Self.records.joined(separator: "\n"))
        #expect(imported.status == 0, "\(imported.errors)")
        let found = try CommandRun(["query", "population > 1000000", address, "--fields", "name"] + place)
        #expect(found.lines == [#"{"name":"Kyiv"}"#], "\(found.errors)")
        let exported = try CommandRun(["export", address] + place)
        #expect(Set(exported.lines) == Set(Self.records), "\(exported.output)\(exported.errors)")
        let explained = try CommandRun(["query", "population > 1000000", address, "--explain"] + place)
        #expect(explained.output.contains("rows from node 0, 1, 2"), "\(explained.output)\(explained.errors)")
        let ofNodes = explained.lines.filter { $0.hasPrefix("node ") && $0.contains(" rechecked; ") }
        #expect(ofNodes.count == 3, "\(explained.output)")
        let listed = try CommandRun(["nodes", address, "list"] + place)
        #expect(listed.lines.count == 3 && listed.output.contains(servers[1].url), "\(listed.output)")
        let checked = try CommandRun(["nodes", address, "check"] + place)
        // The servers of tests do not wait for the disk.
        #expect(checked.status == 0 && checked.lines.count == 6, "\(checked.output)")
        for (number, line) in checked.lines.enumerated() {
            #expect(number % 2 == 0 ? line.hasSuffix(": well") : line.hasPrefix("   warning: fsync is off"), "\(line)")
        }
        let again = try CommandRun(["nodes", address, "add", servers[1].url] + place)
        #expect(again.status != 0 && again.errors.contains("already"), "\(again.errors)")
        for words in [["remove"], ["add"], ["add", "postgresql://a:s3cret@/b"]] {
            let run = try CommandRun(["nodes", address] + words + place)
            #expect(run.status == 2 && !run.errors.contains("s3cret"), "\(run.errors)")
        }
        #expect(try CommandRun(["nodes", "places.store"]).status == 2)
    }

    @Test func textsOfAnotherVersionAreDerivedAgain() throws {
        let servers = try PostgreSQLNodes.shared().servers
        let container = "texts \(UUID().uuidString)"
        let (address, place) = (servers[0].url, ["--container", container])
        for server in servers.dropFirst() {
            #expect(try CommandRun(["nodes", address, "add", server.url] + place).status == 0)
        }
        let input = Self.records.joined(separator: "\n")
        #expect(try CommandRun(["import", address, "-"] + place, input: input).status == 0)
        let query = ["query", "name ==[cd] 'KYIV'", address] + place
        let idle = try CommandRun(["nodes", address, "rebuild"] + place)
        #expect(idle.status == 0 && idle.lines == ["2", "1", "0"].map { $0 + "  nothing to do" }, "\(idle.errors)")
        for server in servers { try server.run("UPDATE \"\(container)\".container SET text_version = 'ICU 1'") }

        let checked = try CommandRun(["nodes", address, "check"] + place)
        #expect(checked.status == 1 && checked.output.contains("texts were folded by ICU 1, "), "\(checked.output)")
        let refused = try CommandRun(["import", address, "-"] + place, input: #"{"id":"d","type":"City"}"#)
        #expect(refused.status != 0 && (refused.errors + refused.output).contains("ICU 1"), "\(refused.errors)")
        let found = try CommandRun(query + ["--fields", "name"])
        #expect(found.lines == [#"{"name":"Kyiv"}"#], "\(found.errors)")
        let explained = try CommandRun(query + ["--explain"])
        #expect(explained.output.contains("texts by presence alone"), "\(explained.output)\(explained.errors)")

        let rebuilt = try CommandRun(["nodes", address, "rebuild"] + place)
        #expect(rebuilt.status == 0 && rebuilt.lines.map { $0.prefix(1) } == ["2", "1", "0"], "\(rebuilt.errors)")
        #expect(rebuilt.lines.allSatisfy { $0.hasSuffix(" derived again") }, "\(rebuilt.output)")
        #expect(try CommandRun(["nodes", address, "check"] + place).status == 0)
        let pushed = try CommandRun(query + ["--explain"])
        #expect(!pushed.output.contains("by presence") && pushed.output.contains("1 rows"), "\(pushed.output)")
        #expect(try CommandRun(["import", address, "-"] + place, input: #"{"id":"d","type":"City"}"#).status == 0)

        let notice = "INSERT INTO \"\(container)\".notice VALUES (1, 1, 1, 'u', 1, 1, '', now() - interval '1 hour')"
        try servers[1].run(notice)
        for count in [1, 0] {
            let swept = try CommandRun(["nodes", address, "sweep"] + place)
            let lines = [(2, 0), (1, count), (0, 0)].map { node, count in
                "\(node)  \(count) notice\(count == 1 ? "" : "s"), 0 tokens of commits, 0 tokens of batches, "
                    + "0 records of deleted zones, 0 assets"
            }
            #expect(swept.status == 0 && swept.lines == lines, "\(swept.output)\(swept.errors)")
        }
    }

    @Test func passwordsAreInNoMessage() throws {
        let address = "postgresql://nobody:s3cret@/postgres?host=/nonexistent&port=1"
        for call in [
            ["query", "a == 1", address], ["export", address], ["create", address], ["import", address, "-"],
            ["watch", "a == 1", address], ["stat", address], ["compact", address], ["query", "a == 1", address, "b"],
            ["repl", address], ["schema", address, "-o", "ckdb"], ["schema", address], ["count", "a == 1", address],
        ] {
            let run = try CommandRun(call, input: #"{"id":"a","type":"T"}"#)
            #expect(run.status > 1 && !run.errors.isEmpty, "\(call)")
            #expect(!(run.errors + run.output).contains("s3cret"), "\(run.errors)")
        }
    }
}
