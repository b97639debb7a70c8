// Predicates and the two conditions that they become, as data; a server is asked elsewhere whether these are right.

import Geospatial
import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct LoweringTests {
    private static let types: [String: FieldType] = [
        "name": .string, "weight": .int64, "rate": .double, "day": .date, "at": .location, "tags": .list(.string),
        "counts": .list(.int64), "owner": .reference, "notes": .object,
    ]
    private static let layout = ColumnLayout(types, table: "r_City")

    @Test func whatIsLeftOfAConditionGivenAnother() {
        let (a, b, c) = (Condition.holds("a"), Condition.fails("b"), Condition.holds("c"))
        for (condition, given, left) in [
            (a, a, .constant(true)), (a, b, a), (.all([a, b]), a, b), (.all([a, b, c]), .all([c, a]), b),
            (.all([a, b]), .all([b, a, c]), .constant(true)), (.any([a, b]), a, .any([a, b])),
            (.constant(false), a, .constant(false)), (a, .all([a, b]), .constant(true)),
        ] as [(Condition, Condition, Condition)] { #expect(condition.given(given) == left) }
    }

    /// The conditions with constants in their places.
    private static func bounds(
        _ text: String, knowsTexts: Bool = true, orderedBy field: String? = nil
    ) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "City", fields: types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: []))
        var lowering = Lowering(layout, zoneID: .default, types: [layout], knowsTexts: knowsTexts)
        lowering.orderedBy = field.flatMap { layout.fields[$0]?.name }
        return lowering.bounds(bound)
    }

    /// Each part has three values: one where it is possible, and two where it is certain.
    @Test(arguments: [10_000, 10_001])
    func aPredicateWithMoreValuesThanAStatementHasRoomForIsNotTold(_ count: Int) throws {
        let parts = (0..<count).map { "name CONTAINS 'a\($0)'" }
        let bounds = try Self.bounds(parts.joined(separator: " OR "))
        #expect((bounds.possible == .constant(true)) == (count > 10_000))
        #expect((bounds.certain == .constant(false)) == (count > 10_000))
    }

    private static func text(_ condition: Condition) -> String {
        condition.withConstants.replacing(#"COALESCE("name~s~cd", "name~s")"#, with: "F")
            .replacing(#" "name~s""#, with: " f").replacing(#"("name~s""#, with: "(f")
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

    /// With `f` for the column of `name`, and `F` for its folded form.
    static let cases: [Case] = [
        Case(#"name == 'Kyiv'"#, #"((left(F, 256) = ANY(["kyiv"])) AND (f = ANY(["Kyiv"])))"#),
        Case(#"name ==[cd] 'Kyiv'"#, #"(left(F, 256) = 'kyiv' AND F = 'kyiv')"#),
        Case(
            #"name ==[c] 'Kyiv'"#,
            #"(left(F, 256) = 'kyiv' AND F = 'kyiv')"#,
            certain: #"((left(F, 256) = 'kyiv' AND F = 'kyiv') AND (octet_length(f) = char_length(f)))"#),
        Case(
            #"name ==[n] 'Kyiv'"#,
            #"((left(F, 256) = ANY(["kyiv"])) AND (f = ANY(["Kyiv"])))"#,
            certain: #"(((left(F, 256) = ANY(["kyiv"])) AND (f = ANY(["Kyiv"]))) AND ("_x" & 1 = 0))"#),
        Case(#"name ==[l] 'Kyiv'"#, #"(f IS NOT NULL)"#, certain: #"FALSE"#),
        Case(#"name IN {'a', 'b'}"#, #"((left(F, 256) = ANY(["a", "b"])) AND (f = ANY(["a", "b"])))"#),
        Case(#"name == 1"#, #"FALSE"#),
        Case(#"name == nil"#, #"((f IS NOT NULL) IS NOT TRUE)"#),
        Case(#"name != 'a'"#, #"(((left(F, 256) = ANY(["a"])) IS NOT TRUE) OR ((f = ANY(["a"])) IS NOT TRUE))"#),
        Case(#"name < 'b'"#, #"(left(f, 256) <= 'b' AND f < 'b')"#),
        Case(
            #"name BEGINSWITH[cd] 'Ma'"#,
            #"(left(F, 256) LIKE 'ma%')"#, certain: #"((left(F, 256) LIKE 'ma%') AND ("_x" & 2 = 0))"#),
        Case(
            #"name BEGINSWITH 'Ma'"#,
            #"((left(F, 256) LIKE 'ma%') AND (left(f, 256) LIKE 'Ma%'))"#,
            certain: #"(((left(F, 256) LIKE 'ma%') AND (left(f, 256) LIKE 'Ma%')) AND ("_x" & 2 = 0))"#),
        Case(#"name BEGINSWITH ''"#, #"FALSE"#),
        Case(#"name <[cd] 'B'"#, #"(left(F, 256) <= 'b' AND F < 'b')"#),
        Case(
            #"name CONTAINS[c] 'x_y'"#,
            #"((f IS NOT NULL) AND (F LIKE '%x\_y%'))"#,
            certain: #"((F LIKE '%x\_y%') AND (octet_length(f) = char_length(f)))"#),
        Case(
            #"name LIKE[cd] 'Á?b*'"#,
            #"(((left(F, 256) LIKE 'a%') AND (F LIKE 'a_b%') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((left(F, 256) LIKE 'a%') AND (F LIKE 'a_b%') AND ("_x" & 4 = 0))"#),
        Case(
            #"name LIKE 'Ab*'"#,
            #"(((left(F, 256) LIKE 'ab%') AND (left(f, 256) LIKE 'Ab%') AND (f LIKE 'Ab%') AND ("_x" & 4 = 0)) "#
                + #"OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((left(F, 256) LIKE 'ab%') AND (left(f, 256) LIKE 'Ab%') AND (f LIKE 'Ab%') "#
                + #"AND ("_x" & 4 = 0))"#),
        // What a mark may turn into another scalar is not known of the folded text.
        Case(
            #"name LIKE 'a<*'"#,
            #"(((left(f, 256) LIKE 'a<%') AND (f LIKE 'a<%') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((left(f, 256) LIKE 'a<%') AND (f LIKE 'a<%') AND ("_x" & 4 = 0))"#),
        Case(
            #"name LIKE[cd] 'a\\*_?'"#,
            #"(((left(F, 256) LIKE 'a*\_%') AND (F LIKE 'a*\__') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((left(F, 256) LIKE 'a*\_%') AND (F LIKE 'a*\__') AND ("_x" & 4 = 0))"#),
        Case(
            #"name LIKE[cd] '*a'"#,
            #"(((F LIKE '%a') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((F LIKE '%a') AND ("_x" & 4 = 0))"#),
        Case(
            #"name LIKE '?a'"#,
            #"(((f LIKE '_a') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((f LIKE '_a') AND ("_x" & 4 = 0))"#),
        Case(
            #"name LIKE[n] 'a*'"#,
            #"(((f LIKE 'a%') AND ("_x" & 1 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#,
            certain: #"((f LIKE 'a%') AND ("_x" & 1 = 0))"#),
        Case(#"name MATCHES '.*abc.*'"#, #"((f IS NOT NULL) AND (F LIKE '%abc%'))"#, certain: #"FALSE"#),
        Case(#"weight == 3"#, #"("weight~i" = 3)"#),
        Case(#"weight == 2.5"#, #"FALSE"#),
        Case(#"weight > 2.5"#, #"("weight~i" > 2)"#),
        Case(#"weight <= -2.5"#, #"("weight~i" <= -3)"#),
        Case(#"weight < 9.3e18"#, #"("weight~i" IS NOT NULL)"#),
        Case(#"weight IN {1, 2, 2.5}"#, #"("weight~i" = ANY([1, 2]))"#),
        Case(#"rate <= 9007199254740993"#, #"("rate~d" <= 9007199254740992.0)"#),
        Case(#"rate > 9007199254740993"#, #"("rate~d" > 9007199254740992.0)"#),
        Case(#"rate < 9007199254740995"#, #"("rate~d" < 9.007199254740996e+15)"#),
        Case(#"rate >= 9007199254740995"#, #"("rate~d" >= 9.007199254740996e+15)"#),
        Case(#"day == nil"#, #"(("day~t" IS NOT NULL) IS NOT TRUE)"#),
        Case(#"NOT (weight > 1 AND rate < 2)"#, #"((("weight~i" > 1) IS NOT TRUE) OR (("rate~d" < 2.0) IS NOT TRUE))"#),
        Case(#"tags.@count > 2"#, #"(cardinality("tags~S")::bigint > 2)"#),
        Case(
            #"ANY tags BEGINSWITH 'a%'"#, #"(EXISTS (SELECT 1 FROM unnest("tags~S") e WHERE e LIKE 'a\%%'))"#,
            certain: #"((EXISTS (SELECT 1 FROM unnest("tags~S") e WHERE e LIKE 'a\%%')) AND ("_x" & 2 = 0))"#),
        Case(
            #"ANY tags BEGINSWITH[cd] 'Á'"#,
            #"(EXISTS (SELECT 1 FROM unnest(COALESCE("tags~S~cd", "tags~S")) e WHERE e LIKE 'a%'))"#,
            certain: #"((EXISTS (SELECT 1 FROM unnest(COALESCE("tags~S~cd", "tags~S")) e WHERE e LIKE 'a%')) "#
                + #"AND ("_x" & 2 = 0))"#),
        Case(#"ANY tags BEGINSWITH[c] 'a'"#, #"(cardinality("tags~S") > 0)"#, certain: "FALSE"),
        Case(#"ANY tags == 'a'"#, #"(("tags~S" && ["a"]) AND (heads(COALESCE("tags~S~cd", "tags~S")) && ["a"]))"#),
        Case(
            #"ANY tags ==[c] 'A'"#,
            #"((COALESCE("tags~S~cd", "tags~S") && ["a"]) AND (heads(COALESCE("tags~S~cd", "tags~S")) "#
                + #"&& ["a"]))"#,
            certain: #"FALSE"#),
        Case(
            #"ALL counts > 1"#,
            #"((EXISTS (SELECT 1 FROM unnest("counts~I") e WHERE ((e > 1) IS NOT TRUE))) IS NOT TRUE)"#),
        Case(
            #"ANY counts BETWEEN {1, 3}"#,
            #"(EXISTS (SELECT 1 FROM unnest("counts~I") e WHERE ((e >= 1) AND (e <= 3))))"#),
        Case(
            #"allTokens TOKENMATCHES[cd] 'two words'"#,
            #"(("_w" @@ ''two' & 'words''::tsquery) OR ("_odd"))"#,
            certain: #"(("_w" @@ ''two' & 'words''::tsquery) AND ("_x" & 8 = 0))"#),
        // Where case alone is folded, rows that are not ASCII are looked at.
        Case(
            #"allTokens TOKENMATCHES[c] 'word'"#,
            #"(("_w" @@ ''word''::tsquery) OR ("_odd"))"#,
            certain: #"(("_w" @@ ''word''::tsquery) AND ("_x" & 24 = 0))"#),
        Case(#"allTokens TOKENMATCHES[c] 'é'"#, #"(("_w" @@ ''e''::tsquery) OR ("_odd"))"#, certain: #"FALSE"#),
        Case(#"allTokens TOKENMATCHES 'word'"#, #"(("_w" @@ ''word''::tsquery) OR ("_odd"))"#, certain: #"FALSE"#),
        Case(
            #"name TOKENMATCHES[cd] 'word'"#,
            #"((f IS NOT NULL) AND (("_w" @@ ''word''::tsquery) OR ("_odd")))"#,
            certain: #"FALSE"#),
        Case(#"ANY allTokens BEGINSWITH 'mar'"#, #"(("_w" @@ ''mar':*'::tsquery) OR ("_odd"))"#, certain: #"FALSE"#),
        Case(
            #"owner.name == 'a'"#,
            #"(EXISTS (SELECT 1 FROM "r_City" "t1" WHERE "t1"._z = "_z" AND "t1"._n = "owner~r" AND "#
                + #"((left(COALESCE("t1"."name~s~cd", "t1"."name~s"), 256) = ANY(["a"])) "#
                + #"AND ("t1"."name~s" = ANY(["a"])))))"#),
        Case(#"owner.recordName == 'o'"#, #"("owner~r" = 'o')"#),
        Case(#"recordName IN {'a', 'b'}"#, #"("_n" = ANY(["a", "b"]))"#),
        Case(#"notes.a == 1"#, #"TRUE"#, certain: #"FALSE"#),
        Case(#"TRUEPREDICATE"#, #"TRUE"#),
        Case(
            "weight + 1 > 3",
            #"((("weight~i"::numeric + 1::numeric) > 3) OR (NOT (("weight~i"::numeric + 1::numeric) "#
                + "BETWEEN -9223372036854775808 AND 9223372036854775807)))",
            certain: #"((("weight~i"::numeric + 1::numeric) > 3) AND (("weight~i"::numeric + 1::numeric) "#
                + "BETWEEN -9223372036854775808 AND 9223372036854775807))"),
    ]

    /// The server compares as the predicate does, on both sides of an operation.
    @Test(arguments: ["<", "<=", ">", ">="], ["weight + 1", "weight - 1"])
    func orders(_ comparison: String, _ sum: String) throws {
        let number = "(\"weight~i\"::numeric \(sum.dropFirst("weight ".count))::numeric)"
        let mirrored = [">": "<", ">=": "<=", "<": ">", "<=": ">="]
        for predicate in ["\(sum) \(comparison) 3", "3 \(try #require(mirrored[comparison])) \(sum)"] {
            let bounds = try Self.bounds(predicate)
            #expect(Self.text(bounds.possible).hasPrefix("((\(number) \(comparison) 3) OR "), "\(predicate)")
            #expect(Self.text(bounds.certain).hasPrefix("((\(number) \(comparison) 3) AND "), "\(predicate)")
        }
    }

    /// In the order of a field the index of that order finds prefixes. Those of other fields are looked for as ever.
    @Test(arguments: [
        ("name BEGINSWITH 'Ma'", "name", "(left(f, 256) LIKE 'Ma%')"),
        ("name BEGINSWITH 'Ma'", "rate", "((left(F, 256) LIKE 'ma%') AND (left(f, 256) LIKE 'Ma%'))"),
        ("name BEGINSWITH[cd] 'Ma'", "name", "(left(F, 256) LIKE 'ma%')"),
        (
            "name LIKE 'Ab*'", "name",
            #"(((left(f, 256) LIKE 'Ab%') AND (f LIKE 'Ab%') AND ("_x" & 4 = 0)) OR ((f IS NOT NULL) AND ("_odd")))"#
        ),
    ])
    func prefixesInTheOrderOfTheirField(_ predicate: String, _ field: String, _ possible: String) throws {
        #expect(try Self.text(Self.bounds(predicate, orderedBy: field).possible) == possible)
    }

    @Test(arguments: cases) func lowers(_ test: Case) throws {
        let bounds = try Self.bounds(test.predicate)
        #expect(Self.text(bounds.possible) == test.possible)
        #expect(Self.text(bounds.certain) == test.certain ?? test.possible)
    }

    /// Circles are a box and a chord, what is far away a chord alone; a server reads no more rows than it must.
    @Test(arguments: [
        ("distanceToLocation:fromLocation:(at, {0, 0}) < 1000", boxes: true, chords: 1),
        ("distanceToLocation:fromLocation:(at, {0, 0}) > 1000", boxes: false, chords: 1),
        ("distanceToLocation:fromLocation:(at, {0, 0}) BETWEEN {500, 1000}", boxes: true, chords: 2),
    ])
    func distances(_ predicate: String, boxes: Bool, chords: Int) throws {
        let place = Location(latitude: 0, longitude: 0)
        let schema = RecordSchema(
            recordType: "City", fields: Self.types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let format = predicate.replacing("{0, 0}", with: "%@")
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: format, arguments: [.location(place)]))
        let bounds = Lowering(Self.layout, zoneID: .default, types: [Self.layout]).bounds(bound)
        let text = Self.text(bounds.possible)
        #expect(text.contains("<@ box") == boxes, "\(text)")
        #expect(text.matches(of: /\) (>=|<=) [0-9.e+]+/).count == chords, "\(text)")
        #expect(!text.contains("inf"), "\(text)")
        // What is surely within needs no look at the row.
        let certain = Self.text(bounds.certain)
        #expect(certain.contains(") < ") == boxes, "\(certain)")
    }

    /// Words that are more than a server's query of words may hold are looked for row by row.
    @Test(arguments: [(100, true), (4_000, true), (5_000, false), (20_000, false)])
    func manyWords(_ count: Int, isSearched: Bool) throws {
        let words = (0..<count).map { String(UnicodeScalar(UInt8(97 + $0 % 26))) + (String($0 / 26, radix: 36)) }
        let text = Self.text(try Self.bounds("allTokens TOKENMATCHES[cd] '\(words.joined(separator: " "))'").possible)
        #expect(text.contains("tsquery") == isSearched, "\(text.prefix(100))")
    }

    @Test(arguments: [(1, true), (1_999, true), (2_000, true), (2_001, false)])
    func longWords(_ count: Int, isSearched: Bool) throws {
        let word = String(repeating: "x", count: count)
        let text = Self.text(try Self.bounds("allTokens TOKENMATCHES[cd] '\(word)'").possible)
        #expect(text.contains("tsquery") == isSearched, "\(text.prefix(100))")
    }

    /// Keys of an index are heads: more of a pattern's beginning is not looked up there.
    @Test func headsOfLongPatterns() throws {
        let text = Self.text(try Self.bounds("name LIKE[cd] '\(String(repeating: "x", count: 300))*'").certain)
        #expect(text.contains("left(F, 256) LIKE '\(String(repeating: "x", count: 256))%'"), "\(text)")
    }

    /// The smallest parts that are decided elsewhere, and all that is behind one that may fail.
    @Test(
        arguments: [
            ("weight > 1 AND name == 'a'", []), ("name == 1 AND name MATCHES 'a'", []),
            ("weight > 1 AND name BEGINSWITH[cd] 'a' AND rate < 2", ["name BEGINSWITH[cd] 'a'"]),
            ("NOT (name ==[l] 'a' OR weight == 1)", ["name ==[l] 'a'"]),
            ("weight == 1 OR rate > 2 AND name MATCHES 'a'", ["name MATCHES 'a'"]),
            (
                "weight > 1 AND CAST(name, 'NSNumber') > 2 AND rate < 2",
                ["CAST(name, 'NSNumber') > 2", "rate < 2"]
            ),
        ] as [(String, [String])])
    func undecided(_ predicate: String, _ parts: [String]) throws {
        let schema = RecordSchema(
            recordType: "City", fields: Self.types.map { FieldDefinition(name: $0.key, type: $0.value) })
        func bound(_ text: String) throws -> BoundPredicate {
            try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: []))
        }
        let lowering = Lowering(Self.layout, zoneID: .default, types: [Self.layout])
        let found = lowering.undecided(try bound(predicate)).map(\.description)
        #expect(try found == parts.map { try bound($0).description })
        #expect(lowering.bounds(try bound(predicate)).isExact == parts.isEmpty)
    }

    /// Values of all conditions are numbered through.
    @Test func conditionsArePrintedWithTheirValues() throws {
        let printed = try Self.bounds("name ==[c] 'Kyiv' AND weight IN {1, 2}").printed(order: "a")
        #expect(printed.condition.contains("$3") && !printed.condition.contains("$4"))
        #expect(printed.certain?.contains("$4") == true && printed.certain?.contains("$1)") == false)
        let numbers = FieldValue.list([.int64(1), .int64(2)])
        #expect(printed.values == ["kyiv", "kyiv", numbers, "kyiv", "kyiv", numbers] && printed.order == "a")
        let ordered = try Self.bounds("name ==[c] 'Kyiv'").printed(order: "x > \(.int64(7))")
        #expect(ordered.order == "x > $5" && ordered.values == ["kyiv", "kyiv", "kyiv", "kyiv", 7])
        let alone = try Self.bounds("weight > 1").printed(order: "x > \(.int64(7))")
        #expect(alone.order == "x > $2" && alone.values == [1, 7])
        let exact = try Self.bounds("weight > 1").printed()
        #expect(exact.certain == nil && exact.order == nil && exact.values == [1])
    }

    /// All records of a zone of its own have one bucket, those of others have not.
    @Test func pathsStayInTheBucketOfAZone() throws {
        let schema = RecordSchema(
            recordType: "City", fields: Self.types.map { FieldDefinition(name: $0.key, type: $0.value) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: "owner.owner.weight == 1", arguments: []))
        for (zone, count) in [(RecordZone.ID("Z"), 2), (.default, 0), (nil, 0)] as [(RecordZone.ID?, Int)] {
            let bounds = Lowering(Self.layout, zoneID: zone, types: [Self.layout]).bounds(bound)
            let text = Self.text(bounds.possible)
            #expect(text.matches(of: /"t[12]"._b = ("t1".)?"_b"/).count == count, "\(text)")
        }
    }

    @Test func whatMayFailKeepsItsPlace() throws {
        let first = try Self.bounds("weight > 1 AND CAST(name, 'NSNumber') > 2")
        let second = try Self.bounds("CAST(name, 'NSNumber') > 2 AND weight > 1")
        #expect(first.mayFail && second.mayFail)
        #expect(Self.text(first.possible) == "(\"weight~i\" > 1)")
        #expect(second.possible == .constant(true) && second.certain == .constant(false))
        let either = try Self.bounds("weight > 1 OR CAST(name, 'NSNumber') > 2")
        #expect(either.possible == .constant(true) && Self.text(either.certain) == "(\"weight~i\" > 1)")
    }

    @Test func recordsOfAnyZoneMayHaveTheNameOfAReference() throws {
        let reference = try RecordPredicate(format: "owner == %@", arguments: [.reference(RecordReference("o"))])
        let schema = RecordSchema(recordType: "City", fields: [FieldDefinition(name: "owner", type: .reference)])
        let bound = try Binder(schema: schema).bind(reference)
        for (zone, isExact) in [(RecordZone.ID.default, true), (nil, false)] as [(RecordZone.ID?, Bool)] {
            let bounds = Lowering(Self.layout, zoneID: zone).bounds(bound)
            #expect(Self.text(bounds.possible) == "(\"owner~r\" = 'o')")
            #expect(bounds.isExact == isExact)
        }
        #expect(Lowering(Self.layout, zoneID: RecordZone.ID("Z")).bounds(bound).possible == .constant(false))
    }

    @Test func textsOfOtherTablesArePresentAtMost() throws {
        for text in ["name == 'a'", "name CONTAINS[cd] 'a'", "name LIKE 'a*'", "name < 'b'"] {
            let bounds = try Self.bounds(text, knowsTexts: false)
            #expect(Self.text(bounds.possible) == "(f IS NOT NULL)" && bounds.certain == .constant(false))
        }
        #expect(try Self.bounds("allTokens TOKENMATCHES[cd] 'a'", knowsTexts: false).possible == .constant(true))
    }

    @Test func constantsNeverBecomeWords() throws {
        let text = "\u{600}' OR 1=1 --\u{0}"
        let schema = RecordSchema(recordType: "City", fields: [FieldDefinition(name: "name", type: .string)])
        let bound = try Binder(schema: schema)
            .bind(RecordPredicate(format: "name BEGINSWITH %@", arguments: [.string(text)]))
        let (words, values) = Lowering(Self.layout, zoneID: .default).bounds(bound).possible.text.printed()
        #expect(words == "(left(\"r\".\"name~s\", 256) LIKE $1)")
        #expect(values == [.text("\u{600}' OR 1=1 --\u{1}\u{1}%")])
    }
}
