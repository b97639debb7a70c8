// Results that would be wrong without a word: what is told, and what is kept.

import Foundation
import Testing

struct SilentResultTests {
    private static let cities = "name,country,pop:INT64,note\nBern,CH,130000,\nParis,FR,2100000,\n"

    // MARK: Columns

    /// CSV keeps the header of its file, whatever matches.
    @Test(arguments: [
        ("country == 'CH'", "Bern,CH,130000,\n"), ("country == 'XX'", ""),
        ("TRUEPREDICATE", "Bern,CH,130000,\nParis,FR,2100000,\n"),
    ]) func headersStay(_ predicate: String, _ rows: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("cities.csv", Self.cities)
        let run = try CommandRun(["query", predicate, file, "-o", "csv"])
        #expect(run.output == "name,country,pop:INT64,note\n" + rows)
        // Through the command again: nothing is lost.
        let again = try CommandRun(["query", predicate, "-o", "csv", "--input-format", "csv"], input: run.output)
        #expect(again.output == run.output)
        let tabs = try CommandRun(["query", predicate, file, "-o", "tsv"])
        #expect(tabs.output == run.output.replacing(",", with: "\t"))
    }

    /// Fields of NDJSON, too: the columns are those of all records.
    @Test func columnsOfOtherFiles() throws {
        let input = #"{"id":"a","n":1}"# + "\n" + #"{"id":"b","m":"x"}"# + "\n"
        #expect(try CommandRun(["query", "n == 1", "-o", "csv"], input: input).output == "id,n,m\na,1,\n")
        #expect(try CommandRun(["query", "n == 9", "-o", "csv"], input: input).output == "id,n,m\n")
    }

    /// Keys that no record has: an error, with the key that was meant.
    static let keys: [(options: [String], message: String, hint: String)] = [
        (["--sort", "ppo"], "no record has a field 'ppo' to sort by", "did you mean 'pop'?"),
        (["--sort", "pop desc"], "'pop desc'", "write --sort pop:desc"),
        (["--sort", "pop:desc,name"], "'pop:desc,name' is not a sort key", "write --sort pop:desc --sort name"),
        (["--sort", "pop,name"], "'pop,name'", "write --sort pop --sort name"),
        (["--fields", "name,ppo"], "no record has a field 'ppo' to show", "did you mean 'pop'?"),
    ]

    @Test(arguments: keys.indices) func unknownKeysAreErrors(_ index: Int) throws {
        let test = Self.keys[index]
        let folder = try TemporaryFolder()
        let file = try folder.file("cities.csv", Self.cities)
        let run = try CommandRun(["query", "pop > 3", file] + test.options)
        #expect(run.status == 2 && run.output == "", "\(run)")
        #expect(run.errors.contains(test.message) && run.errors.contains(test.hint), "\(run.errors)")
    }

    @Test func unknownKeysBelowFields() throws {
        let input = #"{"id":"a","actor":{"login":"x"}}"# + "\n"
        for option in ["--sort", "--fields"] {
            let run = try CommandRun(["query", "id == 'a'", option, "actor.logn"], input: input)
            #expect(run.status == 2 && run.errors.contains("did you mean 'actor.login'?"), "\(run)")
            #expect(try CommandRun(["query", "id == 'a'", option, "actor.login"], input: input).status == 0)
        }
        let folder = try TemporaryFolder()
        let file = try folder.file("keys.ndjson", "{\"a\":1}\n")
        let repl = try CommandRun(["repl", file], input: ".sort b\n.fields c\n")
        #expect(repl.status == 2 && repl.errors.contains("'b' to sort by") && repl.errors.contains("'c' to show"))
    }

    // MARK: Predicates

    private static let events = #"""
        {"id":"a","actor":{"login":"x"},"p":{"pr":{"labels":[{"name":"bug"}]},"commits":[{"message":"a fix b"}]},\#
        "text":"New York","day":"31.12.2025","when":"2025-12-31","n":3,"customer":{"reference":"c"}}
        {"id":"c","type":"C","country":"CH"}

        """#

    /// A predicate, the code that lint gives it, and the predicate that was meant: told by `query` as well.
    static let slips: [(predicate: String, code: String, hint: String)] = [
        ("actor.logn == 'x'", "unknown-key", #"did you mean actor.login == "x"?"#),
        ("customer.contry == 'CH'", "unknown-key", #"did you mean customer.country == "CH"?"#),
        ("p.pr.labels.name = 'bug'", "list-without-any", #"ANY p.pr.labels.name == "bug""#),
        ("p.commits.message CONTAINS 'fix'", "list-without-any", #"ANY p.commits.message CONTAINS "fix""#),
        ("n == max(n) AND n > 0", "lone-value", "--sort n:desc --limit 1"),
        ("n == min(n)", "lone-value", "--sort n --limit 1"),
        ("n == sum(n)", "lone-value", "sum(list)"),
        ("day > '2026-01-01'", "date-as-text", #"day == "01.01.2026""#),
        ("when > '31.12.2024'", "date-as-text", #"when > "2024-12-31""#),
        ("allTokens TOKENMATCHES 'new york'", "unseen-token", #"allTokens TOKENMATCHES[cd] "new york""#),
    ]

    @Test(arguments: slips.indices) func slipsAreTold(_ index: Int) throws {
        let test = Self.slips[index]
        let folder = try TemporaryFolder()
        let file = try folder.file("events.ndjson", Self.events)
        let query = try CommandRun(["query", test.predicate, file])
        #expect(query.errors.contains("note: ") && query.errors.contains(test.hint), "\(query)")
        let lint = try CommandRun(["lint", test.predicate, file])
        #expect(lint.status == 1 && lint.output.contains("warning[\(test.code)]"), "\(lint)")
        #expect(lint.output.contains(test.hint), "\(lint)")
        let repl = try CommandRun(["repl", file], input: test.predicate + "\n")
        #expect(repl.errors.contains(test.hint), "\(repl)")
    }

    /// What is meant as it is written goes without a note.
    @Test(arguments: [
        "actor.login == 'x'", "customer.country == 'CH'", "ANY p.pr.labels.name == 'bug'", "n == max({1, 3})", "n > 2",
        "p.commits.message CONTAINS 'a fix b'", "when > '2024-12-31'", "day == '31.12.2025'",
        "customer.recordName == 'c'",
        "allTokens TOKENMATCHES[cd] 'new york'",
    ]) func othersAreNot(_ predicate: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("events.ndjson", Self.events)
        let query = try CommandRun(["query", predicate, file, "-c"])
        #expect(query.output == "1\n" && query.errors == "", "\(query)")
    }

    // MARK: Sessions

    /// What `.save` writes gives the same values to another session, which may begin without a file.
    @Test func savedValuesStay() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("it's \"mine\".csv", Self.cities)
        let values = [
            #"{"$date":"2026-11-20T00:00:00Z"}"#, #""2026-11-20T00:00:00Z""#, "47.5,8.5", "12", "2.0", "true", "null",
            #"[1,{"$date":"2026-11-20T12:00:00.5Z"}]"#, #"{"$data":"AAE="}"#, #"{"reference":"c"}"#, #"{"$set":[1,2]}"#,
            #"{"a":{"$date":"2026-11-20T00:00:00Z"}}"#, #"'it"s \u0001'"#, "x\u{600}'",
        ]
        let lets = values.enumerated().map { ".let v\($0.offset) = \($0.element)\n" }.joined()
        let file = #"'it'"'"'s "mine".csv'"#
        let script = """
            cd '\(folder.url.path)'
            $predicate repl > first 2> errors < first.txt; cat errors >&2
            printf '.read saved\\n.let\\n' | $predicate repl > second
            cat second
            """
        _ = try folder.file("first.txt", ".open \(file)\n\(lets)pop > 200000\n.save saved\n.let\n")
        let run = try CommandRun(shell: script)
        #expect(run.status == 0 && run.errors == "written to saved; '.read saved' runs it\n", "\(run)")
        let first = try String(contentsOf: folder.url.appendingPathComponent("first"), encoding: .utf8)
        #expect(first.contains("$v0 = {\"$date\":") && first.contains("Paris"), "\(first)")
        #expect(run.output == first)
    }

    /// A line break of any kind between words is saved as a blank: `.read` goes by lines.
    @Test func savedPredicatesAreLines() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("cities.csv", Self.cities)
        let saved = folder.url.appendingPathComponent("saved").path
        let run = try CommandRun(["repl", file], input: "pop > 200000 AND\rpop < 9000000\n.save \(saved)\n")
        #expect(run.status == 0, "\(run)")
        let lines = try String(contentsOfFile: saved, encoding: .utf8).split(separator: "\n").map(String.init)
        #expect(lines.last == "pop > 200000 AND pop < 9000000", "\(lines)")
    }

    @Test func sessionsWithoutRecords() throws {
        for input in ["", "a == 1\n", ".limit 3\n"] {
            let run = try CommandRun(["repl"], input: input)
            #expect(run.status == 2 && run.errors.contains("needs a record file"), "\(run)")
        }
    }

    // MARK: Stores

    @Test func rejectionsAreToldByReason() throws {
        let folder = try TemporaryFolder()
        let nested = (0..<40).map { #"{"id":"r\#($0)","actor":{"icon":{"$asset":"x"}}}"# + "\n" }.joined()
        let file = try folder.file("nested.ndjson", nested + #"{"id":"l","deep":[[1]]}"# + "\n")
        let store = folder.url.appendingPathComponent("s").path
        let run = try CommandRun(["import", store, file, "--type", "Event"])
        #expect(run.status == 3, "\(run)")
        #expect(
            run.errors.contains("40 records rejected: field actor of Event: an object cannot hold assets (first: r0)"))
        #expect(run.errors.contains("hint: keep them in fields of the record"))
        #expect(run.errors.contains("1 record rejected: field deep of Event"))
        #expect(run.errors.contains("0 records saved; 41 rejected"), "\(run.errors)")
        #expect(!run.errors.contains("a second"), "\(run.errors)")
    }

    /// Null in a file takes a value away; a field that the file does not name keeps its own.
    @Test func nullsClearFields() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appendingPathComponent("s").path
        func put(_ input: String, _ options: String...) throws -> String {
            let run = try CommandRun(["import", store, "-", "-q"] + options, input: input)
            #expect(run.status == 0 && run.errors == "", "\(run)")
            return try CommandRun(["export", store]).output
        }
        _ = try put(#"{"id":"x","type":"City","total":5,"z":1}"# + "\n")
        #expect(try put(#"{"id":"x","type":"City","total":null}"# + "\n") == #"{"id":"x","type":"City","z":1}"# + "\n")
        _ = try put(#"[{"id":"x","type":"City","total":6},{"id":"y","type":"City","total":7}]"#)
        let cleared = try put(#"[{"id":"x","type":"City","total":null,"new":null},{"id":"y","type":"City"}]"#)
        #expect(cleared == #"{"id":"x","type":"City","z":1}"# + "\n" + #"{"id":"y","type":"City","total":7}"# + "\n")
        let cells = try put("id,type,total,z\nx,City,8,\n", "--input-format", "csv")
        #expect(cells.contains(#"{"id":"x","type":"City","total":8}"#), "\(cells)")
    }

    /// Records without a type are of the only type that the store has; of several types one has to be named.
    @Test func onlyTypeOfAStore() throws {
        let folder = try TemporaryFolder()
        let store = folder.url.appendingPathComponent("s").path
        func put(_ record: String, _ options: String...) throws -> CommandRun {
            try CommandRun(["import", store, "-", "-q"] + options, input: record + "\n")
        }
        #expect(try put(#"{"id":"a","n":1}"#, "--type", "City").status == 0)
        #expect(try put(#"{"id":"b","n":2}"#).status == 0)
        let types = try CommandRun(["export", store]).output
        #expect(types == #"{"id":"a","type":"City","n":1}"# + "\n" + #"{"id":"b","type":"City","n":2}"# + "\n")
        #expect(try put(#"{"id":"c","type":"Lake","n":2}"#).status == 0)
        let rejected = try put(#"{"id":"d","n":2}"#)
        #expect(
            rejected.status == 2 && rejected.errors.contains("City, Lake") && rejected.errors.contains("--type TYPE"))
    }
}
