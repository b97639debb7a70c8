// predicate lint: what is found in which predicate, where, and the exit status.

import Foundation
import Testing

private let towns = """
    {"id":"1","name":"Bern","country":"CH","population":130000,"tags":["old","capital"]}
    {"id":"2","name":"Paris","country":"FR","population":2100000,"location":{"latitude":48.86,"longitude":2.35}}

    """

struct LintCommandTests {
    /// A predicate, and code and text of each finding.
    struct Case: CustomTestStringConvertible, Sendable {
        var predicate: String
        var findings: [String]
        var testDescription: String { predicate }

        init(_ predicate: String, _ findings: String...) {
            self.predicate = predicate
            self.findings = findings
        }
    }

    static let cases = [
        Case("population > 200000 AND country == 'FR'"),
        Case("populaton > 3", "unknown-field populaton"),
        Case("population > 'x' AND country == CH", "type-clash 'x'", "unquoted-text CH"),
        Case("populaton > 3 OR populaton < 1 OR nme == 'x'", "unknown-field populaton", "unknown-field nme"),
        Case("country IN {CH, 'FR'}", "unquoted-text CH"),
        Case("country == 'CH' AND country == 'FR'", "always-false country == 'CH' AND country == 'FR'"),
        Case(
            "population > 5 AND (population < 3 OR country IN {'CH', nil})", "no-match population < 3",
            "nil-in-list nil"),
        Case(
            "NOT (population > 3 AND population <= 3)", "always-true NOT (population > 3 AND population <= 3)",
            "always-false population > 3 AND population <= 3"),
        Case("country IN {}", "always-false country IN {}"),
        Case("name BEGINSWITH '' OR name == 'Bern'", "always-false name BEGINSWITH ''"),
        Case("population != nil OR population == nil", "always-true population != nil OR population == nil"),
        Case("TRUEPREDICATE"),
        Case("name TOKENMATCHES[cd] '...'", "no-token '...'"),
        Case("allTokens TOKENMATCHES[cd] 'bern xyzzy'", "unseen-token 'bern xyzzy'"),
        Case("ANY allTokens == 'new york'", "no-token 'new york'"),
        Case("name == '%@'", "quoted-placeholder '%@'"),
        Case("name == '$city' OR name IN {'%@', 'Bern'}", "quoted-placeholder '$city'", "quoted-placeholder '%@'"),
        Case("name == %@ AND %K > 3 AND population < $limit"),
        Case("name == 'NULL'", "quoted-word 'NULL'"),
        Case("name LIKE 'Bern'", "no-wildcard 'Bern'"),
        Case("population BETWEEN {900000000, 3}", "reversed-bounds {900000000, 3}"),
        Case("population ==[c] 130000", "idle-options ==[c]"),
        Case("name ==[cn] 'Bern'", "idle-options ==[cn]"),
        Case("name == name", "same-sides name == name"),
        Case("country == 'CH' AND country == 'CH'", "repeated-term country == 'CH'"),
        Case("population * 2 > 30", "needs-scan population * 2 > 30"),
        Case("population * 2 > 30 AND country == 'CH'"),
        Case("population * 2 > 30 OR country == 'CH'", "needs-scan population * 2 > 30"),
        Case("name MATCHES '('", "invalid-pattern '('"),
        Case("country == 'XX'", "no-match country == 'XX'"),
        Case("ANY name == 'x'", "type-clash name"),
        Case("ANY tags == 'old'"), Case("tags == 'old'", "never-equal 'old'"),
        Case("population == '130000' OR 3 != name", "never-equal '130000'", "never-equal 3"),
        Case("country == yes", "never-equal yes"),
        Case("a == ", "syntax "),
        Case("distanceToLocation:fromLocation:(location, %@) < 1000"),
        Case("distanceToLocation:fromLocation:(name, %@) < 1000", "type-clash name"),
        Case("CAST(name, 'NSColour') == 3", "invalid-argument 'NSColour'"),
        Case("recordName == '1' AND id == '1'"),
    ]

    /// All cases in one run, each a line of a file.
    @Test func findings() throws {
        let folder = try TemporaryFolder()
        let file = try folder.file("rules.txt", Self.cases.map { $0.predicate + "\n" }.joined())
        let records = try folder.file("towns.ndjson", towns)
        let run = try CommandRun(["lint", "-p", file, records, "--format", "ndjson"])
        #expect(run.errors == "")
        #expect(run.status == 1)
        var found: [Int: [String]] = [:]
        for line in run.lines {
            let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            let number = try #require(object["line"] as? Int) - 1
            let scalars = Array(Self.cases[number].predicate.unicodeScalars)
            let offset = try #require(object["offset"] as? Int)
            let length = try #require(object["length"] as? Int)
            let place = scalars[offset..<offset + length].reduce(into: "") { $0.unicodeScalars.append($1) }
            found[number, default: []].append("\(object["code"] ?? "") \(place)")
        }
        for (number, test) in Self.cases.enumerated() {
            #expect(found[number] ?? [] == test.findings, "\(test.predicate)")
        }
    }

    /// Many names that no record has: each is told once, and not held against all of the others.
    @Test func manyUnknownFields() throws {
        let folder = try TemporaryFolder()
        let records = try folder.file("towns.ndjson", towns)
        func wide(_ names: Int) -> String { (0..<names).map { "f\($0) == 1" }.joined(separator: " OR ") }
        let long = "name IN {" + (0..<300).map { "g\($0)" }.joined(separator: ", ") + "}"
        for text in [wide(300), long] {
            let file = try folder.file("rules.txt", text + "\n")
            let run = try CommandRun(["lint", "-p", file, records, "--format", "ndjson"])
            #expect(run.lines.count == 300)
        }
        // By the processor's time, which other work on the machine does not take.
        let predicate = try folder.file("wide.txt", wide(4000))
        let run = try CommandRun(
            shell: "ulimit -t 20; exec \"$predicate\" query \"$(cat '\(predicate)')\" '\(records)'")
        #expect(run.status == 1 && run.output == "")
    }

    /// Calls, their status, and what they print.
    static let calls: [(arguments: [String], status: Int32, words: [String])] = [
        (["a > 3"], 0, []),
        (["a LIKE 'x'"], 0, ["note[no-wildcard]: ", "        ^~~", "hint: write =="]),
        (["a LIKE 'x'", "--fail-on", "note"], 1, ["note["]),
        (["a == a", "--fail-on", "error"], 0, ["warning[same-sides]"]),
        (["a == a", "--ignore", "same-sides"], 0, []),
        (["a == %@ AND b == 2", "-a", "1"], 0, []), (["a == %@ AND a == 2", "-a", "1"], 1, ["always-false"]),
        (["a == 1 OR b == 2", "--dialect", "cloudKit"], 1, ["error[syntax]"]),
        (["a ==", "--format", "json"], 1, [#"[{"code":"syntax","severity":"error","offset":4,"length":0,"#]),
        (["a == 1", "--format", "json"], 0, ["[]\n"]),
    ]

    @Test(arguments: calls.indices)
    func statusAndText(_ index: Int) throws {
        let call = Self.calls[index]
        let run = try CommandRun(["lint"] + call.arguments)
        #expect(run.status == call.status)
        #expect(run.errors == "")
        for word in call.words { #expect(run.output.contains(word), "\(word) in \(run.output)") }
        if call.words.isEmpty { #expect(run.output == "") }
    }
}
