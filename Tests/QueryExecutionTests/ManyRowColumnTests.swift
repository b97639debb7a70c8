// Columns of more rows than are worked on at once: behind the first 262,144 rows, too, each row has its own value.

import OrdinalSets
import PredicateSemantics
import RecordModel
import Testing

@testable import QueryExecution
@testable import QueryPlanning
@testable import RecordColumns

@Suite struct ManyRowColumnTests {
    /// Rows of a stretch of columns.
    private static let stretch = 262_144
    private static let count = stretch + 700
    /// Rows whose sums leave the whole numbers: what there is to decide is the evaluator's. The first one holds.
    private static let (holding, failing) = (stretch + 300, stretch + 456)

    private struct Decided: RowEvaluator {
        func holds(_: BoundNode, row: Int) throws(EvaluationError) -> Bool { row == ManyRowColumnTests.holding }
    }

    private static let executor = SegmentExecutor(rowCount: count, evaluator: Decided())
    private static let numbers = ColumnBuffer(
        (0..<count).map { $0 == holding || $0 == failing ? Int64.max : Int64($0 % 1_000) })

    private static func bound(_ text: String, _ schema: RecordSchema) throws -> BoundNode {
        try Binder(schema: schema).bind(RecordPredicate(format: text)).root
    }

    private static func rows(_ range: Range<Int>, where holds: (Int) -> Bool) -> [UInt32] {
        range.filter(holds).map { UInt32($0) }
    }

    /// Computed comparisons, over all rows and among some of the last ones.
    @Test func computedNumbers() throws {
        let schema = RecordSchema(recordType: "T", fields: [FieldDefinition(name: "n", type: .int64)])
        let offsets = ColumnBuffer<UInt32>(capacity: Self.count + 1)
        offsets.append(repeating: 0, count: Self.count + 1)
        let segment = Segment(
            schema: schema, zoneID: .default,
            columns: [Column(values: .int64(Self.numbers), presence: nil, count: Self.count)],
            names: TextColumn(bytes: ColumnBuffer<UInt8>(), offsets: offsets))
        guard case .comparison(let comparison) = try Self.bound("n + 1 > 500", schema) else {
            Issue.record("no comparison")
            return
        }
        let program = try #require(ProgramCompiler.compile(comparison, over: segment))
        let scan = PlanNode.scan(PlannedTest(.computed(program)))
        func holds(_ row: Int) -> Bool {
            row == Self.holding || row != Self.failing && row % 1_000 >= 500
        }
        #expect(try Self.executor.rows(scan) == Self.rows(0..<Self.count, where: holds))
        let last = Self.stretch - 44..<Self.count - 1
        var some = Bitmap(count: Self.count)
        some.insert(last)
        #expect(try Self.executor.restrict(some, to: scan).ordinals == Self.rows(last, where: holds))
    }

    @Test func numbersWithinBounds() throws {
        let scan = PlanNode.scan(
            PlannedTest(.int(Self.numbers, presence: nil, low: 140, high: 299, estimate: nil)))
        let expected = Self.rows(0..<Self.count) {
            $0 != Self.holding && $0 != Self.failing && (140...299).contains($0 % 1_000)
        }
        #expect(try Self.executor.rows(scan) == expected)
    }

    /// Texts of few values: `c` is in the last rows alone, whether one value is sought or several.
    @Test(arguments: ["t == 'c'", "t IN {'a', 'c'}"]) func textsOfFewValues(_ text: String) throws {
        let codes = (0..<Self.count).map { UInt32($0 % 3 == 0 ? 0 : $0 < Self.stretch ? 1 : 2) }
        let dictionary = DictionaryColumn(codes: ColumnBuffer(codes), values: TextColumn(["a", "b", "c"]))
        let schema = RecordSchema(recordType: "T", fields: [FieldDefinition(name: "t", type: .string)])
        let test = DictionaryTest(dictionary, presence: nil, slot: 0, node: try Self.bound(text, schema))
        let hasA = text.contains("'a'")
        let expected = Self.rows(0..<Self.count) { $0 % 3 == 0 ? hasA : $0 >= Self.stretch }
        #expect(try Self.executor.rows(.scan(PlannedTest(.coded(test)))) == expected)
    }
}
