// The columns of records, and where pages begin in an order.

import Geospatial
import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct RowTests {
    private static let layout = ColumnLayout(
        ["name": .string, "size": .int64, "tags": .list(.string), "at": .location, "recordName": .string], table: "r_A")

    @Test func textsStandFoldedWhereThatIsSomethingElse() {
        let row = RowProjection(
            ["name": .string("Cafe\u{301}"), "tags": .list([.string("a"), .string("b")]), "size": .int64(3)],
            Self.layout)
        #expect(row.values["name~s"] == .text("Café") && row.values["name~s~cd"] == .text("cafe"))
        #expect(row.values["tags~S"] == .texts(["a", "b"]) && row.values["tags~S~cd"] == nil)
        #expect(row.values["size~i"] == .int64(3))
        #expect(row.words == "'a':3 'b':5 'cafe':1")
        #expect(!row.marks.isDisjoint(with: .odd), "not in normal form")
    }

    @Test func plainRowsHaveNoMarks() {
        #expect(RowProjection(["name": .string("plain text")], Self.layout).marks == [])
        #expect(!RowProjection(["name": .string("a\u{0}b")], Self.layout).marks.isDisjoint(with: .odd))
        // A field of this name reads as the record's own name where it has no value.
        #expect(RowProjection(["recordName": .string("x")], Self.layout).values.isEmpty)
    }

    /// Marks are stored as they are numbered.
    @Test(
        arguments: [
            ("plain", 0), ("é", 16), ("e\u{301}", 1 | 16), ("\u{301}x", 2 | 16), ("日本", 16), ("a\u{0}", 1 | 4),
            ("a\u{1}", 1 | 4), ("a\u{2}", 0),
        ] as [(String, Int)])
    func marksOfTexts(_ text: String, _ number: Int) {
        let marks = RowProjection(["name": .string(text)], Self.layout).marks
        #expect(Int(marks.rawValue) & ~8 == number, "\(text.unicodeScalars.map(\.value)): \(marks.rawValue)")
    }

    @Test func textsThatTheServerCannotStoreKeepTheirOrder() {
        let texts = ["", "\u{0}", "\u{0}\u{0}", "\u{0}a", "\u{1}", "\u{1}\u{0}", "\u{2}", "a", "a\u{0}", "a\u{1}"]
        let stored = texts.map(SQLValue.storable)
        #expect(stored.allSatisfy { !$0.utf8.contains(0) } && Set(stored).count == texts.count)
        #expect(stored == stored.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
    }

    @Test func wordsThatAreTooManyAreMarked() {
        let text = (0..<17_000).map { "w\($0)" }.joined(separator: " ")
        let row = RowProjection(["name": .string(text)], Self.layout)
        #expect(!row.marks.isDisjoint(with: .odd))
        #expect(row.words.hasPrefix("'w0':1 ") && !row.words.contains("16999"))
    }

    @Test func pagesBeginBehindTheLastRecord() throws {
        let keys = [SortKey(.field("size"), isAscending: false), SortKey(.field("name")), SortKey(.recordName)]
        let order = try #require(OrderShape(keys, Self.layout))
        #expect(
            order.clause(zone: nil).printed().text
                == #""r"."size~i" DESC NULLS LAST, left("r"."name~s", 256) ASC NULLS FIRST, "#
                + #""r"."name~s" ASC NULLS FIRST, "r"._n"#)
        let behind = try #require(order.behind([.int64(4), .null, .string("b")], zone: nil)).text.printed()
        #expect(
            behind.text == #"((("r"."size~i" < $1) OR ("r"."size~i" IS NULL)) OR "#
                + #"(("r"."size~i" = $2) AND ("r"."name~s" IS NOT NULL)) OR "#
                + #"(("r"."size~i" = $3) AND ("r"."name~s" IS NULL) AND ("r"._n > $4)))"#)
        #expect(behind.values == [.int64(4), .int64(4), .int64(4), .text("b")])
        #expect(order.behind([.int64(4), .int64(1), .string("b")], zone: nil) == nil)
        for key in [SortKey.relevance, .distance("at", Location(latitude: 0, longitude: 0)), .ascending("tags")] {
            #expect(OrderShape([key, SortKey(.recordName)], Self.layout) == nil)
        }
    }
}
