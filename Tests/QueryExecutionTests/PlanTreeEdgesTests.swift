// Random plans against the sets that they stand for: listed, counted, as sets, row by row, and among some rows.

import OrdinalSets
import PredicateSemantics
import QueryPlanning
import RecordColumns
import RecordModel
import RecordStore
import Testing
import _TestSupport

@testable import QueryExecution

@Suite struct PlanTreeEdgesTests {
    /// Holds for every third row.
    private struct Thirds: RowEvaluator {
        func holds(_: BoundNode, row: Int) throws(EvaluationError) -> Bool { row % 3 == 0 }
    }

    /// Makes plans, each with whether a row is meant, by row.
    private struct Plans {
        typealias Plan = (node: PlanNode, members: [Bool])

        static let use = IndexUse(field: "n", kind: "ordered", request: "range")
        let snapshot: Snapshot
        let rowCount: Int
        /// By row its number, from 0 to 15; every ninth row has none.
        let numbers: [Int?]
        var random: SplitMix64

        init(rowCount: Int, seed: UInt64) throws {
            numbers = (0..<rowCount).map { $0 % 9 == 4 ? nil : $0 * 7 % 16 }
            let loader = RecordLoader()
            for (row, number) in numbers.enumerated() {
                let fields: [String: FieldValue] =
                    number.map { ["n": .int64(Int64($0)), "d": .double(Double($0) + 0.5)] } ?? [:]
                try loader.append(Record(type: "T", id: Record.ID("r\(row)"), fields: fields), origin: row + 1)
            }
            snapshot = Snapshot(loader.finish())
            self.rowCount = rowCount
            random = SplitMix64(seed: seed)
        }

        private func column(_ name: String) throws -> (column: Column, position: Int) {
            let segment = snapshot.segments[0].segment
            let position = try #require(segment.schema.position(of: name))
            return (segment.columns[position], position)
        }

        mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        /// Some of all rows, about one in so many.
        mutating func some(oneIn share: Int) -> [Bool] {
            var members: [Bool] = []
            for _ in 0..<rowCount { members.append(below(share) == 0) }
            return members
        }

        static func ordinals(_ members: [Bool]) -> [UInt32] {
            members.indices.filter { members[$0] }.map { UInt32($0) }
        }

        private mutating func range() -> Range<Int> {
            let (a, b) = (below(16), below(16))
            return min(a, b)..<max(a, b) + 1
        }

        private func rows(in range: Range<Int>) -> [Bool] { numbers.map { $0.map(range.contains) ?? false } }

        private func test(_ range: Range<Int>) throws -> RowTest {
            let found = try column("n").column
            guard case .int64(let values) = found.values else { throw CancellationError() }
            return .int(
                values, presence: found.presence, low: Int64(range.lowerBound), high: Int64(range.upperBound - 1),
                estimate: nil)
        }

        mutating func test() throws -> (test: RowTest, members: [Bool]) {
            switch below(4) {
            case 0:
                let range = range()
                return (try test(range), rows(in: range))
            case 1:
                let range = range()
                let found = try column("d").column
                guard case .double(let values) = found.values else { throw CancellationError() }
                return (
                    .double(
                        values, presence: found.presence, low: Double(range.lowerBound),
                        high: Double(range.upperBound), estimate: nil), rows(in: range)
                )
            case 2:
                let members = some(oneIn: 2)
                let ordinals = Self.ordinals(members)
                return (.member(Bitmap(ordinals: ordinals, count: rowCount), cardinality: ordinals.count), members)
            default: return (.evaluate(.constant(true)), (0..<rowCount).map { $0 % 3 == 0 })
            }
        }

        private mutating func leaf() throws -> Plan {
            let kind = below(8)
            switch kind {
            case 0: return (.none, [Bool](repeating: false, count: rowCount))
            case 1: return (.all, [Bool](repeating: true, count: rowCount))
            case 2:
                let members = some(oneIn: below(2) == 0 ? 2 : 100)
                let ordinals = Self.ordinals(members)
                let bitmap = Bitmap(ordinals: ordinals, count: rowCount)
                return (.bitmap(bitmap, cardinality: ordinals.count, Self.use), members)
            case 3:
                let members = some(oneIn: 60)
                return (.rows(Self.ordinals(members), Self.use), members)
            case 4, 5:
                let range = range()
                let position = try column("n").position
                let index = try #require(snapshot.segments[0].indexes.ordered(column: position))
                // All of the sixteen numbers are there, so that each is the distinct value of its own place.
                let run = index.run(ofDistinct: range)
                if kind == 4 { return (.run(run, Self.use), rows(in: range)) }
                return (.scanIfLong(run, try test(range), Self.use), rows(in: range))
            default:
                let (test, members) = try test()
                return (.scan(PlannedTest(test)), members)
            }
        }

        mutating func plan(depth: Int) throws -> Plan {
            let kind = depth == 0 ? 0 : below(6)
            switch kind {
            case 0: return try leaf()
            case 1:
                let inner = try plan(depth: depth - 1)
                return (.complement(inner.node), inner.members.map { !$0 })
            case 2, 3:
                var (nodes, members): ([PlanNode], [Bool]) = ([], [Bool](repeating: false, count: rowCount))
                for _ in 0..<below(2) + 2 {
                    let inner = try plan(depth: depth - 1)
                    nodes.append(inner.node)
                    members = zip(members, inner.members).map { $0 || $1 }
                }
                return (.union(nodes), members)
            default:
                var (nodes, members): ([PlanNode], [Bool]) = ([], [Bool](repeating: true, count: rowCount))
                var tests: [PlannedTest] = []
                for _ in 0..<below(3) + 1 {
                    let inner = try plan(depth: depth - 1)
                    nodes.append(inner.node)
                    members = zip(members, inner.members).map { $0 && $1 }
                }
                for _ in 0..<below(3) {
                    let inner = try test()
                    tests.append(PlannedTest(inner.test))
                    members = zip(members, inner.members).map { $0 && $1 }
                }
                return (.intersection(nodes, tests), members)
            }
        }
    }

    @Test(arguments: [(70, 250, 1), (1_000, 150, 2), (3_000, 60, 3)] as [(Int, Int, UInt64)])
    func plansGiveTheirRows(rowCount: Int, count: Int, seed: UInt64) throws {
        var plans = try Plans(rowCount: rowCount, seed: seed)
        let executor = SegmentExecutor(rowCount: rowCount, evaluator: Thirds())
        for number in 0..<count {
            let (node, members) = try plans.plan(depth: number % 3)
            let expected = Plans.ordinals(members)
            #expect(try executor.rows(node) == expected, "\(number)")
            #expect(try executor.count(node) == expected.count, "\(number)")
            let set = try executor.set(node)
            #expect(set.ordinals == expected && set.cardinality == expected.count, "\(number)")
            // Among some rows, many or few, and among all.
            for share in [2, 50] {
                let some = Plans.ordinals(plans.some(oneIn: share))
                let both = some.filter { members[Int($0)] }
                let bitmap = Bitmap(ordinals: some, count: rowCount)
                #expect(try executor.restrict(bitmap, to: node).ordinals == both, "\(number)")
                #expect(try executor.keep(some, in: node).sorted() == both, "\(number)")
                #expect(try executor.keep(some.reversed(), in: node).sorted() == both, "\(number)")
            }
            #expect(try executor.restrict(nil, to: node).ordinals == expected, "\(number)")
            // Row by row: whole, and in the parts that are decided for a block of rows and one by one.
            let probe = try executor.probe(node)
            let (filters, rest) = probe.blockwiseParts
            for row in stride(from: number % 5, to: rowCount, by: 5) {
                var isKept = try executor.contains(row, in: rest)
                for filter in filters where isKept { isKept = try executor.contains(row, in: filter) }
                let isFound = try executor.contains(row, in: probe)
                if isKept == members[row], isFound == members[row] { continue }
                Issue.record("\(number), row \(row)")
                break
            }
        }
    }

    /// By rows at even distances; where none of a sample is meant, half of one stands for those that were missed.
    @Test(
        arguments: [
            (0, 0), (1, 1), (100, 34), (511, 171), (512, 171), (513, 171), (1_024, 342), (5_120, 1_710),
        ])
    func samplesStandForAllRows(rowCount: Int, thirds: Int) {
        let executor = SegmentExecutor(rowCount: rowCount, evaluator: Thirds())
        let node = BoundNode.constant(true)
        #expect(
            executor.sample { (row) throws(EvaluationError) in try executor.evaluator.holds(node, row: row) } == thirds)
        #expect(executor.sample { _ in true } == rowCount)
        let missed = [1_024: 1, 5_120: 5, 513: 1][rowCount] ?? 0
        #expect(executor.sample { _ in false } == missed)
        // A row that the predicate has no meaning for is not meant.
        let failing = executor.sample { (_) throws(EvaluationError) in
            throw EvaluationError(kind: .invalidArgument, span: .none, message: "")
        }
        #expect(failing == missed)
    }
}
