// Stored orders that hold the right keys and rows under a wrong head: verifying finds that they are others.

import RecordModel
import Testing

@testable import Indexing
@testable import RecordColumns

@Suite struct OrderFormVerificationTests {
    /// Numbers as dates, texts under another folding, and values as elements of lists.
    private static let cases: [(values: [FieldValue], part: String, number: Int)] = [
        ([2, 1, 3], "family", 1), (["b", "a", "c"], "options", 1), ([2, 1, 3], "isOverLists", 1),
        (["b", "a", "c"], "isOverLists", 1), ([["b"], ["a"]], "isOverLists", 0),
    ]

    @Test(arguments: cases.indices) func ordersUnderAWrongHead(_ number: Int) throws {
        let (values, part, wrong) = Self.cases[number]
        let column = try Column.of("v", count: values.count) { values[$0] }
        let index = try #require(OrderedIndex.build(over: column))
        func isSame(_ change: (inout WrittenBlocks) -> Void) throws -> Bool {
            let reader = StoredBlocks.reader(index.blocks.replacing(change))
            return try OrderedIndex(from: reader, rowCount: values.count, of: column).isSame(as: index)
        }
        let (unchanged, changed) = (try isSame { _ in }, try isSame { $0.add(part, wrong) })
        #expect(unchanged && !changed, "\(part) of \(values)")
    }
}
