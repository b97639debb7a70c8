// Columns that others made, at the ends of what their types can hold, and what is read of them.

import FoundationEssentials
import PredicateSemantics
import RecordModel
import RecordPushdown
import Testing

@Suite struct TableBoundsTests {
    private static let columns = [
        TableColumn("name", .text(isBytewise: true)), TableColumn("price", .numeric), TableColumn("part", .real),
        TableColumn("flag", .bool), TableColumn("at", .moment(hasZone: true)), TableColumn("key", .uuid),
        TableColumn("tags", .list(.text(isBytewise: true))), TableColumn("counts", .list(.int64)),
    ]

    private static func bounds(_ text: String, _ arguments: [FieldValue] = []) throws -> Bounds {
        let schema = RecordSchema(
            recordType: "places", fields: columns.map { FieldDefinition(name: $0.name, type: $0.fieldType) })
        let bound = try Binder(schema: schema).bind(RecordPredicate(format: text, arguments: arguments))
        return Lowering(ColumnLayout(columns, table: "places"), zoneID: nil).bounds(bound)
    }

    /// The condition with constants in their places, and `f` for the column of `name`.
    private static func text(_ condition: Condition) -> String {
        condition.withConstants.replacing("\"name\"::text", with: "f")
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let predicate: String
        let value: FieldValue?
        let possible: String
        /// `nil` where the server decides alone.
        let certain: String?
        var testDescription: String { predicate }

        init(_ predicate: String, value: FieldValue? = nil, _ possible: String, certain: String? = nil) {
            (self.predicate, self.value, self.possible, self.certain) = (predicate, value, possible, certain)
        }
    }

    private static func check(_ test: Case) throws {
        let bounds = try bounds(test.predicate, test.value.map { [$0] } ?? [])
        #expect(text(bounds.possible) == test.possible, "\(test.predicate)")
        #expect(text(bounds.certain) == test.certain ?? test.possible, "\(test.predicate)")
    }

    // MARK: Numbers

    private static let aroundOne =
        #"(("price" >= '0.9999999999999999'::numeric) AND ("price" <= '1.0000000000000002'::numeric))"#
    private static let aroundTwo =
        #"(("price" >= '1.9999999999999998'::numeric) AND ("price" <= '2.0000000000000004'::numeric))"#

    static let numbers = [
        // A decimal number that is read as 1 may be beside it.
        Case("price == 1", aroundOne, certain: "FALSE"),
        Case("price IN {1, 2}", "(\(aroundOne) OR \(aroundTwo))", certain: "FALSE"),
        Case(
            "price BETWEEN {1, 2}",
            #"(("price" >= '0.9999999999999999'::numeric) AND ("price" <= '2.0000000000000004'::numeric))"#,
            certain: #"(("price" >= '1.0000000000000002'::numeric) AND ("price" <= '1.9999999999999998'::numeric))"#),
        // Beyond the largest fraction there is no constant.
        Case(
            "price > %@", value: .double(.greatestFiniteMagnitude),
            #"("price" >= '1.7976931348623155e+308'::numeric)"#, certain: "FALSE"),
        Case(
            "price < %@", value: .double(.greatestFiniteMagnitude), #"("price" IS NOT NULL)"#,
            certain: #"("price" <= '1.7976931348623155e+308'::numeric)"#),
        Case("price < %@", value: .double(.infinity), #"("price" IS NOT NULL)"#, certain: "FALSE"),
        Case(
            "part < %@", value: .double(.infinity), #"("part" IS NOT NULL)"#,
            certain: #"("part" <= 3.4028234663852886e+38)"#),
        Case("flag != FALSE", #"(("flag"::int::bigint = 0) IS NOT TRUE)"#),
    ]

    @Test("Numbers are compared with what is surely less and surely more", arguments: numbers)
    func numbersOfTheServer(_ test: Case) throws { try Self.check(test) }

    @Test("So many values are looked for one by one", arguments: [1, 99, 100, 101])
    func manyNumbers(_ count: Int) throws {
        let members = (0..<count).map { FieldValue.int64(Int64($0)) }
        let possible = try Self.bounds("price IN %@", [.list(members)]).possible.text.printed()
        #expect(possible.values.count == (count <= 100 ? 2 * count : 0))
        #expect(possible.text.contains("IS NOT NULL") == (count > 100))
    }

    // MARK: Dates

    /// Seconds from the beginning of 2001 to the beginning of the year 1, and to the last second of the year 9999.
    private static let first = -63_113_904_000.0
    private static let last = 252_423_993_599.0

    private static func date(_ seconds: Double) -> FieldValue { .date(Date(timeIntervalSinceReferenceDate: seconds)) }

    static let dates = [
        Case(
            "at >= %@", value: date(first), #"("at" IS NOT NULL)"#,
            certain: #"("at" >= '0001-01-01T00:00:02Z'::timestamptz)"#),
        Case(
            "at >= %@", value: date(first + 1), #"("at" >= '0001-01-01T00:00:00Z'::timestamptz)"#,
            certain: #"("at" >= '0001-01-01T00:00:03Z'::timestamptz)"#),
        Case(
            "at <= %@", value: date(last), #"("at" IS NOT NULL)"#,
            certain: #"("at" <= '9999-12-31T23:59:58Z'::timestamptz)"#),
        Case(
            "at <= %@", value: date(last - 2), #"("at" <= '9999-12-31T23:59:59Z'::timestamptz)"#,
            certain: #"("at" <= '9999-12-31T23:59:56Z'::timestamptz)"#),
        // A part of a second is within the second.
        Case(
            "at == %@", value: date(0.75),
            #"(("at" >= '2000-12-31T23:59:59Z'::timestamptz) AND ("at" <= '2001-01-01T00:00:02Z'::timestamptz))"#,
            certain: "FALSE"),
    ]

    @Test("Dates are compared with whole seconds that the server can read", arguments: dates)
    func datesOfTheServer(_ test: Case) throws { try Self.check(test) }

    // MARK: Texts

    private static let ordered = "(f COLLATE \"C\")"
    private static let ascii = "(octet_length(f) = char_length(f))"
    private static let foreign = "(octet_length(f) > char_length(f))"

    /// What ASCII texts meet, and what others may.
    private static func folded(_ predicate: String, _ condition: String) -> Case {
        Case(predicate, "(\(condition) OR \(foreign))", certain: "(\(condition) AND \(ascii))")
    }

    static let texts = [
        folded("name <[cd] 'B'", "((lower(\(ordered)) COLLATE \"C\") < 'b')"),
        folded("name LIKE[c] 'A?'", "(lower(\(ordered)) LIKE 'a_')"),
        folded("name ENDSWITH[d] 'a%'", #"(f LIKE '%a\%')"#),
        Case("name <[n] 'b'", "(\(ordered) < 'b')"), Case("name <[l] 'b'", "(\"name\" IS NOT NULL)", certain: "FALSE"),
        Case("name ENDSWITH[n] 'a%'", #"(f LIKE '%a\%')"#),
        // K has a twin, and é may be written as two scalars.
        Case("name == 'Ké'", "(f LIKE '_%')", certain: "(f = 'Ké')"),
        Case(
            "name IN {'a', 'é'}", "((f = 'a') OR (f LIKE '%'))", certain: "((f = 'a') OR (f = 'é'))"),
        // No text of the server has U+0000.
        Case("name == %@", value: "a\u{0}", "FALSE"), Case("name CONTAINS %@", value: "a\u{0}", "FALSE"),
        Case("name < %@", value: "a\u{0}", "(\"name\" IS NOT NULL)", certain: "FALSE"),
        Case("name LIKE %@", value: "a\u{0}", "(\"name\" IS NOT NULL)", certain: "FALSE"),
        Case("name IN %@", value: ["a\u{0}", "b"], "(f = 'b')"),
        Case(
            "key IN {'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'X'}",
            #"("key" = ANY(["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]::uuid[]))"#),
        Case(
            "key ==[c] 'A0'",
            "((lower((\"key\"::text COLLATE \"C\")) = 'a0') OR "
                + "(octet_length(\"key\"::text) > char_length(\"key\"::text)))",
            certain: "((lower((\"key\"::text COLLATE \"C\")) = 'a0') AND "
                + "(octet_length(\"key\"::text) = char_length(\"key\"::text)))"),
    ]

    @Test("Texts are compared as they were written", arguments: texts)
    func textsOfTheServer(_ test: Case) throws { try Self.check(test) }

    @Test("So many texts that may be written in several ways are looked for", arguments: [99, 100, 101])
    func manyTexts(_ count: Int) throws {
        let members = (0..<count).map { FieldValue.string("é\($0)") }
        let bounds = try Self.bounds("name IN %@", [.list(members)])
        #expect(Self.text(bounds.possible).matches(of: /LIKE/).count == (count <= 100 ? count : 0))
        #expect((bounds.certain == .constant(false)) == (count > 100))
    }

    // MARK: Arrays

    static let arrays = [
        Case("ANY tags IN {'x', 'y'}", #"("tags"::text[] && ["x", "y"])"#, certain: "FALSE"),
        Case("ANY tags IN {'x', 'é'}", #"(cardinality("tags") > 0)"#, certain: "FALSE"),
        Case("ANY counts == 2.5", "FALSE"),
        Case("ANY counts IN {1, 2.5}", #"("counts"::int8[] && [1])"#, certain: "FALSE"),
        Case("ANY counts > 2", #"(cardinality("counts") > 0)"#, certain: "FALSE"),
    ]

    @Test("Elements of arrays are never certain", arguments: arrays)
    func elements(_ test: Case) throws { try Self.check(test) }

    // MARK: Columns

    @Test("Columns are read in the forms that are known of their types")
    func forms() {
        let cases: [(form: TableColumn.Form, type: FieldType, selected: String)] = [
            (.int64, .int64, "::int8"), (.double, .double, ""), (.real, .double, "::text"),
            (.numeric, .number, "::text"), (.bool, .bool, ""), (.day, .date, ""),
            (.moment(hasZone: false), .date, ""), (.text(isBytewise: false), .string, "::text"),
            (.uuid, .string, "::text"), (.json, .any, "::text"), (.bytes, .data, ""),
            (.list(.int64), .list(.int64), "::int8[]"), (.list(.bytes), .list(.data), ""),
            (.list(.real), .list(.double), "::text[]"), (.list(.uuid), .list(.string), "::text[]"),
        ]
        for (form, type, selected) in cases {
            let column = TableColumn("a\"b", form)
            #expect(column.fieldType == type, "\(form)")
            #expect(column.selected.printed().text == "\"r\".\"a\"\"b\"" + selected, "\(form)")
        }
    }
}
