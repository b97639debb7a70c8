// Shapes of predicates: what shares one, what has none, and what values a template takes.

import FoundationEssentials
import PredicateSemantics
import QueryFrontEnds
import RecordModel
import Testing

@Suite struct TemplateTests {
    private static let schema = RecordSchema(
        recordType: "T",
        fields: [
            FieldDefinition(name: "name", type: .string), FieldDefinition(name: "n", type: .int64),
            FieldDefinition(name: "x", type: .double), FieldDefinition(name: "day", type: .date),
            FieldDefinition(name: "owner", type: .reference), FieldDefinition(name: "tags", type: .list(.string)),
            FieldDefinition(name: "what", type: .any),
        ])

    private static func shape(_ text: String, _ arguments: FieldValue...) throws -> (PredicateShape, [FieldValue])? {
        try RecordPredicate(format: text, arguments: arguments).shape().map { ($0.shape, $0.values) }
    }

    /// The constraint of a predicate that is one comparison.
    private static func constraint(of bound: BoundPredicate) throws -> FieldConstraint {
        guard case .comparison(let comparison) = bound.root else {
            throw NoConstraint(predicate: bound.description)
        }
        return try #require(comparison.constraint)
    }

    private struct NoConstraint: Error { let predicate: String }

    /// Literals, arguments and interpolations in the same places ask the same.
    @Test func constantsAreNoPartOfAShape() throws {
        let (first, values) = try #require(try Self.shape("name == 'a' AND n > 3"))
        #expect(values == ["a", 3])
        let (second, others) = try #require(try Self.shape("name == %@ AND n > %@", "b", 4.5))
        #expect(others == ["b", 4.5])
        #expect(first === second)
        let (text, number) = ("c", 5)
        let third = try #require(("name = \(text) AND n > \(number)" as RecordPredicate).shape())
        #expect(third.shape === first)
        #expect(third.values == ["c", 5])
        let open = try RecordPredicate(format: "name == $who AND n > $least")
        #expect(open.shape() == nil)
        #expect(try #require(open.shape(["who": "d", "least": 1])).shape === first)
        for other in ["name == 'a' AND n >= 3", "name ==[c] 'a' AND n > 3", "n > 3 AND name == 'a'", "name == 'a'"] {
            #expect(try #require(try Self.shape(other)).0 !== first, "\(other)")
        }
    }

    @Test(arguments: [
        "name == nil", "name LIKE 'a*'", "NOT name == 'a'", "name == 'a' OR n == 1", "n BETWEEN %@",
        "ANY tags == 'a'",
        "name == other", "name == 'a' AND n + 1 == 2", "TRUEPREDICATE", "owner.name == 'a'", "n == %d",
    ])
    func otherPredicatesHaveNone(text: String) throws {
        let arguments: [FieldValue] = text.contains("BETWEEN") ? [[1, 2]] : text.contains("%") ? [1] : []
        #expect(try RecordPredicate(format: text, arguments: arguments).shape() == nil)
    }

    @Test func templatesTakeValuesOfTheFieldsKinds() throws {
        let binder = Binder(schema: Self.schema)
        let day = FieldValue.date(Date(timeIntervalSinceReferenceDate: 0))
        let cases: [(String, takes: [FieldValue], rejects: [FieldValue])] = [
            ("name == %@", ["", "a"], [1, nil, ["a"], day]), ("name BEGINSWITH[cd] %@", ["a"], ["", 1, nil]),
            ("n <= %@", [1, 2.5, .double(.infinity)], ["1", .double(.nan), nil, day]),
            ("day > %@", [day], [1, "2001-01-01", .date(Date(timeIntervalSinceReferenceDate: .nan))]),
            ("owner == %@", [.reference(RecordReference("r"))], ["r", nil]),
        ]
        for (text, takes, rejects) in cases {
            let (shape, _) = try #require(try Self.shape(text, "x"))
            let template = try #require(ConstraintTemplate(shape, binder: binder), "\(text)")
            for value in takes {
                let filled = try #require(FilledTemplate(template, [value]), "\(text) \(value)")
                let bound = try binder.bind(RecordPredicate(format: text, arguments: [value]))
                #expect(filled.bound.description == bound.description)
                #expect(filled.constraints.map(\.requirement) == [try Self.constraint(of: bound).requirement])
            }
            for value in rejects { #expect(FilledTemplate(template, [value]) == nil, "\(text) \(value)") }
        }
        for text in ["tags == %@", "what == %@", "name ==[l] %@", "missing == %@", "owner > %@"] {
            let (shape, _) = try #require(try Self.shape(text, "x"))
            #expect(ConstraintTemplate(shape, binder: binder) == nil, "\(text)")
        }
    }

    /// Bounds may stand in the wrong order, and be of both kinds of number.
    @Test func templatesTakeBothBounds() throws {
        let binder = Binder(schema: Self.schema)
        let days = [0, 1].map { FieldValue.date(Date(timeIntervalSinceReferenceDate: $0)) }
        let cases: [(String, takes: [[FieldValue]], rejects: [[FieldValue]])] = [
            (
                "n BETWEEN {%@, %@}", [[1, 2], [2, 1], [2.5, 1], [1, .double(.infinity)], [1, 1.0]],
                [[1, nil], ["a", "b"], [1, .double(.nan)], [days[0], 1]]
            ),
            ("day BETWEEN {%@, %@}", [days, days.reversed()], [[1, 2], [days[0], nil]]),
        ]
        for (text, takes, rejects) in cases {
            let (shape, _) = try #require(try Self.shape(text, takes[0][0], takes[0][1]))
            let template = try #require(ConstraintTemplate(shape, binder: binder), "\(text)")
            #expect(template.soleField == nil)
            for values in takes {
                let filled = try #require(FilledTemplate(template, values), "\(text) \(values)")
                let bound = try binder.bind(RecordPredicate(format: text, arguments: values))
                #expect(filled.bound.description == bound.description)
                #expect(filled.constraints.map(\.requirement) == [try Self.constraint(of: bound).requirement])
            }
            for values in rejects { #expect(FilledTemplate(template, values) == nil, "\(text) \(values)") }
        }
        let (texts, _) = try #require(try Self.shape("name BETWEEN {%@, %@}", "a", "b"))
        #expect(ConstraintTemplate(texts, binder: binder) == nil)
    }

    /// Predicates of two arguments, and the one range that their conditions are together: the places of the arguments
    /// at its ends, in brackets where they belong to it.
    static let soleFields: [(text: String, range: String?)] = [
        ("name >= %@ AND name < %@", "name [0, 1)"), ("name < %@ AND name >= %@", "name [1, 0)"),
        ("name > %@ AND name <= %@", "name (0, 1]"), ("name <=[cd] %@ AND name >[cd] %@", "name (1, 0] cd"),
        // Of two fields, of other letters, or two ends on one side: no range of one index.
        ("name >= %@ AND owner == %@", nil), ("name >=[c] %@ AND name < %@", nil), ("name >= %@ AND name <[d] %@", nil),
        ("name > %@ AND name > %@", nil), ("name < %@ AND name <= %@", nil), ("name == %@ AND name == %@", nil),
        ("name == %@ AND name > %@", nil), ("name > %@ AND name == %@", nil), ("name BEGINSWITH %@ AND name > %@", nil),
    ]

    @Test(arguments: soleFields) func conditionsOfOneField(text: String, range: String?) throws {
        let (shape, _) = try #require(try Self.shape(text, "x", "y"))
        let template = try #require(ConstraintTemplate(shape, binder: Binder(schema: Self.schema)))
        #expect(template.soleField.flatMap { Self.written($0, ["0", "1"]) } == range)
        // A value that is missing, or of another kind, leaves no condition.
        for values in [["0", nil], [nil, "1"], ["0", .int64(1)], [.null, "1"]] as [[FieldValue?]] {
            #expect(template.soleField.flatMap { Self.written($0, values) } == nil)
        }
    }

    @Test func conditionsOfOneArgument() throws {
        let cases: [(text: String, value: FieldValue, written: String?)] = [
            ("n == %@", 3, "n =3"), ("n > %@", 3, "n (3, )"), ("n >= %@", 2.5, "n [2.5, )"), ("n < %@", 3, "n (, 3)"),
            ("n <= %@", 3, "n (, 3]"), ("name ==[c] %@", "a", "name =a c"), ("n == %@", "a", nil),
            ("n == %@", .double(.nan), nil), ("name == %@", .null, nil),
        ]
        for (text, value, written) in cases {
            let (shape, _) = try #require(try Self.shape(text, value.isNull ? "a" : value))
            let template = try #require(ConstraintTemplate(shape, binder: Binder(schema: Self.schema)))
            #expect(template.soleField.flatMap { Self.written($0, [value]) } == written, "\(text)")
        }
    }

    private static func written(_ field: SoleField, _ values: [FieldValue?]) -> String? {
        func plain(_ value: FieldValue) -> String {
            switch value {
            case .string(let text): text
            case .int64(let number): "\(number)"
            case .double(let number): "\(number)"
            default: "?"
            }
        }
        let letters = field.options.isEmpty ? "" : " " + field.options.letters
        switch field.condition({ values[$0] }) {
        case nil: return nil
        case .equal(let value): return "\(field.name) =\(plain(value))" + letters
        case .range(let lower, let upper):
            let ends = (lower.map { plain($0.value) } ?? "", upper.map { plain($0.value) } ?? "")
            let opening = lower?.isInclusive == true ? "[" : "("
            return "\(field.name) \(opening)\(ends.0), \(ends.1)\(upper?.isInclusive == true ? "]" : ")")" + letters
        }
    }

    /// Arguments are counted and failures told as before, though a predicate of fields and values is bound late.
    @Test func lateBindingTellsOfArguments() throws {
        for (text, arguments) in [("n == %@", []), ("n == %@", [1, 2]), ("n == %@ AND", [1])]
            as [(String, [FieldValue])]
        {
            #expect(throws: RecordPredicateError.self) { try RecordPredicate(format: text, arguments: arguments) }
        }
        let predicate = try RecordPredicate(format: "n == %@", arguments: [3])
        #expect(try predicate.evaluate(on: Record(type: "T", id: Record.ID("a"), fields: ["n": 3])))
    }

    @Test func cachesForgetWhenTheyAreFull() {
        let cache = BoundedCache<Int, Int>(capacity: 10)
        for key in 0..<100 { #expect(cache.value(key) { key * 2 } == key * 2) }
        #expect(cache.count <= 10)
        #expect(cache.value(99) { nil } == 198)
        #expect(cache.value(-1) { nil } == nil)
    }
}
