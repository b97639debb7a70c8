// What options of texts, words, lists and places become: the rows that are certain, and those that are possible.

import PredicateSemantics
import RecordModel
import Testing

@testable import RecordPushdown

@Suite struct TextBoundsTests {
    private static let types: [String: FieldType] = [
        "name": .string, "weight": .int64, "rate": .double, "at": .location, "tags": .list(.string),
        "counts": .list(.int64),
    ]
    private static let layout = ColumnLayout(types, table: "r_City")

    private static func bounds(
        _ text: String, _ arguments: [FieldValue] = [], knowsTexts: Bool = true
    ) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "City", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
        return Lowering(layout, zoneID: .default, types: [layout], knowsTexts: knowsTexts).bounds(bound)
    }

    /// The condition with constants in their places, `f` for the column of `name`, `F` for its folded form, `ascii` for
    /// the test of its bytes, and `T` for the folded tags.
    private static func text(_ condition: Condition) -> String {
        condition.withConstants.replacing(#"COALESCE("name~s~cd", "name~s")"#, with: "F")
            .replacing(#"COALESCE("tags~S~cd", "tags~S")"#, with: "T")
            .replacing(#" "name~s""#, with: " f").replacing(#"("name~s""#, with: "(f")
            .replacing("(octet_length(f) = char_length(f))", with: "(ascii)")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let predicate: String
        let argument: String?
        let possible: String
        /// `nil` where the server decides alone.
        let certain: String?
        var testDescription: String { predicate }

        init(_ predicate: String, argument: String? = nil, _ possible: String, certain: String? = nil) {
            (self.predicate, self.argument, self.possible, self.certain) = (predicate, argument, possible, certain)
        }
    }

    private static func check(_ test: Case, knowsTexts: Bool = true) throws {
        let bounds = try bounds(test.predicate, test.argument.map { [.string($0)] } ?? [], knowsTexts: knowsTexts)
        #expect(text(bounds.possible) == test.possible, "\(test.predicate)")
        #expect(text(bounds.certain) == test.certain ?? test.possible, "\(test.predicate)")
    }

    // MARK: Equality and order

    private static let plainK = #"((left(F, 256) = ANY(["kyiv"])) AND (f = ANY(["Kyiv"])))"#
    private static let plainA = #"(((left(F, 256) = ANY(["a"])) AND (f = ANY(["a"]))) AND ("_x" & 1 = 0))"#
    private static let plainE = #"((left(F, 256) = ANY(["a", "e"])) AND (f = ANY(["a", "é"])))"#

    static let equalities = [
        Case("name IN[cd] {'A', 'b'}", #"(left(F, 256) = ANY(["a", "b"]) AND F = ANY(["a", "b"]))"#),
        // Marks of ASCII are nothing: such texts are as they were written.
        Case(
            "name ==[d] 'Kyiv'", "(left(F, 256) = 'kyiv' AND F = 'kyiv')", certain: "(\(plainK) AND (ascii))"),
        Case("name ==[c] 'é'", "(left(F, 256) = 'e' AND F = 'e')", certain: "FALSE"),
        Case(
            "name IN[c] {'A', 'é'}", #"(left(F, 256) = ANY(["a", "e"]) AND F = ANY(["a", "e"]))"#,
            certain: "((left(F, 256) = 'a' AND F = 'a') AND (ascii))"),
        // The column has the normal form: only rows that are looked at may have another one.
        Case(
            "name ==[n] %@", argument: "e\u{301}",
            #"(((left(F, 256) = ANY(["e"])) AND (f = ANY(["é"]))) AND ("_odd"))"#, certain: "FALSE"),
        Case(
            "name IN[n] {'a', %@}", argument: "e\u{301}",
            "(\(plainE) AND (\(plainA) OR (\"_odd\")))", certain: plainA),
        Case("name IN[l] {'a', 'b'}", "(f IS NOT NULL)", certain: "FALSE"),
    ]

    @Test("Texts are equal as their options say", arguments: equalities)
    func equality(_ test: Case) throws { try Self.check(test) }

    /// A range under options that the columns are not made for, and which rows it leaves open.
    private static func range(_ predicate: String, _ range: String, _ sure: String, _ open: String) -> Case {
        let exact = "(\(range) AND \(sure))"
        return Case(predicate, "(\(exact) OR ((f IS NOT NULL) AND \(open)))", certain: exact)
    }

    static let ranges = [
        range(
            "name <[c] 'B'", "(left(F, 256) <= 'b' AND F < 'b')", "(ascii)",
            "((ascii) IS NOT TRUE)"),
        range(
            "name >=[d] 'B'", "(left(f, 256) >= 'B' AND f >= 'B')", "(ascii)",
            "((ascii) IS NOT TRUE)"),
        range("name >[n] 'B'", "(left(f, 256) >= 'B' AND f > 'B')", #"("_x" & 1 = 0)"#, #"("_odd")"#),
        Case(
            "name BETWEEN {'a', 'c'}",
            "((left(f, 256) >= 'a' AND f >= 'a') AND (left(f, 256) <= 'c' AND f <= 'c'))"),
        Case("name <[l] 'b'", "(f IS NOT NULL)", certain: "FALSE"),
    ]

    @Test("Texts are in order as their options say", arguments: ranges)
    func order(_ test: Case) throws { try Self.check(test) }

    // MARK: Parts

    static let parts = [
        Case("name ENDSWITH 'a'", "(f LIKE '%a')", certain: #"((f LIKE '%a') AND ("_x" & 2 = 0))"#),
        Case("name CONTAINS[cd] 'Á'", "(F LIKE '%a%')", certain: #"((F LIKE '%a%') AND ("_x" & 2 = 0))"#),
        range("name ENDSWITH[n] 'A_'", #"(f LIKE '%A\_')"#, #"("_x" & 1 = 0)"#, #"("_odd")"#),
        Case(
            "name CONTAINS[d] 'É'", "((f IS NOT NULL) AND (F LIKE '%e%'))", certain: "((f LIKE '%E%') AND (ascii))"),
        Case("name CONTAINS[c] 'é'", "((f IS NOT NULL) AND (F LIKE '%e%'))", certain: "FALSE"),
        Case(
            "name LIKE[c] 'A*'",
            #"(((F LIKE 'a%') AND (ascii) AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND (F LIKE '%a%')))"#,
            certain: #"((F LIKE 'a%') AND (ascii) AND ("_x" & 4 = 0))"#),
        Case(
            "name LIKE[d] 'A?'",
            #"(((f LIKE 'A_') AND (ascii) AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND (F LIKE '%a%')))"#,
            certain: #"((f LIKE 'A_') AND (ascii) AND ("_x" & 4 = 0))"#),
        // A backslash at the end of a pattern stands for itself.
        Case(
            "name LIKE[cd] %@", argument: #"*a\"#,
            #"(((F LIKE '%a\\') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((F LIKE '%a\\') AND ("_x" & 4 = 0))"#),
    ]

    @Test("Parts of texts are found as their options say", arguments: parts)
    func part(_ test: Case) throws { try Self.check(test) }

    @Test("A beginning is looked for in heads as far as these reach", arguments: [255, 256, 257])
    func longBeginnings(_ count: Int) throws {
        let needle = String(repeating: "x", count: count)
        let head = "(left(F, 256) LIKE '\(needle.prefix(256))%')"
        let found = try Self.text(Self.bounds("name BEGINSWITH[cd] '\(needle)'").possible)
        #expect(found == (count > 256 ? "(\(head) AND (F LIKE '\(needle)%'))" : head))
    }

    // MARK: Words

    static let words = [
        Case(
            "ANY allTokens BEGINSWITH[cd] 'Mar'", #"(("_w" @@ ''mar':*'::tsquery) OR ("_odd"))"#,
            certain: #"(("_w" @@ ''mar':*'::tsquery) AND ("_x" & 10 = 0))"#),
        Case(
            "ANY allTokens BEGINSWITH[c] 'mar'", #"(("_w" @@ ''mar':*'::tsquery) OR ("_odd"))"#, certain: "FALSE"),
        Case(
            "allTokens TOKENMATCHES[cdp] 'two words'", #"(("_w" @@ ''two' <-> 'words''::tsquery) OR ("_odd"))"#,
            certain: #"(("_w" @@ ''two' <-> 'words''::tsquery) AND ("_x" & 8 = 0))"#),
        Case("allTokens TOKENMATCHES[cd] '...'", "FALSE"),
        Case("name TOKENMATCHES[cd] '\(String(repeating: "x", count: 2_001))'", "(f IS NOT NULL)", certain: "FALSE"),
    ]

    @Test("Words are looked for in all texts of a row", arguments: words)
    func wordsOfRows(_ test: Case) throws { try Self.check(test) }

    @Test("Beginnings of words are looked for up to 2 000 bytes", arguments: [(2_000, true), (2_001, false)])
    func longBeginningsOfWords(_ count: Int, isSearched: Bool) throws {
        let word = String(repeating: "x", count: count)
        let bounds = try Self.bounds("ANY allTokens BEGINSWITH[cd] '\(word)'")
        #expect((bounds.possible == .constant(true)) != isSearched)
        #expect((bounds.certain == .constant(false)) != isSearched)
    }

    @Test("Quotes and backslashes of words are doubled")
    func quotes() {
        let words = [("", "''"), ("a", "'a'"), ("o'b", "'o''b'"), (#"a\"#, #"'a\\'"#), (#"'\"#, #"'''\\'"#)]
        for (word, quoted) in words { #expect(WordQuery.quoted(word) == quoted) }
        let marked: [Unicode.Scalar] = ["'", "'", "'", "\u{301}", "'"]
        #expect(WordQuery.quoted("'\u{301}").unicodeScalars.elementsEqual(marked), "also with a mark behind it")
    }

    // MARK: Lists

    private static let someTag = #"(cardinality("tags~S") > 0)"#

    static let lists = [
        Case("ANY tags ==[cd] 'Á'", #"((T && ["a"]) AND (heads(T) && ["a"]))"#),
        Case("ANY tags IN {'A', 'b'}", #"(("tags~S" && ["A", "b"]) AND (heads(T) && ["a", "b"]))"#),
        Case("ANY tags ==[l] 'a'", someTag, certain: "FALSE"),
        Case("ANY tags CONTAINS 'a'", someTag, certain: "FALSE"),
        Case("ANY counts == 2.5", "FALSE"), Case("ANY counts IN {1, 2.5}", #"("counts~I" && [1])"#),
        Case("counts.@count != 2", #"((cardinality("counts~I")::bigint = 2) IS NOT TRUE)"#),
        Case(
            "ALL counts != 1",
            #"((EXISTS (SELECT 1 FROM unnest("counts~I") e WHERE (e = 1))) IS NOT TRUE)"#),
        // The server compares all elements with numbers alone.
        Case("ALL counts == 'a'", "TRUE", certain: "FALSE"), Case("ALL counts != nil", "TRUE", certain: "FALSE"),
    ]

    @Test("Elements of lists are looked for in an index or one by one", arguments: lists)
    func elements(_ test: Case) throws { try Self.check(test) }

    @Test("Texts of lists that others folded are not compared")
    func listsOfOtherTables() throws {
        for predicate in ["ANY tags == 'a'", "ANY tags ==[cd] 'a'", "ANY tags BEGINSWITH 'a'"] {
            try Self.check(Case(predicate, Self.someTag, certain: "FALSE"), knowsTexts: false)
        }
        try Self.check(Case("name TOKENMATCHES[cd] 'a'", "(f IS NOT NULL)", certain: "FALSE"), knowsTexts: false)
    }
}
