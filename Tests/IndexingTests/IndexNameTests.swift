// How people are told which index is meant: in lists of all, and where one is not that of its values.

import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct IndexNameTests {
    /// The indexes of texts so long that a column of them is no dictionary.
    private static func indexes(_ texts: [String]) throws -> SegmentIndexes {
        let records = texts.enumerated().map { row, text in
            let value = FieldValue.string(text + String(repeating: " ", count: 200))
            return Record(type: "T", id: Record.ID("r\(row)"), fields: ["text": value])
        }
        return SegmentIndexes(try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1))
    }

    /// Those of one field come by the names of their kinds, and those of one kind by their folding.
    @Test func kindsGoBeforeFoldings() throws {
        let indexes = try Self.indexes(["abc def", "ghi"])
        let text = try #require(indexes.segment.schema.position(of: "text"))
        // Positions belong to an index of words, which is built with them.
        try #require(indexes.wordPositions(column: text, options: []) != nil)
        try #require(indexes.trigrams(column: text) != nil)
        try #require(indexes.tokens(column: text, options: .caseInsensitive) != nil)
        try #require(indexes.ordered(column: text, options: .caseInsensitive) != nil)
        let names = indexes.summaries.map { "\($0.kind.name) \($0.options.rawValue)" }
        #expect(names == ["ordered 1", "token 0", "token 1", "trigram 0", "word position 0"])
    }

    /// The words of all texts belong to no field.
    @Test func wordsOfAllFieldsHaveAName() throws {
        let indexes = try Self.indexes(["a b", "c"])
        try #require(indexes.tokens(column: nil, options: []) != nil)
        let opened = try Self.indexes(["a c", "b"])
        try opened.read(from: StoredBlocks.reader(indexes.blocks), readsText: true)
        let error = #expect(throws: BlockError.self) { try opened.verify() }
        #expect(error?.reason == "the token index of all fields is not that of its values")
    }
}
