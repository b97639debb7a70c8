// Stored words and tables of texts: rows that there are, as many starts as words, places that phrases can count on, and
// tables that find each text.

import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct StoredTermEdgesTests {
    /// `é` is in the first of three rows, `ñ` in the second.
    private static func opened(_ change: (inout WrittenBlocks) -> Void) -> NonASCIITerms? {
        let words = NonASCIITerms.build(over: TextColumn(["é b", "ñ", "plain"]))
        return try? NonASCIITerms(from: StoredBlocks.reader(words.blocks.replacing(change)), rowCount: 3)
    }

    @Test func foreignWordsAreOfRowsThatThereAre() throws {
        let same = Self.opened { _ in }
        let found = try #require(same).find(Array("ñ".utf8), needle: PreparedNeedle("ñ", options: []), options: [])
        #expect(found.sure == [1] && found.unsure.isEmpty)
        for name in ["rows", "otherRows", "specialRows"] {
            let (last, behind): ([UInt32], [UInt32]) = name == "rows" ? ([0, 2], [0, 3]) : ([2], [3])
            let (right, wrong) = (Self.opened { $0.add(name, last) }, Self.opened { $0.add(name, behind) })
            #expect(right != nil && wrong == nil, "\(name)")
        }
    }

    /// The rows of each word start somewhere, and those of the last one end with the list.
    @Test func foreignWordsHaveAsManyStarts() {
        let cases: [(starts: [UInt32], isRight: Bool)] = [
            ([0, 1, 2], true), ([0, 0, 2], true), ([0, 2], false), ([0, 1, 1, 2], false), ([0, 1, 1], false),
            ([0, 1, 3], false), ([1, 1, 2], false), ([2], false), ([], false),
        ]
        for (starts, isRight) in cases {
            let words = Self.opened { $0.add("starts", starts) }
            #expect((words != nil) == isRight, "\(starts)")
        }
    }

    /// A place and the length of a phrase are added: places are below half of the greatest number.
    @Test func placesOfWordsCanBeAddedTo() throws {
        let column = try Column.of("v", count: 1) { _ in .string("a") }
        let index = try #require(
            OrderedIndex.buildTokens(over: [column], rowCount: 1, tokenizer: Tokenizer(options: [])))
        func opened(_ place: UInt32) -> WordPositions? {
            var tree = WrittenBlocks()
            tree.add("counts", [1] as [UInt8])
            tree.add("largeEntries", [] as [Int])
            tree.add("largeCounts", [] as [Int])
            tree.add("blockStarts", [0] as [UInt32])
            tree.add("rowLengths", [1] as [UInt32])
            tree.add("words", [place])
            return try? WordPositions(from: StoredBlocks.reader(tree), index: index)
        }
        for place: UInt32 in [0, 70_000, .max / 2 - 1] { #expect(opened(place)?.wordCount == 1, "\(place)") }
        for place: UInt32 in [.max / 2, .max / 2 + 1, .max] { #expect(opened(place) == nil, "\(place)") }
    }

    /// Verifying an order finds that its table knows a text under another number, or not at all.
    @Test func tablesThatDoNotFindTheirTexts() throws {
        let values: [FieldValue] = ["b", "a", "c"]
        let index = try #require(OrderedIndex.build(over: try Column.of("v", count: 3) { values[$0] }))
        func withTable(_ numbers: [Int]) -> OrderedIndex {
            let other = OrderedIndex(
                family: index.family, order: index.order, starts: index.starts, keys: index.keys,
                rowCount: index.rowCount, isOverLists: index.isOverLists)
            let table = ByteIndex(capacity: 8)
            for (text, number) in zip(["a", "b", "c"], numbers) {
                Array(text.utf8).withUnsafeBufferPointer { table.insert(table.hash($0), number) }
            }
            other.textPositions.keep(table)
            return other
        }
        #expect(withTable([0, 1, 2]).isSame(as: index))
        for numbers in [[1, 0, 2], [0, 2, 1], [0, 1], []] {
            #expect(!withTable(numbers).isSame(as: index), "\(numbers)")
        }
    }
}
