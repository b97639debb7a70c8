// Files as they are: fields of several kinds, GeoJSON, arrays, decimal commas, tables of SQLite, joins by keys.

import CSQLite
import Foundation
import Testing

struct FileFormTests {
    private func query(
        _ words: [String], _ files: [String: String], order: [String]? = nil
    ) throws -> CommandRun {
        let folder = try TemporaryFolder()
        for (name, text) in files { _ = try folder.file(name, text) }
        let names = (order ?? files.keys.sorted()).map { folder.url.path + "/" + $0 }
        return try CommandRun(["query"] + words + names)
    }

    // MARK: Fields of several kinds

    static let mixed = #"""
        {"id":"a","v":1}
        {"id":"b","v":"x"}
        {"id":"c","v":true}
        {"id":"d","v":["x",2]}
        {"id":"e","v":{"k":1}}
        {"id":"f","v":2.5}
        {"id":"g"}

        """#

    @Test(arguments: [
        ("v == 1", "a c"), ("v == 'x'", "b"), ("v == TRUE", "a c"), ("v == nil", "g"), ("v.k == 1", "e"),
        ("v != nil", "a b c d e f"), ("v == 2.5", "f"), ("v IN {2.5, 'x'}", "b f"),
    ]) func valuesStayWhatTheyAre(_ predicate: String, _ ids: String) throws {
        let words = ["(\(predicate)) AND NOT id BEGINSWITH 'more'", "-o", "ids"]
        for whole in [[], ["--whole"]] {
            let run = try query(words + whole, ["f.ndjson": Self.long])
            #expect(run.lines.joined(separator: " ") == ids && run.status == 0, "\(predicate): \(run)")
            #expect(run.errors.contains("f.ndjson:2: field 'v' holds a string here and a number before"), "\(run)")
        }
        // What is printed before a fault far behind was printed while the file was read. A path may be one to another
        // record, for which all are read.
        if predicate.hasPrefix("v.k") { return }
        let streamed = try query(words, ["f.ndjson": Self.long + "{broken\n"])
        #expect(streamed.lines.joined(separator: " ") == ids && streamed.status == 3, "\(streamed)")
        #expect(try query(words + ["--whole"], ["f.ndjson": Self.long + "{broken\n"]).output == "")
    }

    /// The same records before so many others that a file comes in several pieces.
    static let long = mixed + (0..<2_500).map { #"{"id":"more\#($0)","v":\#($0)}"# + "\n" }.joined()

    @Test func recordsOfSeveralKindsArePrinted() throws {
        #expect(try query(["TRUEPREDICATE"], ["f.ndjson": Self.mixed]).output == Self.mixed)
        let cells = try query(["v != nil", "-o", "csv"], ["f.ndjson": Self.mixed])
        #expect(cells.lines.first == "id,v" && cells.lines.count == 7 && cells.lines[2] == "b,x", "\(cells)")
    }

    @Test func strictnessRejectsThem() throws {
        for (whole, text) in [([], Self.mixed), ([], Self.long), (["--whole"], Self.long)] {
            let run = try query(["v == 1", "--strict"] + whole, ["f.ndjson": text])
            #expect(run.status == 3 && run.errors.contains("f.ndjson:2:15: field 'v': holds a string here"), "\(run)")
        }
    }

    /// Of a stream in pieces a mixture is told of once, and strictness is about lines of JSON alone.
    @Test func mixturesOfStreamsAreToldOnce() throws {
        let lines = (0..<30_000).map { #"{"id":"r\#($0)","v":\#($0 % 2 == 0 ? "1" : #""x""#)}"# + "\n" }
        for words in [["v == 'x'", "-c"], ["v == 'x'", "-o", "ids"]] {
            let run = try query(words, ["f.ndjson": lines.joined()])
            #expect(run.lines.last == (words[1] == "-c" ? "15000" : "r29999"), "\(run.errors)")
            #expect(run.errors.components(separatedBy: "field 'v' holds").count == 2, "\(run.errors)")
        }
        let cells = "id,v\n" + (0..<30_000).map { "r\($0),\($0 == 29_000 ? "x" : "1")\n" }.joined()
        for words in [["--strict"], ["--strict", "--whole"]] {
            let run = try query(["v == 'x'", "-o", "ids"] + words, ["f.csv": cells])
            #expect(run.lines == ["r29000"] && run.status == 0, "\(run)")
        }
    }

    // MARK: JSON documents

    @Test(arguments: ["ndjson", "json"]) func elementsOfArraysStayExact(_ format: String) throws {
        let elements = [
            #"{"z":[[1,2],[3.0]],"n":null,"o":{"z":1,"a":2},"t":"a \"b\", ]}"}"#, #"{"z":[[]],"big":1.50,"e":1e3}"#,
            #"{"z":[],"q":-0}"#,
        ]
        let spaced = elements.map {
            $0.replacing("[[1,2],", with: "[ [1, 2],\n ").replacing(#""o":"#, with: "\"o\" : ")
        }
        let run = try query(
            ["TRUEPREDICATE", "-o", format], ["f.json": "[\n" + spaced.joined(separator: " ,\n  ") + "\n]\n"])
        let exact =
            format == "json" ? "[\n" + elements.joined(separator: ",\n") + "\n]\n" : elements.map { $0 + "\n" }.joined()
        #expect(run.output == exact, "\(run)")
    }

    static let features = [
        #"{"type":"Feature","id":"p1","geometry":{"type":"Point","coordinates":[8.5,47.30]},"properties":{"name":"Zürich","pop":400000}}"#,
        #"{"type":"Feature","id":2,"geometry":{"type":"Polygon","coordinates":[[[8,47],[9,47],[9,48],[8,47]]]},"properties":{"name":"Area","pop":5,"location":"here"},"title":"x"}"#,
        #"{"type":"Feature","geometry":null,"properties":null}"#,
    ]
    static let collection =
        #"{"type":"FeatureCollection","name":"places","crs":{"type":"name"},"features":["# + "\n"
        + features.joined(separator: ",\n") + "\n]}\n"

    @Test func featuresGoInAndOutUnchanged() throws {
        for name in ["f.geojson", "f.json", "f"] {
            let all = try query(["TRUEPREDICATE", "-o", "geojson"], [name: Self.collection])
            #expect(all.output == Self.collection, "\(all)")
        }
        let one = try query(
            ["pop > 10 AND distance(location, 47.3, 8.5) < 10", "-o", "geojson"], ["f.geojson": Self.collection])
        #expect(one.output.contains(Self.features[0]) && !one.output.contains("Polygon"), "\(one)")
    }

    @Test func featuresAreRecordsOfTheirProperties() throws {
        let run = try query(["geometry.type == 'Polygon'"], ["f.geojson": Self.collection])
        #expect(run.output.hasPrefix(#"{"id":"2","name":"Area","pop":5,"location":"here","geometry":"#), "\(run)")
        #expect(try query(["TRUEPREDICATE", "-o", "ids"], ["f.geojson": Self.collection]).lines == ["p1", "2", "3"])
        let chosen = try query(["pop == 5", "-o", "geojson", "-f", "name,geometry"], ["f.geojson": Self.collection])
        #expect(chosen.output.contains(#""geometry":{"type":"Polygon","coordinates":[[[8,47],"#), "\(chosen)")
    }

    // MARK: Cells

    @Test(arguments: [
        ("price > 2", "b c"), ("price == 1.5", "a"), ("price == 1234.5", "c"), ("whole == 1234", "c"),
        ("plain > 1.5", "b c"), ("code == '1,2,3'", "a"),
    ]) func semicolonsGoWithDecimalCommas(_ predicate: String, _ names: String) throws {
        let text = """
            name;price;whole;plain;code
            a;1,5;7;1.5;1,2,3
            b;2,25;-8,0;2.25;x
            c;1.234,5;1.234;3;1.23,4

            """
        // Whether commas are decimal is told by all cells of a column: such files are read as a whole.
        let run = try query([predicate, "-f", "name", "-o", "csv"], ["f.csv": text])
        #expect(run.lines.dropFirst().joined(separator: " ") == names, "\(run)")
        // Under commas they are texts.
        let commas = try query(["price == '1,5'"], ["f.csv": "name,price\na,\"1,5\"\n"])
        #expect(commas.status == 0, "\(commas)")
    }

    /// Read piece by piece or as a whole, the result is the same.
    @Test(arguments: [
        ["n >= 0"], ["n > 4990", "-o", "csv"], ["text == 'row, 3'", "-o", "ids"], ["n > 10", "-n", "3", "-o", "tsv"],
        ["text BEGINSWITH 'row'", "-c"], ["late == 'x'", "-o", "csv"], ["late == 4999", "-c"], ["n < 0", "-o", "csv"],
        ["n > 5", "-f", "n,at", "-o", "csv", "--offset", "4000"], ["empty == nil", "-c"], ["nope == 1", "-c"],
    ]) func cellsAreStreamed(_ words: [String]) throws {
        // Read as a whole, one text makes the column one of texts.
        let isLate = words[0].hasPrefix("late")
        var text = "id,n,text,at,late,empty\n"
        for number in 0..<5_000 {
            // Quotes within a cell that does not begin with one are characters, in quotes they are doubled.
            text += number == 7 ? "r\"7" : "r\(number)"
            text += number == 9 ? ",9,\"row, 2\n\"\"\"" : ",\(number),\"row, \(number % 7)\""
            text += ",2026-01-0\(number % 9 + 1)T00:00:00Z,"
            text += number < 4_999 || !isLate ? "\(number + 1),\n" : "x,\n"
        }
        let folder = try TemporaryFolder()
        let file = try folder.file("f.csv", text)
        let whole = try CommandRun(["query"] + words + [file, "--whole"])
        let streamed = try CommandRun(["query"] + words + [file])
        if isLate {
            // What came before is a number, and the text is found as what it is.
            #expect(
                streamed.output
                    == (words.contains("-c")
                        ? "1\n"
                        : "id,n,text,at,late,empty\nr4999,4999,"
                            + "\"row, 1\",2026-01-05T00:00:00Z,x,\n"),
                "\(streamed)")
        } else {
            #expect(streamed.output == whole.output && streamed.status == whole.status, "\(streamed.errors)")
        }
        let piped = try CommandRun(
            shell: "cat '\(file)' | $predicate query \(words.map { "\"\($0)\"" }.joined(separator: " "))")
        #expect(piped.output == streamed.output && piped.status == streamed.status, "\(piped.errors)")
    }

    /// Blank lines above the titles belong to them, and the place of a fault counts all lines before it.
    @Test func linesBeforePiecesCount() throws {
        let rows = (0..<6_000).map { "r\($0),\($0),text\n" }
        let text = "\n\nid,n,text\n" + rows.joined()
        for words in [["n >= 0", "-c"], ["n == 5999", "-o", "ids"], ["id == 'r3000'", "-o", "csv"]] {
            let (streamed, whole) = (try query(words, ["f.csv": text]), try query(words + ["--whole"], ["f.csv": text]))
            #expect(streamed.output == whole.output && streamed.status == 0, "\(streamed)")
        }
        let broken = text + "last,\"1\"x,text\n"
        for words in [["n >= 0", "-c"], ["n < 0", "-o", "ids"], ["n < 0", "--whole"]] {
            let run = try query(words, ["f.csv": broken])
            #expect(run.status == 3 && run.errors.contains("f.csv:6004"), "\(run)")
        }
    }

    /// An open quote is found at the end of the file; the bytes before it are looked at once.
    @Test func openQuotesEndAStream() throws {
        let rows = (0..<200_000).map { "r\($0),\($0)\n" }.joined()
        let run = try query(["n == 1", "-c"], ["f.csv": "id,n\nq,\"open\n" + rows])
        #expect(run.status == 3 && run.errors.contains("quotes"), "\(run.errors)")
    }

    @Test func decimalCommasOfLongFiles() throws {
        let rows = (0..<5_000).map { "r\($0);\($0 < 4_000 ? "1,5" : "1.234")\n" }.joined()
        for words in [["v == 1234", "-c"], ["v > 1000", "-c", "--whole"]] {
            #expect(try query(words, ["f.csv": "id;v\n" + rows]).output == "1000\n")
        }
    }

    /// Lines that hold a collection within are lines; a collection of one line is a document.
    @Test func collectionsWithinLinesAreNoDocuments() throws {
        let inner = #"{"id":"a","geo":{"type":"FeatureCollection","features":[]}}"# + "\n" + #"{"id":"b"}"# + "\n"
        #expect(try query(["TRUEPREDICATE", "-o", "ids"], ["f.log": inner]).lines == ["a", "b"])
        let one = #"{"bbox":[1,2],"name":"{\"","type":"FeatureCollection","features":[{"type":"Feature","id":"p"}]}"#
        #expect(try query(["TRUEPREDICATE", "-o", "ids"], ["f.log": one + "\n"]).lines == ["p"])
    }

    // MARK: SQLite

    private func database(_ path: String) throws {
        let database = try #require(csqlite_open_file(path))
        defer { csqlite_close(database) }
        for statement in [
            "CREATE TABLE \"my t\"(id INTEGER PRIMARY KEY, name TEXT, v REAL, b BLOB, d DATE, ok BOOLEAN)",
            "INSERT INTO \"my t\" VALUES(1, 'a', 1.5, x'7879', '2026-01-01', 1), (2, 'b', NULL, NULL, NULL, 0), "
                + "(3, 'c', 'odd', NULL, '2026-03-01 10:00:00', 1)",
            "CREATE TABLE u(k TEXT, n INT)", "INSERT INTO u VALUES('q', 1)",
            "CREATE VIEW w AS SELECT k || 'x' AS kx FROM u",
        ] { #expect(csqlite_execute(database, statement) == 0) }
    }

    @Test func tablesOfSQLiteAreRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        try database(path)
        let before = try Data(contentsOf: URL(filePath: path))
        for (predicate, ids) in [
            ("v == 1.5", "1"), ("v == 'odd'", "3"), ("d >= '2026-02-01'", "3"), ("ok == TRUE", "1 3"),
            ("name IN {'a','b'}", "1 2"), ("b != nil", "1"),
        ] {
            let run = try CommandRun(["query", predicate, path + ":my t", "-o", "ids"])
            #expect(run.lines.joined(separator: " ") == ids, "\(predicate): \(run)")
        }
        #expect(try CommandRun(["query", "n == 1", path + ":U"]).output == "{\"k\":\"q\",\"n\":1}\n")
        #expect(try CommandRun(["query", "--count-by", "kx", path + ":w"]).output == "{\"kx\":\"qx\",\"count\":1}\n")
        let open = try CommandRun(["query", "n == 1", path])
        #expect(open.status == 3 && open.errors.contains("3 tables") && open.errors.contains(":my t"), "\(open)")
        let wrong = try CommandRun(["query", "n == 1", path + ":nope"])
        #expect(wrong.status == 3 && wrong.errors.contains("no table 'nope'"), "\(wrong)")
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
    }

    @Test func damagedDatabasesAreErrors() throws {
        let folder = try TemporaryFolder()
        let path = folder.url.path + "/d.sqlite"
        try database(path)
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes.replaceSubrange(100..<bytes.count, with: Data(repeating: 0xA5, count: bytes.count - 100))
        try bytes.write(to: URL(filePath: path))
        let run = try CommandRun(["query", "n == 1", path + ":u"])
        #expect(run.status == 3 && run.errors.contains("d.sqlite"), "\(run)")
    }

    // MARK: Joins

    static let orders = "id,customer,total\n1,7,5\n2,8,7\n3,9,9\n4,,1\n"
    static let customers = "id,name,country\n7,Ann,CH\n8,Bob,SE\n"

    @Test func keysLeadToOtherFiles() throws {
        let files = ["orders.csv": Self.orders, "customers.csv": Self.customers]
        let order = ["orders.csv", "customers.csv"]
        func run(_ words: String...) throws -> CommandRun {
            try query(words + ["--reference", "customer=customers.id"], files, order: order)
        }
        #expect(try run("customer.name == 'Ann'").output == "{\"id\":\"1\",\"customer\":7,\"total\":5}\n")
        #expect(
            try run("customer.country == 'SE' AND total > 6", "-o", "csv", "-f", "customer,customer.name")
                .output == "customer,customer.name\n8,Bob\n")
        #expect(try run("customer.name == nil", "-t", "orders", "-o", "ids").lines == ["3", "4"])
        let typo = try run("customer.nmae == 'Ann'")
        #expect(typo.status != 0 && typo.errors.contains("name"), "\(typo)")
    }

    @Test func otherKeysAreNames() throws {
        let files = [
            "orders.ndjson": "{\"who\":\"x\",\"n\":1}\n{\"who\":[\"y\",\"x\"],\"n\":2}\n".replacing(
                "\"x\",\"n\"", with: "[\"x\"],\"n\""),
            "people.csv": "code,name\nx,Xu\ny,Yi\n",
        ]
        let run = try query(
            ["ANY who.name == 'Yi'", "--reference", "who=people.code"], files, order: ["orders.ndjson", "people.csv"])
        #expect(run.output == "{\"who\":[\"y\",\"x\"],\"n\":2}\n", "\(run)")
    }

    /// Identifiers that look like numbers of lines are names; texts that look like numbers stay texts; two joins of one
    /// type by different keys hold beside each other.
    @Test func joinsKeepNames() throws {
        let files = [
            "a.ndjson": #"{"id":"x","who":"7","by":"p2"}"# + "\n",
            "people.ndjson": #"{"id":"1","code":"7","mail":"p1"}"# + "\n" + #"{"id":"2","code":"8","mail":"p2"}"#
                + "\n",
        ]
        let order = ["a.ndjson", "people.ndjson"]
        let joins = ["--reference", "who=people.code", "--reference", "by=people.mail"]
        let named = try query(["who.code == '7' AND by.code == '8'", "-c"] + joins, files, order: order)
        #expect(named.output == "1\n", "\(named)")
        let ids = try query(["code != nil", "-o", "ids"] + joins, files, order: order)
        #expect(ids.lines == ["1", "2"], "\(ids)")
        let unnamed = ["a.csv": "who,by\n7,p2\n", "people.csv": "code,mail\n7,p1\n8,p2\n"]
        let both = try query(
            ["who.mail == 'p1' AND by.code == 8", "-c"] + joins, unnamed, order: ["a.csv", "people.csv"])
        #expect(both.output == "1\n", "\(both)")
        let texts = ["a.ndjson": #"{"who":"7"}"# + "\n", "people.ndjson": #"{"code":"7"}"# + "\n"]
        let shown = try query(
            ["who.code == '7'", "-f", "who", "--reference", "who=people.code"], texts, order: order)
        #expect(shown.output == "{\"who\":\"7\"}\n", "\(shown)")
    }

    /// What the file said is shown, whatever the records are named that it leads to; a key that no record has leads to
    /// none, also where one has it for a name.
    @Test func joinsShowKeys() throws {
        let files = [
            "a.ndjson": #"{"id":"x","who":"7","n":7}"# + "\n" + #"{"id":"y","who":"1","n":1}"# + "\n"
                + #"{"id":"z","who":"8","n":8}"# + "\n" + #"{"id":"w","who":"8","n":8}"# + "\n",
            "people.ndjson": #"{"id":"1","code":"7","number":7}"# + "\n" + #"{"id":"2","code":"8","number":8}"# + "\n",
        ]
        let order = ["a.ndjson", "people.ndjson"]
        func run(_ words: String...) throws -> CommandRun {
            try query(
                words + ["-t", "a", "--reference", "who=people.code", "--reference", "n=people.number"], files,
                order: order)
        }
        #expect(try run("TRUEPREDICATE", "-f", "who,n", "-o", "csv").lines == ["who,n", "7,7", "1,1", "8,8", "8,8"])
        #expect(try run("who.code == '7'", "-f", "who,n").output == #"{"who":"7","n":7}"# + "\n")
        #expect(try run("who.code == nil", "-o", "ids").lines == ["y"])
        #expect(try run("--count-by", "who", "-o", "csv").lines == ["who,count", "8,2", "7,1", "1,1"])
        #expect(try run("--distinct", "n", "-o", "csv").lines.sorted() == ["1", "7", "8", "n"])
        let lists = [
            "a.ndjson": #"{"id":"x","who":["7","1","8"]}"# + "\n",
            "people.ndjson": files["people.ndjson"] ?? "",
        ]
        let list = try query(
            ["ANY who.code == '8'", "-f", "who", "--reference", "who=people.code"], lists, order: order)
        #expect(list.output == #"{"who":["7","1","8"]}"# + "\n", "\(list)")
    }

    @Test(arguments: [
        ("customer=customer.id", "the types are orders, customers"), ("customer=customers.nope", "no field 'nope'"),
        ("nope=customers.id", "no record has a field 'nope'"), ("customer=customers.country2", "country2"),
        ("customer", "takes FIELD=TYPE.KEY"), ("total=customers.same", "one value"),
    ]) func wrongJoinsAreErrors(_ join: String, _ message: String) throws {
        let run = try query(
            ["TRUEPREDICATE", "--reference", join],
            ["orders.csv": Self.orders, "customers.csv": "id,name,same\n7,Ann,CH\n8,Bob,CH\n"],
            order: ["orders.csv", "customers.csv"])
        #expect(run.status == 2 || run.status == 3, "\(run)")
        #expect(run.errors.contains(message) || message == "no field 'nope'" && run.errors.contains("'nope'"), "\(run)")
    }

    // MARK: Days by the clocks of a zone

    @Test(arguments: [
        ("at >= '2026-07-02'", "Europe/Zurich", "b c"), ("at >= '2026-07-02'", "UTC", "c"),
        ("day(at) == 2", "Europe/Zurich", "b c"), ("day(at) == 1", "-07:00", "a b c"),
        ("year(at) == 2026", "+14:00", "a b c"),
        ("at < '2026-07-02'", "+02:00", "a"),
    ]) func daysBeginByTheClocksOfAZone(_ predicate: String, _ zone: String, _ ids: String) throws {
        let text = """
            {"id":"a","at":"2026-07-01T21:59:59Z"}
            {"id":"b","at":"2026-07-01T22:00:00Z"}
            {"id":"c","at":"2026-07-02T03:00:00Z"}

            """
        let run = try query([predicate, "--time-zone", zone, "-o", "ids"], ["f.ndjson": text])
        #expect(run.lines.joined(separator: " ") == ids, "\(run)")
    }

    @Test func unknownZonesAreErrors() throws {
        for zone in ["Mars/Olympus", "../etc/passwd", "+25:00", ""] {
            let run = try query(["a == 1", "--time-zone", zone], ["f.ndjson": "{\"a\":1}\n"])
            #expect(run.status == 2 && run.errors.contains("time zone"), "\(zone): \(run)")
        }
    }
}

/// Names that look like numbers, and numbers that are texts: the hint is the comparison that was meant.
struct NumberHintTests {
    @Test(arguments: [
        ("id == 2", "id == '2'"), ("id != 2", "id != '2'"), ("id IN {1, 2}", "id IN {'1', '2'}"),
        ("id > 1", "CAST(id, 'NSNumber') > 1"), ("1 < code", "1 < CAST(code, 'NSNumber')"), ("n > '1'", "n > 1"),
        ("code == 7", "code == '7'"),
    ]) func hintsAreTheWholeComparison(_ predicate: String, _ meant: String) throws {
        let input = "{\"id\":1,\"code\":\"7\",\"n\":1}\n{\"id\":2,\"code\":\"8\",\"n\":2}\n"
        let run = try CommandRun(["query", predicate + (predicate.contains("!=") ? " AND n < 0" : "")], input: input)
        #expect(run.errors.contains(meant), "\(run)")
        // What the hint says works.
        #expect(try CommandRun(["query", meant], input: input).status == 0)
        let lint = try CommandRun(["lint", predicate, "-"], input: input)
        #expect((lint.output + lint.errors).contains(meant), "\(lint)")
    }
}
