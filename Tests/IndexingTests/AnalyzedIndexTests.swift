// Indexes of analyzed words, and of texts under other tables: which are kept, which are left out, what people are told.

import RecordModel
import Testing
import TextAnalysis

@testable import Indexing
@testable import RecordColumns

@Suite struct AnalyzedIndexTests {
    private static let english = TextAnalyzer(language: .english)
    private static let german = TextAnalyzer(language: .german)
    private static let options: TextOptions = .caseInsensitive

    private static func indexes() throws -> SegmentIndexes {
        let texts = ["running dogs", "he runs", "Häuser laufen", "dog"]
        let records = texts.enumerated().map {
            Record(type: "T", id: Record.ID("\($0)"), fields: ["text": .string($1), "n": .int64(Int64($0))])
        }
        let segment = try TypeInference(recordType: "T").segment(of: records, zoneID: .default, origin: 1)
        return SegmentIndexes(segment)
    }

    private static func words(
        _ indexes: SegmentIndexes, _ analyzer: TextAnalyzer?, building: Bool = false
    ) -> OrderedIndex? {
        let column = indexes.segment.schema.position(of: "text")
        return indexes.tokens(
            column: column, options: options, analysis: analyzer.map { WordAnalysis($0) }, building: building)
    }

    /// Indexes of the words as they are, in English, and in German, and one of numbers.
    private static func built() throws -> SegmentIndexes {
        let indexes = try indexes()
        for analyzer in [nil, english, german] { _ = words(indexes, analyzer, building: true) }
        _ = indexes.ordered(column: try #require(indexes.segment.schema.position(of: "n")))
        #expect(indexes.builtCount == 4)
        return indexes
    }

    private static func reopened(
        _ blocks: WrittenBlocks, over indexes: SegmentIndexes, readsText: Bool = true
    ) throws -> SegmentIndexes {
        let opened = SegmentIndexes(indexes.segment)
        try opened.read(from: StoredBlocks.reader(blocks), readsText: readsText)
        return opened
    }

    @Test func onlyTheIndexesOfTheFieldsAnalyzersStay() throws {
        let indexes = try Self.built()
        let fields = try #require(FieldAnalyzers(["text": Self.english, "n": Self.german]))
        // Read and not read, by equal analyzers and not by the same objects.
        for indexes in [indexes, try Self.reopened(indexes.blocks, over: indexes)] {
            indexes.removeAnalyzed(except: fields)
            #expect(indexes.builtCount == 3 && Self.words(indexes, Self.german) == nil)
            #expect(Self.words(indexes, Self.english) != nil && Self.words(indexes, nil) != nil)
            indexes.removeAnalyzed(except: nil)
            #expect(indexes.builtCount == 2 && Self.words(indexes, Self.english) == nil)
            // Whoever searches by another analyzer has the index built again.
            #expect(Self.words(indexes, Self.german, building: true) != nil && indexes.builtCount == 3)
        }
    }

    /// What was left out when it was read is built anew, but for what no field needs any more.
    @Test func outdatedIndexesAreBuiltForTheFieldsAnalyzers() throws {
        let indexes = try Self.built()
        for (fields, count) in [([:], 1), (["text": Self.english], 2), (["n": Self.english], 1)] {
            let opened = try Self.reopened(indexes.blocks, over: indexes, readsText: false)
            #expect(opened.outdatedCount == 3 && opened.builtCount == 1)
            opened.removeAnalyzed(except: FieldAnalyzers(fields))
            #expect(opened.outdatedCount == count)
            var built = 0
            opened.buildOutdated { built += 1 }
            #expect(built == count && opened.outdatedCount == 0 && opened.builtCount == 1 + count)
            #expect((Self.words(opened, Self.english) != nil) == (count == 2) && Self.words(opened, nil) != nil)
            #expect(Self.words(opened, Self.german) == nil)
        }
    }

    /// The same structure with another number of that name in all lists inside it.
    private static func changed(_ tree: WrittenBlocks, _ name: String, to number: Int64) -> WrittenBlocks {
        var other = WrittenBlocks()
        for (part, value) in tree.parts {
            switch value {
            case .number where part == name: other[part] = .number(number)
            case .trees(let trees): other[part] = .trees(trees.map { changed($0, name, to: number) })
            default: other[part] = value
            }
        }
        return other
    }

    /// An index by other stems is none, whatever the tables of Unicode; what is not analyzed has no stems.
    @Test func otherStemsAreNoUse() throws {
        let indexes = try Self.built()
        let opened = try Self.reopened(Self.changed(indexes.blocks, "stems", to: 12_345), over: indexes)
        #expect(opened.outdatedCount == 2 && opened.builtCount == 2)
        #expect(Self.words(opened, Self.english) == nil && Self.words(opened, nil) != nil)
        let same = try Self.reopened(indexes.blocks, over: indexes)
        #expect(same.outdatedCount == 0 && same.builtCount == 4)
        #expect(same.blocks.isSame(as: indexes.blocks))
        try same.verify()
        // Analyzers that are none, and columns and kinds that are not there.
        for (name, number) in [("kind", 77), ("kind", -1), ("column", 2), ("column", -2), ("options", 256)] {
            let other = Self.changed(indexes.blocks, name, to: Int64(number))
            #expect(throws: BlockError.self, "\(name) \(number)") { try Self.reopened(other, over: indexes) }
        }
        // Of no column there are words and an order, and no tree of places.
        let other = Self.changed(Self.changed(indexes.blocks, "kind", to: 3), "column", to: -1)
        #expect(throws: BlockError.self) { try Self.reopened(other, over: indexes) }
    }

    /// What analyzes words must be known, and its stems those of its language.
    @Test func storedAnalyzersMustBeKnown() throws {
        let indexes = try Self.built()
        func opened(_ text: String, at place: Int) throws -> SegmentIndexes {
            let written = indexes.blocks
            guard case .trees(var trees)? = written["analyzed"] else { throw BlockError(part: "analyzed", "none") }
            trees[place] = trees[place].replacing { $0.add("analyzer", Array(text.utf8)) }
            let blocks = written.replacing { $0.add("analyzed", trees) }
            return try Self.reopened(blocks, over: indexes)
        }
        for text in ["", "{", "[]", #"{"language":"klingon"}"#] {
            for place in [0, 1] { #expect(throws: BlockError.self, "\(text)") { try opened(text, at: place) } }
        }
        // In the order of their texts: English, and German.
        let english = WordAnalysis(Self.english).text
        let counts = try [(english, 0), (english, 1), ("{}", 0), ("{}", 1)].map { try opened($0, at: $1).outdatedCount }
        #expect(counts == [0, 1, 1, 1])
    }

    @Test func peopleAreToldOfEachIndex() throws {
        let indexes = try Self.built()
        let text = try #require(indexes.segment.schema.position(of: "text"))
        _ = (indexes.ordered(column: text), indexes.ordered(column: text, options: .caseInsensitive))
        _ = indexes.orderedNames()
        let summaries = indexes.summaries
        #expect(summaries.map(\.field) == [nil, "n", "text", "text", "text", "text", "text"])
        #expect(summaries.map(\.kind.name) == ["ordered", "ordered", "ordered", "ordered", "token", "token", "token"])
        #expect(summaries.prefix(4).map(\.options) == [[], [], [], .caseInsensitive])
        #expect(summaries.suffix(3).allSatisfy { $0.options == .caseInsensitive })
        #expect(Set(summaries.suffix(3).map(\.analyzer)) == [nil, Self.english, Self.german])
        #expect(summaries.prefix(4).allSatisfy { $0.entries == 4 && $0.distinct == 4 && $0.analyzer == nil })
        // The words: running dogs he runs häuser laufen dog; two words of one stem are one.
        let plain = summaries.first { $0.kind.name == "token" && $0.analyzer == nil }
        let stems = summaries.first { $0.analyzer == Self.english }
        #expect(plain?.entries == 7 && plain?.distinct == 7 && stems?.entries == 7 && stems?.distinct == 5)
    }

    /// Only texts are folded, and no order is that of a locale.
    @Test func oneIndexServesAllFoldingsOfNumbers() throws {
        let indexes = try Self.indexes()
        let number = try #require(indexes.segment.schema.position(of: "n"))
        let index = try #require(indexes.ordered(column: number))
        #expect(indexes.ordered(column: number, options: [.caseInsensitive, .diacriticInsensitive]) === index)
        #expect(indexes.builtCount == 1)
        #expect(indexes.ordered(column: number, options: .localeSensitive) == nil)
        #expect(indexes.tokens(column: number, options: [], building: true)?.entryCount == 0)
    }
}
