// What is told in words and as JSON: counts, times, differences, what servers did, lines of checks.

import Foundation
import RecordFiles
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SummaryTextTests {
    @Test(arguments: [
        (0, "0"), (999, "999"), (1000, "1,000"), (-999, "-999"), (-1000, "-1,000"), (123_456, "123,456"),
        (1_234_567, "1,234,567"), (Int.min, "-9,223,372,036,854,775,808"),
    ]) func numbersAreGrouped(_ number: Int, _ text: String) { #expect(number.grouped == text) }

    @Test func nanoseconds() {
        #expect(Duration.nanoseconds(1_000_000_007).nanoseconds == 1_000_000_007)
        #expect(Duration.seconds(9_300_000_000).nanoseconds == .max)
    }

    @Test func activitySinceAnEarlierOne() {
        func activity(_ base: Int) -> Activity {
            var activity = Activity()
            (activity.queries, activity.queryTime, activity.commits) = (base, .seconds(base * 2), base * 3)
            (activity.savedRecords, activity.deletedRecords, activity.checkpoints) = (base * 5, base * 7, base * 11)
            return activity
        }
        #expect(activity(10).since(activity(4)) == activity(6))
    }

    @Test func logMessages() {
        #expect([LogMessage.Level.error, .debug, .warning, .info].sorted() == [.debug, .info, .warning, .error])
        let failed = LogMessage(.error, .checkpointFailed(DatabaseError(.internalError, "no room")))
        #expect(failed.description.hasPrefix("checkpoint failed: ") && failed.description.contains("no room"))
        #expect(LogMessage(.info, .checkpoint(.milliseconds(5))).description == "checkpoint in 5.00 ms")
        #expect(LogMessage(.info, .migration("m", .seconds(2))).description == "migration 'm' in 2.00 s")
    }

    // MARK: Differences

    @Test func differencesOfResults() async throws {
        let world = try await World()
        try await world.mine.put(record("a", ["n": 1]), record("b", ["n": 1]), record("c", ["n": 1]))
        var changes = ResultChanges()
        func advance(to predicate: RecordPredicate) throws -> String {
            let set = try world.mine.snapshot().records(ofType: "T")
            let difference = changes.advance(to: try set.ordinals(matching: predicate), of: set)
            let names = difference.ordinals.map { set.recordID(at: $0).recordName }.joined()
            return "\(names): \(difference.text)" + (difference.isEmpty ? ", none" : "")
        }
        #expect(try advance(to: "n > 0") == "abc: 3 new matches")
        #expect(try advance(to: "n > 0") == ": 0 new matches, none")
        try await world.mine.put(record("b", ["n": 2]), policy: .changedKeys)
        #expect(try advance(to: "n > 0") == "b: 0 new matches, 1 changed")
        #expect(try advance(to: "n > 1") == ": 0 new matches, 2 gone")
        try await world.mine.put(record("a", ["n": 0]), record("c", ["n": 3]), policy: .changedKeys)
        #expect(try advance(to: "n > 1") == "c: 1 new match")
    }

    // MARK: Servers

    private static func node(
        _ condition: String, number: Int? = nil, values: [FieldValue] = [], indexes: [String] = [], rows: Int,
        rechecked: Int
    ) -> QueryExplanation.Pushed.Node {
        var node = QueryExplanation.Pushed.Node(
            told: (condition, certain: nil, order: nil, values: values), undecided: [], indexes: indexes, rows: rows,
            rechecked: rechecked)
        node.number = number
        return node
    }

    @Test func whatOneServerDid() throws {
        var pushed = QueryExplanation.Pushed(
            Self.node("a = $1", values: [5, "x"], indexes: ["i", "j"], rows: 7, rechecked: 2), names: 3)
        let names = "3 names that references may lead to were looked up before"
        let rows = "7 rows from the server, 2 of them rechecked; by i, j"
        #expect(pushed.lines == ["server: a = $1", names, rows])
        pushed.showsValues = true
        #expect(pushed.lines == ["server: a = $1", "$1 = 5", "$2 = \"x\"", names, rows])
        let json = try JSONReader.tree(
            #"{"condition":"a = $1","values":[5,"x"],"indexes":["i","j"],"rows":7,"rechecked":2,"names":3}"#)
        #expect(pushed.jsonValue == json)
        #expect(
            QueryExplanation.Pushed(Self.node("a", rows: 0, rechecked: 0)).lines == [
                "server: a", "0 rows from the server, 0 of them rechecked; the table was read",
            ])
    }

    @Test func whatSeveralNodesDid() throws {
        var pushed = QueryExplanation.Pushed(Self.node("a", number: 0, indexes: ["i"], rows: 7, rechecked: 2))
        pushed.nodes.append(Self.node("a", number: 1, indexes: ["i", "j"], rows: 1, rechecked: 0))
        pushed.nodes.append(Self.node("b", number: 4, rows: 3, rechecked: 3))
        #expect(pushed.rows == 11 && pushed.rechecked == 5 && pushed.indexes == ["i", "j"])
        #expect(
            pushed.lines == [
                "server: a", "11 rows from node 0, 1, 4, 5 of them rechecked", "node 0: 7 rows, 2 rechecked; by i",
                "node 1: 1 rows, 0 rechecked; by i, j", "node 4: 3 rows, 3 rechecked; the table was read",
                "  server: b",
            ])
        let nodes = #"""
            {"number":0,"indexes":["i"],"rows":7,"rechecked":2},
            {"number":1,"indexes":["i","j"],"rows":1,"rechecked":0},
            {"number":4,"condition":"b","indexes":[],"rows":3,"rechecked":3}
            """#
        let json = #"{"condition":"a","indexes":["i","j"],"rows":11,"rechecked":5,"nodes":[\#(nodes)]}"#
        #expect(pushed.jsonValue == (try JSONReader.tree(json)))
    }

    // MARK: Checks

    /// Lines of checks, and what they come to.
    private static let checks: [(line: String, result: String)] = [
        (#"{"id":1,"predicate":"a == 1"}"#, #"{"id":1,"format":"a == 1"}"#),
        (#"{"id":"x","predicate":"SELF > 2","values":[1,3,2,5]}"#, #"{"id":"x","matches":[1,3]}"#),
        (#"{"predicate":"SELF == 2","value":2}"#, #"{"id":null,"result":true}"#),
        (#"{"predicate":"SELF == %@","arguments":[2],"value":3}"#, #"{"id":null,"result":false}"#),
        (#"{"predicate":"SELF == $x","variables":{"x":3},"value":3}"#, #"{"id":null,"result":true}"#),
        (#"{"predicate":"SELF == $x","variables":{"x":3},"values":[3,4]}"#, #"{"id":null,"matches":[0]}"#),
        (#"{"predicate":"a=%@ && b<>%@","arguments":[1,2]}"#, #"{"id":null,"format":"a == 1 AND b != 2"}"#),
    ]

    @Test(arguments: checks.indices) func linesOfChecks(_ index: Int) throws {
        let (line, result) = Self.checks[index]
        #expect(CheckResult.run(Array(line.utf8)).json == (try JSONReader.tree(result)), "\(line)")
    }

    @Test(arguments: [
        "{", "[]", #"{"predicate":1}"#, #"{"predicate":"a == 1","arguments":1}"#,
        #"{"predicate":"a == 1","variables":[]}"#, #"{"predicate":"a == 1","values":1}"#,
        #"{"predicate":"a == 1","dialect":"x"}"#,
    ]) func linesThatAreNoChecks(_ line: String) {
        let result = CheckResult.run(Array(line.utf8))
        #expect(result.outcome.key == "error" && result.outcome.value["stage"] == .string("input"), "\(line)")
    }

    /// The place of what is no JSON is told in Unicode scalars, however many bytes are before it.
    @Test(
        arguments: [
            (#"{"id":1,"#, 8), (#"{"id":"\#u{E9}","#, 10), (#"{"id":"\#u{1F600}\#u{E9}" x"#, 11),
            (#"["e\#u{301}", nope]"#, 7), (#"["\#u{65E5}\#u{672C}", nope]"#, 7),
        ] as [(String, Int)]) func placesInLines(_ line: String, _ offset: Int)
    {
        let result = CheckResult.run(Array(line.utf8))
        #expect(result.outcome.value["stage"] == .string("input"), "\(line)")
        #expect(result.outcome.value["offset"] == .int64(Int64(offset)), "\(line)")
    }

    /// What is wrong has a hint beside its message where there is one.
    @Test(
        arguments: [
            ("n < s", "< cannot order a number and text", "CAST(text, 'NSNumber') makes text a number"),
            ("~s == 1", "~ needs a number, not text", nil),
        ] as [(String, String, String?)]) func hintsOfChecks(_ predicate: String, _ message: String, _ hint: String?)
    {
        let line = #"{"predicate":"\#(predicate)","value":{"n":5,"s":"abc"}}"#
        let result = CheckResult.run(Array(line.utf8))
        #expect(result.outcome.key == "error" && result.outcome.value["message"] == .string(message))
        #expect(result.outcome.value["hint"] == hint.map(JSONValue.string))
    }

    @Test func whatIsExpectedOfChecks() throws {
        func meets(_ line: String, _ expected: JSONValue, _ json: String = "{}") throws -> Bool {
            CheckResult.run(Array(line.utf8)).meets(expected, of: try JSONReader.tree(json))
        }
        let (result, format) = (#"{"predicate":"SELF == 2","value":2}"#, #"{"predicate":"a==1"}"#)
        #expect(try meets(result, .bool(true)) && !meets(result, .bool(false)))
        #expect(try meets(result, .string("ok")) && !meets(result, .string("error")))
        #expect(try meets(format, .string("ok"), #"{"format":"a == 1"}"#))
        #expect(try !meets(format, .string("ok"), #"{"format":"a==1"}"#))
        #expect(try meets("{", .string("error")) && !meets("{", .string("ok")) && !meets("{", .bool(true)))
        #expect(try meets("{", .string("error"), #"{"stage":"input"}"#))
        #expect(try !meets("{", .string("error"), #"{"stage":"syntax"}"#))
        #expect(try !meets("[]", .string("error"), #"{"stage":"input","offset":5}"#))
    }
}
