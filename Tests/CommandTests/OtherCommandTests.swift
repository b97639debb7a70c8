// The sub-commands beside query.

import Foundation
import Testing

struct OtherCommandTests {
    @Test func helpForAll() throws {
        let overview = try CommandRun(["--help"])
        #expect(overview.status == 0)
        for name in ["query", "count", "schema", "repl", "parse", "check", "tokens", "distance"] {
            #expect(overview.output.contains("\n  \(name) "))
            let direct = try CommandRun([name, "--help"])
            #expect(direct.status == 0)
            #expect(direct.output.hasPrefix("usage: predicate \(name)"))
            #expect(direct.output.contains("examples"))
            #expect(try CommandRun(["help", name]).output == direct.output)
        }
        #expect(try CommandRun(["--version"]).output.hasPrefix("predicate 0."))
    }

    @Test func checkRepliesToEveryLine() throws {
        let lines = [
            #"{"id":1,"predicate":"SELF > 3","value":4}"#: #"{"id":1,"result":true}"#,
            #"{"id":"b","predicate":"a == %@","arguments":["x"],"value":{"a":"x"}}"#: #"{"id":"b","result":true}"#,
            #"{"id":3,"predicate":"SELF BEGINSWITH 'x'","values":["xa","b","xc"]}"#: #"{"id":3,"matches":[0,2]}"#,
            #"{"id":4,"predicate":"a=1 && b<>%@"}"#: #"{"id":4,"format":"a == 1 AND b != %@"}"#,
            #"{"id":5,"predicate":"a == $x","variables":{"x":1},"value":{"a":1}}"#: #"{"id":5,"result":true}"#,
            #"{"id":6,"predicate":"SELF == nil","value":null}"#: #"{"id":6,"result":true}"#,
            #"{"id":7,"predicate":"SELF == %@","arguments":[{"$date":0}],"value":{"$date":"1970-01-01T00:00:00Z"}}"#:
                #"{"id":7,"result":true}"#,
        ].sorted { $0.value < $1.value }
        let run = try CommandRun(["check"], input: lines.map { $0.key + "\n" }.joined())
        #expect(run.lines == lines.map(\.value))
        #expect(run.status == 0)
    }

    @Test func checkReportsErrorsInPlace() throws {
        let lines = [
            (#"{"id":1,"predicate":"é == "}"#, "syntax", 5),
            (#"{"id":2,"predicate":"a == %@","arguments":[],"value":1}"#, "binding", 0),
            (#"{"id":3,"predicate":"ab > 'x'","value":{"ab":1}}"#, "evaluation", 5),
            (#"{"id":4,"predicate":"a == 1 OR b == 2","dialect":"cloudKit"}"#, "syntax", 7),
            (#"{"id":5}"#, "input", 0), (#"{"id":6,"#, "input", 8), ("", "input", 0), ("[]", "input", 0),
            (#"{"id":7,"predicate":"a == 1 OR b == 2","dialect":"cloudKit","value":{"a":1}}"#, "syntax", 7),
            (#"{"id":8,"predicate":"a == %@","arguments":[]}"#, "binding", 0),
        ]
        let run = try CommandRun(["check"], input: lines.map { $0.0 + "\n" }.joined())
        #expect(run.status == 0)
        #expect(run.lines.count == lines.count)
        for (line, (query, stage, offset)) in zip(run.lines, lines) {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let error = try #require(object["error"] as? [String: Any], "\(query): \(line)")
            #expect(error["stage"] as? String == stage, "\(query): \(line)")
            #expect(error["offset"] as? Int == offset, "\(query): \(line)")
            #expect(error["length"] is Int)
        }
    }

    @Test func checkComparesWithExpectations() throws {
        let cases = """
            # a comment

            {"id":1,"predicate":"SELF > 3","value":4,"expect":true}
            {"id":2,"predicate":"SELF >","expect":"error","offset":6}
            {"id":3,"predicate":"SELF > 3","value":4,"expect":false}
            """
        let run = try CommandRun(["check", "--expect"], input: cases)
        #expect(run.status == 1)
        #expect(run.lines.count == 2)
        #expect(run.lines.first?.hasPrefix("standard input:5: expected false") == true)
        #expect(run.lines.last == "2 of 3 cases agree")
    }

    @Test func parseForms() throws {
        #expect(try CommandRun(["parse", "--form", "canonical", "a=1&&b=<2"]).output == "a == 1 AND b <= 2\n")
        #expect(
            try CommandRun(["parse", "--form", "tree", "é == 1 AND NOT b"]).status == 2)
        #expect(
            try CommandRun(["parse", "--form", "tree", "NOT (é CONTAINS[cd] 'x')"]).output == """
                NOT  0–24
                └─ CONTAINS[cd]  5–23
                   ├─ key é  5–6
                   └─ text "x"  20–23

                """)
        let json = try CommandRun(["parse", "--form", "json", "a == 1"]).output
        #expect(
            json == #"{"kind":"==","start":0,"end":6,"children":[{"kind":"key","value":"a","start":0,"end":1},"#
                + #"{"kind":"integer","value":"1","start":5,"end":6}]}"# + "\n")
        #expect(try CommandRun(["parse", "--form", "canonical", "-"], input: "a\n= 1\n").output == "a == 1\n")
    }

    @Test func tokensOfTexts() throws {
        let expected = "0\t6\t東京\t東京\n6\t9\t都\t都\n9\t12\tに\tに\n12\t18\t行く\t行く\n19\t26\tStraße\tstrasse\n"
        #expect(try CommandRun(["tokens", "東京都に行く Straße"]).output == expected)
        #expect(try CommandRun(["tokens"], input: "東京都に行く Straße\n").output == expected)
        #expect(try CommandRun(["tokens", "--options", "", "Ünïcode"]).output == "0\t9\tÜnïcode\tÜnïcode\n")
    }

    @Test func stemsOfTexts() throws {
        let expected = "0\t7\tHäuser\thauser\thaus\n8\t10\tam\tam\tam\n"
        #expect(try CommandRun(["tokens", "--language", "german", "Häuser am"]).output == expected)
        let json = #"{"from":0,"to":4,"word":"runs","folded":"runs","stem":"run"}"# + "\n"
        #expect(try CommandRun(["tokens", "--language", "english", "-o", "ndjson", "runs"]).output == json)
        let run = try CommandRun(["tokens", "--language", "germna", "x"])
        #expect(
            run.errors.contains("arabic, armenian") && run.errors.contains("did you mean 'german'"), "\(run.errors)")
    }

    @Test func distances() throws {
        #expect(try CommandRun(["distance", "48.8566,2.3522", "40.7128,-74.0060"]).output == "5852935.292\n")
        #expect(try CommandRun(["distance", "-17.7,179.9", "-17.7,-179.9"]).output.hasPrefix("21"))
        #expect(try CommandRun(["distance", "90,0", "90,120"]).output == "0.000\n")
    }

    @Test func schemaOfAFile() throws {
        let input = """
            {"id":"a","n":1,"tags":["x","y"],"at":{"latitude":1,"longitude":2}}
            {"id":"b","n":2.5}

            """
        let run = try CommandRun(["schema", "--format", "table"], input: input)
        #expect(run.status == 0)
        #expect(run.lines.contains { $0.hasPrefix("n ") && $0.contains("100.0 %") && $0.contains("1 … 2.5") })
        #expect(run.lines.contains { $0.hasPrefix("tags ") && $0.contains("50.0 %") && $0.contains("list of string") })
        let lines = try CommandRun(["schema"], input: input).lines
        #expect(lines.contains { $0.contains(#""field":"at","fieldType":"location","records":2,"present":1"#) })
    }

    @Test func countIsThatOfQuery() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", (1...9).map { "{\"id\":\"r\($0)\",\"n\":\($0)}\n" }.joined())
        for (predicate, status) in [("n > 7", 0), ("n > %@", 0), ("n > 9", 1), ("n >", 2)] {
            let call = [predicate, file] + (predicate.contains("%@") ? ["--argument", "3"] : [])
            let count = try CommandRun(["count"] + call)
            let query = try CommandRun(["query", "--count"] + call)
            #expect(count.status == status && count.status == query.status, "\(predicate): \(count)")
            #expect(count.output == query.output, "\(predicate): \(count)")
        }
        #expect(try CommandRun(["count", "n > 7", file]).output == "2\n")
        #expect(try CommandRun(["help", "count"]).output.contains("predicate query --count"))
    }

    @Test func replOverAPipe() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("n.ndjson", (1...9).map { "{\"id\":\"r\($0)\",\"n\":\($0)}\n" }.joined())
        let script = """
            .mode ids
            n > 7
            .sort n:desc
            n > 7
            .limit 1
            n > 0
            .limt 3
            n >
            .fields n
            .mode ndjson
            n > 0
            .quit
            n > 1
            """
        let run = try CommandRun(["repl", file], input: script)
        #expect(run.output == "r8\nr9\nr9\nr8\nr9\n{\"n\":9}\n")
        #expect(run.errors.contains("did you mean '.limit'?"))
        #expect(run.errors.contains("^"))
        #expect(run.status == 2)
    }
}
