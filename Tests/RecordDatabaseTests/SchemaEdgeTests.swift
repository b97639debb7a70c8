// Schemas at their edges: names that need quotes, rarer words, what is refused, what changes and what is demanded.

import Foundation
import PredicateSyntax
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SchemaEdgeTests {
    // MARK: Language

    @Test func namesThatNeedQuotesComeBack() throws {
        let roles: Set<String> = ["x", "1st", "grant", "GRANT", "a b", "a-b", "\u{E9}", "\"", "\"a", "a\"", "a\"\"b"]
        let text = ContainerSchema(roles: roles).text
        #expect(try ContainerSchema(text: text).roles == roles)
        for line in ["x", "\"1st\"", "\"grant\"", "\"GRANT\"", "\"a-b\"", "\"\"\"\"", "\"\"\"a\"", "\"a\"\"\"\"b\""] {
            #expect(text.contains("    CREATE ROLE \(line);\n"), "\(line)")
        }
    }

    @Test func grantsOfOneRoleAddUp() throws {
        let read = try ContainerSchema(
            text: "DEFINE /*/ x */ SCHEMA RECORD TYPE T (GRANT WRITE TO r, GRANT READ TO r, GRANT READ TO _world);")
        #expect(read.recordTypes["T"]?.grants == ["r": [.read, .write], "_world": [.read]])
        #expect(read.roles == ["r"])
        // One that may do nothing is left out.
        var schema = read
        schema.recordTypes["T"]?.grants["none"] = []
        #expect(schema.text.contains("        GRANT READ, WRITE TO \"r\""))
        #expect(!schema.text.contains("none"))
    }

    @Test func wordsMayBeNamesOfFields() throws {
        let text = "DEFINE SCHEMA RECORD TYPE T (UNIQUE STRING, \"GRANT\" INT64, b STRING, UNIQUE (UNIQUE, b));"
        let type = try #require(try ContainerSchema(text: text).recordTypes["T"])
        #expect(type.fields.keys.sorted() == ["GRANT", "UNIQUE", "b"] && type.uniqueTogether == [["UNIQUE", "b"]])
    }

    private static let faults: [(text: String, range: Range<Int>, message: String, hint: String?)] = [
        (
            "RECORD TYPE T (a ENCRYPTED NUMBER PREFERRED AS INT64);", 41..<47,
            "values of this type cannot be ENCRYPTED", nil
        ),
        (
            "RECORD TYPE T (a LIST<ENCRYPTED STRING> LANGUAGE german);", 54..<62, "LIST<STRING> cannot have LANGUAGE",
            "-"
        ),
        ("RECORD TYPE T (\"___etag\" STRING LANGUAGE german);", 46..<54, "STRING cannot have LANGUAGE", "-"),
        ("RECORD TYPE T (\"___etag\" STRING, \"___etag\" STRING);", 47..<56, "the field was defined before", nil),
        ("RECORD TYPE T (a INT64 SEARCHABLE);", 37..<47, "INT64 cannot be SEARCHABLE", nil),
        ("RECORD TYPE T (a boolean);", 31..<38, "", "truth values are INT64"),
        ("RECORD TYPE T (a INT64, UNIQUE (a, a));", 38..<51, "UNIQUE (a, a) needs two different fields or more", "-"),
        ("CREATE ROLE \"\";", 26..<28, "a name is empty", nil),
        ("CREATE ROLE \"a\nb\";", 26..<27, "the quotes are not closed", nil),
        ("CREATE ROLE \u{E9};", 26..<28, "no part of a schema begins with this character", nil),
        (
            "CREATE ROLE \u{201C}a\u{201D};", 26..<29, "no part of a schema begins with this character",
            "names need straight double quotes"
        ),
    ]

    @Test(arguments: faults.indices) func faultsHaveTheirPlace(_ number: Int) {
        let (text, range, message, hint) = Self.faults[number]
        let error = #expect(throws: SyntaxError.self) { try ContainerSchema(text: "DEFINE SCHEMA " + text) }
        #expect(error?.span.range == range, "\(text)")
        if !message.isEmpty { #expect(error?.message == message) }
        if hint != "-" { #expect(error?.hint == hint, "\(text)") }
    }

    // MARK: Checks

    private static let refused: [(field: ContainerSchema.Field, reason: String)] = [
        (.init(.list(.list(.int64))), "cannot be LIST<LIST<INT64>>"), (.init(.list(nil)), "cannot be LIST<>"),
        (.init(.bool), "cannot be BOOLEAN"), (.init(.any), "cannot be ANY"),
        (.init(.int64, indexes: .searchable), "has an index that does not suit its type"),
        (.init(.reference, indexes: .sortable), "has an index that does not suit its type"),
        (.init(.string, indexes: .queryable, traits: .encrypted), "is ENCRYPTED and cannot have an index"),
        (.init(.data, traits: .unique), "cannot be UNIQUE"),
        (.init(.list(.string), traits: .unique), "cannot be UNIQUE"),
        (.init(.string, traits: [.encrypted, .unique]), "cannot be UNIQUE"),
    ]

    @Test(arguments: refused.indices) func fieldsThatCannotBe(_ number: Int) {
        let (field, reason) = Self.refused[number]
        let schema = ContainerSchema(recordTypes: ["T": .init(fields: ["a": .init(.string), "f": field])])
        let error = #expect(throws: DatabaseError.self) { try schema.check() }
        #expect(error?.code == .invalidArguments && error?.reason == "field f of T \(reason)")
    }

    @Test func typesThatCannotBe() {
        let fields: [String: ContainerSchema.Field] = [
            "a": .init(.string), "b": .init(.int64), "c": .init(.string, traits: .encrypted),
            "d": .init(.list(.string)),
        ]
        let lists: [(lists: [[String]], reason: String)] = [
            ([["a", "b"], ["b", "a"]], "type T: UNIQUE (b, a) appears twice"),
            ([["a"]], "type T: UNIQUE (a) needs two different fields or more"),
            ([["a", "b", "a"]], "type T: UNIQUE (a, b, a) needs two different fields or more"),
            ([["a", "c"]], "type T: field c cannot be in UNIQUE (a, c)"),
            ([["b", "a"], ["d", "a"]], "type T: field d cannot be in UNIQUE (d, a)"),
        ]
        for (lists, reason) in lists {
            let schema = ContainerSchema(recordTypes: ["T": .init(fields: fields, uniqueTogether: lists)])
            let error = #expect(throws: DatabaseError.self) { try schema.check() }
            #expect(error?.reason == reason)
        }
        let shares = ContainerSchema(recordTypes: ["cloudkit.share": .init(fields: ["cloudkit.title": .init(.int64)])])
        let error = #expect(throws: DatabaseError.self) { try shares.check() }
        #expect(error?.reason == "field cloudkit.title of cloudkit.share must be STRING")
        for (type, key) in [("1", "a"), ("T", "1"), ("T", "parent")] {
            let schema = ContainerSchema(recordTypes: [type: .init(fields: [key: .init(.string)])])
            #expect(throws: DatabaseError.self, "\(type) \(key)") { try schema.check() }
        }
    }

    /// The database makes the records of users without values, so that no field of theirs can need one.
    @Test func usersNeedNoValues() {
        let name = ContainerSchema.Field(.string, traits: .required)
        let users = ContainerSchema(recordTypes: ["Users": .init(fields: ["name": name])])
        let error = #expect(throws: DatabaseError.self) { try users.check() }
        #expect(error?.code == .invalidArguments && error?.reason == "field name of Users cannot be NOT NULL")
        #expect(error?.hint == "the records of users are made without values")
        let others = ContainerSchema(recordTypes: ["T": .init(fields: ["name": name])])
        #expect(throws: Never.self) { try others.check() }
    }

    // MARK: Changes

    /// What records of files teach: types and fields that are new, as far as a database can store them.
    @Test func aSchemaTakesInWhatRecordsHave() {
        var schema = ContainerSchema(recordTypes: ["T": .init(fields: ["a": .init(.int64)])])
        let fields: [(name: String, type: FieldType)] = [
            ("a", .string), ("b", .number), ("c", .list(.bool)), ("d", .any), ("1", .string), ("f", .string),
            ("g", .bool), ("h", .list(.number)), ("i", .list(nil)), ("j", .list(.string)),
        ]
        let found = RecordSchema(
            recordType: "T", fields: fields.map { FieldDefinition(name: $0.name, type: $0.type) })
        let schemas = [found, RecordSchema(recordType: "U"), RecordSchema(recordType: "1")]
        let isNew = schema.define(schemas, except: ["f"])
        #expect(isNew)
        #expect(
            schema.recordTypes["T"]?.fields.mapValues(\.type) == [
                "a": .int64, "b": .double, "c": .list(.int64), "g": .int64, "h": .list(.double), "j": .list(.string),
            ])
        #expect(schema.recordTypes.keys.sorted() == ["T", "U", "Users"])
        let isNewAgain = schema.define(schemas, except: ["f"])
        #expect(!isNewAgain)
    }

    private static func schema(_ types: [String: ContainerSchema.RecordType]) -> ContainerSchema {
        ContainerSchema(recordTypes: types)
    }

    @Test func typesThatDifferHaveChanged() {
        let plain = ContainerSchema.RecordType(fields: ["a": .init(.int64)])
        let other = ContainerSchema.RecordType(fields: ["a": .init(.string)])
        let earlier = Self.schema(["A": plain, "B": plain, "C": plain])
        let later = Self.schema(["A": other, "B": plain, "D": plain])
        #expect(later.typesChanged(since: earlier) == ["A", "C", "D"])
        #expect(earlier.typesChanged(since: earlier) == [])
        let larger = Self.schema(["A": plain, "B": plain, "C": plain, "D": other])
        #expect(larger.isOnlyLarger(than: earlier) && earlier.isOnlyLarger(than: earlier))
        #expect(!later.isOnlyLarger(than: earlier) && !earlier.isOnlyLarger(than: larger))
    }

    /// What goes is looked at first; what was demanded before is not looked at again, in whatever order it was said.
    @Test func onlyWhatIsNewIsDemanded() {
        let earlier = Self.schema([
            "T": .init(
                fields: [
                    "a": .init(.int64), "b": .init(.int64), "c": .init(.string, traits: .unique),
                    "d": .init(.string, traits: .required), "e": .init(.string),
                ], uniqueTogether: [["b", "c"]]), "G": .init(fields: ["g": .init(.string, traits: .encrypted)]),
        ])
        let later = Self.schema([
            "T": .init(
                fields: [
                    "a": .init(.double), "b": .init(.int64, traits: .required), "c": .init(.string, traits: .unique),
                    "d": .init(.string, traits: [.required, .unique]), "e": .init(.string, traits: .encrypted),
                ], uniqueTogether: [["c", "b"], ["b", "d"]])
        ])
        #expect(
            later.demands(since: earlier) == [
                ServerDemand(type: "G", keys: ["g"], kind: .absent("ENCRYPTED STRING")),
                ServerDemand(type: "T", keys: ["a"], kind: .absent("INT64")),
                ServerDemand(type: "T", keys: ["e"], kind: .absent("STRING")),
                ServerDemand(type: "G", keys: [], kind: .noRecords),
                ServerDemand(type: "T", keys: ["b"], kind: .present),
                ServerDemand(type: "T", keys: ["d"], kind: .unique),
                ServerDemand(type: "T", keys: ["b", "d"], kind: .unique),
            ])
    }

    @Test func fieldsOfSeveralTypesShareTheirMarks() {
        let string = ContainerSchema.Field(.string)
        let types: [[String: ContainerSchema.Field]] = [
            ["a": .init(.string, indexes: .sortable), "b": .init(.string, indexes: []), "c": string],
            ["a": .init(.string, indexes: .searchable), "b": .init(.string, indexes: .queryable)],
        ]
        for types in [types, types.reversed()] {
            let declared = ContainerSchema.indexDeclaration(of: types)
            #expect(declared["a"] == [.queryable, .sortable, .searchable] && declared["b"] == .queryable)
            #expect(declared["c"] == .automatic && declared["other"] == .automatic)
        }
    }
}
