// Columns and texts at the limits of a server, and where pages begin in orders of several keys.

import FoundationEssentials
import Geospatial
import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct RowEdgesTests {
    private static let layout = ColumnLayout(
        [
            "name": .string, "size": .int64, "rate": .double, "day": .date, "at": .location, "owner": .reference,
            "names": .list(.string), "sizes": .list(.int64), "rates": .list(.double), "days": .list(.date),
            "owners": .list(.reference), "places": .list(.location), "notes": .object,
        ], table: "r_A")

    // MARK: Texts

    @Test("Only U+0000 and U+0001 are stored as two scalars, and no two texts as one")
    func storableTexts() {
        let stored = [
            ("", ""), ("a\u{2}", "a\u{2}"), ("\u{0}", "\u{1}\u{1}"), ("\u{1}", "\u{1}\u{2}"),
            ("\u{0}\u{2}\u{3}", "\u{1}\u{1}\u{2}\u{3}"), ("\u{1}a\u{2}", "\u{1}\u{2}a\u{2}"),
        ]
        for (text, form) in stored {
            #expect(Array(SQLValue.storable(text).unicodeScalars) == Array(form.unicodeScalars))
        }
    }

    // MARK: Words

    private static func row(_ text: String) -> RowProjection { RowProjection(["name": .string(text)], layout) }

    /// Whether words, or places of words, are left out.
    private static func isCut(_ text: String) -> Bool { row(text).marks.rawValue & 8 != 0 }

    private static func repeated(_ word: String, _ count: Int) -> String {
        Array(repeating: word, count: count).joined(separator: " ")
    }

    @Test("A word has 250 places at most, and the last place is the 16 000th")
    func places() {
        #expect(!Self.isCut(Self.repeated("w", 250)) && Self.isCut(Self.repeated("w", 251)))
        #expect(Self.row(Self.repeated("w", 251)).lexemes.first?.places == Array(1...250))
        let words = (0..<16_001).map { "w\($0)" }
        #expect(!Self.isCut(words.dropLast().joined(separator: " ")) && Self.isCut(words.joined(separator: " ")))
    }

    @Test("A word has 2 000 bytes at most, and all words have 800 000, eight for each and two for a place more")
    func bytes() {
        #expect(!Self.isCut(String(repeating: "x", count: 2_000)) && Self.isCut(String(repeating: "x", count: 2_001)))
        // Of 2 000 bytes each, with the eight.
        let words = (0..<401).map { "w\(1_000 + $0)" + String(repeating: "x", count: 1_987) }
        func isCut(_ words: some Sequence<String>) -> Bool { Self.isCut(words.joined(separator: " ")) }
        #expect(!isCut(words.prefix(400)) && isCut(words))
        #expect(!isCut(words.prefix(399) + [words[0]]) && isCut(words.prefix(399) + [words[0], words[400]]))
        // The place took two bytes: a word that is two shorter has just the room that is left.
        let shorter = "v" + words[399].dropFirst(3)
        #expect(!isCut(words.prefix(399) + [words[0], shorter]))
    }

    // MARK: Columns

    @Test("Values of the type of their field have columns, others have none")
    func values() {
        func columns(_ field: String, _ value: FieldValue) -> [String: SQLValue] {
            RowProjection([field: value], Self.layout).values
        }
        func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }
        let (first, second) = (
            FieldValue.reference(RecordReference("a")), FieldValue.reference(RecordReference("b"))
        )
        let cases: [(field: String, value: FieldValue, columns: [String: SQLValue])] = [
            ("size", 3, ["size~i": .int64(3)]), ("size", 3.5, [:]), ("rate", 3.5, ["rate~d": .double(3.5)]),
            ("rate", 3, [:]), ("day", date(7), ["day~t": .double(7)]), ("day", 7, [:]),
            ("owner", first, ["owner~r": .text("a")]), ("owner", "a", [:]), ("name", 3, [:]), ("notes", "a", [:]),
            ("none", 3, [:]), ("size", .null, [:]),
            ("sizes", .list([3, "a", 4]), ["sizes~I": .int64s([3, 4])]), ("sizes", .list([]), ["sizes~I": .int64s([])]),
            ("rates", .list([.double(0.5), 3, .double(1.5)]), ["rates~D": .doubles([0.5, 1.5])]),
            ("days", .list([date(7), "a", date(8)]), ["days~T": .doubles([7, 8])]),
            ("owners", .list([first, 3, second]), ["owners~R": .texts(["a", "b"])]), ("places", .list([3]), [:]),
            ("names", .list(["a", 3, "b"]), ["names~S": .texts(["a", "b"])]),
            ("names", .list(["A", "b"]), ["names~S": .texts(["A", "b"]), "names~S~cd": .texts(["a", "b"])]),
            ("names", .list(["a", "B"]), ["names~S": .texts(["a", "B"]), "names~S~cd": .texts(["a", "b"])]),
            ("name", "a", ["name~s": .text("a")]), ("name", "A", ["name~s": .text("A"), "name~s~cd": .text("a")]),
        ]
        for (field, value, expected) in cases { #expect(columns(field, value) == expected, "\(field) \(value)") }
        let place = columns("at", .location(Location(latitude: 90, longitude: 20)))
        #expect(Set(place.keys) == ["at~p~lat", "at~p~lon", "at~p~x", "at~p~y", "at~p~z"])
        #expect(place["at~p~lat"] == .double(90) && place["at~p~lon"] == .double(20))
    }

    @Test("A column has the name of its field, or what stands for a long one")
    func names() throws {
        let f50 = String(repeating: "f", count: 50)
        #expect(FieldColumn(f50, .int64)?.name == f50 + "~i")
        #expect(FieldColumn(f50 + "f", .int64)?.name == "~d5f36449fcd7ed11~i")
        #expect(FieldColumn("at", .location)?.presence == "at~p~lat" && FieldColumn("a", .string)?.presence == "a~s")
        for type in [FieldType.list(.location), .list(nil), .object, .bool, .data] {
            #expect(FieldColumn("a", type) == nil, "\(type)")
        }
    }

    @Test("Fields have indexes by their types and their marks")
    func indexes() throws {
        let cases: [(type: FieldType, marks: IndexMarks, names: [String])] = [
            (.string, [.queryable, .sortable], ["q", "s"]), (.string, .queryable, ["q"]), (.string, .sortable, ["s"]),
            (.string, .searchable, []), (.list(.string), .queryable, ["q"]), (.list(.string), .sortable, []),
            (.int64, .queryable, ["q"]), (.double, .sortable, ["q"]), (.date, [], []), (.date, .searchable, []),
            (.location, .queryable, ["q"]), (.location, .sortable, ["q"]), (.location, [], []),
            (.reference, .queryable, ["q"]), (.reference, .sortable, []), (.list(.int64), .queryable, ["q"]),
            (.list(.int64), [], []), (.list(.reference), .queryable, ["q"]),
        ]
        for (type, marks, names) in cases {
            let column = try #require(FieldColumn("f", type))
            #expect(column.indexes(marks).map(\.name) == names, "\(type) \(marks)")
            let isLookedInto = type == .string && marks.contains(.searchable)
            #expect((column.looksInto(marks) != nil) == isLookedInto, "\(type) \(marks)")
        }
        #expect(FieldColumn("f", .list(.string))?.looksInto(.searchable) == nil)
        #expect(FieldColumn("f", .int64)?.looksInto(.searchable) == nil)
    }

    // MARK: Orders

    private static func behind(
        _ keys: [SortKey], _ values: [FieldValue], zone: String? = nil
    ) throws -> (text: String, values: [SQLValue])? {
        let order = try #require(OrderShape(keys + [SortKey(.recordName)], layout))
        let zone = zone.map { (text: "z.name" as SQLText, name: $0) }
        return order.behind(values, zone: zone).map { $0.text.printed() }
    }

    @Test("A page begins behind the values of its last record, from what an index finds")
    func starts() throws {
        let size = #""r"."size~i""#
        let ascending = try #require(try Self.behind([.ascending("size")], [4, "b"]))
        #expect(ascending.text == "((\(size) >= $1) AND ((\(size) > $2) OR ((\(size) = $3) AND (\"r\"._n > $4))))")
        #expect(ascending.values == [.int64(4), .int64(4), .int64(4), .text("b")])
        let zoned = try #require(try Self.behind([.ascending("size")], [4, "b"], zone: "Z"))
        #expect(zoned.text.hasSuffix(" OR ((\(size) = $5) AND (\"r\"._n = $6) AND (z.name > $7))))"))
        #expect(zoned.values.last == .text("Z"))
        let ofNull = try #require(try Self.behind([.ascending("size")], [.null, "b"]))
        #expect(ofNull.text == "((\(size) IS NOT NULL) OR ((\(size) IS NULL) AND (\"r\"._n > $1)))")
        let last = try #require(try Self.behind([.descending("size")], [.null, "b"]))
        #expect(last.text == "((\(size) IS NULL) AND (\"r\"._n > $1))")
        let day = FieldValue.date(Date(timeIntervalSinceReferenceDate: 7))
        #expect(try Self.behind([.ascending("day")], [day, "b"])?.values.first == .double(7))
    }

    @Test("Values that are none of an order begin no page")
    func strangers() throws {
        for values in [[4], [], [4, "b", "c"], ["x", "b"], [4, 5], [4, .null]] as [[FieldValue]] {
            #expect(try Self.behind([.ascending("size")], values) == nil, "\(values)")
        }
        #expect(try Self.behind([.ascending("name")], [4, "b"]) == nil)
        for keys in [[.ascending("size")], [.ascending("names"), SortKey(.recordName)], []] as [[SortKey]] {
            #expect(OrderShape(keys, Self.layout) == nil, "\(keys)")
        }
        let byName = [SortKey(.field("name")), SortKey(.recordName)]
        #expect(OrderShape(byName, Self.layout) != nil && OrderShape(byName, Self.layout, knowsTexts: false) == nil)
    }

    @Test("Dates of records are keys, names may descend, and zones tell those of one name apart")
    func clauses() throws {
        let keys = [SortKey(.field("creationDate")), SortKey(.recordName, isAscending: false)]
        let order = try #require(OrderShape(keys, Self.layout))
        #expect(order.clause(zone: nil).printed().text == #""r"."_t0" ASC NULLS FIRST, "r"._n DESC"#)
        #expect(order.clause(zone: "z.name").printed().text == #""r"."_t0" ASC NULLS FIRST, "r"._n DESC, z.name"#)
        let behind = try #require(OrderShape([SortKey(.recordName, isAscending: false)], Self.layout))
        #expect(behind.behind(["b"], zone: nil)?.text.printed().text == #"("r"._n < $1)"#)
    }
}
