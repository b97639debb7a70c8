// predicate format: one spelling, over lines, in files.

import Foundation
import Testing

struct FormatCommandTests {
    /// A call with its input, and what it must print.
    struct Case: CustomTestStringConvertible, Sendable {
        var arguments: [String]
        var input = ""
        var status: Int32 = 0
        var output: String
        var testDescription: String { arguments.joined(separator: " ") }
    }

    static let long =
        "a=1&&(b==2||c=='long long long') && !(d=1 && e=3 || f contains[dc] 'xxxxxxxxxxxxxxx') and g in {'aa','bb','cc','dd'}"

    static let cases = [
        Case(arguments: ["age=<3 && name<>'x'"], output: "age <= 3 AND name != \"x\"\n"),
        Case(arguments: [], input: "# rules\n\na=1\n#size > 3\n", output: "# rules\n\na == 1\n#size > 3\n"),
        Case(arguments: ["-"], input: "a=1\r\n", output: "a == 1\n"),
        // Blank lines are kept, the first one, too.
        Case(arguments: [], input: "\n\r\na=1\n", output: "\n\na == 1\n"),
        Case(arguments: ["-p", "-"], input: "a=1\nb ==\nc=2\n", status: 2, output: "a == 1\nc == 2\n"),
        Case(arguments: ["--check", "a == 1"], output: ""),
        Case(arguments: ["--check", "a=1"], status: 1, output: "a == 1\n"),
        Case(
            arguments: ["--check"], input: "a == 1\nb=2\n", status: 1, output: "standard input:2: b == 2\n"),
        Case(
            arguments: ["--pretty", "--width", "30", long],
            output: """
                a == 1
                AND (
                  b == 2
                  OR c == "long long long"
                )
                AND NOT (
                  (d == 1 AND e == 3)
                  OR f CONTAINS[cd] "xxxxxxxxxxxxxxx"
                )
                AND g IN {
                  "aa", "bb", "cc", "dd"
                }

                """),
        Case(arguments: ["--pretty", "a=1"], output: "a == 1\n"),
    ]

    @Test(arguments: cases)
    func formats(_ call: Case) throws {
        let run = try CommandRun(["format"] + call.arguments, input: call.input)
        #expect(run.output == call.output)
        #expect(run.status == call.status)
        #expect(run.errors.isEmpty == (call.status != 2))
    }

    /// What is broken over lines means what it meant.
    @Test func prettyTextParsesBack() throws {
        let flat = try CommandRun(["format", Self.long]).output
        for width in ["1", "20", "50", "79"] {
            let pretty = try CommandRun(["format", "--pretty", "--width", width, Self.long]).output
            #expect(try CommandRun(["parse", "--form", "canonical", pretty]).output == flat)
        }
    }

    @Test func filesAreRewrittenInPlace() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("rules.txt", "# one\na=1\nnonsense here\nb&&c == 1\n")
        let run = try CommandRun(["format", "-i", "-p", file])
        #expect(run.status == 2)
        #expect(run.output == "")
        #expect(run.errors.contains("\(file):3: "))
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "# one\na == 1\nnonsense here\nb&&c == 1\n")
        let good = try folder.file("good.txt", "a=1")
        #expect(try CommandRun(["format", "-ip", good]).status == 2, "letters are not joined")
        #expect(try CommandRun(["format", "-i", "-p", good]).status == 0)
        #expect(try String(contentsOfFile: good, encoding: .utf8) == "a == 1\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count == 2)
    }
}
