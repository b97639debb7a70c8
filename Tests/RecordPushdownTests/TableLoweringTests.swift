// Predicates on columns of tables that others made, as data; a server tells elsewhere whether these are right.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import Testing
import TextAnalysis

@testable import RecordPushdown

@Suite struct TableLoweringTests {
    private static let columns = [
        TableColumn("name", .text(isBytewise: true)), TableColumn("alias", .text(isBytewise: false)),
        TableColumn("weight", .int64), TableColumn("price", .numeric), TableColumn("part", .real),
        TableColumn("flag", .bool), TableColumn("day", .day), TableColumn("at", .moment(hasZone: true)),
        TableColumn("key", .uuid), TableColumn("notes", .json), TableColumn("tags", .list(.text(isBytewise: true))),
        TableColumn("counts", .list(.int64)),
    ]

    private static func bounds(_ text: String) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "places", fields: columns.map { FieldDefinition(name: $0.name, type: $0.fieldType) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: []))
        return Lowering(ColumnLayout(columns, table: "places"), zoneID: nil).bounds(bound)
    }

    private static func text(_ condition: Condition) -> String {
        condition.withConstants.replacing(#""name"::text"#, with: "f")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let predicate: String
        let possible: String
        /// `nil` where the server decides alone.
        var certain: String?
        var testDescription: String { predicate }

        init(_ predicate: String, _ possible: String, certain: String? = nil) {
            (self.predicate, self.possible, self.certain) = (predicate, possible, certain)
        }
    }

    private static let ascii = "(octet_length(f) = char_length(f))"
    private static let alias = "(\"alias\"::text COLLATE \"C\")"
    private static let uncomposed = "'[^\\u0001-\\u02FF\\u0380-\\u0386\\u0388-\\u047F]'"
    private static let foreign = "(octet_length(f) > char_length(f))"

    /// With `f` for the column of `name`.
    static let cases: [Case] = [
        Case("name == 'Lviv'", "(f = 'Lviv')"),
        // Two scalars have the normal form K.
        Case("name == 'Kyiv'", "(f = ANY([\"Kyiv\", \"\u{212A}yiv\"]))"),
        Case("name == 'Zürich'", "(f LIKE 'Z%rich')", certain: "(f = 'Zürich')"),
        Case("name == 'Львів'", "(f = 'Львів')"),
        Case("name ==[n] 'Zürich'", "(f = 'Zürich')"),
        Case("name LIKE[l] 'a*'", "(\"name\" IS NOT NULL)", certain: "FALSE"),
        Case("name ==[l] 'x'", "(\"name\" IS NOT NULL)", certain: "FALSE"),
        Case(
            "name ==[cd] 'Lviv'", "((lower((f COLLATE \"C\")) = 'lviv') OR \(foreign))",
            certain: "((lower((f COLLATE \"C\")) = 'lviv') AND \(ascii))"),
        Case(
            "name CONTAINS 'a%b'", "(f LIKE '%a\\%b%')", certain: "((f LIKE '%a\\%b%') AND \(ascii))"),
        // A percent sign of the text is none of the pattern's.
        Case("name ENDSWITH '50%é'", "(f LIKE '%50\\%%')", certain: "FALSE"),
        Case("name == '%é'", "(f LIKE '\\%%')", certain: "(f = '%é')"),
        Case("name == 'éé'", "(f LIKE '%')", certain: "(f = 'éé')"),
        Case("name BEGINSWITH 'é'", "(f LIKE '%%')", certain: "FALSE"),
        Case("name LIKE[n] 'a*_?'", "(f LIKE 'a%\\__')"),
        Case("alias == 'x'", "((\"alias\"::text COLLATE \"C\") = 'x')"),
        Case(
            "alias < 'b'", "((\(alias) < 'b') OR (\(alias) ~ \(uncomposed)))",
            certain: "((\(alias) < 'b') AND (\(alias) !~ \(uncomposed)))"),
        Case("name != nil AND weight == 2", "((\"name\" IS NOT NULL) AND (\"weight\" = 2))"),
        Case("weight > 1.5", "(\"weight\" > 1)"),
        Case(
            "price > 1", "(\"price\" >= '0.9999999999999999'::numeric)",
            certain: "(\"price\" >= '1.0000000000000002'::numeric)"),
        Case("part < 0.1", "(\"part\" <= 0.10000000894069672)", certain: "(\"part\" <= 0.09999999403953552)"),
        Case("flag == TRUE", "(\"flag\"::int::bigint = 1)"),
        Case(
            "at >= '2026-01-01'", "(\"at\" >= '2025-12-31T23:59:59Z'::timestamptz)",
            certain: "(\"at\" >= '2026-01-01T00:00:02Z'::timestamptz)"),
        Case(
            "day < '2026-01-01'", "(\"day\" <= '2026-01-01T00:00:02Z'::timestamp)",
            certain: "(\"day\" <= '2025-12-31T23:59:59Z'::timestamp)"),
        Case(
            "key == 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
            "(\"key\" = ANY([\"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11\"]::uuid[]))"),
        Case("key == 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'", "FALSE"),
        Case("notes == nil", "TRUE", certain: "((\"notes\" IS NOT NULL) IS NOT TRUE)"),
        Case("notes.a.b == 'x'", "(\"notes\" IS NOT NULL)", certain: "FALSE"),
        Case("ANY tags == 'x'", "(\"tags\"::text[] && [\"x\"])", certain: "FALSE"),
        Case("ANY tags ==[cd] 'x'", "(cardinality(\"tags\") > 0)", certain: "FALSE"),
        Case("NONE counts == 3", "TRUE", certain: "((\"counts\"::int8[] && [3]) IS NOT TRUE)"),
        Case("counts.@count > 2", "TRUE", certain: "FALSE"),
        Case("recordName == 'x'", "TRUE", certain: "FALSE"),
    ]

    @Test(arguments: cases)
    func predicatesBecomeConditions(_ example: Case) throws {
        let bounds = try Self.bounds(example.predicate)
        #expect(Self.text(bounds.possible) == example.possible)
        #expect(Self.text(bounds.certain) == example.certain ?? example.possible)
    }

    /// The ways to write a text: of each letter with a twin two, up to sixteen in all.
    @Test(arguments: [
        ("", 1), ("abc", 1), ("K", 2), ("a;K", 4), ("K;K", 8), ("KKKK", 16), ("KKKKa", 16), ("KKKKK", nil),
    ])
    func waysToWriteAText(_ text: String, _ count: Int?) {
        let ways = RawText.equivalents(of: text)
        #expect(ways.map { Set($0.map { Array($0.unicodeScalars) }).count } == count, "\(text)")
        for way in ways ?? [] { #expect(way == text, "canonically equivalent") }
    }

    /// What a pattern takes for a scalar that is written in one way is so: no other one has it in its normal form, and
    /// it is composed of nothing.
    @Test func stableScalarsAreWrittenInOneWay() {
        var count = 0
        for value in UInt32(0)..<0x3_0000 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let composed = TextFolding.fold(String(scalar), [])
            if TextSpelling.isStable(scalar) {
                count += 1
                #expect(composed.unicodeScalars.elementsEqual([scalar]), "\(value)")
            } else if RawText.equivalents(of: String(scalar)) == nil {
                #expect(!composed.unicodeScalars.contains(where: TextSpelling.isStable), "\(value)")
            }
        }
        #expect(count > 300)
        for mark in UInt32(0x300)...0x36F {
            guard let mark = Unicode.Scalar(mark) else { continue }
            for value in UInt32(0)..<0x480 {
                guard let base = Unicode.Scalar(value) else { continue }
                let composed = TextFolding.fold(String(String.UnicodeScalarView([base, mark])), []).unicodeScalars
                if composed.count == 1, let first = composed.first { #expect(!TextSpelling.isStable(first)) }
            }
        }
    }
}
