// Which indexes a server lacks: advice about fields that several types have.

import PredicateSyntax
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct ServerIndexTests {
    private static func advice(_ field: String, _ mark: IndexMarks, options: String = "") -> IndexAdvice {
        IndexAdvice(
            field: field, mark: mark, kind: "ordered", options: options, part: "p", span: SourceSpan(0, 1),
            rowsRead: 10, rowsNeeded: 1)
    }

    /// A field of two types has the indexes that both of them say, in whatever order the types come.
    @Test(arguments: [false, true]) func fieldsOfSeveralTypes(_ isTurned: Bool) {
        let types = [
            ContainerSchema.RecordType(fields: ["a": .init(.string, indexes: [.queryable, .sortable])]),
            ContainerSchema.RecordType(fields: ["a": .init(.string, indexes: [.queryable, .searchable])]),
        ]
        let indexes = ServerIndexes(isTurned ? types.reversed() : types)
        #expect(!indexes.lacks(Self.advice("a", .queryable)))
        #expect(indexes.lacks(Self.advice("a", .sortable)) && indexes.lacks(Self.advice("a", .searchable)))
        #expect(indexes.lacks(Self.advice("b", .queryable)))
    }

    /// What a server has no indexes of is no advice, and the words of all texts are searched by those of the fields.
    @Test func whatFollowsFromMarks() {
        let type = ContainerSchema.RecordType(fields: ["a": .init(.string, indexes: [.queryable, .searchable])])
        let indexes = ServerIndexes([type])
        #expect(!indexes.lacks(Self.advice("a", .substring)) && !indexes.lacks(Self.advice("allTokens", .searchable)))
        #expect(indexes.lacks(Self.advice("a", .sortable, options: "c")))
        let bare = ServerIndexes([ContainerSchema.RecordType(fields: ["a": .init(.string, indexes: [.queryable])])])
        #expect(bare.lacks(Self.advice("allTokens", .searchable)))
        // Columns of a table are indexed as they are, and not folded.
        let table = ServerIndexes(indexed: ["a"])
        #expect(!table.lacks(Self.advice("a", .substring)) && table.lacks(Self.advice("b", .substring)))
        #expect(!table.lacks(Self.advice("b", .sortable, options: "c")) && !table.lacks(Self.advice("b", .searchable)))
    }
}
