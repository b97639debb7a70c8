// CloudKit's schema language: read, written, refused with a place.

import Foundation
import PredicateSyntax
import Testing
import TextAnalysis

@testable import Campaigns
@testable import RecordDatabase

@Suite struct SchemaLanguageTests {
    private static let sample = """
        DEFINE SCHEMA

            CREATE ROLE Editors;
            CREATE ROLE "night shift";

            RECORD TYPE Book (
                "___createTime" TIMESTAMP,
                "___etag"       STRING,
                "___recordID"   REFERENCE QUERYABLE,
                author          REFERENCE QUERYABLE,
                cover           ASSET,
                "double"        DOUBLE QUERYABLE SORTABLE,
                notes           ENCRYPTED STRING,
                pages           NUMBER PREFERRED AS INT64 QUERYABLE,
                places          LIST<LOCATION>,
                secrets         LIST<ENCRYPTED BYTES>,
                shop            LOCATION QUERYABLE SORTABLE,
                tags            LIST<STRING> QUERYABLE SEARCHABLE,
                title           STRING QUERYABLE SEARCHABLE SORTABLE,
                GRANT READ, CREATE, WRITE TO "Editors",
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

            RECORD TYPE Users (
                "___recordID" REFERENCE QUERYABLE,
                roles         LIST<INT64>,
                GRANT WRITE TO "_creator",
                GRANT READ TO "_world"
            );

        """

    @Test func aSchemaIsReadAndWrittenAsItWas() throws {
        let schema = try ContainerSchema(text: Self.sample)
        #expect(schema.text == Self.sample)
        let book = try #require(schema.recordTypes["Book"])
        #expect(book.fields["title"]?.indexes == [.queryable, .sortable, .searchable])
        #expect(book.fields["cover"]?.indexes == [])
        #expect(book.fields["notes"] == .init(.string, traits: .encrypted))
        #expect(book.fields["pages"]?.type == .int64 && book.fields["pages"]?.traits == .number)
        #expect(book.fields["secrets"]?.type == .list(.data))
        #expect(book.metadataIndexes == ["creationDate": [], "recordChangeTag": [], "recordID": .queryable])
        #expect(book.grants["Editors"] == [.read, .create, .write] && book.grants["_world"] == [.read])
        #expect(schema.roles == ["Editors", "night shift"])
        // As it is stored.
        let coded = try JSONDecoder().decode(ContainerSchema.self, from: JSONEncoder().encode(schema))
        #expect(coded == schema)
    }

    @Test func formsOfTheLanguage() throws {
        let cases = [
            "DEFINE SCHEMA", "\u{FEFF}DEFINE\tSCHEMA // end", "-- a\nDEFINE /* b\n */ SCHEMA\r\nRECORD TYPE T ();",
            "DEFINE SCHEMA RECORD TYPE T (GRANT READ, READ TO _world);",
            "DEFINE SCHEMA RECORD TYPE T (a STRING SORTABLE QUERYABLE,GRANT READ TO r);RECORD TYPE \"Record\"(\"read\" INT64);",
            "DEFINE SCHEMA RECORD TYPE T (grant STRING, schema ENCRYPTED LIST<STRING>);",
            "DEFINE SCHEMA RECORD TYPE T (a STRING UNIQUE LANGUAGE greek, language LIST<STRING> SEARCHABLE STOP WORDS (to));",
            "DEFINE SCHEMA RECORD TYPE T (a STRING SYNONYMS ((car, \"auto\"), (x, y)) STOP WORDS (\"don't\", \"צה\"\"ל\", 3));",
        ]
        for text in cases {
            let schema = try ContainerSchema(text: text)
            #expect(try ContainerSchema(text: schema.text) == schema, "\(text)")
        }
    }

    @Test(
        arguments: [
            ("", 1, 1, "expected DEFINE SCHEMA", nil),
            ("define SCHEMA", 1, 1, "expected DEFINE SCHEMA", "keywords are in upper case: DEFINE"),
            ("DEFINE SCHEMA RECORD TYPE (", 1, 27, "expected the name of a record type", nil),
            ("DEFINE SCHEMA RECORD TYPE T (a STRING)", 1, 39, "expected ;", nil),
            ("DEFINE SCHEMA\nRECORD TYPE T (\n  a STRNG\n);", 3, 5, nil, "did you mean STRING?"),
            ("DEFINE SCHEMA RECORD TYPE T (a BOOLEAN);", 1, 32, nil, "truth values are INT64"),
            ("DEFINE SCHEMA RECORD TYPE T (a BYTES QUERYABLE);", 1, 38, "BYTES cannot be QUERYABLE", nil),
            (
                "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED STRING QUERYABLE);", 1, 49,
                "ENCRYPTED STRING cannot be QUERYABLE", nil
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED LIST<REFERENCE>);", 1, 47,
                "values of this type cannot be ENCRYPTED", nil
            ),
            ("DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED ASSET);", 1, 42, "values of this type cannot be ENCRYPTED", nil),
            ("DEFINE SCHEMA RECORD TYPE T (a STRING QUERYABL);", 1, 39, nil, "did you mean QUERYABLE?"),
            ("DEFINE SCHEMA RECORD TYPE T (a STRING QUERYABLE QUERYABLE);", 1, 49, "QUERYABLE appears twice", nil),
            ("DEFINE SCHEMA RECORD TYPE T (a STRING, a INT64);", 1, 40, "the field was defined before", nil),
            ("DEFINE SCHEMA RECORD TYPE T (); RECORD TYPE T ();", 1, 45, "the record type was defined before", nil),
            ("DEFINE SCHEMA CREATE ROLE a; CREATE ROLE a;", 1, 42, "the role was created before", nil),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING,);", 1, 39, "expected a field or GRANT",
                "the last part of a record type has no comma behind it"
            ),
            ("DEFINE SCHEMA RECORD TYPE T (\"___recordId\" REFERENCE);", 1, 30, nil, "did you mean \"___recordID\"?"),
            ("DEFINE SCHEMA RECORD TYPE T (\"___recordID\" STRING);", 1, 44, "the field is REFERENCE", nil),
            ("DEFINE SCHEMA RECORD TYPE T (creationDate TIMESTAMP);", 1, 30, nil, nil),
            (
                "DEFINE SCHEMA RECORD TYPE T (a NUMBER);", 1, 32, nil,
                "NUMBER PREFERRED AS INT64, or NUMBER PREFERRED AS DOUBLE"
            ),
            ("DEFINE SCHEMA RECORD TYPE T (GRANT EAT TO a);", 1, 36, "expected READ, CREATE or WRITE", nil),
            ("DEFINE SCHEMA RECORD TYPE T (a LIST<LIST<STRING>>);", 1, 37, nil, nil),
            ("DEFINE SCHEMA RECORD TYPE T (“a” STRING);", 1, 30, nil, "names need straight double quotes"),
            ("DEFINE SCHEMA RECORD TYPE T (\"a STRING);", 1, 30, "the quotes are not closed", nil),
            ("DEFINE SCHEMA /* ", 1, 15, "the comment is not closed", nil), ("DEFINE SCHEMA DROP", 1, 15, nil, nil),
            ("DEFINE SCHEMA RECORD TYPE 1a ();", 1, 27, "a name begins with a letter", nil),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING LANGUAGE germn);", 1, 48,
                "expected a language", "did you mean german?"
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a INT64 LANGUAGE german);", 1, 38,
                "INT64 cannot have LANGUAGE", "plain STRING and LIST<STRING> can"
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a ENCRYPTED STRING STOP WORDS (a));", 1, 49,
                "STRING cannot have STOP WORDS", nil
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING STOP WORDS (a) STOP WORDS (b));", 1, 54,
                "STOP WORDS appears twice", nil
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING STOP (a));", 1, 44,
                "expected STOP WORDS", nil
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING STOP WORDS (a, \"new york\"));", 1, 54,
                "this is not one word", "stop words and synonyms are single words"
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING SYNONYMS (car, auto));", 1, 49,
                "expected (", nil
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING STOP WORDS ());", 1, 51,
                "expected a word", nil
            ),
            (
                "DEFINE SCHEMA RECORD TYPE T (a STRING SYNONYMS ((car, auto);", 1, 60,
                "expected , or )", nil
            ),
        ] as [(String, Int, Int, String?, String?)])
    func wrongTextsAreRejectedWithTheirPlace(text: String, line: Int, column: Int, message: String?, hint: String?) {
        let error = #expect(throws: SyntaxError.self) { try ContainerSchema(text: text) }
        guard let error else { return }
        let place = SourceText(text).position(ofByte: Int(error.span.lowerBound))
        #expect(place == (line, column), "\(error)")
        if let message { #expect(error.message == message) }
        if let hint { #expect(error.hint == hint, "\(error)") }
    }

    /// A field with every index that suits its type has whatever helps; parts of texts are indexed where that is said.
    @Test func fieldsAreIndexedAsDeclared() {
        let all = IndexMarks.all(for: .string)
        let marks: [String: IndexMarks] = [
            "all": all, "more": all.union(.substring), "few": [.queryable, .substring], "ordered": .sortable,
            "none": [],
        ]
        let type = ContainerSchema.RecordType(fields: marks.mapValues { ContainerSchema.Field(.string, indexes: $0) })
        let declared = ContainerSchema.indexDeclaration(of: [type.fields])
        #expect(declared["all"] == .automatic && declared["more"] == IndexMarks.automatic.union(.substring))
        #expect(declared["few"] == [.queryable, .substring] && declared["none"] == [])
        #expect(declared["ordered"] == [.queryable, .sortable])
        let usual = ContainerSchema.RecordType(fields: ["all": ContainerSchema.Field(.string)])
        #expect(ContainerSchema.indexDeclaration(of: [usual.fields]) == .automatic)
    }

    /// Schemas of random types, fields, indexes, traits and grants.
    @Test(arguments: 1..<40)
    func randomSchemasComeBack(_ seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let types: [FieldType] = [.int64, .double, .string, .date, .data, .location, .reference, .asset]
        var schema = ContainerSchema(roles: generator.oneIn(2) ? ["a b", "Admins"] : [])
        for number in 0..<3 {
            var type = ContainerSchema.RecordType()
            for index in 0..<generator.pick([0, 3, 9]) {
                var fieldType = generator.pick(types)
                var traits: ContainerSchema.Traits = []
                if ![.reference, .asset].contains(fieldType), generator.oneIn(4) { traits = .encrypted }
                if [.int64, .double].contains(fieldType), traits.isEmpty, generator.oneIn(4) { traits = .number }
                if generator.oneIn(3) { fieldType = .list(fieldType) }
                let all = IndexMarks.all(for: fieldType)
                let marks = all.intersection(IndexMarks(rawValue: generator.pick([0, 1, 3, 5, 7])))
                let name = generator.pick(["f\(index)", "record\(index)", index == 0 ? "grant" : "X_\(index)"])
                let words = ["a", "the", "don't", "über", "צה\"ל", "STOP", "東京", "3.14"]
                let analyzer = TextAnalyzer(
                    language: generator.pick([nil, .english, .russian]),
                    stopWords: Set((0..<generator.pick([0, 1, 3])).map { _ in generator.pick(words) }),
                    synonyms: (0..<generator.pick([0, 2])).map { _ in [generator.pick(words), generator.pick(words)] })
                let isAnalyzed = [.string, .list(.string)].contains(fieldType) && traits.isEmpty && generator.oneIn(2)
                type.define(
                    name,
                    ContainerSchema.Field(
                        fieldType, indexes: traits == .encrypted ? [] : marks, traits: traits,
                        analyzer: isAnalyzed && analyzer != TextAnalyzer() ? analyzer : nil))
            }
            type.grants = generator.oneIn(2) ? ["_creator": [.write], "Admins": [.read, .write]] : [:]
            if !type.grants.isEmpty { schema.roles.insert("Admins") }
            schema.recordTypes[generator.pick(["T\(number)", "Type"])] = type
        }
        #expect(try ContainerSchema(text: schema.text) == schema, "\(schema.text)")
    }

    @Test func aContainerIsPutUnderASchema() async throws {
        let container = try Container(identifier: "test")
        try container.setSchema(ContainerSchema(text: Self.sample))
        #expect(container.schema.text == Self.sample)
        // A text that would take a field with values away is rejected, and changes nothing.
        try await container.privateDatabase.save(Record(type: "Book", id: Record.ID("b"), fields: ["pages": 7]))
        let smaller = try ContainerSchema(text: "DEFINE SCHEMA RECORD TYPE Book (title STRING);")
        #expect(throws: DatabaseError.self) { try container.setSchema(smaller) }
        #expect(container.schema.text == Self.sample)
    }

    @Test func indexesAreBuiltForWhatTheSchemaMarks() async throws {
        let folder = TemporaryFolder()
        let container = try Container(identifier: "test", storedAt: folder.url)
        let text = "DEFINE SCHEMA RECORD TYPE T (a STRING QUERYABLE, b STRING, c INT64 SORTABLE, d STRING SEARCHABLE);"
        try container.setSchema(ContainerSchema(text: text))
        for batch in 0..<10 {
            let records = (0..<400).map { number in
                let word = FieldValue.string("word \(number % 200)")
                return record("r\(batch)-\(number)", ["a": word, "b": word, "c": .int64(Int64(number)), "d": word])
            }
            _ = try await container.privateDatabase.modifyRecords(saving: records, deleting: [])
        }
        try await container.compact()
        func indexes() async throws -> Int {
            try await container.storageStatistics().records.reduce(0) { $0 + $1.indexes }
        }
        let cases: [(RecordPredicate, count: Int, builds: Bool)] = [
            ("b == \("word 7")", 20, false), ("b TOKENMATCHES \("7")", 20, false), ("a TOKENMATCHES \("7")", 20, false),
            ("d BEGINSWITH \("word 7")", 220, false), ("a == \("word 7")", 20, true), ("c > \(390)", 90, true),
            ("d TOKENMATCHES \("7")", 20, true),
        ]
        for (predicate, count, builds) in cases {
            let before = try await indexes()
            let found = try await container.privateDatabase.recordPage(
                matching: Query("T", predicate), in: .default, resultsLimit: 10_000)
            #expect(found.matchResults.count == count, "\(predicate)")
            #expect(try await (indexes() > before) == builds, "\(predicate)")
        }
    }

    /// CloudKit's language has no word for it, so the mark is set in code; it is built and stored like the others.
    @Test func substringMarksAreOfTheSchemaAlone() throws {
        var type = ContainerSchema.RecordType()
        type.define("a", ContainerSchema.Field(.string, indexes: [.sortable, .substring]))
        type.define("b", ContainerSchema.Field(.string, indexes: [.queryable, .sortable, .searchable, .substring]))
        let marks = ContainerSchema.indexDeclaration(of: [type.fields])
        #expect(marks["a"] == [.queryable, .sortable, .substring])
        #expect(marks["b"].names == ["queryable", "sortable", "searchable", "substring"])
        type.define("a", ContainerSchema.Field(.string))
        type.define("c", ContainerSchema.Field(.int64))
        #expect(ContainerSchema.indexDeclaration(of: [type.fields])["c"] == .automatic)
        let stored = try JSONDecoder().decode(ContainerSchema.RecordType.self, from: JSONEncoder().encode(type))
        #expect(stored.fields["b"]?.indexes.names == ["queryable", "sortable", "searchable", "substring"])
        let schema = try ContainerSchema(text: ContainerSchema(recordTypes: ["T": type]).text)
        #expect(schema.recordTypes["T"]?.fields["b"]?.indexes == .automatic)
    }
}
