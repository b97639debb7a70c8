// Details of schemas: fields that are learned and declared, what texts expect at a place, how far predicates look.

import PredicateSyntax
import RecordModel
import Testing

@testable import RecordDatabase

@Suite struct SchemaDetailEdgesTests {
    // MARK: Growth

    /// A schema has grown where a type that it has gets a field, too.
    @Test func aKnownTypeLearnsFields() {
        var schema = ContainerSchema(recordTypes: ["T": .init(fields: ["a": .init(.int64)])])
        let found = RecordSchema(recordType: "T", fields: [FieldDefinition(name: "b", type: .string)])
        let isNew = schema.define([found], except: [])
        #expect(isNew)
        #expect(schema.recordTypes["T"]?.fields.mapValues(\.type) == ["a": .int64, "b": .string])
    }

    /// Fields that a Swift type declares are defined, with a value, with nil, and without any.
    @Test func declaredFieldsAreDefined() throws {
        var draft = SchemaDraft(ContainerSchema(), environment: .development, maximumNameLength: 255)
        let check = ValueCheck(zoneID: .default, userName: "u")
        let values: [String: FieldValue] = ["n": 1, "none": .null]
        let declared: [String: FieldType] = ["n": .double, "none": .date, "gone": .string]
        let stored = try draft.stored(values, ofType: "T", declared: declared, check)
        #expect(stored == ["n": .double(1), "none": .null])
        #expect(draft.schema.recordTypes["T"]?.fields.mapValues(\.type) == declared)
    }

    // MARK: Language

    private static let wrong: [(field: String, marked: String, expected: [String])] = [
        // Of a wrong type all words are marked, and nothing behind them.
        ("\"___recordID\" STRING", "STRING", ["REFERENCE"]), ("\"___etag\" INT64 QUERYABLE", "INT64", ["STRING"]),
        ("\"___etag\" LIST<STRING> QUERYABLE", "LIST<STRING>", ["STRING"]),
        ("\"___etag\" ENCRYPTED STRING", "ENCRYPTED STRING", ["STRING"]),
        // Only words that suit are expected.
        ("a INT64 SEARCHABLE", "SEARCHABLE", ["QUERYABLE", "SORTABLE"]),
        ("a REFERENCE SORTABLE", "SORTABLE", ["QUERYABLE"]), ("a BYTES QUERYABLE", "QUERYABLE", []),
        ("a ENCRYPTED STRING SORTABLE", "SORTABLE", []), ("a BYTES UNIQUE", "UNIQUE", ["NOT NULL"]),
        ("a ENCRYPTED REFERENCE", "REFERENCE", ["BYTES", "DOUBLE", "INT64", "LOCATION", "STRING", "TIMESTAMP"]),
    ]

    @Test(arguments: wrong.indices) func whatIsWrongAndWhatIsExpected(_ number: Int) throws {
        let (field, marked, expected) = Self.wrong[number]
        let text = "DEFINE SCHEMA RECORD TYPE T (" + field + ");"
        let error = try #require(throws: SyntaxError.self) { try ContainerSchema(text: text) }
        let range = error.span.range
        #expect(String(decoding: Array(text.utf8)[range], as: UTF8.self) == marked, "\(text)")
        #expect(error.expected == expected, "\(text)")
    }

    // MARK: Subscriptions

    /// The longest path of all subscriptions tells how many references are followed, whichever came last.
    @Test(arguments: [["a.b.n == 1", "a.n == 1"], ["a.n == 1", "a.b.n == 1"], ["a.b.n == 1", "n == 1"]])
    func theLongestPathCounts(_ texts: [String]) throws {
        let fields: [String: ContainerSchema.Field] = [
            "a": .init(.reference), "b": .init(.reference), "n": .init(.int64),
        ]
        let schema = ContainerSchema(recordTypes: ["T": .init(fields: fields)])
        let stored = try texts.map { text in
            let predicate = try RecordPredicate(format: text, arguments: [])
            return StoredSubscription(
                userName: "u", subscription: try Subscription(recordType: "T", predicate: predicate, id: text),
                predicate: nil)
        }
        // The path of three keys: no more references than that lie one behind the other.
        #expect(SubscriptionTable(stored, schema).referenceDepth == 3)
    }
}
