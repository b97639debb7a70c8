// Functions, arithmetic, paths, casts, SUBQUERY: values by predicate.

import FoundationEssentials
import PredicateSemantics
import PredicateSyntax
import RecordModel
import Testing

@Suite struct ExpressionTests {
    static let object = FieldValue.object([
        "s": "Héllo wörld", "n": 5, "x": 2.5, "arr": [10, 20, 30], "empty": [], "none": nil,
        "m": .object(["k": "v", "deep": .object(["list": [1, 2]])]),
        "d": .date(Date(timeIntervalSinceReferenceDate: 60)),
        "items": [
            .object(["name": "milk", "price": 5.5, "tags": ["cold"]]),
            .object(["name": "pizza", "price": 9.5, "tags": ["hot", "cheese"]]),
            .object(["name": "milk", "price": 4.0, "tags": []]),
        ],
        "home": .location(.init(latitude: 50.45, longitude: 30.52)),
        "nowhere": .location(.init(latitude: 95, longitude: 0)),
        "self": 2, "size": 9, "length": 1, "matrix": [[1, 2], [2, 3]], "data": .data(.init([1, 2, 3])),
        "keys": .set(["a", "b"]), "gaps": [[1, nil], nil, [nil, 2, 1]],
    ])

    /// Predicates that hold for `object`.
    static let truths: [String] = [
        // Arithmetic.
        "7 / 2 == 3", "-7 / 2 == -3", "7 / 2.0 == 3.5", "n + x == 7.5", "TRUE + TRUE == 2", "2 ** 3 == 8",
        "-2 ** 2 == -4", "9223372036854775807 + 1 == 9223372036854775808.0", "9223372036854775807 * 2 > 1e18",
        "(0 - 9223372036854775807 - 1) / -1 == 9223372036854775808.0", "-(0 - 9223372036854775807 - 1) > 0",
        "abs(0 - 9223372036854775807 - 1) == 9223372036854775808.0", "1 / 0.0 > 1e308", "0.0 / 0.0 == sqrt(-1)",
        "(n & 4) == 4", "(n | 2) == 7", "(n ^ 1) == 4", "~n == -6", "1 << 62 == 4611686018427387904", "1 << 64 == 0",
        "1 << -1 == 0", "8 >> 1 == 4", "-8 >> 1 == -4", "(4.0 & 4) == 4", "modulus:by:(7, 3) == 1",
        "modulus:by:(-7.9, 3) == -1", "modulus:by:(0 - 9223372036854775807 - 1, -1) == 0",
        // Functions.
        "sum({1, 2, 3}) == 6", "sum(1, 2, 3) == 6", "sum({}) == 0", "sum({1, nil}) == 1", "sum({1, 2}) / 2 == 1.5",
        "count({1, nil}) == 2", "count(arr) == 3", "average({1, 2}) == 1.5", "average({}) == nil", "max({}) == nil",
        "min({3, 1.5, 2}) == 1.5", "max({'a', 'b'}) == 'b'", "median({5, 1, 3}) == 3", "median({1, 2}) == 1.5",
        "mode({1, 2, 2.0, 3}) == {2}", "mode({1, 2}) == {1, 2}",
        "abs(stddev({1, 2, 3, 4, 4, 5, 9, 11}) - 3.21859) < 1e-5",
        "sqrt(16) == 4", "exp(0) == 1", "ln(exp(1)) == 1", "log(1000) == 3", "floor(-1.5) == -2", "ceiling(1.2) == 2",
        "trunc(-1.7) == -1", "abs(-3) == 3", "floor(n) / 2 == 2", "uppercase('straße') == 'STRASSE'",
        "lowercase('ÀB') == 'àb'", "length('a😀') == 3", "random() < 1", "random() >= 0", "randomn(10) < 10",
        "now() > CAST(0, 'NSDate')", "now() == now()", "noindex(n) == 5", "distinct({1, 1.0, 2}) == {1, 2}",
        "raise:toPower:(2, 10) == 1024", "from:subtract:(5, 3) == 2", "onesComplement(0) == -1",
        "objectFrom:withIndex:(arr, 1) == 20", "castObject:toType:('5', 'NSNumber') == 5",
        // Paths.
        "m.k == 'v'", "m['k'] == 'v'", "SELF.m.deep.list[1] == 2", "m.nope.nope == nil", "arr[FIRST] == 10",
        "arr[LAST] == 30", "arr[SIZE] == 3", "arr[n - 4] == 20", "empty[FIRST] == nil", "empty[SIZE] == 0",
        "arr.@count == 3", "arr.@sum.self == 60", "arr.@avg.self == 20", "arr.@max.#self == 30", "empty.@sum.self == 0",
        "empty.@avg.self == nil", "items.@count == 3", "items.@sum.price == 19", "items.@min.price == 4",
        "@max.items.price == 9.5", "items.name == {'milk', 'pizza', 'milk'}", "items.tags.@count == 3",
        "items.@distinctUnionOfObjects.name == {'milk', 'pizza'}", "items.@unionOfObjects.name.@count == 3",
        "items.@unionOfArrays.tags == {'cold', 'hot', 'cheese'}", "matrix.@distinctUnionOfArrays.self.@count == 3",
        "gaps.@unionOfArrays.self == {1, 2, 1}", "gaps.@distinctUnionOfArrays.self == {1, 2}",
        "gaps.@unionOfSets.self.@count == 2", "gaps.@distinctUnionOfSets.self.@count == 2",
        "gaps.@unionOfObjects.self == {{1, nil}, {nil, 2, 1}}", "gaps.@count == 3", "gaps.@sum.self == 4",
        // Lists are opened however deep they are nested.
        "{{{1}, {2, 3}}, {{4}}}.@sum.self == 10", "max({{{1}, {5}}, {{4}}}) == 5",
        "items.@distinctUnionOfObjects.name[0] == 'milk'", "s.length == 11", "items.name.length == {4, 5, 4}",
        "#self == 2", "#size == 9", "length == 1", "data.length == 3", "home.latitude == 50.45", "m.@count == 2",
        "ANY items.tags == 'cheese'", "items[1].tags[LAST] == 'cheese'", "'v' IN m", "keys[SIZE] == 2",
        // Sets.
        "keys UNION {'c'} == {'a', 'b', 'c'} UNION {}", "({1, 2, 3} INTERSECT {2.0, 4}).@count == 1",
        "({1, 2} MINUS {1}) != {2}", "2 IN ({1, 2} MINUS {1})", "#none UNION {1} == nil",
        // SUBQUERY.
        "SUBQUERY(items, $i, $i.price > n).@count == 2", "SUBQUERY(arr, $n, $n > 15).@count == 2",
        "SUBQUERY(items, $i, ANY $i.tags == 'hot')[0].name == 'pizza'", "SUBQUERY(arr, $i, #size == 9).@count == 3",
        "SUBQUERY(items, $i, SUBQUERY($i.tags, $t, $t BEGINSWITH 'c').@count > 0).@count == 2",
        "SUBQUERY(items, $i, SUBQUERY($i.tags, $i, $i == 'hot').@count > 0 AND $i.name == 'pizza').@count == 1",
        "SUBQUERY(empty, $i, $i == 1) == {}",
        // TERNARY and CAST.
        "TERNARY(n == 5, 'a', 'b') == 'a'", "TERNARY(n != 5, 1 / 0, 2) == 2", "TERNARY(n == 5, s, n).length == 11",
        "CAST(5, 'NSString') == '5'", "CAST(5.0, 'NSString') == '5'", "CAST(0.5, 'NSString') == '0.5'",
        "CAST(TRUE, 'NSString') == '1'", "CAST(' 12 ', 'NSNumber') == 12", "CAST('12.5', 'NSNumber') == 12.5",
        "CAST('1e3', 'NSDecimalNumber') == 1000", "CAST('nan', 'NSNumber') == nil", "CAST('', 'NSNumber') == nil",
        "CAST(d, 'NSNumber') == 60", "CAST(60, 'NSDate') == d", "CAST(nil, 'NSDate') == nil", "CAST(n, nil) == 5",
        "CAST(d, 'NSString') == '2001-01-01 00:01:00 +0000'", "CAST(CAST(d, 'NSNumber') + 60, 'NSDate') > d",
        // Distance, in metres.
        "distanceToLocation:fromLocation:(home, home) == 0", "NOT distanceToLocation:fromLocation:(home, #none) < 1e9",
        "NOT distanceToLocation:fromLocation:(nowhere, home) >= 0",
        // Areas; a place that is not on the globe lies neither within nor without.
        "inBox(home, 50, 30, 51, 31) == TRUE", "NOT inBox(nowhere, 0, 0, 10, 10) == TRUE",
        "NOT inBox(nowhere, 0, 0, 10, 10) == FALSE", "inBox(nowhere, 0, 0, 10, 10) != TRUE",
        "inBox(nowhere, 0, 0, 10, 10) != FALSE", "NOT TRUE == inBox(nowhere, 0, 0, 10, 10)",
        "NOT (inBox(nowhere, 0, 0, 10, 10) == TRUE)", "inBox(nowhere, 0, 0, 10, 10) == nil",
    ]

    @Test func truths() throws {
        for text in Self.truths {
            #expect(outcome(text, of: Self.object) == "T", "\(text)")
        }
    }

    /// Predicates, the kind of error they must give, and the part of the text that is at fault.
    static let failures: [(String, EvaluationError.Kind, String)] = [
        ("n / (n - 5) == 1", .divisionByZero, "n - 5"), ("modulus:by:(n, 0) == 1", .divisionByZero, "0"),
        ("arr[3] == 1", .indexOutOfRange, "3"), ("arr[-1] == 1", .indexOutOfRange, "-1"),
        ("arr['k'] == 1", .typeMismatch, "'k'"), ("s[0] == 1", .typeMismatch, "[0]"),
        ("n[FIRST] == 1", .typeMismatch, "[FIRST]"),
        ("s[SIZE] == 1", .typeMismatch, "[SIZE]"), ("s.@count == 1", .typeMismatch, "@count"),
        ("items.@sum.name == 1", .typeMismatch, "@sum"), ("s + 1 == 2", .typeMismatch, "s"),
        ("n + 'a' == 2", .typeMismatch, "'a'"), ("-s == 1", .typeMismatch, "s"),
        ("(x & 1) == 1", .numberOutOfRange, "x"),
        ("sqrt(s) == 1", .typeMismatch, "s"), ("uppercase(n) == 'A'", .typeMismatch, "n"),
        ("n < s", .typeMismatch, "s"),
        ("arr < 3", .typeMismatch, "arr"), ("s CONTAINS 5", .typeMismatch, "5"), ("n CONTAINS 5", .typeMismatch, "n"),
        ("5 IN n", .typeMismatch, "n"), ("n IN s", .typeMismatch, "n"), ("n BEGINSWITH 'a'", .typeMismatch, "n"),
        ("arr BEGINSWITH 'a'", .typeMismatch, "arr"), ("s LIKE n", .typeMismatch, "n"),
        ("s MATCHES n", .typeMismatch, "n"),
        ("n TOKENMATCHES 'a'", .typeMismatch, "n"), ("s TOKENMATCHES n", .typeMismatch, "n"),
        ("ANY s == 'a'", .typeMismatch, "s"), ("SUBQUERY(s, $i, $i == 'a').@count == 1", .typeMismatch, "s"),
        ("$nope == 1", .unboundVariable, "$nope"), ("CAST(arr, 'NSNumber') == 1", .invalidCast, "arr"),
        ("CAST(s, s) == 1", .invalidCast, "s"), ("n UNION {1} == 1", .typeMismatch, "n"),
        ("randomn(0) == 0", .invalidArgument, "0"),
        ("n BETWEEN {1, 'a'}", .typeMismatch, "{1, 'a'}"),
        ("distanceToLocation:fromLocation:(n, home) < 5", .typeMismatch, "n"),
        ("tokenize(n, 'cd') == {}", .typeMismatch, "n"),
        ("tokenize(s, s) == {}", .invalidArgument, "s"),
    ]

    @Test func failures() throws {
        for (text, kind, part) in Self.failures {
            let bound = try Binder().bind(try SyntaxTree(parsing: text))
            do {
                let result = try bound.evaluate(onValue: Self.object)
                Issue.record("\(text) gave \(result)")
            } catch {
                #expect(error.kind == kind, "\(text): \(error)")
                let place = String(decoding: Array(text.utf8)[error.span.range], as: UTF8.self)
                #expect(place == part, "\(text): \(error)")
                #expect(!error.message.contains("Héllo"), "values stay out of messages")
            }
        }
    }

    @Test func contextIsFixed() throws {
        let bound = try Binder().bind(try SyntaxTree(parsing: "now() == $then AND random() == $chance"))
        #expect(bound.usesContext && bound.openVariables == ["then", "chance"])
        let now = Date(timeIntervalSince1970: 1_000_000)
        // One seed gives one sequence; a first draw of 0.5 or more has its highest bit set.
        func draws(_ seed: UInt64) throws -> [Bool] {
            let high = try Binder().bind(try SyntaxTree(parsing: "random() >= 0.5"))
            let context = EvaluationContext(now: now, seed: seed)
            return try (0..<64).map { _ in try high.evaluate(onValue: .null, context: context) }
        }
        #expect(try draws(7) == draws(7))
        #expect(try draws(7) != draws(8))
        #expect(Set(try draws(9)).count == 2)
        let fixed = try Binder(settings: .init(now: now)).bind(
            try SyntaxTree(parsing: "now() == %@"), arguments: [.date(now)])
        guard case .constant(true) = fixed.root else {
            Issue.record("now() of a fixed instant is a constant")
            return
        }
    }

    /// What a record knows of itself are fields too, unless it has others of these names.
    @Test func recordsKnowThemselves() throws {
        let zone = RecordZone.ID("z", ownerName: "o")
        let plain = Record(type: "Person", id: .init("p", zoneID: zone), fields: ["n": 1])
        for text in [
            "creationDate == nil", "modificationDate == nil", "creatorUserRecordID == nil", "parent == nil",
            "lastModifiedUserRecordID == nil", "recordName == 'p'", "recordType == 'Person'", "other == nil",
        ] {
            #expect(try RecordPredicate(format: text).evaluate(on: plain), "\(text)")
        }
        let metadata = Record.Metadata(
            creationDate: Date(timeIntervalSinceReferenceDate: 0), creatorUserRecordID: .init("ann"),
            modificationDate: Date(timeIntervalSinceReferenceDate: 60), lastModifiedUserRecordID: .init("bob"),
            recordChangeTag: "7")
        var record = Record(
            type: "Person", id: plain.id,
            version: HeldVersion(
                metadata: metadata, parent: RecordReference(recordID: .init("q", zoneID: zone)), fields: ["n": 1]))
        for text in [
            "creationDate == CAST(0, 'NSDate')", "modificationDate == CAST(60, 'NSDate')",
            "creatorUserRecordID.recordName == 'ann'", "lastModifiedUserRecordID.recordName == 'bob'",
            "parent.recordName == 'q'", "SELF.recordName == 'p'", "creationDate < modificationDate",
        ] {
            #expect(try RecordPredicate(format: text).evaluate(on: record), "\(text)")
        }
        let named = try RecordPredicate(format: "recordID == %@", .reference(.init(recordID: record.id)))
        let elsewhere = try RecordPredicate(format: "recordID == %@", .reference(.init("p")))
        #expect(try named.evaluate(on: record) && !elsewhere.evaluate(on: record))
        record["recordName"] = "other"
        #expect(try RecordPredicate(format: "recordName == 'other'").evaluate(on: record))
    }

    @Test func pathsThroughReferences() throws {
        let city = Record(type: "City", id: .init("kyiv"), fields: ["name": "Kyiv", "twin": .reference(.init("lviv"))])
        let twin = Record(type: "City", id: .init("lviv"), fields: ["name": "Lviv", "size": 7])
        let home = Record(
            type: "Person", id: .init("p"),
            fields: [
                "home": .reference(.init("kyiv")), "visited": [.reference(.init("kyiv")), .reference(.init("lviv"))],
            ])
        let records = Dictionary(uniqueKeysWithValues: [city, twin].map { ($0.id, $0) })
        let cases = [
            ("home.name == 'Kyiv'", true), ("home.twin.#size == 7", true), ("home.nope.name == nil", true),
            ("ANY visited.name == 'Lviv'", true), ("ALL visited.name == 'Lviv'", false), ("home == %@", true),
            ("home.recordName == 'kyiv'", true), ("recordName == 'p'", true), ("recordType == 'Person'", true),
            ("recordID == recordID AND recordID != home", true),
        ]
        for (text, expected) in cases {
            let tree = try SyntaxTree(parsing: text)
            let arguments = tree.placeholders.map { _ in FieldValue.reference(.init("kyiv")) }
            let bound = try Binder().bind(tree, arguments: arguments)
            let source = RecordFields(home, names: bound.fieldNames) { records[$0.recordID] }
            #expect(try bound.evaluate(on: source) == expected, "\(text)")
        }
        // What a reference leads to leads on.
        let source = RecordFields(home, names: []) { records[$0.recordID] }
        #expect(source.resolve(.init("kyiv"))?.resolve(.init("lviv")) != nil)
        #expect(source.resolve(.init("kyiv"))?.resolve(.init("nobody")) == nil)
        // Without a resolver a path through a reference is nil.
        #expect(try RecordPredicate(format: "home.name == nil").evaluate(on: home))
    }
}
