// What goes wrong: exit status, place, hint, and nothing on standard output.

import Foundation
import Testing

struct ErrorTests {
    /// A wrong call, its status, and what the message must hold.
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var input: String
        var status: Int32
        var words: [String]
        var testDescription: String { arguments.joined(separator: " ") }

        init(_ arguments: [String], input: String = "", _ status: Int32, _ words: [String]) {
            self.arguments = arguments
            self.input = input
            self.status = status
            self.words = words
        }
    }

    static let cases = [
        Case([], 2, ["usage: predicate", "query"]),
        Case(["qurey"], 2, ["'qurey' is not a command", "did you mean 'predicate query'?"]),
        Case(["query"], 2, ["needs a predicate"]),
        Case(["query", "a == 1", "--limt", "3"], 2, ["no option '--limt'", "did you mean '--limit'?"]),
        Case(["query", "a == 1", "--limit", "many"], 2, ["'many' is not a whole number"]),
        Case(["query", "a == 1", "--limit"], 2, ["'--limit' needs a value"]),
        Case(["query", "a == 1", "--format", "tabel"], 2, ["did you mean 'table'?"]),
        Case(["query", "a == 1", "--sort", "distance(x,91,0)"], 2, ["is not a distance"]),
        Case(["query", "name == 'x'", "--sort", "relevance"], 2, ["needs a token comparison", "TOKENMATCHES"]),
        Case(["query", "a LIKE[p] 'x'"], 2, ["only TOKENMATCHES takes the option p"]),
        Case(["query", "a == %@", "--arguments", "[1"], 2, ["'--arguments' is not JSON"]),
        Case(["query", "a == %@"], input: "{\"a\":1}\n", 2, ["takes 1 argument", "^"]),
        Case(["query", "a == %@", "-a", #"{"$date":"bad"}"#], 2, ["'--argument': not a date", "seconds since 1970"]),
        Case(["query", "a == %@", "-a", #"{"lat":95,"lon":0}"#], 2, ["'--argument': a location lies outside"]),
        Case(["query", "a == $x", "-v", #"x={"$data":"%"}"#], 2, ["'--variable x': not base64"]),
        Case(["query", "a == 1", "--database", "s", "f.ndjson"], 2, ["files cannot be given with '--database'"]),
        Case(["query", "a == "], 2, ["error: ", "  a == ", "       ^"]),
        Case(["query", "a NOT IN {1}"], 2, ["hint: ", "^"]),
        Case(
            ["query", "populaton > 3"], input: "{\"population\":1}\n", 1,
            ["no record has a field 'populaton'", "did you mean 'population'?"]),
        Case(
            ["query", "populationTotal > 9", "--sort", "popula", "--fields", "nme"],
            input: "{\"populationTotal\":4,\"name\":\"x\"}\n", 2,
            ["no record has a field 'popula' to sort by", "did you mean 'populationTotal'?"]),
        Case(
            ["query", "ok == yes AND n > 0"], input: "{\"ok\":\"yes\",\"n\":1}\n", 1,
            ["note: text is never equal to TRUE", "        ^~~", "texts between quotes only"]),
        Case(["query", "a LIKE '%x%'"], input: "{\"a\":\"x\"}\n", 1, ["the wildcards are * and ?"]),
        Case(
            ["query", "distanceToLocation:fromLocation:(place, {47.45, 8.56}) < 9"],
            input: "{\"place\":{\"latitude\":1,\"longitude\":2}}\n", 2,
            ["needs a location, not a list", "^~~~~~~~~~~~~\n", "write %@, and give the place as its argument"]),
        Case(["query", "country == CH"], input: "{\"country\":\"CH\"}\n", 1, ["text needs quotes: 'CH'"]),
        Case(["query", "country IN {CH}"], input: "{\"country\":\"CH\"}\n", 1, ["text needs quotes: 'CH'"]),
        Case(
            ["query", "n == 1", "-t", "Cty"], input: "{\"n\":1,\"type\":\"City\"}\n", 1,
            ["no record is of type 'Cty'; did you mean 'City'?"]),
        Case(["completions", "csh"], 2, ["'csh' is not a shell"]),
        Case(["format", "a == 1", "b == 2"], 2, ["takes one predicate"]),
        Case(["format", "-i", "a == 1"], 2, ["'-p FILE'"]),
        Case(["format", "-p", "/no/such/file"], 4, ["/no/such/file"]),
        Case(
            ["query", "/", "a == 'x'"], 2,
            ["the predicate comes before the files", "'/'", #"predicate query 'a == '"'"'x'"'"'' /"#]),
        Case(["/dev/null", "a == 1"], 2, ["'/dev/null' is a file", "predicate schema /dev/null"]),
        Case(["name = >"], 2, ["error: ", "^"]),
        Case(["query", "a == 1", "--sort", "-a"], 2, ["'-a' is not a sort key", "write a:desc"]),
        Case(["query", "name > 3"], input: "{\"name\":\"x\"}\n", 2, ["^"]),
        Case(["query", "a == 1", "/no/such/file.ndjson"], 4, ["/no/such/file.ndjson"]),
        Case(["query", "a == 1"], input: "{\"a\":1}\n{\"a\":}\n", 3, [":2:"]),
        Case(["query", "a == 1", "--strict"], input: "{\"a\":1}\n{\"a\":\"x\"}\n", 3, ["'a'", ":2"]),
        Case(["parse", "a == 1", "b"], 2, ["takes one predicate"]),
        Case(["parse", "--dialect", "cloudKit", "a == 1 OR b == 2"], 2, ["^"]),
        Case(["distance", "91,0", "0,0"], 2, ["'91,0' is not a place"]),
        Case(["tokens", "--options", "x", "word"], 2, ["'x' is not an option letter"]),
        Case(["repl"], 2, ["needs a record file"]),
        Case(["count"], 2, ["needs a predicate", "predicate count"]),
        Case(["schema", "/no/such/file"], 4, ["/no/such/file"]),
    ]

    @Test(arguments: cases)
    func failures(_ call: Case) throws {
        let run = try CommandRun(call.arguments, input: call.input)
        #expect(run.status == call.status)
        #expect(run.output == "")
        for word in call.words { #expect(run.errors.contains(word), "\(word) in: \(run.errors)") }
    }

    @Test func errorsAsJSON() throws {
        let run = try CommandRun(["query", "é == 1 AND", "--error-format", "json"])
        #expect(run.status == 2)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any])
        let error = try #require(object["error"] as? [String: Any])
        #expect(error["stage"] as? String == "syntax")
        #expect(error["offset"] as? Int == 10)
        #expect(object["status"] as? Int == 2)
    }

    @Test func badLinesCanBeSkipped() throws {
        let input = "{\"a\":1}\nnonsense\n{\"a\":2}\n[]\n"
        let run = try CommandRun(["query", "a > 0", "--skip-bad-lines"], input: input)
        #expect(run.output == "{\"a\":1}\n{\"a\":2}\n")
        #expect(run.errors.contains("2 "))
        #expect(run.status == 0)
    }

    /// What is no JSON, or only begins like it, is text.
    @Test(arguments: ["12abc", "{x", "[1,2", "1e999"])
    func argumentsAsText(_ text: String) throws {
        let run = try CommandRun(["query", "a == %@", "-a", text], input: "{\"a\":\"\(text)\"}\n")
        #expect(run.status == 0, "\(run.errors)")
        #expect(try CommandRun(["query", "a == %@", "-a", "\"\(text)\""], input: "{\"a\":\"\(text)\"}\n").status == 0)
    }

    @Test func linesOfOpenQuotesAreCounted() throws {
        let run = try CommandRun(
            ["query", "TRUEPREDICATE", "--skip-bad-lines", "--input-format", "csv"],
            input: "a,b\n\"1,2\n3,4\n5,6\n")
        #expect(run.status == 1)
        #expect(run.errors.contains("3 lines left out"), "\(run.errors)")
    }

    /// A pipe gives the first line in pieces, and its form is told by all of it.
    @Test(arguments: [
        ("printf 'aaaa'; sleep 0.2; printf ';b\\n1;2\\n'", #"{"aaaa":1,"b":2}"#),
        ("printf '\"a\\nb'; sleep 0.2; printf '\";c\\n1;2\\n'", #"{"a\nb":1,"c":2}"#),
        ("printf '{   '; sleep 0.2; printf '\\n\"a\":1}'", #"{"a":1}"#),
        ("printf '\\n\\n\\n\\n\\n'; sleep 0.2; printf 'a\\tb\\n1\\t2\\n'", #"{"a":1,"b":2}"#),
    ])
    func pipesInPieces(_ script: String, _ expected: String) throws {
        let run = try CommandRun(shell: "{ \(script); } | $predicate query TRUEPREDICATE")
        #expect(run.output == expected + "\n", "\(run.errors)")
    }

    /// Records without types are of the type asked for, and that is said.
    @Test func typeOfRecordsWithoutTypes() throws {
        let run = try CommandRun(["query", "a > 0", "-t", "City"], input: "{\"a\":1}\n")
        #expect(run.output == "{\"a\":1}\n")
        #expect(run.errors.contains("the records give no type in a field 'type': all are taken for type 'City'"))
    }

    @Test func outputThatCannotBeWritten() throws {
        let run = try CommandRun(shell: "$predicate query TRUEPREDICATE > /dev/full", input: "{\"a\":1}\n")
        #expect(run.status == 4)
        #expect(run.errors.contains("cannot write"))
    }
}
