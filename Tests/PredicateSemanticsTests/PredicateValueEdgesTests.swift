// What predicates keep when they are combined, filled, printed, compared and refused.

import FoundationEssentials
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct PredicateValueEdgesTests {
    private static func declaring(_ text: String, _ fields: Set<String>) throws -> RecordPredicate {
        RecordPredicate(building: try SyntaxTree(parsing: text).root, arguments: [], declaredFields: fields)
    }

    /// Fields that properties name stay known in whatever is made of their predicates.
    @Test func declaredFieldsStay() throws {
        let age = try Self.declaring("age > $least", ["age"])
        let name = try Self.declaring("name == 'x'", ["name"])
        #expect(RecordPredicate.all([age, name]).declaredFields == ["age", "name"])
        #expect(RecordPredicate.any([name, age]).declaredFields == ["age", "name"])
        #expect(age.substituting(["least": 3]).declaredFields == ["age"])
    }

    /// The variable of a SUBQUERY is its own only within it.
    @Test func variablesBehindASubquery() throws {
        let open = try RecordPredicate(format: "SUBQUERY(tags, $t, $t == 'a').@count > 0 AND name == $t")
        let filled = open.substituting(["t": "x"])
        #expect(filled.arguments == ["x"])
        let record = Record(type: "T", id: Record.ID("r"), fields: ["tags": ["a"], "name": "x"])
        #expect(try filled.evaluate(on: record))
    }

    /// Values that the language cannot write stay arguments in what is printed.
    @Test func valuesThatCannotBeWritten() throws {
        let never = Date(timeIntervalSinceReferenceDate: .infinity)
        for value in [.double(.infinity), .double(-.infinity), .double(.nan), .date(never)] as [FieldValue] {
            #expect(try RecordPredicate(format: "a > %@", arguments: [value]).description == "a > %@", "\(value)")
        }
    }

    @Test func malformedPredicatesAreEqualByTheirText() {
        let (one, same, other): (RecordPredicate, RecordPredicate, RecordPredicate) = ("age >", "age >", "name >")
        #expect(one == same)
        #expect(one != other)
    }

    /// What is nested too deep is told when the predicate is made, also where it is bound late.
    @Test func argumentsThatAreNestedTooDeep() {
        let deep = (0..<2000).reduce(FieldValue.null) { value, _ in [value] }
        let error = #expect(throws: RecordPredicateError.self) {
            try RecordPredicate(format: "a == %@", arguments: [deep])
        }
        #expect(error?.stage == .binding)
    }

    /// The error of a predicate says what could stand at its place, as that of its text does.
    @Test func whatIsExpectedIsTold() {
        let written = #expect(throws: SyntaxError.self) { try SyntaxTree(parsing: "age >") }
        let told = #expect(throws: RecordPredicateError.self) { try RecordPredicate(format: "age >") }
        #expect(written?.expected.isEmpty == false)
        #expect(told?.expected == written?.expected)
    }

    /// The identifier behind a reference is the reference.
    @Test func identifiersBehindReferences() throws {
        let record = Record(type: "T", id: Record.ID("r"), fields: ["home": .reference(RecordReference("h"))])
        #expect(try RecordPredicate(format: "home.recordID == home").evaluate(on: record))
        #expect(try RecordPredicate(format: "home.recordID != nil").evaluate(on: record))
    }

    /// What has no place is not in a box: that it is in it is unlike TRUE.
    @Test func missingPlaces() {
        #expect(outcome("inBox(spot, 1, 2, 3, 4) != TRUE", of: .object(["n": 1])) == "T")
        #expect(outcome("inBox(spot, 1, 2, 3, 4) == TRUE", of: .object(["n": 1])) == "F")
    }
}
