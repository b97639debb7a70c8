// Explanations, advice and refusals of a record set.

import RecordDatabase
import RecordFiles
import Testing

@Suite struct ExplanationTests {
    private static func set() throws -> RecordSet {
        try RecordSet(
            records: (0..<2000).map { number in
                Record(
                    type: "T", id: Record.ID("r\(number)"),
                    fields: [
                        "n": .int64(Int64(number)), "name": .string("name \(number * 7919 % 2000)"),
                        "few": .string(["red", "green"][number % 2]), "body": .string("word\(number % 50) of many"),
                        "place": .location(Location(latitude: Double(number % 90), longitude: 0)),
                    ])
            })
    }

    /// Predicates with what a set reads and is advised, when it may use no index.
    private static let advised: [(text: String, field: String, mark: IndexMarks, kind: String, options: String)] = [
        ("n == 5", "n", .queryable, "ordered", ""), ("n > 1990 AND few == 'red'", "n", .queryable, "ordered", ""),
        ("name BEGINSWITH[cd] 'name 19'", "name", .queryable, "ordered", "cd"),
        ("name CONTAINS 'e 1999'", "name", .substring, "trigram", ""),
        ("name LIKE '*e 77?'", "name", .substring, "trigram", ""),
        ("body TOKENMATCHES[cd] 'word7'", "body", .searchable, "token", "cd"),
        ("allTokens TOKENMATCHES[cd] 'word7'", "allTokens", .searchable, "token", "cd"),
        ("few == 'red' AND (n == 3 OR n == 4)", "n", .queryable, "ordered", ""),
    ]

    @Test(arguments: [
        (Int64(0), "0 ns"), (999, "999 ns"), (1000, "1.00 µs"), (1_059, "1.05 µs"), (99_999, "99.9 µs"),
        (100_000, "100 µs"), (1_999_999, "1.99 ms"), (12_345_678_901, "12.3 s"), (4_000_000_000_000, "4000 s"),
    ])
    func timesHaveThreeDigits(_ nanoseconds: Int64, _ text: String) {
        #expect(Duration.nanoseconds(nanoseconds).text == text)
    }

    @Test(arguments: advised.indices) func adviceNamesTheIndexThatHelps(_ number: Int) throws {
        let (text, field, mark, kind, options) = Self.advised[number]
        var set = try Self.set()
        set.declaredIndexes = IndexDeclaration()
        let predicate = try RecordPredicate(format: text)
        let advice = try #require(try set.advice(for: predicate).first, "\(text)")
        #expect(advice.field == field && advice.mark == mark && advice.kind == kind && advice.options == options)
        #expect(advice.rowsRead == 2000 && advice.rowsNeeded <= 1000, "\(advice)")
        #expect(!advice.span.range.isEmpty && advice.span.range.upperBound <= text.utf8.count)
        let scans = try set.explain(predicate).scans
        #expect(!scans.isEmpty)
        // What was advised helps: it is used, and nothing is read row by row.
        if advice.field == "allTokens" {
            set.declaredIndexes.others = advice.mark
        } else {
            set.declaredIndexes[advice.field].insert(advice.mark)
        }
        let explanation = try set.explain(predicate)
        #expect(explanation.scans.isEmpty, "\(text): \(explanation)")
        #expect(explanation.description.contains("\(kind) index"), "\(text): \(explanation)")
        #expect(try set.advice(for: predicate).allSatisfy { $0.field != advice.field })
    }

    @Test func scansAreRejectedWithTheirPart() throws {
        var set = try Self.set()
        set.refusesScans = true
        for text in [
            "n == 5", "n > 1000 AND n * 2 > 5", "few != 'red'", "body TOKENMATCHES[cd] 'word7'", "TRUEPREDICATE",
        ] {
            #expect(throws: Never.self, "\(text)") { try set.count(matching: RecordPredicate(format: text)) }
        }
        for (text, part, hint) in [
            ("n * 2 > 5", "n * 2 > 5", "AND"), ("n == 5 OR name CONTAINS 'x 1'", "name CONTAINS 'x 1'", "substring"),
            ("name ENDSWITH '77'", "name ENDSWITH '77'", "AND"),
        ] {
            let predicate = try RecordPredicate(format: text)
            let error = try #require(throws: RecordPredicateError.self) { try set.records(matching: predicate) }
            #expect(error.stage == .planning)
            let bytes = Array(text.utf8)[error.span.range]
            #expect(String(decoding: bytes, as: UTF8.self) == part)
            #expect(error.hint?.contains(hint) == true, "\(error)")
            #expect(throws: RecordPredicateError.self) { try set.prepare(predicate) }
        }
        set.declaredIndexes["name"].insert(.substring)
        #expect(try set.count(matching: "n == 5 OR name CONTAINS 'e 1999'") == 2)
    }

    @Test func explanationsAsJSONHoldWhatTheTreeHolds() throws {
        var set = try Self.set()
        set.declaredIndexes = IndexDeclaration(["n": .queryable])
        let explanation = try set.explain("(n >= 10 AND n <= 99 AND few == 'red') OR name CONTAINS 'e 1999'")
        #expect(explanation.simplified?.contains("BETWEEN {10, 99}") == true)
        let json = try JSONReader.tree(explanation.json)
        #expect(json["records"] == .int64(2000))
        let root = explanation.plans[0].step
        #expect(root.name == "union" && root.inputs.count == 2 && root.rows == 46 && !root.isExact)
        guard case .array(let plans)? = json["plans"], case .array(let scans)? = json["scans"],
            case .array(let advice)? = json["advice"], let step = plans.first?["step"]
        else {
            Issue.record("\(explanation.json)")
            return
        }
        #expect(step["name"] == .string("union") && step["rows"] == .int64(46))
        #expect(scans.count == 1 && scans[0]["part"] == .string("name CONTAINS \"e 1999\""))
        #expect(advice.first?["field"] == .string("name") && advice.first?["mark"] == .string("substring"))
        let text = explanation.description
        for word in ["union", "full scan of 2000 records", "advice: trigram index on name"] {
            #expect(text.contains(word), "\(text)")
        }
    }

    @Test func nowIsAConstantOfTheQuery() throws {
        let set = try RecordSet(
            records: (0..<100).map { number in
                Record(
                    type: "T", id: Record.ID("r\(number)"),
                    fields: ["d": .date(.init(timeIntervalSinceReferenceDate: number < 3 ? 1e12 : Double(number)))])
            })
        let explanation = try set.explain("d > now()")
        #expect(explanation.scans.isEmpty && explanation.plans[0].step.rows == 3)
        #expect(try set.prepare("d > now()").count() == 3)
    }

    @Test func statisticsCountValues() throws {
        let set = try Self.set()
        let few = try #require(set.statistics(of: "few"))
        #expect(few.distinctCount == 2 && few.entryCount == 2000)
        #expect(few.mostCommon.map(\.count) == [1000, 1000])
        let n = try #require(set.statistics(of: "n"))
        #expect(n.quantiles.first == 0 && n.quantiles.last == 1999 && n.quantiles.count == 33)
        #expect(set.statistics(of: "place") == nil && set.statistics(of: "nothing") == nil)
    }

    /// Records of several types have statistics by type, and none together.
    @Test func statisticsAreOfOneType() throws {
        let set = try RecordSet(
            records: (0..<40).map { number in
                let type = number % 4 == 0 ? "T" : "U"
                return Record(type: type, id: Record.ID("r\(number)"), fields: ["n": .int64(Int64(number))])
            })
        #expect(set.statistics(of: "n") == nil)
        for (type, count) in [("T", 10), ("U", 30)] {
            #expect(set.ofType(type).statistics(of: "n")?.entryCount == count)
        }
    }
}
