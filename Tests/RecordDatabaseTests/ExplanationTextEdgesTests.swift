// What explanations, histograms and logs tell: servers that were told something else, round widths, and to whom.

import PredicateSyntax
import RecordFiles
import RecordModel
import Synchronization
import Testing

@testable import RecordDatabase

@Suite struct ExplanationTextEdgesTests {
    private static func node(_ number: Int?, order: String?) -> QueryExplanation.Pushed.Node {
        var node = QueryExplanation.Pushed.Node(
            told: ("c", certain: nil, order: order, values: []), undecided: [], indexes: [], rows: 2, rechecked: 1)
        node.number = number
        return node
    }

    /// A node that was told another order was told something else.
    @Test func nodesWithOrdersOfTheirOwn() {
        var pushed = QueryExplanation.Pushed(Self.node(0, order: "a"))
        pushed.nodes += [Self.node(1, order: "a"), Self.node(2, order: "b")]
        let access = "2 rows, 1 rechecked; the table was read"
        #expect(
            pushed.lines == [
                "server: c", "order: a", "6 rows from node 0, 1, 2, 3 of them rechecked", "node 0: \(access)",
                "node 1: \(access)", "node 2: \(access)", "  server: c", "  order: b",
            ])
    }

    /// The parts that are decided here hold values: they are shown only where values are.
    @Test func partsThatAreDecidedHere() throws {
        var node = Self.node(nil, order: nil)
        node.residuals = [.init(part: #"s MATCHES "b+""#, span: SourceSpan(3, 17))]
        var pushed = QueryExplanation.Pushed(node)
        let (place, rows) = ("bytes 3..<17 of the predicate", "2 rows from the server, 1 of them rechecked")
        #expect(pushed.lines == ["server: c", "decided here: \(place)", "\(rows); the table was read"])
        let json = #"{"condition":"c","residuals":[{"start":3,"end":17}],"indexes":[],"rows":2,"rechecked":1}"#
        #expect(pushed.jsonValue == (try JSONReader.tree(json)))
        pushed.showsValues = true
        let part = #"decided here: \#(place), s MATCHES "b+""#
        #expect(pushed.lines == ["server: c", part, "\(rows); the table was read"])
    }

    @Test func rowsOfAdvice() {
        let advice = IndexAdvice(
            field: "name", mark: .queryable, kind: "ordered", options: "cd", part: #"name ==[cd] "x""#,
            span: SourceSpan(0, 15), rowsRead: 2000, rowsNeeded: 3)
        let text = #"ordered index on name[cd] (queryable) for name ==[cd] "x": about 3 rows instead of 2000"#
        #expect(advice.description == text)
    }

    /// Widths of round bins are those that are written: the last place of a double makes no wider ones.
    @Test func widthsOfRoundBins() throws {
        let set = try RecordSet(
            records: [0, 0.30000000000000004].enumerated().map { record("r\($0)", ["n": .double($1)]) })
        let found = try set.histogram(of: "n", bins: .round(3))
        #expect(found.edges == [0, 0.1, 0.2, 0.3, 0.4].map { FieldValue.double($0) })
    }

    // MARK: Logs

    private final class Log: Sendable {
        let messages = Mutex<[String]>([])
        var texts: [String] { messages.withLock { $0 } }
        func add(_ message: LogMessage) { messages.withLock { $0.append(message.description) } }
    }

    /// A client that is gone is told nothing of what the store does; the others are.
    @Test func logsOfClientsThatAreGone() async throws {
        let world = try await World()
        let (kept, gone) = (Log(), Log())
        let client = try world.client(World.alice) { $0.log = { kept.add($0) } }
        _ = try world.client(World.alice) { $0.log = { gone.add($0) } }
        try await world.mine.put(record("r", ["a": 1]))
        try await world.alice.migrate([SchemaMigration("m") { $0.dropField("a", of: "T") }])
        #expect(kept.texts.count == 1 && kept.texts.first?.hasPrefix("migration 'm' in ") == true)
        #expect(gone.texts.isEmpty)
        client.close()
    }
}
