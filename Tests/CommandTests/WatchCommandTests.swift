// predicate watch on files that grow, are cut and replaced; predicate bench and advise.

import Foundation
import Testing

struct WatchCommandTests {
    @Test func standardInputToItsEnd() throws {
        let input = "{\"n\":1}\n\n{\"n\":3,\"m\":1}\nnonsense\n{\"n\":\"x\"}\n{\"n\":5}"
        let run = try CommandRun(["watch", "n > 2"], input: input)
        #expect(run.output == "{\"n\":3,\"m\":1}\n{\"n\":5}\n")
        #expect(run.status == 0)
        #expect(run.errors.contains("left out: -:4:1") || run.errors.contains("left out: standard input:4"))
        #expect(run.errors.contains("^"), "text that is ordered against a number is told")
        let fields = try CommandRun(["watch", "n > 2", "-f", "n", "-n", "1"], input: "{\"n\":3,\"m\":1}\n{\"n\":4}\n")
        #expect(fields.output == "{\"n\":3}\n")
        #expect(try CommandRun(["watch", "n > 9"], input: "{\"n\":1}\n").status == 1)
        #expect(try CommandRun(["watch", "n > 9", "-", "file"], input: "").status == 2)
        #expect(try CommandRun(["watch", "n > 9", "table.csv"]).errors.contains("'table.csv' is none"))
        let noise = String(repeating: "nonsense\n", count: 100)
        let noisy = try CommandRun(["watch", "n > 2"], input: noise + "{\"n\":3}\n" + noise)
        #expect(noisy.output == "{\"n\":3}\n")
        #expect(noisy.errors.split(separator: "\n").count == 12, "five lines and a summary, twice")
    }

    /// A date is one although a text of the same field came with it.
    @Test func datesBesideTexts() throws {
        let lines = [#"{"t":"2023-12-31T23:00:00-05:00"}"#, #"{"t":"n/a"}"#, #"{"t":["2024-02-01T00:00:00Z"]}"#]
        let input = lines.joined(separator: "\n") + "\n"
        #expect(try CommandRun(["watch", "t == '2024-01-01T04:00:00Z'"], input: input).output == lines[0] + "\n")
        #expect(try CommandRun(["watch", "t == 'n/a'"], input: input).output == lines[1] + "\n")
    }

    /// A file is appended to in pieces, cut, and replaced; every match comes once. Each step waits for what it caused.
    @Test func filesThatChange() throws {
        let folder = try TemporaryFolder()
        _ = try folder.file("log.ndjson", "{\"n\":100}\n")
        let script = """
            cd '\(folder.url.path)'
            $predicate watch 'n > 2' log.ndjson --interval 10 --limit 200 > out 2> err &
            watcher=$!
            wait_for() { for i in $(seq 9000); do grep -q "$1" "$2" && return; sleep 0.02; done; kill $watcher; exit 9; }
            # Until the tail has found its place at the end, what is appended may be taken for old.
            for i in $(seq 3600); do printf '{"n":3}\\n' >> log.ndjson; grep -q 3 out && break; sleep 0.05; done
            printf '{"n":' >> log.ndjson; sleep 0.05; printf '40}\\n{"n":1}\\n' >> log.ndjson
            wait_for 40 out
            : > log.ndjson; wait_for 'was cut' err
            printf '{"n":50}\\n' >> log.ndjson; wait_for 50 out
            printf '{"n":60}' >> log.ndjson; mv log.ndjson log.1; printf '{"n":70}\\n' > log.ndjson
            wait_for 'was replaced' err; wait_for 70 out
            for i in $(seq 200); do printf '{"n":80}\\n' >> log.ndjson; done
            wait $watcher; echo "status $?"; grep -v 3 out | sort -u
            """
        let run = try CommandRun(shell: script)
        #expect(run.output == "status 0\n{\"n\":40}\n{\"n\":50}\n{\"n\":60}\n{\"n\":70}\n{\"n\":80}\n", "\(run.errors)")
    }

    @Test(.timeLimit(.minutes(1))) func whatIsWaitedForIsTold() throws {
        let folder = try TemporaryFolder()
        let run = try CommandRun(
            shell: """
                cd '\(folder.url.path)' && (sleep 0.3; echo '{"a":1}' > late.ndjson) &
                cd '\(folder.url.path)' && timeout 40 "$predicate" watch 'a == 1' late.ndjson -n 1 --interval 20
                """)
        #expect(run.status == 0 && run.output == "{\"a\":1}\n", "\(run)")
        #expect(run.errors.contains("'late.ndjson' is not there yet: waiting for it"), "\(run.errors)")
    }

    /// A pipe in place of a file ends the watch with a word, and nobody waits for its writer.
    @Test func onlyFilesAreFollowed() throws {
        let folder = try TemporaryFolder()
        let script = """
            cd '\(folder.url.path)'
            mkfifo pipe
            for file in pipe /dev/zero; do timeout 180 $predicate watch 'n > 2' $file; echo "status $?"; done
            printf '{"n":3}\\n' > log.ndjson
            timeout 180 $predicate watch 'n > 2' log.ndjson --all --interval 10 > out &
            watcher=$!
            for i in $(seq 9000); do grep -q 3 out && break; sleep 0.02; done
            mv pipe log.ndjson
            wait $watcher; echo "status $?"
            """
        let run = try CommandRun(shell: script)
        #expect(run.output == "status 4\nstatus 4\nstatus 4\n", "\(run.errors)")
        for file in ["pipe", "/dev/zero", "log.ndjson"] {
            #expect(run.errors.contains("'\(file)' is no regular file"), "\(run.errors)")
        }
    }

    /// A store is followed from another process: what comes to match, and what matches and was changed, commit by
    /// commit.
    @Test func storesThatChange() throws {
        let folder = try TemporaryFolder()
        let script = """
            cd '\(folder.url.path)'
            number=0
            put() {
                number=$((number + 1)); printf '{"id":"%s","type":"Log","n":%s}\\n' "$@" > $number.ndjson
                $predicate import logs.store $number.ndjson 2> import.err || cat import.err
            }
            put a 1 b 100
            $predicate watch 'n > 2' logs.store --interval 10 --fields n > out 2> err &
            watcher=$!
            wait_for() { for i in $(seq 9000); do grep -q "$1" out && return; sleep 0.02; done; kill $watcher; exit 9; }
            # Until the store was read first, what is saved may be taken for old.
            for i in $(seq 3 200); do put c $i; grep -q . out && break; sleep 0.05; done
            put a 500; wait_for 500; put a 1; put a 501 d 2 e 502; wait_for 501
            wait_for 502; kill $watcher; tail -n 3 out; cat err
            """
        let run = try CommandRun(shell: script)
        #expect(run.output == "{\"n\":500}\n{\"n\":501}\n{\"n\":502}\n", "\(run.errors)")
        let all = try CommandRun(
            ["watch", "n > 400", folder.url.appendingPathComponent("logs.store").path, "--all", "-n", "2", "-f", "n"])
        #expect(all.output == "{\"n\":501}\n{\"n\":502}\n", "\(all.errors)")
    }

    private static let airports = """
        {"id":"1","country":"CH","elevation":430,"name":"Bern"}
        {"id":"2","country":"FR","elevation":35,"name":"Paris"}

        """

    @Test func benchTellsBothWays() throws {
        let run = try CommandRun(["bench", "country == 'CH'", "--runs", "3"], input: Self.airports)
        #expect(run.status == 0)
        #expect(run.lines.count == 2)
        for (line, way) in zip(run.lines, ["scan", "index"]) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            #expect(object["way"] as? String == way)
            #expect(object["matches"] as? Int == 1)
            #expect(object["records"] as? Int == 2)
            #expect(object["runs"] as? Int == 3)
            #expect((object["medianNanoseconds"] as? Int ?? 0) > 0)
        }
        let table = try CommandRun(["bench", "country == 'CH'", "--runs", "1", "-o", "markdown"], input: Self.airports)
        #expect(table.output.contains("| median") || table.output.contains("median |"))
        #expect(try CommandRun(["bench", "name > 3", "--runs", "1"], input: Self.airports).status == 2)
        #expect(try CommandRun(["bench", "a == 1", "--runs", "0"], input: Self.airports).status == 2)
    }

    @Test func adviceForQueries() throws {
        let folder = try TemporaryFolder()
        let records = (0..<2000).map { "{\"n\":\($0),\"country\":\"C\($0 % 100)\",\"name\":\"name \($0)\"}\n" }.joined()
        let file = try folder.file("records.ndjson", records)
        let queries = try folder.file("q.txt", "country == 'C7'\n# note\nn > 1990\ncountry == 'C8' AND n + 1 == 9\n")
        let run = try CommandRun(["advise", "-p", queries, file])
        #expect(run.status == 0)
        let rows = try run.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect(rows.map { $0["field"] as? String } == ["country", "n"])
        #expect(rows.first?["queries"] as? Int == 2)
        #expect(rows.first?["rowsRead"] as? Int == 4000)
        #expect(rows.first?["mark"] as? [String] == ["queryable"])
        let none = try CommandRun(["advise", "TRUEPREDICATE", file])
        #expect(none.status == 1)
        #expect(none.output == "")
        #expect(none.errors.contains("no index would halve"))
        #expect(try CommandRun(["advise", "country =", file]).status == 2)
        #expect(try CommandRun(["advise", "-p", queries, file, "-o", "table"]).output.contains("ordered"))
        // Standard input has no records where it has the queries, or where nothing says that it has.
        for words in [["-p", queries], ["-p", "-"]] {
            let missing = try CommandRun(["advise"] + words, input: "{\"n\":1}\n")
            #expect(missing.status == 2 && missing.errors.contains("'predicate advise' needs record files"), "\(words)")
        }
    }
}
