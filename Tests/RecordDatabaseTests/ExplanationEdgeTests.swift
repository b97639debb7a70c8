// Explanations: the tree that people read, the times that programs read, and the zones that are meant.

import RecordFiles
import Testing

@testable import RecordDatabase

@Suite struct ExplanationEdgeTests {
    private static func step(
        _ name: String, _ time: Duration = .zero, _ inputs: [QueryExplanation.Step] = []
    ) -> QueryExplanation.Step {
        QueryExplanation.Step(
            name: name, detail: "", field: nil, estimatedRows: 1, isExact: true, rows: 1, time: time, inputs: inputs)
    }

    private static func explanation(_ step: QueryExplanation.Step) -> QueryExplanation {
        QueryExplanation(
            predicate: "TRUEPREDICATE", simplified: nil, records: 1,
            plans: [QueryExplanation.Plan(records: 1, step: step)], scans: [], advice: [], pushed: nil)
    }

    /// A bar goes down beside a step as long as another input of the same step follows, and no further.
    @Test func barsOfTheTree() {
        let inner = Self.step("intersection", .zero, [Self.step("a"), Self.step("b")])
        let last = Self.step("complement", .zero, [Self.step("test", .zero, [Self.step("c")])])
        let text = Self.explanation(Self.step("union", .zero, [inner, last])).description
        #expect(
            text == """
                union  (1 found, 0 ns)
                ├─ intersection  (1 found, 0 ns)
                │  ├─ a  (1 found, 0 ns)
                │  └─ b  (1 found, 0 ns)
                └─ complement  (1 found, 0 ns)
                   └─ test  (1 found, 0 ns)
                      └─ c  (1 found, 0 ns)

                """)
    }

    @Test(arguments: [(250, 0.25), (1_500, 1.5), (2_500_500, 2_500.5)] as [(Int64, Double)])
    func timesOfStepsAreInMicroseconds(_ nanoseconds: Int64, _ microseconds: Double) throws {
        let json = try JSONReader.tree(Self.explanation(Self.step("test", .nanoseconds(nanoseconds))).json)
        guard case .array(let plans)? = json["plans"], let step = plans.first?["step"] else {
            Issue.record("\(json)")
            return
        }
        #expect(step["microseconds"] == .double(microseconds))
    }

    /// An explanation is of the zones of the query.
    @Test func recordsOfTheZonesAreExplained() async throws {
        let world = try await World()
        for number in 0..<3 { try await world.mine.put(record("d\(number)", ["n": .int64(Int64(number))])) }
        for number in 5..<7 {
            try await world.mine.put(record("z\(number)", in: world.zone, ["n": .int64(Int64(number))]))
        }
        let cases: [(zones: QueryZones, records: Int, found: Int)] = [
            (.default, 3, 1), (.zone(world.zone), 2, 2), (.all, 5, 3),
        ]
        for (zones, records, found) in cases {
            let explained = try await world.mine.explain(Query("T", "n >= 2"), in: zones)
            #expect(explained.records == records, "\(zones)")
            #expect(explained.plans.reduce(0) { $0 + $1.step.rows } == found, "\(zones)")
        }
    }
}
