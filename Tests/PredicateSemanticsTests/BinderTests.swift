// What binding refuses, where, and what it makes of constants.

import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct BinderTests {
    static let schema = RecordSchema(
        recordType: "City",
        fields: [
            .init(name: "name", type: .string), .init(name: "population", type: .int64),
            .init(name: "score", type: .double), .init(name: "founded", type: .date),
            .init(name: "tags", type: .list(.string)),
            .init(name: "grades", type: .list(.int64)), .init(name: "location", type: .location),
            .init(name: "owner", type: .reference), .init(name: "photo", type: .data),
            .init(name: "capital", type: .bool),
            .init(name: "extra", type: .object), .init(name: "mixed", type: .any),
            .init(name: "friends", type: .list(.reference)),
        ])

    /// Predicates that do not fit the schema, the kind of error, the text at fault, and a word of message or hint.
    static let misfits: [(String, BindingError.Kind, String, String)] = [
        ("poplation > 3", .unknownField, "poplation", "did you mean population?"),
        ("nope == 1", .unknownField, "nope", "City"),
        ("SELF.nam == 'x'", .unknownField, "nam", "did you mean name?"),
        ("creationDat == nil", .unknownField, "creationDat", "did you mean creationDate?"),
        ("population > 'x'", .typeMismatch, "'x'", "text"),
        ("'x' < population", .typeMismatch, "'x'", "number"), ("name < population", .typeMismatch, "population", ""),
        ("founded > 5", .typeMismatch, "5", "CAST"), ("location < 5", .typeMismatch, "location", "location"),
        ("tags > 'a'", .typeMismatch, "tags", "ANY"), ("population CONTAINS 3", .typeMismatch, "population", "list"),
        ("name CONTAINS 3", .typeMismatch, "3", "text"), ("name IN 5", .typeMismatch, "5", "IN {a, b}"),
        ("3 IN population", .typeMismatch, "population", "list"),
        ("population IN name", .typeMismatch, "population", "text"),
        ("ANY name == 'x'", .typeMismatch, "name", "leave out ANY"),
        ("ALL population > 3", .typeMismatch, "population", "list"),
        ("ANY grades > 'x'", .typeMismatch, "'x'", "number"), ("ANY tags > 3", .typeMismatch, "3", ""),
        ("population BEGINSWITH 'a'", .typeMismatch, "population", "text"),
        ("tags LIKE 'a*'", .typeMismatch, "tags", "ANY"),
        ("name MATCHES 3", .typeMismatch, "3", "text"), ("name + 1 == 2", .typeMismatch, "name", "number"),
        ("founded - 60 == 2", .typeMismatch, "founded", "CAST"), ("-tags == 2", .typeMismatch, "tags", "number"),
        ("sqrt(name) == 2", .typeMismatch, "name", "number"),
        ("uppercase(population) == 'A'", .typeMismatch, "population", "text"),
        ("distanceToLocation:fromLocation:(name, location) < 5", .typeMismatch, "name", "location"),
        ("name.@count > 3", .typeMismatch, "@count", ".length"), ("name[0] == 'a'", .typeMismatch, "[0]", "indexed"),
        ("population.foo == 1", .typeMismatch, "foo", "key"),
        ("SUBQUERY(name, $x, $x == 1) == nil", .typeMismatch, "name", "list"),
        ("SUBQUERY(grades, $x, $x > 'a').@count > 1", .typeMismatch, "'a'", "number"),
        ("population BETWEEN {'a', 'b'}", .typeMismatch, "{'a', 'b'}", "number"),
        ("population BETWEEN 3", .typeMismatch, "3", "BETWEEN {low, high}"),
        ("photo UTI-EQUALS 'a'", .typeMismatch, "photo", "text"),
        ("population TOKENMATCHES 'a'", .typeMismatch, "population", "text"),
        ("name UNION tags == nil", .typeMismatch, "name", "list"),
        ("name MATCHES '(a'", .invalidPattern, "'(a'", "regular expression"),
        ("CAST(name, 'Class') == 1", .invalidArgument, "'Class'", "NSString"),
        ("tokenize(name, 'xyz') == nil", .invalidArgument, "'xyz'", "letters"),
        ("capital < 'a'", .typeMismatch, "'a'", ""),
        ("friends.@sum.nope > owner", .typeMismatch, "owner", ""),
        // What is put together has the kind that both sides have, and none where they differ.
        ("ANY (grades UNION {1}) BEGINSWITH 'a'", .typeMismatch, "grades UNION {1}", "text"),
        ("ANY (tags MINUS {'a'}) > 3", .typeMismatch, "3", ""),
        // A place is at fault as a whole.
        ("distance(location, 91, 0) < 5", .invalidArgument, "91, 0", "globe"),
        ("location(0, 180.5) == location", .invalidArgument, "0, 180.5", "globe"),
    ]

    /// Bound leniently, fields that the schema lacks are told with their first places, however the rest fares.
    @Test func lenientBinding() throws {
        let cases: [(text: String, undeclared: [String], isBound: Bool)] = [
            ("name == 'x'", [], true), ("nme == 'x' OR population > nope OR nme == 'y'", ["nme", "nope"], true),
            ("SELF.nam == 'x'", ["nam"], true), ("nope > population.foo", ["nope"], false),
            ("population > 'x' OR nope == 1", [], false),
        ]
        for (text, names, isBound) in cases {
            let tree = try SyntaxTree(parsing: text)
            let (result, undeclared) = Binder(schema: Self.schema).bindLeniently(part: tree.root)
            #expect(undeclared.map(\.name) == names, "\(text)")
            let places = undeclared.map { String(decoding: Array(text.utf8)[$0.span.range], as: UTF8.self) }
            #expect(places == names, "\(text)")
            let wasBound = if case .success = result { true } else { false }
            #expect(wasBound == isBound, "\(text)")
        }
    }

    @Test func misfits() throws {
        for (text, kind, part, word) in Self.misfits {
            let tree = try SyntaxTree(parsing: text)
            do {
                _ = try Binder(schema: Self.schema).bind(tree)
                Issue.record("\(text) was bound")
            } catch {
                #expect(error.kind == kind, "\(text): \(error)")
                #expect(
                    String(decoding: Array(text.utf8)[error.span.range], as: UTF8.self) == part, "\(text): \(error)")
                #expect(word.isEmpty || error.description.contains(word), "\(text): \(error)")
            }
        }
    }

    /// Predicates that fit: unequal families compare, nil fits everywhere, paths through objects are open.
    static let fits = [
        "name == 5", "tags != 3", "population > nil", "nil < name", "population > 2.5", "capital == 1", "capital < 2",
        "extra.a.b > 3", "mixed > 'a'", "mixed CONTAINS 3", "ANY mixed == 1", "owner.name BEGINSWITH 'a'",
        "ANY tags == 'a'",
        "tags CONTAINS 'a'", "'a' IN tags", "name CONTAINS 'a'", "name IN {'a', 'b'}", "name.length > 3",
        "tags.@count > 3",
        "location.latitude > 3", "ANY friends.name == 'x'", "recordName == 'x'", "creationDate > CAST(0, 'NSDate')",
        "self CONTAINS 'x'", "allTokens TOKENMATCHES[cdl] 'x'", "tags TOKENMATCHES 'x'",
        "TERNARY(capital == 1, name, 'x') < 'a'",
        "population BETWEEN {1, 2.5}", "grades.@max.self > 3", "friends == nil", "$open > 3", "grades[0] > 3",
        "ANY (grades UNION tags) BEGINSWITH 'a'", "ANY (tags UNION grades) > 3",
        "ANY (tags INTERSECT {'a', 1}) > 'a'",
        "distance(location, 90, -180) < 5", "ANY {'a', 'b'} == name",
        "SUBQUERY(friends, $f, $f.name == 'x').@count > 0",
    ]

    @Test func fits() throws {
        for text in Self.fits {
            do {
                _ = try Binder(schema: Self.schema).bind(try SyntaxTree(parsing: text))
            } catch {
                Issue.record("\(text): \(error)")
            }
        }
    }

    static let argumentMisfits: [(String, [FieldValue], BindingError.Kind, String)] = [
        ("a == %@", [], .argumentCount, "takes 1 argument, not 0"),
        ("a == %@", [1, 2], .argumentCount, "takes 1 argument, not 2"),
        ("a == '%@'", [1], .argumentCount, "takes 0 arguments, not 1"),
        ("%K == 1", [1], .argumentType, "key path as text, not a number"),
        ("%K == 1", ["a..b"], .invalidKeyPath, "key"), ("a == %d", ["x"], .argumentType, "whole number, not text"),
        ("a == %d", [1.5], .argumentType, "whole number"), ("a == %f", [nil], .argumentType, "number, not nil"),
        ("a MATCHES %@", ["["], .invalidPattern, "regular expression"),
        (
            "distanceToLocation:fromLocation:(a, %@) < 5", [.location(.init(latitude: 91, longitude: 0))],
            .invalidArgument, "globe"
        ),
        ("a == %@", [(0..<2000).reduce(FieldValue.null) { value, _ in [value] }], .limit, "nested"),
    ]

    @Test func argumentMisfits() throws {
        for (text, arguments, kind, word) in Self.argumentMisfits {
            let tree = try SyntaxTree(parsing: text)
            do {
                _ = try Binder().bind(tree, arguments: arguments)
                Issue.record("\(text) was bound")
            } catch {
                #expect(error.kind == kind, "\(text): \(error)")
                #expect(word.isEmpty || error.description.contains(word), "\(text): \(error)")
            }
        }
    }

    @Test func keyPathArguments() {
        let object = FieldValue.object([
            "a": .object(["b": [1, 2, 3], "c d": 7]), "size": 4, "x y": 9, "items": [.object(["price": 2])],
        ])
        let cases: [(String, [FieldValue])] = [
            ("%K.@count == 3", ["a.b"]), ("%K.%K[0] == 1", ["a", "b"]), ("%K == 4", ["size"]), ("%K == 9", ["x y"]),
            ("%K == 3", ["a.b.@count"]), ("%K.%K == 2", ["items", "@sum.price"]),
            ("%K.%K == 2", ["items.@sum", "price"]),
            ("SELF.%K == 4", ["size"]), ("%K.%K == 4", ["SELF", "size"]), ("a.%K == 7", ["c d"]),
            ("a[%@] == 7", ["c d"]),
            ("SUBQUERY(items, $i, $i.%K == 2).@count == 1", ["price"]), ("%K == %d", ["size", 4.0]),
            ("%K == %f", ["size", 4]),
        ]
        for (text, arguments) in cases { #expect(outcome(text, arguments, of: object) == "T", "\(text) \(arguments)") }
    }

    @Test func constantsAreFolded() throws {
        let cases = [
            ("1 + 1 == 2", "true"), ("a == 1 AND 1 == 2", "and"), ("1 == 2 AND a == 1", "false"),
            ("a == 1 OR TRUEPREDICATE", "or"),
            ("TRUEPREDICATE AND a == 1", "comparison"), ("NOT 'a' IN {'a'}", "false"), ("ANY {1, 2} == 2", "true"),
            ("a == 2 * 3 + sqrt(16)", "comparison"), ("now() == now()", "comparison"), ("1 / 0 == 1", "comparison"),
            ("$x == 1", "true"), ("TERNARY(1 == 1, 'a', b) == 'a'", "true"), ("{1, 2}[1] == 2", "true"),
        ]
        for (text, expected) in cases {
            let root = try Binder().bind(try SyntaxTree(parsing: text), variables: ["x": 1]).root
            let shape =
                switch root {
                case .constant(let value): "\(value)"
                case .and: "and"
                case .or: "or"
                case .not: "not"
                case .comparison: "comparison"
                }
            #expect(shape == expected, "\(text)")
        }
        let folded = try Binder().bind(try SyntaxTree(parsing: "a == 2 * 3 + sqrt(16)")).root
        if case .comparison(let comparison) = folded {
            #expect(comparison.rhs.constant == 10.0)
        } else {
            Issue.record("\(folded)")
        }
    }

    static let printed = [
        ("a=%@ and b in %@", "a == 5 AND b IN {1, \"x\"}"), ("SELF.a.b > 1+2 or not a==nil", "a.b > 3 OR NOT a == nil"),
        ("ANY tags BEGINSWITH[cd] 'x'", "ANY tags BEGINSWITH[cd] \"x\""), ("add:to:(a, 1) == 2", "a + 1 == 2"),
        ("SUBQUERY(items, $i, $i.price > min).@count > 0", "SUBQUERY(items, $i, $i.price > min).@count > 0"),
        ("items.@sum.price[0] > a[FIRST] AND $v == 1", "items.@sum.price[0] > a[FIRST] AND $v == 1"),
        ("g.@max.#self == -a", "g.@max.SELF == -a"), ("CAST(a, 'NSDate') < now()", "CAST(a, \"NSDate\") < now()"),
        ("allTokens TOKENMATCHES[cdl] 'a b'", "allTokens TOKENMATCHES[cdl] \"a b\""),
    ]

    @Test func boundPredicatesPrint() throws {
        for (text, expected) in Self.printed {
            let tree = try SyntaxTree(parsing: text)
            let bound = try Binder().bind(tree, arguments: Array([5, [1, "x"]].prefix(tree.placeholders.count)))
            #expect(bound.description == expected, "\(text)")
            #expect(try Binder().bind(SyntaxTree(parsing: bound.description)).description == expected, "\(text)")
        }
    }

    @Test func fieldsAreNumberedByFirstUse() throws {
        let bound = try Binder().bind(try SyntaxTree(parsing: "b == a AND SELF.b > c.d AND ANY e.f == $v"))
        #expect(bound.fieldNames == ["b", "a", "c", "e"])
        #expect(bound.openVariables == ["v"])
    }
}
