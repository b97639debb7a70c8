// What is shown of queries: times with zeros, nodes that were told other values, plans of what was made simpler.

import PredicateSyntax
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ShownTextEdgesTests {
    /// Times have three digits, also where those behind the point are zeros.
    @Test(
        arguments: [
            (9_050, "9.05 µs"), (99_010, "99.0 µs"), (10_090_000, "10.0 ms"), (12_050_000_000, "12.0 s"),
            (10_000_000_000, "10.0 s"), (9_000_000, "9.00 ms"),
        ] as [(Int64, String)])
    func timesWithZeros(_ nanoseconds: Int64, _ text: String) {
        #expect(Duration.nanoseconds(nanoseconds).text == text)
    }

    private static func node(_ number: Int, _ value: FieldValue) -> QueryExplanation.Pushed.Node {
        var node = QueryExplanation.Pushed.Node(
            told: ("c", certain: nil, order: nil, values: [value]), undecided: [], indexes: [], rows: 2, rechecked: 1)
        node.number = number
        return node
    }

    /// A node that was told other values was told something else, whatever its condition looks like.
    @Test func nodesWithValuesOfTheirOwn() {
        var pushed = QueryExplanation.Pushed(Self.node(0, 7))
        pushed.nodes += [Self.node(1, 7), Self.node(2, 8)]
        pushed.showsValues = true
        let access = "2 rows, 1 rechecked; the table was read"
        #expect(
            pushed.lines == [
                "server: c", "$1 = 7", "6 rows from node 0, 1, 2, 3 of them rechecked", "node 0: \(access)",
                "node 1: \(access)", "node 2: \(access)", "  server: c", "  $1 = 8",
            ])
    }

    /// An explanation begins with what the server was told, and says what was planned in place of what was written.
    @Test func whatWasPlannedInstead() {
        var explanation = QueryExplanation(
            predicate: "NOT n != 1", simplified: "n == 1", records: 5, plans: [],
            scans: [.init(part: "n == 1", span: SourceSpan(0, 10), reason: "why")], advice: [])
        let plain = "planned as n == 1\nfull scan of 5 records: n == 1 (why)\n"
        #expect(explanation.description == plain)
        let node = QueryExplanation.Pushed.Node(
            told: ("c", certain: nil, order: nil, values: []), undecided: [], indexes: ["i"], rows: 2, rechecked: 1)
        explanation.pushed = QueryExplanation.Pushed(node)
        let told = "server: c\n2 rows from the server, 1 of them rechecked; by i\n"
        #expect(explanation.description == told + plain)
    }

    /// Of many values those are told that are the commonest, sixteen at most.
    @Test(arguments: [3, 16, 20]) func commonestValues(_ distinct: Int) throws {
        let set = try RecordSet(
            records: (0..<100).map { record("r\($0)", ["n": .int64(Int64($0 % distinct))]) })
        let found = try #require(set.statistics(of: "n"))
        #expect(found.entryCount == 100 && found.distinctCount == distinct)
        #expect(found.mostCommon.count == min(16, distinct))
    }
}
