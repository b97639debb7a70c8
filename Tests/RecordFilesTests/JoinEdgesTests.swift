// Fields that lead to records by a key: what they held, and what keeps them from it.

import RecordColumns
import RecordModel
import Testing

@testable import RecordFiles

@Suite struct JoinEdgesTests {
    /// What an order has as `who`, and what is said of it once it is a reference.
    static let said: [(who: String, code: String, value: FieldValue)] = [
        ("7", "7", 7), ("9", "7", 9), ("[7,9]", "7", [7, 9]), (#""007""#, #""007""#, "007"), (#""7""#, #""7""#, "7"),
        (#"["x","7"]"#, #""x""#, ["x", "7"]), (#""p""#, #""x""#, "p"),
    ]

    @Test("What a field held is known of its references: texts as texts, numbers as numbers")
    func keysAreSaid() throws {
        for (who, code, value) in Self.said {
            let text = """
                {"type":"Order","id":"o","who":\(who)}
                {"type":"Person","id":"p","code":\(code)}
                """
            let (records, keys) = try load(text).records.joined([KeyJoin(field: "who", type: "Person", key: "code")])
            let found = (0..<records.count).map { records[$0].record }
            let order = try #require(found.first { $0.type == "Order" })
            let joined: FieldValue = order["who"]
            #expect(joined != value && keys.key(joined, of: "who") == value, "\(who) \(code)")
            #expect(keys.key(true, of: "who") == true)
        }
    }

    private static let text = """
        {"type":"Order","id":"o","who":"x","n":1.5}
        {"type":"Person","id":"p","code":"x","age":3.5,"town":"Bern"}
        {"type":"Person","id":"q","code":"y","age":4.5,"town":"Bern"}

        """

    private static let kinds = "--reference FIELD=TYPE.KEY names two fields of these kinds"

    static let wrong: [(join: KeyJoin, kind: FileError.Kind, field: String?, message: String, hint: String)] = [
        (
            KeyJoin(field: "who", type: "Nobody", key: "code"), .value, nil,
            "no record is of type 'Nobody', which 'who=Nobody.code' names", "the types are Order, Person"
        ),
        (
            KeyJoin(field: "who", type: "Person", key: "cod"), .value, nil,
            "no 'Person' has a field 'cod', which 'who=Person.cod' names", "the fields are code, age, town"
        ),
        (
            KeyJoin(field: "who", type: "Person", key: "age"), .value, "age",
            "the key of a join is a text or a whole number", kinds
        ),
        (
            KeyJoin(field: "n", type: "Person", key: "code"), .value, "n",
            "the key of a join is a text or a whole number", kinds
        ),
        (
            KeyJoin(field: "who", type: "Person", key: "town"), .duplicate, "town",
            "two records of 'Person' have one value, and 'who=Person.town' finds one by it",
            "the key of a join is unique"
        ),
    ]

    @Test("Types and fields that are missing, and values that are no keys, are errors", arguments: wrong.indices)
    func wrongJoins(index: Int) throws {
        let (join, kind, field, message, hint) = Self.wrong[index]
        let records = try load(Self.text).records
        let error = #expect(throws: FileError.self) { _ = try records.joined([join]) }
        #expect(error?.kind == kind && error?.field == field && error?.message == message && error?.hint == hint)
    }

    @Test("A field that no record has is an error without a hint")
    func missingField() throws {
        let records = try load(Self.text).records
        let error = #expect(throws: FileError.self) {
            _ = try records.joined([KeyJoin(field: "whom", type: "Person", key: "code")])
        }
        #expect(error?.message == "no record has a field 'whom', which 'whom=Person.code' names" && error?.hint == nil)
    }
}
